/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/subjectmark.h"

#include <stdbool.h>
#include <string.h>

#define FULL_WIDTH_COLON "\357\274\232"
#define STAMP_MAX_BYTES 32

/*
 * What mailers put before a subject when its mail is answered or passed on.  A short mark that may
 * as well be the name of a subsystem ("res: fix a leak") counts only before a bracket.
 */
static const struct {
	const char *word;
	Mark mark;
	bool before_bracket;
} marks[] = {
	{"re", MARK_REPLY, false},        {"aw", MARK_REPLY, false},
	{"antw", MARK_REPLY, false},      {"antwort", MARK_REPLY, false},
	{"odp", MARK_REPLY, false},       {"ynt", MARK_REPLY, false},
	{"sv", MARK_REPLY, true},         {"vs", MARK_REPLY, true},
	{"vá", MARK_REPLY, true},         {"rif", MARK_REPLY, true},
	{"res", MARK_REPLY, true},        {"ref", MARK_REPLY, true},
	{"rv", MARK_REPLY, true},         {"r", MARK_REPLY, true},
	{"回复", MARK_REPLY, false},      {"答复", MARK_REPLY, false},
	{"回覆", MARK_REPLY, false},      {"答覆", MARK_REPLY, false},
	{"返信", MARK_REPLY, false},      {"отв", MARK_REPLY, false},
	{"회신", MARK_REPLY, false},      {"답장", MARK_REPLY, false},
	{"ответ", MARK_REPLY, false},     {"Ответ", MARK_REPLY, false},
	{"Отв", MARK_REPLY, false},       {"rép", MARK_REPLY, false},
	{"svar", MARK_REPLY, true},       {"antwoord", MARK_REPLY, false},
	{"risposta", MARK_REPLY, false},  {"resp", MARK_REPLY, true},
	{"respuesta", MARK_REPLY, false}, {"σχετ", MARK_REPLY, false},
	{"תגובה", MARK_REPLY, false},     {"رد", MARK_REPLY, false},
	{"ตอบ", MARK_REPLY, false},       {"trả lời", MARK_REPLY, false},
	{"doorst", MARK_FORWARD, false},  {"пересл", MARK_FORWARD, false},
	{"Пересл", MARK_FORWARD, false},  {"転送", MARK_FORWARD, false},
	{"fwd", MARK_FORWARD, false},     {"fw", MARK_FORWARD, false},
	{"wg", MARK_FORWARD, false},      {"tr", MARK_FORWARD, true},
	{"vb", MARK_FORWARD, true},       {"enc", MARK_FORWARD, true},
	{"转发", MARK_FORWARD, false},    {"轉寄", MARK_FORWARD, false},
	{"轉發", MARK_FORWARD, false},    {"전달", MARK_FORWARD, false},
};

static bool has_prefix_nocase(const char *text, const char *utf8_prefix)
{
	return g_ascii_strncasecmp(text, utf8_prefix, strlen(utf8_prefix)) == 0;
}

/* "[2]", "(2)", "^2", blanks and the colon after a reply mark. Returns: their length, 0 for no mark
 */
static gsize mark_end_len(const char *text)
{
	gsize len = 0;

	if (text[0] == '[' || text[0] == '(' || text[0] == '^') {
		gsize n_digits = strspn(text + 1, "0123456789");

		len = 1 + n_digits;
		if (n_digits == 0 || (text[0] != '^' && text[len] != ']' && text[len] != ')'))
			return 0;
		len += text[0] != '^' ? 1 : 0;
	}
	len += strspn(text + len, " ");
	if (text[len] == ':')
		return len + 1;
	return has_prefix_nocase(text + len, FULL_WIDTH_COLON) ? len + strlen(FULL_WIDTH_COLON) : 0;
}

gsize mark_len(const char *text, Mark *out_mark)
{
	for (gsize i = 0; i < G_N_ELEMENTS(marks); i++) {
		gsize len = strlen(marks[i].word);

		if (!has_prefix_nocase(text, marks[i].word) || mark_end_len(text + len) == 0)
			continue;
		len += mark_end_len(text + len);
		len += strspn(text + len, " ");
		if (marks[i].before_bracket && text[len] != '[')
			continue;
		*out_mark = marks[i].mark;
		return len;
	}
	return 0;
}

gsize stamp_len(const char *text)
{
	gsize len = *text == '*' ? strcspn(text, "[") : 0;

	if (len == 0 || len > STAMP_MAX_BYTES || text[len] != '[')
		return 0;
	gsize end = len;
	while (text[end - 1] == ' ')
		end--;
	return text[end - 1] == '*' ? len : 0;
}
