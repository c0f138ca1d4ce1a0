/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/outbox.h"

#include "bot/base/error.h"
#include "bot/store/lease.h"
#include "bot/store/private.h"
#include "bot/store/query.h"

#define OUTGOING_COLUMNS                                                                           \
	"id, purpose, job_row, message_id, subject, bytes, from_name, from_addr, state,"           \
	" hold_reason, attempts, created_us, not_before_us, attempted_us, last_reply"

/* ---- inserting ---- */

static bool find_purpose(Db *db, const char *purpose, int64_t *out_row, GError **error)
{
	g_autoptr(Query) query = query_new(db, "SELECT id FROM outgoing WHERE purpose = :purpose");

	query_set_text(query, ":purpose", purpose);
	*out_row = query_next(query) ? query_int(query, "id") : 0;
	return query_finish(query, error);
}

static bool insert_mail(Db *db, const OutgoingMail *mail, int64_t *out_row, GError **error)
{
	gsize len = 0;
	const void *bytes = g_bytes_get_data(mail->bytes, &len);
	g_autoptr(Query) query = query_new(
		db, "INSERT INTO outgoing (purpose, job_row, message_id, subject, bytes, from_name,"
		    " from_addr, state, hold_reason, attempts, created_us, not_before_us,"
		    " first_attempted_us, attempted_us)"
		    " VALUES (:purpose, :job, :message_id, :subject, :bytes, :from_name,"
		    " :from_addr, :state, :hold_reason, 0, :created, :not_before, 0, 0)");

	query_set_text(query, ":purpose", mail->purpose);
	query_set_row(query, ":job", mail->job_row);
	query_set_text(query, ":message_id", mail->message_id);
	query_set_text(query, ":subject", mail->subject == NULL ? "" : mail->subject);
	query_set_blob(query, ":bytes", bytes, len);
	query_set_text(query, ":from_name", mail->envelope_from->name);
	query_set_text(query, ":from_addr", mail->envelope_from->addr);
	query_set_text(query, ":state", outgoing_state_name(mail->state));
	query_set_text(query, ":hold_reason", mail->hold_reason);
	query_set_int(query, ":created",
		      mail->created_us != 0 ? mail->created_us : clock_now_us(db->clock));
	query_set_int(query, ":not_before", mail->not_before_us);
	if (!query_run(query, error))
		return false;
	*out_row = query_last_row(db);
	return true;
}

static bool insert_recipients(Db *db, int64_t row, const GPtrArray *recipients, GError **error)
{
	g_autoptr(Query) query =
		query_new(db, "INSERT INTO recipients (outgoing_row, position, name, addr)"
			      " VALUES (:row, :position, :name, :addr)");

	for (guint i = 0; i < recipients->len; i++) {
		const Mailbox *one = g_ptr_array_index(recipients, i);

		query_restart(query);
		query_set_int(query, ":row", row);
		query_set_int(query, ":position", i);
		query_set_text(query, ":name", one->name == NULL ? "" : one->name);
		query_set_text(query, ":addr", one->addr);
		if (!query_run(query, error))
			return false;
	}
	return true;
}

bool outbox_insert(Db *db, const OutgoingMail *mail, int64_t *out_row, bool *out_new,
		   GError **error)
{
	g_autofree char *name = g_strconcat("outgoing.", outgoing_state_name(mail->state), NULL);

	if (!find_purpose(db, mail->purpose, out_row, error))
		return false;
	*out_new = *out_row == 0;
	if (!*out_new)
		return true;
	return insert_mail(db, mail, out_row, error) &&
	       insert_recipients(db, *out_row, mail->recipients, error) &&
	       event_add(db, name, "outgoing", *out_row, error, "%s",
			 mail->hold_reason == NULL ? mail->purpose : mail->hold_reason);
}

/* ---- reading ---- */

#define RECIPIENTS_OF "SELECT name, addr FROM recipients WHERE outgoing_row = :row"

