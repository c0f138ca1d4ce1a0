/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/meant.h"

#include "bot/stage/mailread.h"
#include "bot/store/messages.h"
#include "bot/store/outbox.h"
#include "mailparse/msgid.h"

#include <string.h>

/* A link names a mail by its Message-ID: the last path part that holds an "@". */
static char *message_id_of_link(const char *link)
{
	g_autofree char *decoded = g_uri_unescape_string(link, NULL);
	g_auto(GStrv) parts = g_strsplit(decoded == NULL ? link : decoded, "/", -1);

	for (guint i = g_strv_length(parts); i > 0; i--) {
		if (strchr(parts[i - 1], '@') != NULL)
			return msgid_bare(parts[i - 1]);
	}
	return NULL;
}

static StoredSeries *series_of_message_id(StageContext *context, const char *message_id,
					  GError **error)
{
	g_autoptr(StoredMessage) stored = messages_find(context->db, message_id, error);
	StoredSeries *series =
		stored == NULL ? NULL : series_find_by_message(context->db, stored->row, error);

	if (stored == NULL || series != NULL)
		return series;
	return series_find_by_cover(context->db, stored->row, error);
}

static bool is_ours(StageContext *context, const char *message_id)
{
	g_autoptr(OutgoingMail) mail = outbox_find_message(context->db, message_id, NULL);

	return mail != NULL;
}

/* Nobody can mean by "test this" what stands behind a mail that we do not know or that has a patch.
 */
static bool may_look_behind(StageContext *context, const char *message_id)
{
	g_autoptr(StoredMessage) stored = messages_find(context->db, message_id, NULL);
	g_autoptr(Mail) mail = stored == NULL ? NULL : mailread_row(context, stored->row, NULL);

	return is_ours(context, message_id) || (mail != NULL && mail->patch == NULL);
}

static StoredSeries *series_above(StageContext *context, const Message *message)
{
	for (guint i = 0; i < message->references->len; i++) {
		const char *id = message->references->pdata[i];
		StoredSeries *series = series_of_message_id(context, id, NULL);
		if (series != NULL || !may_look_behind(context, id))
			return series;
	}
	return NULL;
}

StoredSeries *meant_series(StageContext *context, const Mail *mail)
{
	StoredSeries *own = series_of_message_id(context, mail->message->message_id, NULL);

	if (own != NULL)
		return own;
	for (guint i = 0; mail->request->links[i] != NULL; i++) {
		g_autofree char *id = message_id_of_link(mail->request->links[i]);
		StoredSeries *series = id == NULL ? NULL : series_of_message_id(context, id, NULL);
		if (series != NULL)
			return series;
	}
	/* Who gives a link means that mail and no other. */
	return mail->request->links[0] != NULL ? NULL : series_above(context, mail->message);
}

bool meant_is_whole(const StoredSeries *series)
{
	for (guint i = 0; i < series->patch_rows->len; i++) {
		if (g_array_index(series->patch_rows, int64_t, i) == 0)
			return false;
	}
	return true;
}

GPtrArray *meant_ids(const Mail *mail)
{
	GPtrArray *ids = g_ptr_array_new_with_free_func(g_free);
	const Message *message = mail->message;
	bool has_link = mail->request->links[0] != NULL;

	g_ptr_array_add(ids, g_strdup(message->message_id));
	for (guint i = 0; mail->request->links[i] != NULL; i++) {
		char *id = message_id_of_link(mail->request->links[i]);
		if (id != NULL)
			g_ptr_array_add(ids, id);
	}
	for (guint i = 0; !has_link && i < message->references->len; i++)
		g_ptr_array_add(ids, g_strdup(message->references->pdata[i]));
	g_ptr_array_add(ids, NULL);
	return ids;
}
