/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/mbox.h"

#include "mailparse/cursor.h"

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

/* "From nobody", "From - ": a name, which may be followed by blanks, and no time. */
static bool is_undated(ByteSlice line)
{
	if (line.len < 6 || line.len > MBOX_UNDATED_MAX_BYTES || memcmp(line.ptr, "From ", 5) != 0)
		return false;
	gsize end = 5;
	while (end < line.len && g_ascii_isgraph(line.ptr[end]))
		end++;
	for (gsize i = end; i < line.len; i++) {
		if (line.ptr[i] != ' ')
			return false;
	}
	return end > 5;
}

/* As the file's first line does it, which is learnt here. */
static bool is_separator_without_time(MboxScanner *scanner, ByteSlice line)
{
	if (scanner->is_whole && scanner->line_pos == 0 && is_undated(line)) {
		memcpy(scanner->undated, line.ptr, line.len);
		scanner->undated_len = line.len;
	}
	return scanner->undated_len > 0 && line.len == scanner->undated_len &&
	       memcmp(line.ptr, scanner->undated, line.len) == 0;
}

void mbox_scanner_init(MboxScanner *scanner, guint64 pos)
{
	scanner->pos = pos;
	scanner->line_pos = pos;
	scanner->after_empty = true;
	scanner->is_whole = false;
	scanner->undated_len = 0;
	scanner->held_len = 0;
}

/* The line that has just ended; the next one begins at the scanner's pos. */
static bool end_line(MboxScanner *scanner, const char *line, gsize len, guint64 *out_start)
{
	ByteSlice slice = slice_chomp((ByteSlice){line, len});
	bool found = scanner->after_empty &&
		     (is_separator(line, len) || is_separator_without_time(scanner, slice));

	*out_start = scanner->line_pos;
	scanner->after_empty = !found && slice.len == 0;
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

/* "+0200" */
static bool take_zone(ByteCursor *cursor, int *out_min)
{
	bool west = cursor_take_char(cursor, '-');
	int hhmm;

	if (!west && !cursor_take_char(cursor, '+'))
		return false;
	gsize start = cursor->pos;
	if (!take_number(cursor, 1400, &hhmm) || cursor->pos - start != 4 || hhmm % 100 > 59)
		return false;
	*out_min = (hhmm / 100 * 60 + hhmm % 100) * (west ? -1 : 1);
	return true;
}

/* "2024", "2024 +0200" or "+0200 2024" */
static bool take_year(ByteCursor *cursor, int *out_year, int *out_zone_min)
{
	*out_zone_min = 0;
	if (take_zone(cursor, out_zone_min))
		return take_blanks(cursor) && take_number(cursor, 9999, out_year);
	if (!take_number(cursor, 9999, out_year))
		return false;
	return !take_blanks(cursor) || take_zone(cursor, out_zone_min);
}

/* "Tue Mar  5 10:00:00 2024", maybe with a zone, and nothing behind it. */
static int64_t parse_asctime(const char *text, gsize len)
{
	int day_name, month, day, hour, minute, second, year, zone_min;
	ByteCursor cursor;

	cursor_init(&cursor, text, len);
	if (!take_name(&cursor, "SunMonTueWedThuFriSat", &day_name) || !take_blanks(&cursor) ||
	    !take_name(&cursor, "JanFebMarAprMayJunJulAugSepOctNovDec", &month) ||
	    !take_blanks(&cursor) || !take_number(&cursor, 31, &day) || !take_blanks(&cursor) ||
	    !take_number(&cursor, 23, &hour) || !cursor_take_char(&cursor, ':') ||
	    !take_number(&cursor, 59, &minute) || !cursor_take_char(&cursor, ':') ||
	    !take_number(&cursor, 59, &second) || !take_blanks(&cursor) ||
	    !take_year(&cursor, &year, &zone_min) || cursor_left(&cursor) > 0)
		return -1;
	g_autoptr(GDateTime) time = g_date_time_new_utc(MAX(year, 1), month + 1, MAX(day, 1), hour,
							minute, (gdouble)second);
	gint64 seconds = time == NULL ? -1 : g_date_time_to_unix(time) - zone_min * 60;

	return seconds < 0 ? -1 : seconds * MICROSECONDS;
}

int64_t mbox_separator_time(const char *line, gsize len)
{
	gsize spaces = 0;
	int64_t us = -1;

	while (len > 0 && g_ascii_isspace(line[len - 1]))
		len--;
	/* The sender may hold blanks, so the time is sought from the end: five words, or six. */
	for (gsize at = len; at > 5 && spaces < 6 && us < 0; at--) {
		bool edge = line[at - 1] == ' ' && line[at] != ' ';

		spaces += edge;
		if (edge && spaces >= 5)
			us = parse_asctime(line + at, len - at);
	}
	return us;
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

/* A mail over the limit is kept long enough to be seen to be. */
static void keep(MboxSplitter *splitter, const guint8 *bytes, gsize len)
{
	gsize most = splitter->head + splitter->max_bytes + MBOX_SEPARATOR_MAX_BYTES;
	gsize room = most > splitter->held->len ? most - splitter->held->len : 0;

	g_byte_array_append(splitter->held, bytes, (guint)MIN(len, room));
}

/* What is held as far as @len, without the separator line in front. */
static void give(MboxSplitter *splitter, gsize len)
{
	const guint8 *held = splitter->held->data;
	const guint8 *start = held == NULL ? (const guint8 *)"" : held + splitter->head;
	g_autoptr(GBytes) mail = NULL;

	len -= splitter->head;
	if (splitter->n_separators > 1)
		len = mbox_mail_len(start, len);
	mail = g_bytes_new_static(start, len);
	splitter->take(mail, splitter->data);
}

/* A separator line that begins at @start has ended and is held. */
static void end_mail(MboxSplitter *splitter, guint64 start)
{
	splitter->is_lone = splitter->n_separators == 0 && start > 0;
	if (splitter->is_lone)
		return;
	if (++splitter->n_separators == 1) {
		splitter->first_len = splitter->held->len;
		return;
	}
	if (splitter->n_separators == 2)
		splitter->head = splitter->first_len;
	give(splitter, (gsize)MIN(start - splitter->held_pos, splitter->held->len));
	g_byte_array_set_size(splitter->held, 0);
	splitter->held_pos = splitter->scanner.pos;
	splitter->head = 0;
}

void mbox_splitter_init(MboxSplitter *splitter, gsize max_bytes, MboxTakeFunc take, gpointer data)
{
	*splitter = (MboxSplitter){
		.take = take,
		.data = data,
		.max_bytes = max_bytes,
		.held = g_byte_array_new(),
	};
	mbox_scanner_init(&splitter->scanner, 0);
	splitter->scanner.is_whole = true;
}

void mbox_splitter_feed(MboxSplitter *splitter, const guint8 *bytes, gsize len)
{
	gsize used;

	for (gsize at = 0; at < len; at += used) {
		guint64 start = 0;
		bool found = false;

		used = len - at;
		if (!splitter->is_lone)
			found = mbox_scanner_feed(&splitter->scanner, bytes + at, len - at, &used,
						  &start);
		keep(splitter, bytes + at, used);
		if (found)
			end_mail(splitter, start);
	}
}

void mbox_splitter_end(MboxSplitter *splitter)
{
	guint64 start;

	if (!splitter->is_lone && mbox_scanner_end(&splitter->scanner, &start))
		end_mail(splitter, start);
	give(splitter, splitter->held->len);
	g_clear_pointer(&splitter->held, g_byte_array_unref);
}
