/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/asktext.h"

#include "mailparse/line.h"
#include "mailparse/patchtext.h"
#include "mailparse/pattern.h"
#include "mailparse/target.h"
#include "mailparse/voice.h"

#include <string.h>

#define SENTENCE_MAX_BYTES 800u /* what is longer is a log, not a sentence */
#define TALK_MAX_BYTES (64u * 1024u)
#define FOOTNOTES_MAX 200u
#define SENTENCES_MAX 1500u /* each costs some fifty searches */

/* Below this line a patch begins. */
static bool starts_patch(const Line *line)
{
	static const char *const starts[] = {"diff --git ", "diff -", "Index: ", "@@ -"};

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

/* A stretch of the talk that is not said but shown. */
typedef struct {
	gsize start;
	gsize end;
} Stretch;

static void mark_sample(GArray *samples, gsize start, gsize end)
{
	Stretch *last =
		samples->len > 0 ? &g_array_index(samples, Stretch, samples->len - 1) : NULL;
	const Stretch stretch = {start, end};

	if (last && last->end == start)
		last->end = end;
	else
		g_array_append_val(samples, stretch);
}

static GString *take_talk(const char *body, GHashTable *answered, GArray *samples)
{
	GString *talk = g_string_new(NULL);
	VoiceWalk walk;
	Voice voice;
	Line line;

	voice_walk_init(&walk, body, answered);
	while (talk->len < TALK_MAX_BYTES && voice_walk_next(&walk, &line, &voice)) {
		gsize start = talk->len;
		if (voice_is_own(voice) && (starts_patch(&line) || starts_commit(&line)))
			break;
		if (voice_is_own(voice))
			g_string_append_len(talk, line.text, (gssize)line.len);
		g_string_append_c(talk, '\n');
		if (voice == VOICE_SAMPLE || (voice == VOICE_WRITER && line_starts(&line, "+")))
			mark_sample(samples, start, talk->len);
	}
	return talk;
}

/* Takes what was gathered, which ends before @end in the talk. */
static void add_sentence(GArray *sentences, GString *gathered, Sentence sentence)
{
	sentence.text = g_strchomp(gathered->str);
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

/* Is @pos in a sample?  @index goes along. */
static bool is_in_sample(const GArray *samples, gsize pos, guint *index)
{
	while (*index < samples->len && g_array_index(samples, Stretch, *index).end <= pos)
		(*index)++;
	return *index < samples->len && g_array_index(samples, Stretch, *index).start <= pos;
}

static GArray *cut_sentences(const GString *talk, const GArray *samples)
{
	GArray *sentences = g_array_new(FALSE, FALSE, sizeof(Sentence));
	g_autoptr(GString) gathered = g_string_new(NULL);
	Sentence sentence = {0};
	guint next_sample = 0;

	g_array_set_clear_func(sentences, sentence_clear);
	for (const char *at = talk->str; *at && sentences->len < SENTENCES_MAX; at++) {
		gsize pos = (gsize)(at - talk->str);
		bool sample = is_in_sample(samples, pos, &next_sample);
		sentence.end = pos;
		if ((at[0] == '\n' && at[1] == '\n') || sample != sentence.sample)
			add_sentence(sentences, gathered, sentence);
		sentence.sample = sample;
		bool blank = g_ascii_isspace(*at);
		if (blank && (gathered->len == 0 || gathered->str[gathered->len - 1] == ' '))
			continue;
		if (gathered->len == 0)
			sentence.start = pos;
		g_string_append_c(gathered, blank ? ' ' : *at);
		sentence.end = pos + 1;
		if (ends_sentence(at))
			add_sentence(sentences, gathered, sentence);
	}
	if (sentences->len < SENTENCES_MAX) {
		sentence.end = talk->len;
		add_sentence(sentences, gathered, sentence);
	}
	return sentences;
}

/* "[12] text", "[12]: text", "12. text", "(12) text": sets @out_number, and @line to the text. */
static bool take_mark(Line *line, guint *out_number)
{
	Line rest = *line;
	bool bracket = line_starts(&rest, "[") || line_starts(&rest, "(");

	if (bracket)
		rest = line_after(rest, 1);
	gsize n = 0;
	*out_number = 0;
	while (n < rest.len && n < 3 && g_ascii_isdigit(rest.text[n]))
		*out_number = *out_number * 10 + (guint)(rest.text[n++] - '0');
	if (n == 0 || n == rest.len || !strchr(bracket ? "])" : ".:)", rest.text[n]))
		return false;
	rest = line_after(rest, n + 1);
	*line = line_starts(&rest, ":") ? line_after(rest, 1) : rest;
	return true;
}

static GArray *find_footnotes(const GString *talk)
{
	GArray *notes = g_array_new(FALSE, FALSE, sizeof(Footnote));
	Line line;

	for (gsize at = 0;
	     line_next(talk->str, talk->len, &at, &line) && notes->len < FOOTNOTES_MAX;) {
		Footnote note = {.line = (gsize)(line.text - talk->str)};
		if (!take_mark(&line, &note.number))
			continue;
		note.text = (gsize)(line.text - talk->str);
		g_array_append_val(notes, note);
	}
	return notes;
}

AskText *asktext_new(const char *body, GHashTable *answered)
{
	AskText *text = g_new0(AskText, 1);
	g_autoptr(GArray) samples = g_array_new(FALSE, FALSE, sizeof(Stretch));

	text->talk = take_talk(body, answered, samples);
	text->sentences = cut_sentences(text->talk, samples);
	text->footnotes = find_footnotes(text->talk);
	text->has_marks = pattern_matches("[^\\n]\\[\\d{1,3}\\]", text->talk->str);
	return text;
}

void asktext_free(AskText *text)
{
	if (!text)
		return;
	g_string_free(text->talk, TRUE);
	g_array_unref(text->sentences);
	g_array_unref(text->footnotes);
	g_free(text);
}
