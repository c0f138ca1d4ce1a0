/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/mbox_cursor.h"

#include "bot/base/error.h"
#include "bot/intake/source_private.h"

#include <string.h>

#define BEFORE "before="

static bool parse_before(const char *field, char *out_hash)
{
	if (!field || !g_str_has_prefix(field, BEFORE))
		return false;
	field += strlen(BEFORE);
	if (strlen(field) != MBOX_HASH_LEN || strspn(field, "0123456789abcdef") != MBOX_HASH_LEN)
		return false;
	g_strlcpy(out_hash, field, MBOX_HASH_LEN + 1);
	return true;
}

bool mbox_cursor_parse(const char *text, MboxCursor *out_cursor, GError **error)
{
	g_auto(GStrv) fields = g_strsplit(text, " ", -1);

	if (g_strv_length(fields) == 4 &&
	    source_cursor_number(fields[0], "offset", G_MAXINT64, &out_cursor->offset) &&
	    parse_before(fields[1], out_cursor->before) &&
	    source_cursor_number(fields[2], "start", G_MAXINT64, &out_cursor->start_us) &&
	    source_cursor_number(fields[3], "horizon", G_MAXINT64, &out_cursor->horizon))
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_CORRUPT,
		    "the stored cursor \"%s\" is not one of an mbox", text);
	return false;
}

char *mbox_cursor_format(const MboxCursor *cursor)
{
	return g_strdup_printf("offset=%" G_GINT64_FORMAT " " BEFORE "%s start=%" G_GINT64_FORMAT
			       " horizon=%" G_GINT64_FORMAT,
			       cursor->offset, cursor->before, cursor->start_us, cursor->horizon);
}
