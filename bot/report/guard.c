/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/report/guard.h"

#include "bot/report/clean.h"

#include "bot/base/error.h"

#include <string.h>

/* Labels that b4 takes whatever their value is. */
static const char *const trailer_names[] = {
	"fixes",        "link",
	"buglink",      "closes",
	"subject",      "date",
	"from",         "cc",
	"to",           "change-id",
	"base-commit",  "message-id",
	"obsoleted-by", "prerequisite-patch-id",
};

/* b4 is Python: its blanks are those of Unicode. */
static bool is_space(const char *c)
{
	return *c != '\0' && g_unichar_isspace(g_utf8_get_char(c));
}

static const char *skip_blanks(const char *c)
{
	while (is_space(c))
		c = clean_next(c);
	return c;
}

static const char *skip_word(const char *c)
{
	while (*c != '\0' && !is_space(c))
		c = clean_next(c);
	return c;
}

static bool is_trailer_name(const char *name)
{
	for (gsize i = 0; i < G_N_ELEMENTS(trailer_names); i++) {
		if (g_ascii_strcasecmp(name, trailer_names[i]) == 0)
			return true;
	}
	gsize len = strlen(name);
	return len > 3 && g_ascii_strcasecmp(name + len - 3, "-by") == 0;
}

/* Does the word that ends at @end go on as "x.z" behind its "@"? */
static bool is_host(const char *host, const char *end)
{
	for (const char *dot = host + 1; dot < end - 1; dot++) {
		if (*dot == '.')
			return true;
	}
	return false;
}

/* "x@y.z" anywhere, as b4 looks for a person. */
static bool names_person(const char *value)
{
	for (const char *word = skip_blanks(value); *word != '\0'; word = skip_blanks(word)) {
		const char *end = skip_word(word);
		const char *at = memchr(word + 1, '@', (gsize)(end - word) - 1);
		if (at != NULL && is_host(at + 1, end))
			return true;
		word = end;
	}
	return false;
}

/* "commit: SHA (\"SUBJECT\")", the line that every reader and every parser of reports looks for. */
static bool is_commit_line(const char *line)
{
	const char *sha = g_str_has_prefix(line, "commit: ") ? line + strlen("commit: ") : "";

	return strspn(sha, "0123456789abcdef") == 40 && g_str_has_prefix(sha + 40, " (\"");
}

/* "LABEL: value", the label one word of ASCII that begins with a letter, digit or "_". */
static GuardKind label_kind(const char *line)
{
	const char *word = skip_blanks(line);
	const char *end = skip_word(word);
	gsize len = strcspn(word, ":");

	if ((!g_ascii_isalnum(*word) && *word != '_') || word + len >= end)
		return GUARD_PLAIN;

	g_autofree char *name = g_strndup(word, len);
	if (is_trailer_name(name))
		return GUARD_TRAILER;
	bool link = strstr(end, "http://") != NULL || strstr(end, "https://") != NULL;
	bool taken = end[-1] == ':' && !link && names_person(end);
	return taken && !is_commit_line(line) ? GUARD_LABEL : GUARD_PLAIN;
}

static bool begins_patch(const char *text)
{
	return g_str_has_prefix(text, "diff -") || g_str_has_prefix(text, "--- a/") ||
	       g_str_has_prefix(text, "Index: ") || strcmp(text, "---") == 0;
}

static bool is_command(const char *text)
{
	while (*text == '>' || is_space(text))
		text = clean_next(text);
	return *text == '#' && g_ascii_isalpha(text[1]);
}

GuardKind guard_line(const char *line)
{
	const char *text = skip_blanks(line);
	gsize len = strlen(text);

	if (is_command(text))
		return GUARD_COMMAND;
	if (begins_patch(text))
		return GUARD_PATCH;
	if (len > 2 && text[0] == '<' && text[len - 1] == '>')
		return GUARD_ADDRESS;
	return label_kind(line);
}

static bool refuse(const char *line, GError **error)
{
	g_autofree char *shown = g_strescape(line, NULL);

	g_set_error(
		error, BOT_ERROR, BOT_ERROR_PERMANENT,
		"the mail would hold the line \"%.120s\", which other tools act on; it is not sent",
		shown);
	return false;
}

static bool guard_append(GString *out, const char *line, const char *tag, bool *tag_seen,
			 GError **error)
{
	GuardKind kind = guard_line(line);

	if (kind == GUARD_TRAILER && tag != NULL && !*tag_seen && strcmp(line, tag) == 0)
		*tag_seen = true;
	else if (kind == GUARD_LABEL)
		g_string_append(out, "| ");
	else if (kind != GUARD_PLAIN)
		return refuse(line, error);
	g_string_append(out, line);
	return true;
}

char *guard_body(const char *body, const char *tag, GError **error)
{
	g_auto(GStrv) lines = g_strsplit(body, "\n", -1);
	g_autoptr(GString) out = g_string_new(NULL);
	bool tag_seen = false;

	for (guint i = 0; lines[i] != NULL; i++) {
		if (i > 0)
			g_string_append_c(out, '\n');
		if (!guard_append(out, lines[i], tag, &tag_seen, error))
			return NULL;
	}
	return g_string_free(g_steal_pointer(&out), FALSE);
}
