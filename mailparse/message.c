/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/message.h"

#include "mailparse/header.h"
#include "mailparse/limits.h"
#include "mailparse/mailparse.h"
#include "mailparse/mime.h"
#include "mailparse/msgid.h"
#include "mailparse/text.h"

#include <string.h>

static bool add_once(GPtrArray *ids, GHashTable *seen, const char *id)
{
	if (ids->len >= MAIL_MAX_REFERENCES || g_hash_table_contains(seen, id))
		return false;

	char *copy = g_strdup(id);
	g_ptr_array_add(ids, copy);
	return g_hash_table_add(seen, copy);
}

/* The parent stands in In-Reply-To and at the end of References, its own parent before it. */
static void read_ancestors(Message *message, const Header *header)
{
	g_autofree char *in_reply_to = header_get_all(header, "In-Reply-To");
	g_autofree char *references = header_get_all(header, "References");
	g_autoptr(GPtrArray) ids = msgid_list(references);
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	message->in_reply_to = msgid_list(in_reply_to);
	message->references = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; i < message->in_reply_to->len; i++)
		add_once(message->references, seen, g_ptr_array_index(message->in_reply_to, i));
	for (guint i = ids->len; i > 0; i--)
		add_once(message->references, seen, g_ptr_array_index(ids, i - 1));
}

static Mailbox *read_mailbox(const Header *header, const char *name)
{
	g_autofree char *value = header_get(header, name);

	return value ? mailbox_parse(value, NULL) : NULL;
}

static GPtrArray *read_mailboxes(const Header *header, const char *name)
{
	g_autofree char *joined = header_get_all(header, name);

	return mailbox_list_parse(joined);
}

static void read_people(Message *message, const Header *header)
{
	message->from = read_mailbox(header, "From");
	message->sender = read_mailbox(header, "Sender");
	message->original_from = read_mailbox(header, "X-Original-From");
	message->reply_to = read_mailboxes(header, "Reply-To");
	message->to = read_mailboxes(header, "To");
	message->cc = read_mailboxes(header, "Cc");
}

/* "Name <id.example.org>" or, as some lists have it, the id alone. */
static char *read_list_id(const Header *header)
{
	g_autofree char *value = header_get_text(header, "List-Id");

	if (value == NULL || *value == '\0')
		return NULL;

	const char *open = strrchr(value, '<');
	const char *start = open ? open + 1 : value;
	if (open == NULL && strchr(value, ' ') != NULL)
		return NULL;
	return g_ascii_strdown(start, (gssize)strcspn(start, ">"));
}

/* What said so before RFC 3834, and still does. */
static bool has_old_automatic_mark(const Header *header)
{
	static const char *const names[] = {"X-Autoreply",      "X-Autorespond",
					    "X-Autoresponse",   "X-Auto-Reply-From",
					    "X-Mail-Autoreply", "X-Failed-Recipients"};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *value = header_get_text(header, names[i]);
		if (value != NULL && g_ascii_strcasecmp(value, "no") != 0)
			return true;
	}
	g_autofree char *precedence = header_get_text(header, "Precedence");
	return precedence != NULL && (g_ascii_strcasecmp(precedence, "auto_reply") == 0 ||
				      g_ascii_strcasecmp(precedence, "auto-reply") == 0);
}

static char *read_auto_submitted(const Header *header)
{
	g_autofree char *value = header_get_text(header, "Auto-Submitted");

	if (value == NULL)
		return has_old_automatic_mark(header) ? g_strdup("auto-replied") : NULL;
	return g_ascii_strdown(value, (gssize)strcspn(value, " ;("));
}

static char *read_return_path(const Header *header)
{
	g_autofree char *value = header_get_text(header, "Return-Path");

	if (value == NULL)
		return NULL;

	const char *open = strchr(value, '<');
	const char *start = open ? open + 1 : value;
	return g_strstrip(g_strndup(start, strcspn(start, ">")));
}

static char *read_content_type(const Header *header)
{
	g_autofree char *value = header_get_text(header, "Content-Type");

	return value ? g_ascii_strdown(value, (gssize)strcspn(value, " ;("))
		     : g_strdup("text/plain");
}

static Message *message_new(const Header *header)
{
	Message *message = g_new0(Message, 1);

	read_ancestors(message, header);
	read_people(message, header);
	message->subject = header_get_text(header, "Subject");
	if (message->subject == NULL)
		message->subject = g_strdup("");
	message->date = header_get_text(header, "Date");
	header_parse_date(message->date, &message->date_us, &message->date_offset_min);
	message->content_type = read_content_type(header);
	message->list_id = read_list_id(header);
	message->auto_submitted = read_auto_submitted(header);
	message->return_path = read_return_path(header);
	message->parts = g_ptr_array_new_with_free_func((GDestroyNotify)mime_part_free);
	return message;
}

/* Also the place where "From " lines and empty lines before the mail are skipped. */
static Header *read_top_header(ByteCursor *cursor, const guint8 *bytes, gsize len, GError **error)
{
	cursor_init(cursor, bytes, len);
	header_skip_start(cursor);

	g_autoptr(Header) header = header_read(cursor, error);
	if (header != NULL && header->fields->len == 0) {
		g_set_error(error, MAIL_ERROR, MAIL_ERROR_SYNTAX,
			    "line %" G_GSIZE_FORMAT
			    ": a mail starts with header fields, this does not",
			    cursor->line);
		return NULL;
	}
	return g_steal_pointer(&header);
}