static OutgoingMail *read_mail(Query *query)
{
	OutgoingMail *mail = g_new0(OutgoingMail, 1);
	g_autofree char *name = query_text(query, "from_name");
	g_autofree char *addr = query_text(query, "from_addr");

	mail->row = query_int(query, "id");
	mail->purpose = query_text(query, "purpose");
	mail->job_row = query_int(query, "job_row");
	mail->message_id = query_text(query, "message_id");
	mail->subject = query_text(query, "subject");
	mail->bytes = query_blob(query, "bytes");
	mail->envelope_from = mailbox_new(name, addr, NULL);
	mail->recipients = g_ptr_array_new_with_free_func((GDestroyNotify)mailbox_free);
	mail->state = outgoing_state_from_name(query_peek_text(query, "state"));
	mail->hold_reason = query_text(query, "hold_reason");
	mail->attempts = (unsigned)query_int(query, "attempts");
	mail->created_us = query_int(query, "created_us");
	mail->not_before_us = query_int(query, "not_before_us");
	mail->attempted_us = query_int(query, "attempted_us");
	mail->last_reply = query_text(query, "last_reply");
	return mail;
}

static bool read_recipients(Db *db, OutgoingMail *mail, const char *sql, GError **error)
{
	g_autoptr(Query) query = query_new(db, sql);

	query_set_int(query, ":row", mail->row);
	while (query_next(query)) {
		g_autofree char *name = query_text(query, "name");
		g_autofree char *addr = query_text(query, "addr");
		Mailbox *one = mailbox_new(name, addr, error);

		if (one == NULL)
			return false;
		g_ptr_array_add(mail->recipients, one);
	}
	return query_finish(query, error);
}

/* What stood in the table must still be safe to hand to a server: Mailbox is the proof. */
static bool complete_mail(Db *db, OutgoingMail *mail, GError **error)
{
	g_autoptr(GError) failed = NULL;

	if (mail->envelope_from != NULL &&
	    read_recipients(db, mail, RECIPIENTS_OF " ORDER BY position", &failed))
		return true;
	if (failed != NULL && failed->domain == BOT_ERROR) {
		g_propagate_error(error, g_steal_pointer(&failed));
		return false;
	}
	g_set_error(error, BOT_ERROR, BOT_ERROR_CORRUPT,
		    "outgoing mail %" G_GINT64_FORMAT " has an address that may not be used: %s",
		    mail->row, failed == NULL ? "its sender" : failed->message);
	return false;
}

static OutgoingMail *one_mail(Db *db, Query *query, GError **error)
{
	g_autoptr(OutgoingMail) mail = query_next(query) ? read_mail(query) : NULL;

	if (!query_finish(query, error) || mail == NULL || !complete_mail(db, mail, error))
		return NULL;
	return g_steal_pointer(&mail);
}

OutgoingMail *outbox_get(Db *db, int64_t row, GError **error)
{
	g_autoptr(GError) failed = NULL;
	g_autoptr(Query) query =
		query_new(db, "SELECT " OUTGOING_COLUMNS " FROM outgoing WHERE id = :row");

	query_set_int(query, ":row", row);
	OutgoingMail *mail = one_mail(db, query, &failed);
	if (mail == NULL && failed == NULL)
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
			    "there is no outgoing mail %" G_GINT64_FORMAT, row);
	else if (mail == NULL)
		g_propagate_error(error, g_steal_pointer(&failed));
	return mail;
}

OutgoingMail *outbox_find_message(Db *db, const char *message_id, GError **error)
{
	g_autoptr(Query) query = query_new(db, "SELECT " OUTGOING_COLUMNS " FROM outgoing"
					       " WHERE message_id = :message_id");

	query_set_text(query, ":message_id", message_id);
	return one_mail(db, query, error);
}

OutgoingMail *outbox_find_job(Db *db, int64_t job_row, GError **error)
{
	g_autoptr(Query) query =
		query_new(db, "SELECT " OUTGOING_COLUMNS " FROM outgoing WHERE job_row = :job"
			      " AND state NOT IN ('rejected', 'failed') ORDER BY id DESC LIMIT 1");

	query_set_int(query, ":job", job_row);
	return one_mail(db, query, error);
}

static GPtrArray *list_mails(Db *db, const char *sql, GError **error)
{
	g_autoptr(GPtrArray) mails = g_ptr_array_new_with_free_func((GDestroyNotify)outgoing_free);
	g_autoptr(Query) query = query_new(db, sql);

	while (query_next(query))
		g_ptr_array_add(mails, read_mail(query));
	if (!query_finish(query, error))
		return NULL;
	for (guint i = 0; i < mails->len; i++) {
		if (!complete_mail(db, g_ptr_array_index(mails, i), error))
			return NULL;
	}
	return g_steal_pointer(&mails);
}

