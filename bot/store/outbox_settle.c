/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/outbox.h"

#include "bot/base/error.h"
#include "bot/store/lease.h"
#include "bot/store/private.h"
#include "bot/store/query.h"

#include <string.h>

/* ---- the end of an attempt ---- */

static bool read_state(Db *db, int64_t row, OutgoingState *out_state, GError **error)
{
	bool found = false;
	g_autoptr(Query) query = query_new(db, "SELECT state FROM outgoing WHERE id = :row");

	query_set_int(query, ":row", row);
	if (query_next(query)) {
		found = true;
		*out_state = outgoing_state_from_name(query_peek_text(query, "state"));
	}
	if (!query_finish(query, error))
		return false;
	if (!found)
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
			    "there is no outgoing mail %" G_GINT64_FORMAT, row);
	return found;
}

static bool may_settle(OutgoingState from, OutgoingState to)
{
	if (from == OUTGOING_SENDING)
		return to == OUTGOING_SENT || to == OUTGOING_UNKNOWN || to == OUTGOING_QUEUED ||
		       to == OUTGOING_FAILED;
	/* Before the first byte: nobody answered, refused for good, or a dry run. */
	return from == OUTGOING_QUEUED &&
	       (to == OUTGOING_QUEUED || to == OUTGOING_FAILED || to == OUTGOING_DRY_RUN);
}

static bool end_attempt(Db *db, int64_t row, const char *outcome, const char *reply, GError **error)
{
	g_autoptr(Query) query = query_new(
		db, "UPDATE attempts SET ended_us = :now, outcome = :outcome, reply = :reply"
		    " WHERE outgoing_row = :row AND ended_us = 0");

	query_set_int(query, ":now", clock_now_us(db->clock));
	query_set_text(query, ":outcome", outcome);
	query_set_text(query, ":reply", reply);
	query_set_int(query, ":row", row);
	return query_run(query, error);
}

static bool save_reply(Db *db, int64_t row, const RecipientReply *reply, GError **error)
{
	g_autoptr(Query) query = query_new(db, "UPDATE recipients SET code = :code, text = :text"
					       " WHERE outgoing_row = :row AND addr = :addr");

	if (reply->code == 0)
		return true;
	query_set_int(query, ":code", reply->code);
	query_set_text(query, ":text", reply->text);
	query_set_int(query, ":row", row);
	query_set_text(query, ":addr", reply->recipient->addr);
	return query_run(query, error);
}

static bool set_settled(Db *db, int64_t row, OutgoingState state, const char *reply,
			int64_t not_before_us, GError **error)
{
	g_autoptr(Query) query = query_new(
		db, "UPDATE outgoing SET state = :state, last_reply = coalesce(:reply, last_reply),"
		    " not_before_us = :not_before, lease_owner = NULL, lease_until_us = NULL,"
		    " deaths = 0"
		    " WHERE id = :row AND (lease_owner IS NULL OR lease_owner = :owner)");

	query_set_text(query, ":state", outgoing_state_name(state));
	query_set_text(query, ":reply", reply);
	query_set_int(query, ":not_before", not_before_us);
	query_set_int(query, ":row", row);
	query_set_text(query, ":owner", db->owner);
	return query_run(query, error) && lease_ended(db, "outgoing mail", row, error);
}

static bool settle(Db *db, int64_t row, OutgoingState state, const char *reply,
		   int64_t not_before_us, GError **error)
{
	OutgoingState before = OUTGOING_HELD;
	g_autofree char *name = g_strconcat("outgoing.", outgoing_state_name(state), NULL);

	if (!read_state(db, row, &before, error))
		return false;
	/* Taken earlier, and this was for the others; or its own list has shown it before the
	 * server's answer came. */
	if (before == OUTGOING_CONFIRMED || before == OUTGOING_SENT)
		return set_settled(db, row, before, reply, not_before_us, error) &&
		       event_add(db, "outgoing.answered", "outgoing", row, error, "%s",
				 reply == NULL ? "" : reply);
	if (!may_settle(before, state)) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFLICT,
			    "outgoing mail %" G_GINT64_FORMAT " is %s and cannot become %s", row,
			    outgoing_state_name(before), outgoing_state_name(state));
		return false;
	}
	return set_settled(db, row, state, reply, not_before_us, error) &&
	       event_add(db, name, "outgoing", row, error, "%s", reply == NULL ? "" : reply);
}

