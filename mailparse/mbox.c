/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/mbox.h"

#include "mailparse/cursor.h"
#include "mailparse/limits.h"
#include "mailparse/mailparse.h"

#include <string.h>

typedef struct {
	ByteCursor cursor;
	bool after_empty; /* the line before was empty, or there was none */
} Splitter;

/*
 * "From ann@example.org Thu Jan  1 00:00:00 1970".  The time of day is asked for, since a sentence
 * of a mail may begin with "From " after an empty line too.
 */
static bool is_separator(ByteSlice line)
{
	if (line.len < 5 || memcmp(line.ptr, "From ", 5) != 0)
		return false;
	for (gsize i = 6; i + 2 < line.len; i++) {
		if (line.ptr[i] == ':' && g_ascii_isdigit(line.ptr[i - 1]) &&
		    g_ascii_isdigit(line.ptr[i + 1]) && g_ascii_isdigit(line.ptr[i + 2]))
			return true;
	}
	return false;
}

static Splitter splitter_at(const guint8 *bytes, gsize len)
{
	Splitter splitter = {.after_empty = true};

	cursor_init(&splitter.cursor, bytes, len);
	return splitter;
}

/*
 * On to the line after the next separator.
 *
 * @out_end: where the bytes before the separator end; those of all when there is none
 *
 * Returns: false when there is no further separator
 */
static bool next_separator(Splitter *splitter, gsize *out_end)
{
	ByteSlice line;

	for (;;) {
		*out_end = splitter->cursor.pos;
		if (!cursor_take_line(&splitter->cursor, &line))
			return false;
		if (splitter->after_empty && is_separator(line)) {
			splitter->after_empty = false;
			return true;
		}
		splitter->after_empty = slice_chomp(line).len == 0;
	}
}

bool mbox_is_archive(const guint8 *bytes, gsize len)
{
	Splitter splitter = splitter_at(bytes, len);
	gsize end;

	return next_separator(&splitter, &end) && end == 0 && next_separator(&splitter, &end);
}

/* The empty line before a separator belongs to the mbox, not to the mail. */
static gsize without_empty_line(const char *bytes, gsize start, gsize end)
{
	gsize len = end - start;
	const char *tail = bytes + end;

	if (len >= 2 && memcmp(tail - 2, "\n\n", 2) == 0)
		return end - 1;
	if (len >= 4 && memcmp(tail - 4, "\r\n\r\n", 4) == 0)
		return end - 2;
	return end;
}

static bool is_escaped(ByteSlice line)
{
	gsize n = 0;

	while (n < line.len && line.ptr[n] == '>')
		n++;
	return n > 0 && line.len - n >= 5 && memcmp(line.ptr + n, "From ", 5) == 0;
}

static GBytes *unescape_lines(GBytes *message)
{
	gsize len;
	const char *data = g_bytes_get_data(message, &len);
	g_autoptr(GString) out = g_string_sized_new(len);
	ByteCursor cursor;
	ByteSlice line;
	gsize start = 0;

	cursor_init(&cursor, data, len);
	for (; cursor_take_line(&cursor, &line); start = cursor.pos) {
		gsize from = is_escaped(line) ? start + 1 : start;

		g_string_append_len(out, data + from, (gssize)(cursor.pos - from));
	}
	return g_string_free_to_bytes(g_steal_pointer(&out));
}

static void add_message(GPtrArray *messages, GBytes *archive, gsize start, gsize end, bool unescape)
{
	const char *data = g_bytes_get_data(archive, NULL);
	gsize kept = without_empty_line(data, start, end);
	g_autoptr(GBytes) message = g_bytes_new_from_bytes(archive, start, kept - start);

	g_ptr_array_add(messages, unescape ? unescape_lines(message) : g_steal_pointer(&message));
}

static bool is_only_blank(const guint8 *bytes, gsize len)
{
	for (gsize i = 0; i < len; i++) {
		if (!g_ascii_isspace((char)bytes[i]))
			return false;
	}
	return true;
}

GPtrArray *mbox_split(GBytes *archive, bool unescape, GError **error)
{
	g_autoptr(GPtrArray) messages =
		g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
	gsize len;
	const guint8 *bytes = g_bytes_get_data(archive, &len);
	Splitter splitter = splitter_at(bytes, len);
	gsize start = 0;
	bool more = true;

	while (more) {
		gsize end;

		more = next_separator(&splitter, &end);
		if (start > 0 || !is_only_blank(bytes, end))
			add_message(messages, archive, start, end, unescape);
		if (messages->len > MBOX_MAX_MESSAGES) {
			g_set_error(error, MAIL_ERROR, MAIL_ERROR_LIMIT,
				    "the mbox has more than %u messages", MBOX_MAX_MESSAGES);
			return NULL;
		}
		start = splitter.cursor.pos;
	}
	return g_steal_pointer(&messages);
}