GPtrArray *outbox_list(Db *db, GError **error)
{
	return list_mails(db, "SELECT " OUTGOING_COLUMNS " FROM outgoing ORDER BY id", error);
}

GPtrArray *outbox_list_unknown(Db *db, GError **error)
{
	return list_mails(
		db, "SELECT " OUTGOING_COLUMNS " FROM outgoing WHERE state = 'unknown' ORDER BY id",
		error);
}

int64_t outbox_count_since(Db *db, int64_t since_us)
{
	g_autoptr(Query) query =
		query_new(db, "SELECT count(*) AS n FROM outgoing"
			      " WHERE first_attempted_us > 0 AND first_attempted_us >= :since");

	query_set_int(query, ":since", since_us);
	/* A budget that cannot be read is used up. */
	return query_next(query) ? query_int(query, "n") : G_MAXINT64;
}

/* ---- an attempt ---- */

#define MAY_COME_BACK "code BETWEEN 400 AND 499"

/* Of an outgoing row: the server has it for some, and there are others to ask. */
#define IS_TAKEN_FOR_SOME                                                                          \
	"state IN ('sent', 'confirmed') AND not_before_us > 0"                                     \
	" AND EXISTS (SELECT 1 FROM recipients WHERE outgoing_row = outgoing.id"                   \
	"   AND " MAY_COME_BACK ")"

static bool claim_row(Db *db, int64_t *out_row, GError **error)
{
	g_autoptr(Query) query =
		query_new(db, "UPDATE outgoing SET lease_owner = :owner, lease_until_us = :until"
			      " WHERE id = (SELECT id FROM outgoing"
			      "   WHERE lease_owner IS NULL AND not_before_us <= :now"
			      "   AND (state = 'queued' OR (" IS_TAKEN_FOR_SOME "))"
			      "   ORDER BY id LIMIT 1)"
			      " RETURNING id");

	query_set_text(query, ":owner", db->owner);
	query_set_int(query, ":until", lease_until(db));
	query_set_int(query, ":now", clock_now_us(db->clock));
	*out_row = query_next(query) ? query_int(query, "id") : 0;
	return query_run(query, error);
}

static bool keep_those_to_ask(Db *db, OutgoingMail *mail, GError **error)
{
	g_ptr_array_set_size(mail->recipients, 0);
	return read_recipients(db, mail, RECIPIENTS_OF " AND " MAY_COME_BACK " ORDER BY position",
			       error);
}

OutgoingMail *outbox_claim(Db *db, GError **error)
{
	g_autoptr(OutgoingMail) mail = NULL;
	int64_t row = 0;

	if (!db_begin(db, error))
		return NULL;
	bool ok = claim_row(db, &row, error);
	if (ok && row != 0) {
		mail = outbox_get(db, row, error);
		ok = mail != NULL &&
		     (mail->state == OUTGOING_QUEUED || keep_those_to_ask(db, mail, error));
	}
	if (ok && db_commit(db, error))
		return g_steal_pointer(&mail);
	db_rollback(db);
	return NULL;
}

static bool mark_sending(Db *db, int64_t row, int64_t *out_attempt, GError **error)
{
	g_autoptr(Query) query = query_new(
		db, "UPDATE outgoing SET state = iif(state = 'queued', 'sending', state),"
		    " attempts = attempts + 1, attempted_us = :now, not_before_us = 0,"
		    " lease_owner = :owner, lease_until_us = :until,"
		    " first_attempted_us = iif(first_attempted_us = 0, :now, first_attempted_us)"
		    " WHERE id = :row AND (state = 'queued' OR (" IS_TAKEN_FOR_SOME "))"
		    " AND (lease_owner IS NULL OR lease_owner = :owner)"
		    " RETURNING attempts");

	query_set_int(query, ":now", clock_now_us(db->clock));
	query_set_text(query, ":owner", db->owner);
	query_set_int(query, ":until", lease_until(db));
	query_set_int(query, ":row", row);
	*out_attempt = query_next(query) ? query_int(query, "attempts") : 0;
	if (!query_run(query, error))
		return false;
	if (*out_attempt > 0)
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_CONFLICT,
		    "outgoing mail %" G_GINT64_FORMAT " is not due for us any more", row);
	return false;
}