static bool settle_all(Db *db, int64_t row, OutgoingState state, const char *reply,
		       const RecipientReply *replies, size_t n_replies, int64_t not_before_us,
		       GError **error)
{
	for (size_t i = 0; i < n_replies; i++) {
		if (!save_reply(db, row, &replies[i], error))
			return false;
	}
	return end_attempt(db, row, outgoing_state_name(state), reply, error) &&
	       settle(db, row, state, reply, not_before_us, error);
}

bool outbox_settle(Db *db, int64_t row, OutgoingState state, const char *reply,
		   const RecipientReply *replies, size_t n_replies, int64_t not_before_us,
		   GError **error)
{
	if (!db_begin(db, error))
		return false;
	if (settle_all(db, row, state, reply, replies, n_replies, not_before_us, error))
		return db_commit(db, error);
	db_rollback(db);
	return false;
}

/* ---- what a dead process left ---- */

typedef struct {
	int64_t row;
	int64_t attempted_us;
	char *text; /* lease owner, or Message-ID */
} Pending;

static void pending_clear(gpointer pending)
{
	g_free(((Pending *)pending)->text);
}

static GArray *list_pending(Query *query, GError **error)
{
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(Pending));

	g_array_set_clear_func(all, pending_clear);
	while (query_next(query)) {
		Pending one = {query_int(query, "id"), query_int(query, "attempted_us"),
			       query_text(query, "text")};
		g_array_append_val(all, one);
	}
	return query_finish(query, error) ? g_steal_pointer(&all) : NULL;
}

/* Also takes the lease away: whoever had it is gone. */
static bool move(Db *db, int64_t row, OutgoingState state, const char *hold_reason, const char *why,
		 GError **error)
{
	g_autofree char *name = g_strconcat("outgoing.", outgoing_state_name(state), NULL);
	g_autoptr(Query) query =
		query_new(db, "UPDATE outgoing SET state = :state, hold_reason = :hold_reason,"
			      " not_before_us = 0, lease_owner = NULL, lease_until_us = NULL"
			      " WHERE id = :row");

	query_set_text(query, ":state", outgoing_state_name(state));
	query_set_text(query, ":hold_reason", hold_reason);
	query_set_int(query, ":row", row);
	return query_run(query, error) && event_add(db, name, "outgoing", row, error, "%s", why);
}

static bool recover(Db *db, GError **error)
{
	static const char why[] = "what the server answered could not be kept";
	g_autoptr(Query) query =
		query_new(db, "SELECT id, attempted_us, lease_owner AS text FROM outgoing"
			      " WHERE state = 'sending'");
	g_autoptr(GArray) all = list_pending(query, error);

	for (guint i = 0; all != NULL && i < all->len; i++) {
		const Pending *one = &g_array_index(all, Pending, i);

		/* Our own would be an attempt that we could not settle: no other is going on now.
		 */
		if (one->text != NULL && g_strcmp0(one->text, db->owner) != 0 &&
		    !lease_owner_is_dead(one->text))
			continue;
		if (!end_attempt(db, one->row, "unknown", why, error) ||
		    !move(db, one->row, OUTGOING_UNKNOWN, NULL, why, error))
			return false;
	}
	return all != NULL;
}

bool outbox_recover(Db *db, GError **error)
{
	if (!db_begin(db, error))
		return false;
	if (recover(db, error))
		return db_commit(db, error);
	db_rollback(db);
	return false;
}

/* ---- seen again ---- */

bool outbox_confirm(Db *db, const char *message_id, bool *out_ours, GError **error)
{
	int64_t row = 0;
	g_autoptr(Query) find =
		query_new(db, "SELECT id FROM outgoing WHERE message_id = :message_id");

	*out_ours = false;
	query_set_text(find, ":message_id", message_id);
	if (query_next(find)) {
		*out_ours = true;
		row = query_int(find, "id");
	}
	if (!query_finish(find, error))
		return false;
	if (!*out_ours)
		return true;

	/* One that was queued or held again after an attempt was delivered by that attempt: sending
	 * it once more would be the double mail that this is all about. */
	g_autoptr(Query) query =
		query_new(db, "UPDATE outgoing SET state = 'confirmed', hold_reason = NULL"
			      " WHERE id = :row AND (state IN ('sent', 'unknown', 'sending')"
			      "   OR (attempts > 0 AND state IN ('queued', 'held', 'failed')))");
	query_set_int(query, ":row", row);
	if (!query_run(query, error))
		return false;
	return query_changes(db) == 0 || event_add(db, "outgoing.confirmed", "outgoing", row, error,
						   "seen at a source that confirms");
}

/* ---- the rule for unknown ---- */

