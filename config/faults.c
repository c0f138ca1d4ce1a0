/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config/faults.h"

#include <string.h>

void faults_init(Faults *faults, const char *path, const char *bytes)
{
	faults->path = g_strdup(path);
	faults->lines = g_strsplit(bytes, "\n", -1);
	faults->text = g_ptr_array_new_with_free_func(g_free);
	faults->mentions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

void faults_clear(Faults *faults)
{
	g_clear_pointer(&faults->path, g_free);
	g_clear_pointer(&faults->lines, g_strfreev);
	g_clear_pointer(&faults->text, g_ptr_array_unref);
	g_clear_pointer(&faults->mentions, g_hash_table_unref);
}

static bool has_word_at_start(const char *text, const char *word)
{
	size_t len = strlen(word);

	return g_ascii_strncasecmp(text, word, len) == 0 && !g_ascii_isalnum(text[len]) &&
	       text[len] != '-';
}

/* `[section]` or `[section "name"]`, as they are usually written. */
static bool is_header_of(const char *line, const char *section, const char *name)
{
	if (*line != '[' || !has_word_at_start(line + 1, section))
		return false;
	const char *rest = line + 1 + strlen(section);
	while (g_ascii_isspace(*rest))
		rest++;
	if (name == NULL)
		return *rest == ']';
	size_t len = strlen(name);
	return *rest == '"' && strncmp(rest + 1, name, len) == 0 && rest[1 + len] == '"';
}

/* 0 when it is not in this file. */
static guint line_of(const Faults *faults, const char *section, const char *name, const char *key)
{
	bool inside = false;
	guint found = 0, mentions = 0;

	if (faults->mention == FAULTS_ELSEWHERE)
		return 0;

	for (guint i = 0; faults->lines[i] != NULL; i++) {
		const char *line = faults->lines[i];

		while (g_ascii_isspace(*line))
			line++;
		if (*line == '[') {
			inside = is_header_of(line, section, name);
			if (inside && key == NULL && found == 0)
				found = i + 1;
			line = strchr(line, ']');
			line = line == NULL ? "" : line + 1;
			while (g_ascii_isspace(*line))
				line++;
		}
		if (inside && key != NULL && has_word_at_start(line, key)) {
			found = i + 1;
			if (++mentions == faults->mention)
				return found;
		}
	}
	return found;
}

void faults_mention(Faults *faults, const char *whole_name, bool elsewhere)
{
	guint n = GPOINTER_TO_UINT(g_hash_table_lookup(faults->mentions, whole_name)) + !elsewhere;

	g_hash_table_replace(faults->mentions, g_strdup(whole_name), GUINT_TO_POINTER(n));
	faults->mention = elsewhere ? FAULTS_ELSEWHERE : n;
}

bool faults_mentioned(const Faults *faults, const char *section, const char *name, const char *key)
{
	g_autofree char *low = g_ascii_strdown(key, -1);
	g_autofree char *whole = name == NULL ? g_strconcat(section, ".", low, NULL)
					      : g_strconcat(section, ".", name, ".", low, NULL);

	return g_hash_table_contains(faults->mentions, whole);
}

/* Each key of a section that is wrong itself says the same of it. */
static void keep(Faults *faults, char *text)
{
	if (g_ptr_array_find_with_equal_func(faults->text, text, g_str_equal, NULL))
		g_free(text);
	else
		g_ptr_array_add(faults->text, text);
}

void faults_add(Faults *faults, const char *section, const char *name, const char *key,
		const char *format, ...)
{
	guint line = line_of(faults, section, name, key);
	g_autoptr(GString) text = g_string_new(faults->path);
	va_list args;

	if (line > 0)
		g_string_append_printf(text, ":%u", line);
	else if (faults_mentioned(faults, "include", NULL, "path"))
		g_string_append(text, " or what it includes");
	g_string_append_printf(text, name == NULL ? ": [%s]" : ": [%s \"%s\"]", section, name);
	if (key != NULL)
		g_string_append_printf(text, " %s", key);
	g_string_append(text, ": ");
	va_start(args, format);
	g_string_append_vprintf(text, format, args);
	va_end(args);
	keep(faults, g_string_free(g_steal_pointer(&text), FALSE));
}

void faults_add_at(Faults *faults, const char *path, guint line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	keep(faults, g_strdup_printf("%s:%u: %s", path, line, text));
}