static bool insert_attempt(Db *db, int64_t row, int64_t number, GError **error)
{
	g_autoptr(Query) query =
		query_new(db, "INSERT INTO attempts (outgoing_row, number, started_us)"
			      " VALUES (:row, :number, :now)");

	query_set_int(query, ":row", row);
	query_set_int(query, ":number", number);
	query_set_int(query, ":now", clock_now_us(db->clock));
	return query_run(query, error);
}

static bool begin_attempt(Db *db, int64_t row, GError **error)
{
	int64_t attempt = 0;

	return mark_sending(db, row, &attempt, error) && insert_attempt(db, row, attempt, error) &&
	       event_add(db, "outgoing.sending", "outgoing", row, error,
			 "attempt %" G_GINT64_FORMAT, attempt);
}

bool outbox_begin_attempt(Db *db, int64_t row, GError **error)
{
	if (!db_begin(db, error))
		return false;
	if (begin_attempt(db, row, error))
		return db_commit(db, error);
	db_rollback(db);
	return false;
}

/* ---- the operator ---- */

/* Always false: there is no such mail, or its state is none that the operator may @rule about. */
static bool is_elsewhere(Db *db, int64_t row, const char *rule, GError **error)
{
	g_autoptr(Query) query = query_new(db, "SELECT state FROM outgoing WHERE id = :row");

	query_set_int(query, ":row", row);
	g_autofree char *state = query_next(query) ? query_text(query, "state") : NULL;
	if (!query_finish(query, error))
		return false;
	if (state == NULL)
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
			    "there is no mail %" G_GINT64_FORMAT "; `lorebot queue` lists them",
			    row);
	else
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFLICT,
			    "mail %" G_GINT64_FORMAT " is %s; %s", row, state, rule);
	return false;
}

static bool decide(Db *db, int64_t row, bool approve, const char *who, GError **error)
{
	const char *state = approve ? "queued" : "rejected";
	g_autofree char *name = g_strconcat("outgoing.", state, NULL);
	g_autoptr(Query) query = query_new(
		db, "UPDATE outgoing SET state = :state, not_before_us = 0"
		    " WHERE id = :row AND state IN ('held', :also) RETURNING hold_reason");

	query_set_text(query, ":state", state);
	query_set_text(query, ":also", approve ? "held" : "queued");
	query_set_int(query, ":row", row);
	bool waits = query_next(query);
	g_autofree char *why = waits ? query_text(query, "hold_reason") : NULL;
	if (!query_run(query, error))
		return false;
	if (!waits)
		return is_elsewhere(db, row,
				    approve ? "only what is held can be approved"
					    : "only what is held or queued can be rejected",
				    error);
	return event_add(db, name, "outgoing", row, error, "%s by %s%s%s",
			 approve ? "approved" : "rejected", who,
			 why == NULL ? "" : "; it was held: ", why == NULL ? "" : why);
}

bool outbox_decide(Db *db, int64_t row, bool approve, const char *who, GError **error)
{
	if (!db_begin(db, error))
		return false;
	if (decide(db, row, approve, who, error))
		return db_commit(db, error);
	db_rollback(db);
	return false;
}

static bool revive(Db *db, int64_t row, const char *who, GError **error)
{
	g_autoptr(Query) query =
		query_new(db, "UPDATE outgoing SET state = 'held', not_before_us = 0,"
			      " last_reply = NULL, hold_reason = 'it was shown in a dry run'"
			      " WHERE id = :row AND state = 'dry-run'");

	query_set_int(query, ":row", row);
	if (!query_run(query, error))
		return false;
	if (query_changes(db) == 0)
		return is_elsewhere(db, row, "only what a dry run showed can be tried again",
				    error);
	return event_add(db, "outgoing.held", "outgoing", row, error, "to be sent after all, by %s",
			 who);
}

bool outbox_revive(Db *db, int64_t row, const char *who, GError **error)
{
	if (!db_begin(db, error))
		return false;
	if (revive(db, row, who, error))
		return db_commit(db, error);
	db_rollback(db);
	return false;
}
