/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/report/clean.h"

#include <stdbool.h>

/* Marks that turn the direction of writing can make a mail show other words than it holds. */
static bool is_bidi_mark(gunichar c)
{
	return c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

static bool may_stand(gunichar c)
{
	if (c == '\n' || c == '\t')
		return true;
	return c >= 0x20 && !(c >= 0x7f && c < 0xa0) && c != 0x2028 && c != 0x2029 &&
	       !is_bidi_mark(c);
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
