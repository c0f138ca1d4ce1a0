/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/imap_cursor.h"

#include "bot/base/error.h"
#include "bot/intake/source_private.h"

#include <string.h>

#define WITHHELD "withheld="

/* "17@1700000000000000,19@1700000000000000" */
static bool parse_withheld(const char *list, ImapCursor *out_cursor)
{
	g_auto(GStrv) fields = g_strsplit(list, ",", -1);
	guint n = g_strv_length(fields);

	for (guint i = 0; i < n && n <= IMAP_WITHHELD_MOST; i++) {
		g_auto(GStrv) sides = g_strsplit(fields[i], "@", 2);
		ImapWithheld *withheld = &out_cursor->withheld[i];
		guint64 uid = 0;

		if (g_strv_length(sides) != 2 ||
		    !g_ascii_string_to_unsigned(sides[0], 10, 1, G_MAXUINT32, &uid, NULL) ||
		    !g_ascii_string_to_signed(sides[1], 10, 0, G_MAXINT64, &withheld->since_us,
					      NULL))
			return false;
		withheld->uid = (uint32_t)uid;
	}
	out_cursor->n_withheld = n;
	return n > 0 && n <= IMAP_WITHHELD_MOST;
}

bool imap_cursor_parse(const char *text, ImapCursor *out_cursor, GError **error)
{
	g_auto(GStrv) fields = g_strsplit(text, " ", -1);
	int64_t uid_validity, uid, horizon;
	guint n_fields = g_strv_length(fields);

	*out_cursor = (ImapCursor){0};
	if (n_fields < 4 || n_fields > 5 ||
	    !source_cursor_number(fields[0], "uidvalidity", G_MAXUINT32, &uid_validity) ||
	    !source_cursor_number(fields[1], "uid", G_MAXUINT32, &uid) ||
	    !source_cursor_number(fields[2], "start", G_MAXINT64, &out_cursor->start_us) ||
	    !source_cursor_number(fields[3], "horizon", G_MAXUINT32, &horizon) ||
	    (n_fields == 5 && (!g_str_has_prefix(fields[4], WITHHELD) ||
			       !parse_withheld(fields[4] + strlen(WITHHELD), out_cursor)))) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CORRUPT,
			    "the stored cursor \"%s\" is not one of an IMAP mailbox", text);
		return false;
	}
	out_cursor->uid_validity = (uint32_t)uid_validity;
	out_cursor->uid = (uint32_t)uid;
	out_cursor->horizon = (uint32_t)horizon;
	return true;
}

bool imap_cursor_equal(const ImapCursor *a, const ImapCursor *b)
{
	bool same = a->uid_validity == b->uid_validity && a->uid == b->uid &&
		    a->start_us == b->start_us && a->horizon == b->horizon &&
		    a->n_withheld == b->n_withheld;

	for (unsigned i = 0; same && i < a->n_withheld; i++)
		same = a->withheld[i].uid == b->withheld[i].uid &&
		       a->withheld[i].since_us == b->withheld[i].since_us;
	return same;
}

char *imap_cursor_format(const ImapCursor *cursor)
{
	g_autoptr(GString) text = g_string_new(NULL);

	g_string_printf(text, "uidvalidity=%u uid=%u start=%" G_GINT64_FORMAT " horizon=%u",
			cursor->uid_validity, cursor->uid, cursor->start_us, cursor->horizon);
	for (unsigned i = 0; i < cursor->n_withheld; i++)
		g_string_append_printf(text, "%s%u@%" G_GINT64_FORMAT, i == 0 ? " " WITHHELD : ",",
				       cursor->withheld[i].uid, cursor->withheld[i].since_us);
	return g_string_free(g_steal_pointer(&text), FALSE);
}
