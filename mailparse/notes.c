/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/notes.h"

#include "mailparse/line.h"
#include "mailparse/msgid.h"
#include "mailparse/pattern.h"

#include <stdbool.h>
#include <string.h>

#define MAX_PREREQUISITES 1000u
#define MAX_REPLACED 50u
#define REPLACED_LINE_MAX_BYTES 500u
#define SHA1_HEX 40u

/* The word behind "name:" on @line; NULL when the line is another one or the word is missing. */
static char *value_of(Line line, const char *name)
{
	if (!line_starts_nocase(&line, name))
		return NULL;
	Line rest = line_after(line, strlen(name));
	while (rest.len > 0 && (rest.text[0] == ' ' || rest.text[0] == '\t'))
		rest = line_after(rest, 1);
	gsize len = 0;
	while (len < rest.len && !g_ascii_isspace(rest.text[len]))
		len++;
	return len > 0 ? g_strndup(rest.text, len) : NULL;
}

static bool is_sha1(const char *word)
{
	return strlen(word) == SHA1_HEX && strspn(word, "0123456789abcdefABCDEF") == SHA1_HEX;
}

static char *sha1_of(Line line, const char *name)
{
	g_autofree char *word = value_of(line, name);

	return word && is_sha1(word) ? g_ascii_strdown(word, -1) : NULL;
}

static void keep_first(char **slot, char *value)
{
	if (*slot)
		g_free(value);
	else
		*slot = value;
}

/* Of "<id>", or of the link to an archive, whose last part with an "@" it is. */
static char *id_of_word(const char *word)
{
	g_auto(GStrv) parts = g_strsplit(word, "/", -1);

	if (strstr(word, "://") == NULL)
		return strchr(word, '@') ? msgid_bare(word) : NULL;
	for (guint i = g_strv_length(parts); i > 0; i--) {
		g_autofree char *part = g_uri_unescape_string(parts[i - 1], NULL);
		if (part && strchr(part, '@'))
			return msgid_bare(part);
	}
	return NULL;
}

/* What @line says must be there first; NULL when it is another line. */
static char *prerequisite_of(Line line)
{
	static const char *const by_mail[] = {"depends-on:", "based-on:"};
	char *patch_id = sha1_of(line, "prerequisite-patch-id:");
	g_autofree char *change = value_of(line, "prerequisite-change-id:");

	if (patch_id || change)
		return patch_id ? patch_id : g_strconcat("change-id:", change, NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(by_mail); i++) {
		g_autofree char *word = value_of(line, by_mail[i]);
		g_autofree char *id = word ? id_of_word(word) : NULL;
		if (id)
			return g_strconcat("message-id:", id, NULL);
	}
	return NULL;
}

/* The posting that @line names as the one before; NULL when it is another line. */
static char *replaced_of(Line line)
{
	g_autoptr(GMatchInfo) info = NULL;

	if (line.len > REPLACED_LINE_MAX_BYTES || !memchr(line.text, '@', line.len))
		return NULL;
	g_autofree char *text = g_strndup(line.text, line.len);
	if (!g_regex_match(
		    pattern_get("^[\\s*\\[-]{0,8}(?:link to (?:rfc[ -]?)?v\\d+|supersedes|obsoletes"
				"|(?:rfc[ -]?|patch |series )?v\\d+|rfc"
				"|(?:previous|prior|earlier|last) (?:version|posting|series|"
				"submission)s?(?: \\(?v\\d+\\)?)?)"
				"\\]?[ \\t]*(?:is|at|was|posted)?[ \\t]*[:=-]?[ \\t]*"
				"<?((?:https?://)?[^\\s<>]+@[^\\s<>]+)"),
		    text, 0, &info))
		return NULL;
	g_autofree char *word = g_match_info_fetch(info, 1);
	return id_of_word(word);
}

static void keep(GPtrArray *words, guint max, char *word)
{
	if (word && words->len < max &&
	    !g_ptr_array_find_with_equal_func(words, word, g_str_equal, NULL))
		g_ptr_array_add(words, word);
	else
		g_free(word);
}

static GStrv end(GPtrArray *words)
{
	g_ptr_array_add(words, NULL);
	return (GStrv)g_ptr_array_free(words, FALSE);
}

PatchNotes *notes_read(const char *body)
{
	PatchNotes *notes = g_new0(PatchNotes, 1);
	GPtrArray *prerequisites = g_ptr_array_new();
	GPtrArray *replaced = g_ptr_array_new();
	gsize len = strlen(body);
	Line line;

	for (gsize at = 0; line_next(body, len, &at, &line);) {
		/* Nearly every line of a diff begins otherwise. */
		if (line.len > 0 && strchr("bBcCdDpP", line.text[0])) {
			keep_first(&notes->base_commit, sha1_of(line, "base-commit:"));
			keep_first(&notes->change_id, value_of(line, "change-id:"));
			keep(prerequisites, MAX_PREREQUISITES, prerequisite_of(line));
		}
		if (line.len > 0 && strchr("lLvVsSoOrRpPeE -*[\t", line.text[0]))
			keep(replaced, MAX_REPLACED, replaced_of(line));
	}
	notes->prerequisites = end(prerequisites);
	notes->replaces = end(replaced);
	return notes;
}

void notes_free(PatchNotes *notes)
{
	if (!notes)
		return;
	g_free(notes->base_commit);
	g_strfreev(notes->prerequisites);
	g_free(notes->change_id);
	g_strfreev(notes->replaces);
	g_free(notes);
}
