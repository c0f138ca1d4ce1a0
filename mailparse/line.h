/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * line - walk over bytes line by line, never past their end.
 *
 * A line ends at LF, which is no part of it; a CR before the LF is.  The bytes may hold NUL.
 */

#include <glib.h>
#include <stdbool.h>
#include <string.h>

typedef struct {
	const char *text; /* into the bytes that were walked; not NUL-terminated */
	gsize len;
} Line;

/**
 * line_next:
 * @pos: (inout): where the next line starts; moved behind it
 *
 * Returns: false when @pos is at the end; @out is then an empty line
 */
bool line_next(const char *bytes, gsize len, gsize *pos, Line *out);

/* Asked of every line a dozen times over, with a literal: so it is the compiler's to unfold. */
static inline bool line_starts(const Line *line, const char *prefix)
{
	gsize n = strlen(prefix);

	return line->len >= n && memcmp(line->text, prefix, n) == 0;
}

/** line_starts_nocase: as line_starts(), ASCII letters compared without case. */
bool line_starts_nocase(const Line *line, const char *prefix);

/** line_is_blank: nothing but blanks, tabs and CR. */
bool line_is_blank(const Line *line);

/** line_chomp: without a CR at its end. */
Line line_chomp(Line line);

/** line_after: what follows the first @n bytes; empty when there are fewer. */
Line line_after(Line line, gsize n);
