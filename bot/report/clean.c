/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/report/clean.h"

#include <stdbool.h>
#include <string.h>

/*
 * What is not seen but turns the direction of writing, hides or splits words makes a mail show
 * other words than it holds.  The two joiners are letters' business in some scripts.
 */
static bool is_unseen_mark(gunichar c)
{
	return g_unichar_type(c) == G_UNICODE_FORMAT && c != 0x200c && c != 0x200d;
}

static bool may_stand(gunichar c)
{
	if (c == '\n' || c == '\t')
		return true;
	return c >= 0x20 && !(c >= 0x7f && c < 0xa0) && c != 0x2028 && c != 0x2029 &&
	       !is_unseen_mark(c);
}

void clean_append(GString *out, const char *text)
{
	for (const char *c = text; *c != '\0'; c = clean_next(c)) {
		if (may_stand(g_utf8_get_char(c)))
			g_string_append_len(out, c, clean_next(c) - c);
	}
}

char *clean_text(const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);
	GString *out = g_string_new(NULL);

	clean_append(out, valid);
	return g_string_free(out, FALSE);
}

char *clean_line(const char *text)
{
	if (text == NULL)
		return NULL;
	return g_strstrip(g_strdelimit(clean_text(text), "\n\t", ' '));
}

char *clean_short(const char *text)
{
	g_autofree char *line = clean_line(text);

	if (line == NULL || g_utf8_strlen(line, -1) <= CLEAN_SHORT_CHARS)
		return g_steal_pointer(&line);
	g_autofree char *cut =
		g_utf8_substring(line, 0, CLEAN_SHORT_CHARS - (glong)strlen(CLEAN_OMISSION));
	return g_strconcat(cut, CLEAN_OMISSION, NULL);
}
