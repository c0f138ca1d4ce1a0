/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/mbox.h"

#include "mailparse/cursor.h"
#include "mailparse/limits.h"
#include "mailparse/mailparse.h"

#include <string.h>

#define MICROSECONDS INT64_C(1000000)

/* ---- separators ---- */

/*
 * "From ann@example.org Thu Jan  1 00:00:00 1970".  The time of day is asked for, since a sentence
 * of a mail may begin with "From " after an empty line too.
 */
static bool is_separator(const char *line, gsize len)
{
	if (len < 5 || len > MBOX_SEPARATOR_MAX_BYTES || memcmp(line, "From ", 5) != 0)
		return false;
	for (gsize i = 6; i + 2 < len; i++) {
		if (line[i] == ':' && g_ascii_isdigit(line[i - 1]) &&
		    g_ascii_isdigit(line[i + 1]) && g_ascii_isdigit(line[i + 2]))
			return true;
	}
	return false;
}

void mbox_scanner_init(MboxScanner *scanner, guint64 pos)
{
	scanner->pos = pos;
	scanner->line_pos = pos;
	scanner->after_empty = true;
	scanner->held_len = 0;
}

/* The line that has just ended; the next one begins at the scanner's pos. */
static bool end_line(MboxScanner *scanner, const char *line, gsize len, guint64 *out_start)
{
	bool found = scanner->after_empty && is_separator(line, len);
	ByteSlice slice = {line, len};

	*out_start = scanner->line_pos;
	scanner->after_empty = !found && slice_chomp(slice).len == 0;
	scanner->line_pos = scanner->pos;
	scanner->held_len = 0;
	return found;
}

/* Keeps a piece of a line; what is over the limit need not be known, only that it is. */
static void hold(MboxScanner *scanner, const guint8 *bytes, gsize len)
{
	gsize kept = MIN(len, sizeof scanner->held - scanner->held_len);

	memcpy(scanner->held + scanner->held_len, bytes, kept);
	scanner->held_len += kept;
}

bool mbox_scanner_feed(MboxScanner *scanner, const guint8 *bytes, gsize len, gsize *out_used,
		       guint64 *out_start)
{
	gsize at = 0;
	bool found = false;

	while (at < len && !found) {
		const guint8 *lf = memchr(bytes + at, '\n', len - at);
		gsize n = lf ? (gsize)(lf - bytes) - at : len - at;
		bool whole = lf && scanner->held_len == 0;

		if (!whole)
			hold(scanner, bytes + at, n);
		scanner->pos += lf ? n + 1 : n;
		if (whole)
			found = end_line(scanner, (const char *)bytes + at, n, out_start);
		else if (lf)
			found = end_line(scanner, scanner->held, scanner->held_len, out_start);
		at += lf ? n + 1 : n;
	}
	*out_used = at;
	return found;
}

bool mbox_scanner_end(MboxScanner *scanner, guint64 *out_start)
{
	return scanner->held_len > 0 &&
	       end_line(scanner, scanner->held, scanner->held_len, out_start);
}

/* ---- the time of a separator ---- */

static bool take_blanks(ByteCursor *cursor)
{
	gsize before = cursor->pos;

	cursor_skip_blanks(cursor);
	return cursor->pos > before;
}

/* One of the words of three letters that stand in a row in @names. */
static bool take_name(ByteCursor *cursor, const char *names, int *out_index)
{
	for (*out_index = 0; names[*out_index * 3] != '\0'; ++*out_index) {
		char word[4] = "";

		memcpy(word, names + *out_index * 3, 3);
		if (cursor_take_word(cursor, word))
			return true;
	}
	return false;
}

static bool take_number(ByteCursor *cursor, unsigned max, int *out_value)
{
	unsigned value = 0;
	bool fine =
		g_ascii_isdigit((char)cursor_peek(cursor)) && cursor_take_uint(cursor, max, &value);

	*out_value = (int)value;
	return fine;
}