/* Wherever: a mail that came back to us by any door was delivered. */
static bool was_seen(Db *db, const char *message_id, bool *out_seen, GError **error)
{
	g_autoptr(Query) query =
		query_new(db, "SELECT 1 FROM sightings JOIN messages ON messages.id = message_row"
			      " WHERE message_id = :message_id LIMIT 1");

	query_set_text(query, ":message_id", message_id);
	*out_seen = query_next(query);
	return query_finish(query, error);
}

static bool is_read_to_its_end(Db *db, const char *source, bool *out_yes, GError **error)
{
	g_autoptr(Query) query = query_new(db, "SELECT 1 FROM sources WHERE name = :source"
					       " AND connected = 1 AND behind = 0");

	query_set_text(query, ":source", source);
	*out_yes = query_next(query);
	return query_finish(query, error);
}

/* The newest mail of @list that came by @source.  A Date from the future says only that it is here.
 */
static bool newest_of(Db *db, const char *source, const char *list, bool *out_any, int64_t *out_us,
		      GError **error)
{
	g_autoptr(Query) query = query_new(
		db, "SELECT count(*) AS n, max(min(sightings.date_us, seen_us)) AS newest_us"
		    " FROM sightings JOIN messages ON messages.id = message_row"
		    " WHERE source = :source AND list = :list");

	query_set_text(query, ":source", source);
	query_set_text(query, ":list", list);
	*out_any = query_next(query) && query_int(query, "n") > 0;
	*out_us = *out_any ? query_int(query, "newest_us") : 0;
	return query_finish(query, error);
}

typedef struct {
	bool seen;
	unsigned n_doors;     /* pairs of a confirming source and a list it carries */
	int64_t last_mail_us; /* of the pair that is furthest back                  */
} Evidence;

static bool ask_door(Db *db, const UnknownDoor *door, Evidence *evidence, GError **error)
{
	bool any = false, whole = false;
	int64_t newest_us = 0;

	if (!newest_of(db, door->source, door->list, &any, &newest_us, error) ||
	    !is_read_to_its_end(db, door->source, &whole, error))
		return false;
	if (!any)
		return true;
	evidence->n_doors++;
	evidence->last_mail_us = MIN(evidence->last_mail_us, whole ? newest_us : 0);
	return true;
}

/* Any of them may be the one that would show it: all must be read up to later mail. */
static bool gather(Db *db, const char *message_id, const UnknownRule *rule, Evidence *out,
		   GError **error)
{
	if (!was_seen(db, message_id, &out->seen, error))
		return false;
	out->last_mail_us = INT64_MAX;
	for (guint i = 0; i < rule->doors->len; i++) {
		if (!ask_door(db, &g_array_index(rule->doors, UnknownDoor, i), out, error))
			return false;
	}
	return true;
}

static bool judge(Db *db, const Pending *one, const UnknownRule *rule, GError **error)
{
	Evidence evidence = {0};

	if (!gather(db, one->text, rule, &evidence, error))
		return false;
	if (evidence.seen)
		return move(db, one->row, OUTGOING_CONFIRMED, NULL, "seen again at a source",
			    error);
	if (evidence.n_doors == 0 && rule->doors->len > 0 &&
	    clock_now_us(db->clock) - rule->after_us <= one->attempted_us)
		return true; /* a source that was opened just now has shown nothing yet */
	if (evidence.n_doors == 0)
		return move(db, one->row, OUTGOING_HELD,
			    "unknown whether it was delivered, and no source that confirms has "
			    "shown mail of its lists: look at the list, then approve (send again) "
			    "or reject",
			    "no source confirms", error);
	if (evidence.last_mail_us - rule->after_us > one->attempted_us)
		return move(db, one->row, OUTGOING_QUEUED, NULL,
			    "later mail has come in, this one has not: the same bytes again",
			    error);
	return true;
}

static bool settle_unknown(Db *db, int64_t row, const UnknownRule *rule, GError **error)
{
	g_autoptr(Query) query =
		query_new(db, "SELECT id, attempted_us, message_id AS text FROM outgoing"
			      " WHERE id = :row AND state = 'unknown'");

	query_set_int(query, ":row", row);
	g_autoptr(GArray) all = list_pending(query, error);
	if (all == NULL)
		return false;
	return all->len == 0 || judge(db, &g_array_index(all, Pending, 0), rule, error);
}

bool outbox_settle_unknown(Db *db, int64_t row, const UnknownRule *rule, GError **error)
{
	if (!db_begin(db, error))
		return false;
	if (settle_unknown(db, row, rule, error))
		return db_commit(db, error);
	db_rollback(db);
	return false;
}
