/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/mailread.h"

#include "bot/store/messages.h"
#include "bot/store/outbox.h"
#include "mailparse/msgid.h"

static Message *parse_stored(Db *db, const char *message_id)
{
	g_autoptr(StoredMessage) stored = messages_find(db, message_id, NULL);
	g_autoptr(GBytes) raw = stored == NULL ? NULL : messages_raw(db, stored->row, NULL);
	gsize len = 0;

	if (raw == NULL)
		return NULL;
	const guint8 *bytes = g_bytes_get_data(raw, &len);
	return message_parse(bytes, len, NULL);
}

Mail *mailread_bytes(StageContext *context, GBytes *raw, GError **error)
{
	gsize len = 0;
	const guint8 *bytes = g_bytes_get_data(raw, &len);
	const char *own[] = {context->config->bot.address->addr, NULL};
	g_autoptr(Message) message = message_parse(bytes, len, error);
	if (message == NULL)
		return NULL;

	const char *parent_id =
		message->references->len == 0 ? NULL : message->references->pdata[0];
	g_autoptr(OutgoingMail) sent =
		parent_id == NULL ? NULL : outbox_find_message(context->db, parent_id, NULL);
	RequestContext request = {.own = own, .parent_is_ours = sent != NULL};
	bool ask_parent = parent_id != NULL && request_is_possible(message, &request);
	g_autoptr(Message) parent = ask_parent ? parse_stored(context->db, parent_id) : NULL;
	request.parent = parent;
	return mail_from_message(g_steal_pointer(&message), &request, error);
}

Mail *mailread_row(StageContext *context, int64_t row, GError **error)
{
	g_autoptr(GBytes) raw = messages_raw(context->db, row, error);

	return raw == NULL ? NULL : mailread_bytes(context, raw, error);
}

char *mailread_archive_link(const ListSection *list, const char *message_id)
{
	if (list == NULL || list->archive_url == NULL || msgid_is_synthetic(message_id))
		return NULL;
	g_autofree char *id = msgid_url_escape(message_id);
	g_auto(GStrv) parts = g_strsplit(list->archive_url, "%s", 2);
	return g_strconcat(parts[0], id, parts[0] == NULL ? NULL : parts[1], NULL);
}
