/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config/quotes.h"

#include <stdbool.h>
#include <string.h>

typedef struct {
	bool quoted;     /* a quote is open                                          */
	bool continued;  /* the line ended in a backslash: the value goes on         */
	guint opened_at; /* line of the open quote, from 1                           */
	char *section;   /* "[list \"x\"]"; NULL before the first                    */
	char *key;       /* of the value at hand; NULL before the first              */
} Scan;

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t\r");
}

static void replace(char **text, const char *start, size_t len)
{
	g_free(*text);
	*text = g_strndup(start, len);
}

/* What follows a header on its line, or @line itself. */
static const char *take_header(Scan *scan, const char *line)
{
	bool quoted = false;
	const char *end = line;

	if (*line != '[')
		return line;
	for (; *end != '\0' && (quoted || *end != ']'); end++) {
		if (*end == '\\' && end[1] != '\0')
			end++;
		else if (*end == '"')
			quoted = !quoted;
	}
	end += *end == ']';
	replace(&scan->section, line, (size_t)(end - line));
	return skip_blanks(end);
}

static void take_value(Scan *scan, const char *text, guint number)
{
	scan->continued = false;
	for (; *text != '\0'; text++) {
		if (!scan->quoted && (*text == '#' || *text == ';'))
			return;
		if (*text == '\\') {
			scan->continued = *skip_blanks(text + 1) == '\0';
			if (scan->continued || text[1] == '\0')
				return;
			text++;
		} else if (*text == '"') {
			scan->quoted = !scan->quoted;
			scan->opened_at = number;
		}
	}
}

static void take_line(Scan *scan, const char *line, guint number)
{
	if (!scan->continued) {
		line = take_header(scan, skip_blanks(line));
		size_t len = strcspn(line, " \t=#;\r");
		if (len > 0)
			replace(&scan->key, line, len);
		line += strcspn(line, "=#;");
	}
	take_value(scan, line, number);
}

void quotes_check(Faults *faults, const char *path, const char *bytes)
{
	g_auto(GStrv) lines = g_strsplit(bytes, "\n", -1);
	Scan scan = {0};

	for (guint i = 0; lines[i] != NULL; i++) {
		take_line(&scan, lines[i], i + 1);
		bool last = lines[i + 1] == NULL;
		if (scan.quoted && (!scan.continued || last)) {
			faults_add_at(faults, path, scan.opened_at,
				      "%s %s: the quote is not closed; end the value with \", or "
				      "write \\\" for a quote that is meant",
				      scan.section == NULL ? "(no section)" : scan.section,
				      scan.key == NULL ? "" : scan.key);
			scan.quoted = scan.continued = false;
		}
	}
	g_free(scan.section);
	g_free(scan.key);
}
