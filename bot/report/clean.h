/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * clean - text of strangers without what could change how a mail reads.  Private to this folder.
 */

#include <glib.h>

#define CLEAN_SHORT_CHARS 250
#define CLEAN_OMISSION " [...]"

/* The next character of UTF-8; GLib's macro casts const away. */
static inline const char *clean_next(const char *c)
{
	return c + g_utf8_skip[(guchar)*c];
}

/**
 * clean_append: @text (UTF-8) without control characters but LF and TAB, line separators of Unicode
 * and marks that are not seen (those that turn the direction of writing among them).
 */
void clean_append(GString *out, const char *text);

/** clean_text: the same as a new string; bytes that are no UTF-8 become U+FFFD. */
char *clean_text(const char *text);

/** clean_line: (nullable): clean_text() in one line: LF and TAB are blanks, none at the ends. */
char *clean_line(const char *text);

/**
 * clean_short: (nullable): clean_line() of a name or a subject, of which more than
 * CLEAN_SHORT_CHARS only hide the rest of the mail; CLEAN_OMISSION stands for what was cut.
 */
char *clean_short(const char *text);
