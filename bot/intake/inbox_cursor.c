/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/inbox_cursor.h"

#include "bot/base/error.h"
#include "bot/intake/source_private.h"

#include <string.h>

#define MISSING "missing"
#define ROOT "root"
#define RANGE ".."
#define HELD "!"

void inbox_cursor_init(InboxCursor *cursor, int64_t start_us)
{
	*cursor = (InboxCursor){.start_us = start_us};
	cursor->marks = g_array_new(FALSE, FALSE, sizeof(InboxMark));
}

void inbox_cursor_clear(InboxCursor *cursor)
{
	g_clear_pointer(&cursor->marks, g_array_unref);
}

static bool take_id(const char *text, char out_id[INBOX_ID_LEN + 1])
{
	if (strlen(text) != INBOX_ID_LEN || strspn(text, "0123456789abcdef") != INBOX_ID_LEN)
		return false;
	g_strlcpy(out_id, text, INBOX_ID_LEN + 1);
	return true;
}

/* "HEX", "root..HEX" */
static bool parse_place(const char *text, InboxMark *out_mark)
{
	g_auto(GStrv) ends = g_strsplit(text, RANGE, 2);

	if (g_strv_length(ends) == 2 && !take_id(ends[1], out_mark->limit))
		return false;
	return g_strv_length(ends) > 0 &&
	       (strcmp(ends[0], ROOT) == 0 || take_id(ends[0], out_mark->pos));
}

/* "0=HEX", "0=root..HEX!US", "0=missing" */
static bool parse_mark(const char *field, InboxMark *out_mark)
{
	g_auto(GStrv) sides = g_strsplit(field, "=", 2);
	guint64 number = 0;

	*out_mark = (InboxMark){0};
	if (g_strv_length(sides) != 2 ||
	    !g_ascii_string_to_unsigned(sides[0], 10, 0, INBOX_MAX_EPOCH, &number, NULL))
		return false;
	out_mark->number = (unsigned)number;
	out_mark->missing = strcmp(sides[1], MISSING) == 0;
	if (out_mark->missing)
		return true;
	g_auto(GStrv) parts = g_strsplit(sides[1], HELD, 2);
	if (g_strv_length(parts) == 2 &&
	    !g_ascii_string_to_signed(parts[1], 10, 1, G_MAXINT64, &out_mark->held_us, NULL))
		return false;
	return g_strv_length(parts) > 0 && parse_place(parts[0], out_mark);
}

static bool parse_fields(GStrv fields, InboxCursor *cursor)
{
	int64_t newest = 0;

	if (g_strv_length(fields) < 2 ||
	    !source_cursor_number(fields[0], "start", G_MAXINT64, &cursor->start_us) ||
	    !source_cursor_number(fields[1], "newest", INBOX_MAX_EPOCH, &newest))
		return false;
	cursor->newest = (unsigned)newest;
	for (GStrv field = fields + 2; *field; field++) {
		InboxMark mark;
		const InboxMark *last =
			cursor->marks->len > 0
				? &g_array_index(cursor->marks, InboxMark, cursor->marks->len - 1)
				: NULL;

		if (!parse_mark(*field, &mark) || (last && mark.number <= last->number))
			return false;
		g_array_append_val(cursor->marks, mark);
	}
	return true;
}

bool inbox_cursor_parse(const char *text, InboxCursor *out_cursor, GError **error)
{
	g_auto(GStrv) fields = g_strsplit(text, " ", -1);

	inbox_cursor_init(out_cursor, 0);
	if (parse_fields(fields, out_cursor))
		return true;
	inbox_cursor_clear(out_cursor);
	g_set_error(error, BOT_ERROR, BOT_ERROR_CORRUPT,
		    "the stored cursor \"%s\" is not one of a public-inbox", text);
	return false;
}

char *inbox_cursor_format(const InboxCursor *cursor)
{
	g_autoptr(GString) text = g_string_new(NULL);

	g_string_printf(text, "start=%" G_GINT64_FORMAT " newest=%u", cursor->start_us,
			cursor->newest);
	for (guint i = 0; i < cursor->marks->len; i++) {
		const InboxMark *mark = &g_array_index(cursor->marks, InboxMark, i);

		g_string_append_printf(text, " %u=%s", mark->number,
				       mark->missing  ? MISSING
				       : mark->pos[0] ? mark->pos
						      : ROOT);
		if (mark->limit[0] && !mark->missing)
			g_string_append_printf(text, RANGE "%s", mark->limit);
		if (mark->held_us > 0 && !mark->missing)
			g_string_append_printf(text, HELD "%" G_GINT64_FORMAT, mark->held_us);
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}
