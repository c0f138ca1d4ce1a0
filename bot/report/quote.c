/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/report/quote.h"

#include "bot/report/clean.h"
#include "bot/report/guard.h"

#include <string.h>

#define OMISSION "[...]"

static unsigned depth_of(const char *line)
{
	unsigned depth = 0;

	for (; *line == '>' || *line == ' '; line++)
		depth += *line == '>';
	return depth;
}

static const char *without_marks(const char *line)
{
	while (*line == '>' || *line == ' ')
		line++;
	return line;
}

static bool ends_text(const char *line)
{
	return strcmp(line, "-- ") == 0 || strcmp(line, "--") == 0 ||
	       guard_line(line) == GUARD_PATCH;
}

static bool is_dropped(const char *line)
{
	return depth_of(line) > QUOTE_MAX_DEPTH || guard_line(line) == GUARD_COMMAND ||
	       guard_line(without_marks(line)) == GUARD_PATCH;
}

static char *shorten(const char *line)
{
	if (strlen(line) <= QUOTE_MAX_LINE_BYTES)
		return g_strchomp(g_strdup(line));

	/* Back to the start of a character: the cut must not make half of one. */
	const char *end = line + QUOTE_MAX_LINE_BYTES;
	while (end > line && ((guchar)*end & 0xc0) == 0x80)
		end--;
	return g_strdup_printf("%.*s " OMISSION, (int)(end - line), line);
}

static GPtrArray *take_text(const char *body)
{
	GPtrArray *kept = g_ptr_array_new_with_free_func(g_free);
	/* Cleaned first: a hidden byte in front of a command must not outlive the check for it. */
	g_autofree char *clean = clean_text(body);
	g_auto(GStrv) lines = g_strsplit(clean, "\n", -1);

	for (guint i = 0; lines[i] != NULL && !ends_text(lines[i]); i++) {
		if (!is_dropped(lines[i]))
			g_ptr_array_add(kept, shorten(lines[i]));
	}
	return kept;
}

/* Each run of quoted lines becomes one "[...]". */
static GPtrArray *drop_quotes(const GPtrArray *lines)
{
	GPtrArray *kept = g_ptr_array_new_with_free_func(g_free);
	bool in_quote = false;

	for (guint i = 0; i < lines->len; i++) {
		const char *line = g_ptr_array_index(lines, i);
		bool quoted = depth_of(line) > 0;
		if (!quoted)
			g_ptr_array_add(kept, g_strdup(line));
		else if (!in_quote)
			g_ptr_array_add(kept, g_strdup(OMISSION));
		in_quote = quoted;
	}
	return kept;
}

static void drop_empty_ends(GPtrArray *lines)
{
	while (lines->len > 0 && *(const char *)g_ptr_array_index(lines, lines->len - 1) == '\0')
		g_ptr_array_remove_index(lines, lines->len - 1);
	while (lines->len > 0 && *(const char *)g_ptr_array_index(lines, 0) == '\0')
		g_ptr_array_remove_index(lines, 0);
}

static char *join(GPtrArray *lines)
{
	drop_empty_ends(lines);
	if (lines->len == 0)
		return NULL;
	if (lines->len > QUOTE_MAX_LINES) {
		g_ptr_array_set_size(lines, QUOTE_MAX_LINES - 1);
		g_ptr_array_add(lines, g_strdup(OMISSION));
	}
	g_ptr_array_add(lines, NULL);
	return g_strjoinv("\n", (char **)lines->pdata);
}

char *quote_trim(const char *body)
{
	g_autoptr(GPtrArray) lines = take_text(body != NULL ? body : "");

	drop_empty_ends(lines);
	if (lines->len <= QUOTE_MAX_LINES)
		return join(lines);
	g_autoptr(GPtrArray) own = drop_quotes(lines);
	return join(own);
}