/* "Tue Mar  5 10:00:00 2024" and nothing behind it (RFC 4155, as asctime() writes it). */
static int64_t parse_asctime(const char *text, gsize len)
{
	int day_name, month, day, hour, minute, second, year;
	ByteCursor cursor;

	cursor_init(&cursor, text, len);
	if (!take_name(&cursor, "SunMonTueWedThuFriSat", &day_name) || !take_blanks(&cursor) ||
	    !take_name(&cursor, "JanFebMarAprMayJunJulAugSepOctNovDec", &month) ||
	    !take_blanks(&cursor) || !take_number(&cursor, 31, &day) || !take_blanks(&cursor) ||
	    !take_number(&cursor, 23, &hour) || !cursor_take_char(&cursor, ':') ||
	    !take_number(&cursor, 59, &minute) || !cursor_take_char(&cursor, ':') ||
	    !take_number(&cursor, 59, &second) || !take_blanks(&cursor) ||
	    !take_number(&cursor, 9999, &year) || cursor_left(&cursor) > 0)
		return -1;
	g_autoptr(GDateTime) time = g_date_time_new_utc(MAX(year, 1), month + 1, MAX(day, 1), hour,
							minute, (gdouble)second);
	gint64 seconds = time == NULL ? -1 : g_date_time_to_unix(time);

	return seconds < 0 ? -1 : seconds * MICROSECONDS;
}

int64_t mbox_separator_time(const char *line, gsize len)
{
	gsize spaces = 0;

	while (len > 0 && g_ascii_isspace(line[len - 1]))
		len--;
	/* The sender may hold blanks, so the time is sought from the end: five words. */
	for (gsize at = len; at > 5; at--) {
		bool edge = line[at - 1] == ' ' && line[at] != ' ';

		spaces += edge;
		if (edge && spaces == 5)
			return parse_asctime(line + at, len - at);
	}
	return -1;
}

/* ---- mails ---- */

gsize mbox_mail_len(const guint8 *bytes, gsize len)
{
	const guint8 *tail = bytes + len;

	if (len >= 2 && memcmp(tail - 2, "\n\n", 2) == 0)
		return len - 1;
	if (len >= 4 && memcmp(tail - 4, "\r\n\r\n", 4) == 0)
		return len - 2;
	return len;
}

static bool is_escaped(ByteSlice line)
{
	gsize n = 0;

	while (n < line.len && line.ptr[n] == '>')
		n++;
	return n > 0 && line.len - n >= 5 && memcmp(line.ptr + n, "From ", 5) == 0;
}

GBytes *mbox_unescape(GBytes *message)
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

/* ---- whole archives ---- */

typedef struct {
	MboxScanner scanner;
	const guint8 *bytes;
	gsize len;
} Splitter;

static Splitter splitter_at(const guint8 *bytes, gsize len)
{
	Splitter splitter = {.bytes = bytes, .len = len};

	mbox_scanner_init(&splitter.scanner, 0);
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
	MboxScanner *scanner = &splitter->scanner;
	guint64 start = 0;
	gsize used;
	bool found = mbox_scanner_feed(scanner, splitter->bytes + scanner->pos,
				       splitter->len - scanner->pos, &used, &start) ||
		     mbox_scanner_end(scanner, &start);

	*out_end = found ? (gsize)start : splitter->len;
	return found;
}

bool mbox_is_archive(const guint8 *bytes, gsize len)
{
	Splitter splitter = splitter_at(bytes, len);
	gsize end;

	return next_separator(&splitter, &end) && end == 0 && next_separator(&splitter, &end);
}

static void add_message(GPtrArray *messages, GBytes *archive, gsize start, gsize end, bool unescape)
{
	const guint8 *data = g_bytes_get_data(archive, NULL);
	g_autoptr(GBytes) message =
		g_bytes_new_from_bytes(archive, start, mbox_mail_len(data + start, end - start));

	g_ptr_array_add(messages, unescape ? mbox_unescape(message) : g_steal_pointer(&message));
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
		start = (gsize)splitter.scanner.pos;
	}
	return g_steal_pointer(&messages);
}