/* Does every header line end in CRLF, as on the wire (RFC 5322 section 2.1)? */
static bool is_wire_form(const guint8 *bytes, gsize len)
{
	ByteCursor cursor;
	ByteSlice line;

	cursor_init(&cursor, bytes, len);
	while (cursor_take_line(&cursor, &line)) {
		if (line.len == 0 || line.ptr[line.len - 1] != '\r')
			return false;
		if (line.len == 1)
			return true;
	}
	return false;
}

/*
 * An IMAP server hands a mail out in CRLF, an archive in LF.  There the CR is the line's end and no
 * part of a patch, so that one mail reads the same through both doors.  In a mail whose header has
 * LF a CR was written by somebody and stays.
 */
static GBytes *with_lf(const guint8 *bytes, gsize len)
{
	if (!is_wire_form(bytes, len))
		return g_bytes_new_static(bytes, len);

	guint8 *out = g_malloc(len);
	gsize n = 0;
	for (gsize i = 0; i < len; i++) {
		if (bytes[i] != '\r' || i + 1 >= len || bytes[i + 1] != '\n')
			out[n++] = bytes[i];
	}
	return g_bytes_new_take(out, n);
}

/* Of a mail without an id, what no door changes; of something without header, all there is. */
static char *make_id(const Header *header, ByteSlice body)
{
	static const char *const fields[] = {"From", "Date", "Subject"};
	ByteSlice pieces[G_N_ELEMENTS(fields) + 1];
	g_auto(GStrv) values = g_new0(char *, G_N_ELEMENTS(fields) + 1);

	for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
		char *value = header_get(header, fields[i]);
		values[i] = value == NULL ? g_strdup("") : value;
		pieces[i] = (ByteSlice){values[i], strlen(values[i])};
	}
	pieces[G_N_ELEMENTS(fields)] = body;
	return msgid_synthetic(pieces, G_N_ELEMENTS(pieces));
}

/* @cursor: behind the header. */
static char *message_id_of(const Header *header, const ByteCursor *cursor)
{
	const ByteSlice all = {cursor->data, cursor->len};

	if (header == NULL)
		return msgid_synthetic(&all, 1);
	char *id = header_message_id(header);
	return id != NULL
		       ? id
		       : make_id(header, (ByteSlice){all.ptr + cursor->pos, all.len - cursor->pos});
}

Message *message_parse(const guint8 *bytes, gsize len, GError **error)
{
	ByteCursor cursor;

	if (len > MAIL_MAX_BYTES) {
		g_set_error(error, MAIL_ERROR, MAIL_ERROR_LIMIT, "the mail has more than %u bytes",
			    MAIL_MAX_BYTES);
		return NULL;
	}
	mailparse_start();

	g_autoptr(GBytes) text = with_lf(bytes, len);
	bytes = g_bytes_get_data(text, &len);
	g_autoptr(Header) header = read_top_header(&cursor, bytes, len, error);
	if (header == NULL)
		return NULL;

	g_autoptr(Message) message = message_new(header);
	message->message_id = message_id_of(header, &cursor);
	if (!mime_read_parts(header, &cursor, message->parts, error))
		return NULL;
	return g_steal_pointer(&message);
}

void message_free(Message *message)
{
	if (message == NULL)
		return;
	g_free(message->message_id);
	g_ptr_array_unref(message->in_reply_to);
	g_ptr_array_unref(message->references);
	mailbox_free(message->from);
	mailbox_free(message->sender);
	mailbox_free(message->original_from);
	g_ptr_array_unref(message->reply_to);
	g_ptr_array_unref(message->to);
	g_ptr_array_unref(message->cc);
	g_free(message->subject);
	g_free(message->date);
	g_free(message->content_type);
	g_free(message->list_id);
	g_free(message->auto_submitted);
	g_free(message->return_path);
	g_ptr_array_unref(message->parts);
	g_free(message);
}

static bool is_readable(const MessagePart *part, bool plain_only)
{
	if (part->text == NULL || part->forwarded || !g_str_has_prefix(part->content_type, "text/"))
		return false;
	if (plain_only)
		return strcmp(part->content_type, "text/plain") == 0 && !part->attachment;
	return strcmp(part->content_type, "text/html") != 0;
}

const char *message_body(const Message *message)
{
	for (int plain_only = 1; plain_only >= 0; plain_only--) {
		for (guint i = 0; i < message->parts->len; i++) {
			const MessagePart *part = g_ptr_array_index(message->parts, i);

			if (is_readable(part, plain_only != 0))
				return part->text;
		}
	}
	return "";
}

bool message_is_automatic(const Message *message)
{
	if (message->auto_submitted != NULL && strcmp(message->auto_submitted, "no") != 0)
		return true;
	if (message->return_path != NULL && message->return_path[0] == '\0')
		return true;
	return strcmp(message->content_type, "multipart/report") == 0;
}

char *message_peek_id(const guint8 *bytes, gsize len, int64_t *out_date_us)
{
	ByteCursor cursor;
	g_autoptr(GBytes) text = with_lf(bytes, len);
	bytes = g_bytes_get_data(text, &len);
	g_autoptr(Header) header = read_top_header(&cursor, bytes, len, NULL);

	if (out_date_us != NULL) {
		g_autofree char *date = header ? header_get_text(header, "Date") : NULL;
		int offset_min;

		header_parse_date(date, out_date_us, &offset_min);
	}
	return message_id_of(header, &cursor);
}

char *message_peek_list_id(const guint8 *bytes, gsize len)
{
	ByteCursor cursor;
	g_autoptr(GBytes) text = with_lf(bytes, len);
	bytes = g_bytes_get_data(text, &len);
	g_autoptr(Header) header = read_top_header(&cursor, bytes, len, NULL);

	return header == NULL ? NULL : read_list_id(header);
}
