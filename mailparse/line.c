/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/line.h"

#include <string.h>

bool line_next(const char *bytes, gsize len, gsize *pos, Line *out)
{
	out->text =
		bytes ? bytes + *pos : ""; /* no bytes may be NULL, which has no place behind it */
	out->len = 0;
	if (*pos >= len)
		return false;

	const char *end = memchr(out->text, '\n', len - *pos);
	out->len = end ? (gsize)(end - out->text) : len - *pos;
	*pos += out->len + (end ? 1 : 0);
	return true;
}

bool line_starts_nocase(const Line *line, const char *prefix)
{
	gsize n = strlen(prefix);

	return line->len >= n && g_ascii_strncasecmp(line->text, prefix, n) == 0;
}

bool line_is_blank(const Line *line)
{
	for (gsize i = 0; i < line->len; i++) {
		if (line->text[i] != ' ' && line->text[i] != '\t' && line->text[i] != '\r')
			return false;
	}
	return true;
}

Line line_chomp(Line line)
{
	if (line.len > 0 && line.text[line.len - 1] == '\r')
		line.len--;
	return line;
}

Line line_after(Line line, gsize n)
{
	n = MIN(n, line.len);
	return (Line){.text = line.text + n, .len = line.len - n};
}
