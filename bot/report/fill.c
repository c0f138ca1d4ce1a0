/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/report/fill.h"

#include "bot/report/guard.h"

#include <stdbool.h>
#include <string.h>

static gsize indent_of(const char *line)
{
	return strspn(line, " ");
}

static void append_indent(GString *out, gsize n)
{
	for (gsize i = 0; i < n; i++)
		g_string_append_c(out, ' ');
}

/*
 * Some words change what a line is when they begin it: the label of a trailer ("base-commit: ..."),
 * a robot's command, the first word of a patch.
 */
static bool may_not_begin(const char *word)
{
	return g_str_has_suffix(word, ":") || strcmp(word, "diff") == 0 ||
	       guard_line(word) != GUARD_PLAIN;
}

/* Width of the words that must stay on one line. */
static glong unit_width(const char *const *words)
{
	glong width = g_utf8_strlen(*words, -1);

	for (words++; *words != NULL && may_not_begin(*words); words++)
		width += 1 + g_utf8_strlen(*words, -1);
	return width;
}

static void fill_words(GString *out, const char *const *words, gsize first, gsize hanging)
{
	glong column = (glong)first;
	bool at_start = true;

	append_indent(out, first);
	for (; *words != NULL; words++) {
		if (!at_start && !may_not_begin(*words) &&
		    column + 1 + unit_width(words) > FILL_COLUMNS) {
			g_string_append_c(out, '\n');
			append_indent(out, hanging);
			column = (glong)hanging;
			at_start = true;
		}
		g_string_append_printf(out, "%s%s", at_start ? "" : " ", *words);
		column += g_utf8_strlen(*words, -1) + !at_start;
		at_start = false;
	}
	g_string_append_c(out, '\n');
}

/* The words of @lines, without empty ones. */
static GPtrArray *split_words(char *const *lines, guint n)
{
	GPtrArray *words = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < n; i++) {
		g_auto(GStrv) parts = g_strsplit_set(lines[i], " \t", -1);
		for (guint k = 0; parts[k] != NULL; k++) {
			if (*parts[k] != '\0')
				g_ptr_array_add(words, g_strdup(parts[k]));
		}
	}
	g_ptr_array_add(words, NULL);
	return words;
}

static void fill_paragraph(GString *out, char *const *lines, guint n)
{
	g_autoptr(GPtrArray) words = split_words(lines, n);

	fill_words(out, (const char *const *)words->pdata, indent_of(lines[0]),
		   indent_of(lines[n > 1]));
}

static bool is_blank(const char *line)
{
	return line[strspn(line, " \t")] == '\0';
}

void fill_append(GString *out, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	guint n_lines = g_strv_length(lines);

	for (guint i = 0; i < n_lines;) {
		guint n = 0;
		while (i + n < n_lines && !is_blank(lines[i + n]))
			n++;
		if (n > 0)
			fill_paragraph(out, lines + i, n);
		else if (i + 1 < n_lines) /* what follows the last line end is no line */
			g_string_append_c(out, '\n');
		i += MAX(n, 1);
	}
}
