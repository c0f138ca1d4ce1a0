/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/send/reply.h"

#include "bot/base/error.h"
#include "bot/base/log.h"

#include <string.h>

void smtp_reply_clear(SmtpReply *reply)
{
	g_clear_pointer(&reply->text, g_free);
	g_clear_pointer(&reply->lines, g_strfreev);
	reply->code = 0;
}

static bool fail_peer(GError **error, const char *what)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_PEER, "the server broke the protocol: %s", what);
	return false;
}

static int left_ms(gint64 deadline_us)
{
	return (int)((MAX(deadline_us - g_get_monotonic_time(), 0) + 999) / 1000);
}

static bool fill(ReplyReader *reader, gint64 deadline_us, GError **error)
{
	size_t got = 0;

	if (reader->len == sizeof(reader->buffer))
		return fail_peer(error, "a line of its reply is over 512 bytes");
	if (!reader->stream->read(reader->stream->data, reader->buffer + reader->len,
				  sizeof(reader->buffer) - reader->len, left_ms(deadline_us), &got,
				  error))
		return false;
	if (got == 0 && left_ms(deadline_us) == 0) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT,
			    "the server did not answer in time");
		return false;
	}
	reader->len += got;
	return true;
}

/* Returns: (transfer full): one line without its end. */
static char *take_line(ReplyReader *reader, gint64 deadline_us, GError **error)
{
	char *lf;

	while ((lf = memchr(reader->buffer, '\n', reader->len)) == NULL) {
		if (!fill(reader, deadline_us, error))
			return NULL;
	}
	size_t len = (size_t)(lf - reader->buffer);
	size_t kept = len > 0 && reader->buffer[len - 1] == '\r' ? len - 1 : len;
	g_autofree char *line = g_strndup(reader->buffer, kept);
	bool whole = strlen(line) == kept;

	reader->len -= len + 1;
	memmove(reader->buffer, lf + 1, reader->len);
	if (whole)
		return g_steal_pointer(&line);
	fail_peer(error, "a line of its reply holds a NUL byte");
	return NULL;
}

/* Returns: the code, 0 when the line has none. */
static int code_of(const char *line)
{
	if (line[0] < '2' || line[0] > '5' || !g_ascii_isdigit(line[1]) ||
	    !g_ascii_isdigit(line[2]) || (line[3] != '\0' && line[3] != ' ' && line[3] != '-'))
		return 0;
	return (line[0] - '0') * 100 + (line[1] - '0') * 10 + (line[2] - '0');
}

static char *text_for_people(const GPtrArray *lines)
{
	g_autoptr(GString) joined = g_string_new(NULL);

	for (guint i = 0; i < lines->len && joined->len < REPLY_TEXT_MAX; i++) {
		const char *line = g_ptr_array_index(lines, i);
		g_string_append_printf(joined, "%s%s", joined->len > 0 ? " / " : "", line);
	}
	g_string_truncate(joined, MIN(joined->len, REPLY_TEXT_MAX));
	return log_escape(joined->str, (gssize)joined->len);
}

static bool read_lines(ReplyReader *reader, gint64 deadline_us, GPtrArray *lines, int *out_code,
		       GError **error)
{
	bool last = false;

	while (!last) {
		if (lines->len == REPLY_MAX_LINES)
			return fail_peer(error, "its reply has over 100 lines");
		g_autofree char *line = take_line(reader, deadline_us, error);
		if (line == NULL)
			return false;
		int code = code_of(line);
		if (code == 0)
			return fail_peer(error, "a line of its reply begins with no reply code");
		if (lines->len > 0 && code != *out_code)
			return fail_peer(error, "the lines of its reply have different codes");
		*out_code = code;
		last = line[3] != '-';
		g_ptr_array_add(lines, g_strdup(line[3] == '\0' ? "" : line + 4));
	}
	return true;
}

bool reply_read(ReplyReader *reader, int timeout_ms, SmtpReply *out_reply, GError **error)
{
	gint64 deadline_us = g_get_monotonic_time() + (gint64)timeout_ms * 1000;
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
	int code = 0;

	smtp_reply_clear(out_reply);
	if (!read_lines(reader, deadline_us, lines, &code, error))
		return false;
	out_reply->code = code;
	out_reply->text = text_for_people(lines);
	g_ptr_array_add(lines, NULL);
	out_reply->lines = g_strdupv((char **)lines->pdata);
	return true;
}

bool reply_is_pending(ReplyReader *reader)
{
	size_t got = 0;

	if (reader->len > 0)
		return true;
	if (!reader->stream->read(reader->stream->data, reader->buffer, sizeof(reader->buffer), 0,
				  &got, NULL))
		return true;
	reader->len = got;
	return got > 0;
}
