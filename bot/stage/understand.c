/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/mailread.h"

#include "bot/base/error.h"
#include "bot/base/failpoint.h"
#include "bot/base/json.h"
#include "bot/base/log.h"
#include "bot/model/mailjson.h"
#include "bot/model/patchmail.h"
#include "bot/series/assemble.h"
#include "bot/series/policy.h"
#include "bot/store/messages.h"
#include "bot/store/outbox.h"
#include "bot/store/series.h"

#define CLAIM_MAX 100u

static PatchMail *patch_mail_of(const StoredMessage *stored, const Mail *mail)
{
	PatchMail *patch_mail = patch_mail_from_mail(mail);

	patch_mail->message_row = stored->row;
	patch_mail->arrived_us = stored->arrived_us;
	return patch_mail;
}

static bool series_holds(const Series *series, int64_t message_row)
{
	if (series->cover != NULL && series->cover->message_row == message_row)
		return true;
	for (guint i = 0; i < series->patches->len; i++) {
		const PatchMail *patch = series->patches->pdata[i];
		if (patch != NULL && patch->message_row == message_row)
			return true;
	}
	return false;
}

static bool holds_any(const Series *series, const GArray *rows)
{
	for (guint i = 0; i < rows->len; i++) {
		if (series_holds(series, g_array_index(rows, int64_t, i)))
			return true;
	}
	return false;
}

static void take_out(GArray *rows, const GArray *placed)
{
	for (guint i = 0; i < placed->len; i++) {
		for (guint k = rows->len; k > 0; k--) {
			if (g_array_index(rows, int64_t, k - 1) ==
			    g_array_index(placed, int64_t, i))
				g_array_remove_index(rows, k - 1);
		}
	}
}

/* All mails that may belong together are assembled again: so the order of arrival cannot matter. */
static bool place_first(Db *db, GArray *rows, GError **error)
{
	g_autoptr(GArray) placed = g_array_new(FALSE, FALSE, sizeof(int64_t));
	g_autoptr(GPtrArray) related = messages_related(db, rows, placed, error);
	if (related == NULL)
		return false;

	g_autoptr(GPtrArray) all = series_assemble(related);
	for (guint i = 0; i < all->len; i++) {
		const Series *series = all->pdata[i];
		int64_t series_row = 0;
		if (!holds_any(series, placed))
			continue;
		if (!series_save(db, series, &series_row, error))
			return false;
	}
	take_out(rows, placed);
	return true;
}

/* Thread by thread, not mail by mail: of a thousand mails of one thread each would read the rest.
 */
static bool place_in_series(Db *db, GArray *rows, GError **error)
{
	while (rows->len > 0) {
		if (!place_first(db, rows, error))
			return false;
	}
	return true;
}

/* The report of ours that is answered: the nearest ancestor that we sent for a job. */
static int64_t answered_job(Db *db, const Message *message)
{
	for (guint i = 0; i < message->references->len; i++) {
		g_autoptr(OutgoingMail) ours =
			outbox_find_message(db, message->references->pdata[i], NULL);
		if (ours != NULL && ours->job_row != 0)
			return ours->job_row;
	}
	return 0;
}

static bool save_request(Db *db, const StoredMessage *stored, const Mail *mail, GError **error)
{
	autojson *facts = request_to_json(mail->request);
	g_autofree char *text = json_dumps(facts, JSON_COMPACT);
	StoredRequest request = {
		.message_row = stored->row,
		.kind = (char *)(gsize)request_kind_name(mail->request->kind),
		.facts = text,
		.parent_job_row = answered_job(db, mail->message),
	};

	return request_save(db, &request, error);
}

static bool store_facts(StageContext *context, const StoredMessage *stored, const Mail *mail,
			GArray *parts, GError **error)
{
	const ListSection *list = policy_list_of(context->config, mail->message);
	bool ours = policy_is_ours(context->config, mail->message);
	bool is_part = !ours && (mail->kind == MAIL_PATCH || mail->kind == MAIL_COVER);
	g_autoptr(PatchMail) patch_mail = is_part ? patch_mail_of(stored, mail) : NULL;
	MessageFacts facts = {
		.kind = mail_kind_name(mail->kind),
		.list = list == NULL ? NULL : list->name,
		.subject = mail->message->subject,
		.from = mail->message->from,
		.references = mail->message->references,
		.patch_mail = patch_mail,
	};

	if (!messages_understood(context->db, stored->row, &facts, error))
		return false;
	if (is_part)
		g_array_append_val(parts, stored->row);
	return ours || !mail->request->act || save_request(context->db, stored, mail, error);
}

static bool understand_one(StageContext *context, const StoredMessage *stored, GArray *parts,
			   GError **error)
{
	g_autoptr(GError) why = NULL;
	g_autoptr(GBytes) raw = messages_raw(context->db, stored->row, error);
	if (raw == NULL)
		return false;

	g_autoptr(Mail) mail = mailread_bytes(context, raw, &why);
	if (mail == NULL) {
		log_warning("understand.refused", "%s: %s", stored->message_id, why->message);
		return messages_refused(context->db, stored->row, why->message, error);
	}
	return store_facts(context, stored, mail, parts, error);
}

/* When all of the batch is placed: what a request waits for may be whole by several of them. */
static bool reopen_requests(Db *db, const GPtrArray *understood, GError **error)
{
	for (guint i = 0; i < understood->len; i++) {
		const StoredMessage *stored = understood->pdata[i];
		if (!request_reopen(db, stored->row, error))
			return false;
	}
	return true;
}

static bool understand_batch(StageContext *context, const GPtrArray *claimed, GError **error)
{
	g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(int64_t)); /* to be placed */

	for (guint i = 0; i < claimed->len; i++) {
		if (!understand_one(context, claimed->pdata[i], parts, error))
			return false;
	}
	return place_in_series(context->db, parts, error) &&
	       reopen_requests(context->db, claimed, error);
}

bool understand_round(StageContext *context, unsigned limit, StageProgress *progress,
		      GError **error)
{
	unsigned n = limit == 0 ? CLAIM_MAX : MIN(limit, CLAIM_MAX);
	g_autoptr(GPtrArray) claimed = messages_claim(context->db, n, error);

	if (claimed == NULL)
		return false;
	if (claimed->len == 0)
		return true;
	if (!db_begin(context->db, error))
		return false;
	if (!understand_batch(context, claimed, error)) {
		db_rollback(context->db);
		return false;
	}
	failpoint("understand.before_commit");
	if (!db_commit(context->db, error))
		return false;
	progress->done += claimed->len;
	return true;
}
