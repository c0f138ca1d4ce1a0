/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/asktext.h"

#include "mailparse/line.h"
#include "mailparse/patchtext.h"
#include "mailparse/target.h"

#include <string.h>

#define SENTENCE_MAX_BYTES 800u /* what is longer is a log, not a sentence */
#define TALK_MAX_BYTES (64u * 1024u)

/* Below this line a patch, a signature or an older mail begins. */
static bool ends_talk(const Line *line)
{
	static const char *const starts[] = {
		"diff --git ",
		"diff -",
		"Index: ",
		"@@ -",
		"-----Original Message",
		"________________________________",
		"Begin forwarded message:",
		"---------- Forwarded",
	};
	Line bare = line_chomp(*line);

	if ((bare.len == 3 && memcmp(bare.text, "-- ", 3) == 0) ||
	    (bare.len == 2 && memcmp(bare.text, "--", 2) == 0))
		return true;
	for (gsize i = 0; i < G_N_ELEMENTS(starts); i++) {
		if (line_starts(line, starts[i]))
			return true;
	}
	return patchtext_is_scissors(line->text, line->len);
}

/* "From HASH Mon Sep 17 ..." or "commit HASH": the head of a pasted commit. */
static bool starts_commit(const Line *line)
{
	gsize skip = line_starts(line, "From ") ? 5 : line_starts(line, "commit ") ? 7 : 0;

	if (skip == 0 || line->len < skip + 40)
		return false;
	g_autofree char *hash = g_strndup(line->text + skip, 40);
	return target_is_hash(hash);
}

static bool is_quote(const Line *line)
{
	Line text = *line;

	while (text.len > 0 && text.text[0] == ' ')
		text = line_after(text, 1);
	return line_starts(&text, ">") || line_starts(&text, "|");
}

/* "On Mon, Ann wrote:", "Ann writes:", in any tongue: ends in a colon and a quote follows. */
static bool introduces_quote(const Line *line, const Line *next)
{
	Line bare = line_chomp(*line);

	while (bare.len > 0 && bare.text[bare.len - 1] == ' ')
		bare.len--;
	if (bare.len == 0 || bare.text[bare.len - 1] != ':')
		return false;
	return is_quote(next) || (line_starts(line, "On ") && bare.len > 6 &&
				  g_ascii_strncasecmp(bare.text + bare.len - 6, "wrote:", 6) == 0);
}

static GString *take_talk(const char *body)
{
	GString *talk = g_string_new(NULL);
	gsize len = strlen(body);
	Line line;

	for (gsize at = 0; talk->len < TALK_MAX_BYTES && line_next(body, len, &at, &line);) {
		Line next;
		gsize peek = at;
		line_next(body, len, &peek, &next);
		bool quote = is_quote(&line);
		if (!quote && (ends_talk(&line) || starts_commit(&line)))
			break;
		if (!quote && !introduces_quote(&line, &next))
			g_string_append_len(talk, line.text, (gssize)line.len);
		g_string_append_c(talk, '\n');
	}
	return talk;
}

/* Takes what was gathered, which ends before @end in the talk. */
static void add_sentence(GArray *sentences, GString *gathered, gsize start, gsize end)
{
	g_strchomp(gathered->str);
	Sentence sentence = {.text = gathered->str, .start = start, .end = end};
	if (sentence.text[0] != '\0' && strlen(sentence.text) <= SENTENCE_MAX_BYTES) {
		sentence.text = g_strdup(sentence.text);
		g_array_append_val(sentences, sentence);
	}
	g_string_truncate(gathered, 0);
}

static bool ends_sentence(const char *at)
{
	return strchr(".?!", *at) && (at[1] == ' ' || at[1] == '\n' || at[1] == '\0');
}

static void sentence_clear(gpointer sentence)
{
	g_free(((Sentence *)sentence)->text);
}

static GArray *cut_sentences(const GString *talk)
{
	GArray *sentences = g_array_new(FALSE, FALSE, sizeof(Sentence));
	g_autoptr(GString) gathered = g_string_new(NULL);
	gsize start = 0;

	g_array_set_clear_func(sentences, sentence_clear);
	for (const char *at = talk->str; *at; at++) {
		gsize pos = (gsize)(at - talk->str);
		if (at[0] == '\n' && at[1] == '\n') {
			add_sentence(sentences, gathered, start, pos);
			continue;
		}
		bool blank = g_ascii_isspace(*at);
		if (blank && (gathered->len == 0 || gathered->str[gathered->len - 1] == ' '))
			continue;
		if (gathered->len == 0)
			start = pos;
		g_string_append_c(gathered, blank ? ' ' : *at);
		if (ends_sentence(at))
			add_sentence(sentences, gathered, start, pos + 1);
	}
	add_sentence(sentences, gathered, start, talk->len);
	return sentences;
}

AskText *asktext_new(const char *body)
{
	AskText *text = g_new0(AskText, 1);

	text->talk = take_talk(body);
	text->sentences = cut_sentences(text->talk);
	return text;
}

void asktext_free(AskText *text)
{
	if (!text)
		return;
	g_string_free(text->talk, TRUE);
	g_array_unref(text->sentences);
	g_free(text);
}
