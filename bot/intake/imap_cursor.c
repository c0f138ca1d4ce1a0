/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/imap_cursor.h"

#include "bot/base/error.h"
#include "bot/intake/source_private.h"

bool imap_cursor_parse(const char *text, ImapCursor *out_cursor, GError **error)
{
	g_auto(GStrv) fields = g_strsplit(text, " ", -1);
	int64_t uid_validity, uid, horizon;

	if (g_strv_length(fields) != 4 ||
	    !source_cursor_number(fields[0], "uidvalidity", G_MAXUINT32, &uid_validity) ||
	    !source_cursor_number(fields[1], "uid", G_MAXUINT32, &uid) ||
	    !source_cursor_number(fields[2], "start", G_MAXINT64, &out_cursor->start_us) ||
	    !source_cursor_number(fields[3], "horizon", G_MAXUINT32, &horizon)) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CORRUPT,
			    "the stored cursor \"%s\" is not one of an IMAP mailbox", text);
		return false;
	}
	out_cursor->uid_validity = (uint32_t)uid_validity;
	out_cursor->uid = (uint32_t)uid;
	out_cursor->horizon = (uint32_t)horizon;
	return true;
}

char *imap_cursor_format(const ImapCursor *cursor)
{
	return g_strdup_printf("uidvalidity=%u uid=%u start=%" G_GINT64_FORMAT " horizon=%u",
			       cursor->uid_validity, cursor->uid, cursor->start_us,
			       cursor->horizon);
}
