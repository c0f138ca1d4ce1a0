/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/voice.h"

#include "mailparse/attribution.h"
#include "mailparse/original.h"
#include "mailparse/patchtext.h"

#include <string.h>

#define SAMPLE_INDENT 4u
#define NAME_MAX_BYTES 40u    /* of what stands before the sign, "Ann B. Author>" */
#define INITIALS_MAX_BYTES 3u /* such need no blank behind the sign                */
#define GREETING_MAX_WORDS 4u
#define REPEATED_MIN_WORDS 3u /* a line of fewer may well be said twice */
#define ANSWERED_MAX_LINES 20000u

static Line skip_blanks(Line line)
{
	while (line.len > 0 && (line.text[0] == ' ' || line.text[0] == '\t'))
		line = line_after(line, 1);
	return line;
}

static Line trim(Line line)
{
	line = skip_blanks(line_chomp(line));
	while (line.len > 0 && g_ascii_isspace(line.text[line.len - 1]))
		line.len--;
	return line;
}

static bool ends(const Line *line, const char *suffix)
{
	gsize len = strlen(suffix);

	return line->len >= len &&
	       g_ascii_strncasecmp(line->text + line->len - len, suffix, len) == 0;
}

static bool is_indented(const Line *line)
{
	gsize n = 0;

	while (n < line->len && n < SAMPLE_INDENT && line->text[n] == ' ')
		n++;
	return n == SAMPLE_INDENT || (n < line->len && line->text[n] == '\t');
}

static bool follows_sign(const Line *rest)
{
	return rest->len == 0 || strchr(" \t\r>", rest->text[0]) != NULL;
}

/* ": text", "} text", "] text" in column 0: what some readers quote with. */
static bool has_rare_sign(const Line *line)
{
	static const char *const signs[] = {":",      "}",      "]",      "&gt;",
					    "\u00bb", "\u203a", "\u2502", "\u2503",
					    "\u00a6", "\uff1e", "\u258f", "\u276f"};

	if (line->len == 0 || g_ascii_isalnum(line->text[0]))
		return false;
	for (gsize i = 0; i < G_N_ELEMENTS(signs); i++) {
		Line rest = line_after(*line, strlen(signs[i]));
		if (line_starts(line, signs[i]) && follows_sign(&rest))
			return true;
	}
	return false;
}

/* "Bo> text", "AB>text", "Ann Author>> text"; no "a->b", no "echo x > file". */
static bool has_name_and_sign(const Line *line)
{
	bool initial = true;
	gsize n = 0;

	while (n < line->len && n < NAME_MAX_BYTES && line->text[n] != '>') {
		guchar c = (guchar)line->text[n];
		if (c == ' ') {
			initial = true;
		} else if (!g_ascii_isalnum(c) && c < 0x80 && !strchr("._+'-", c)) {
			return false;
		} else if (initial && n > 0 && !g_ascii_isupper(c)) {
			return false;
		} else {
			initial = false;
		}
		n++;
	}
	if (n == 0 || n >= line->len || line->text[n] != '>' || line->text[n - 1] == '-')
		return false;
	/* a name of several words begins each with a capital; one word may be as it likes */
	bool several = memchr(line->text, ' ', n) != NULL;
	if (several && (initial || !g_ascii_isupper(line->text[0])))
		return false;
	Line rest = line_after(*line, n + 1);
	return follows_sign(&rest) || n <= INITIALS_MAX_BYTES;
}

/* "<ann> text", as a chat is logged. */
static bool has_nick(const Line *line)
{
	gsize n = 1;

	while (n < line->len && n < INITIALS_MAX_BYTES * 8 &&
	       (g_ascii_isalnum(line->text[n]) || strchr("_-|@+", line->text[n])))
		n++;
	return line->len > n + 1 && line->text[0] == '<' && n > 1 && line->text[n] == '>' &&
	       line->text[n + 1] == ' ';
}

static bool is_quote(const Line *line)
{
	Line text = skip_blanks(*line);

	if (has_nick(&text))
		return true;
	return line_starts(&text, ">") || line_starts(&text, "|") || has_rare_sign(line) ||
	       has_name_and_sign(&text);
}

/* Any line that ends in a colon and has a quote below it. */
static bool introduces_quote(const VoiceWalk *walk, const Line *line)
{
	gsize at = walk->pos;
	Line bare = trim(*line);
	Line next;

	return ends(&bare, ":") && line_next(walk->body, walk->len, &at, &next) && is_quote(&next);
}

/* Below this the mail of another person begins, or no person speaks any more. */
static bool ends_talk(const VoiceWalk *walk, const Line *line)
{
	if (original_is_signature_mark(line) || original_is_mark(line) ||
	    line_starts(line, "________________________________"))
		return true;
	OriginalHeader header = original_header(walk->body, walk->len, walk->pos, line);
	/* git takes author and subject from such lines at the head of a patch. */
	return header == ORIGINAL_HEADER ||
	       (header == ORIGINAL_MAYBE_HEADER && walk->has_begun && !walk->heads_patch);
}

/* "...", "[snip]": something of the quote was cut out here. */
static bool is_elision(const Line *line)
{
	Line bare = trim(*line);

	return line_starts(&bare, "...") || line_starts(&bare, "\u2026") ||
	       (line_starts(&bare, "[") && ends(&bare, "]")) ||
	       (line_starts(&bare, "<") && ends(&bare, ">"));
}

static guint count_words(const Line *line)
{
	guint n = 0;

	for (gsize i = 0; i < line->len; i++)
		n += !g_ascii_isspace(line->text[i]) &&
		     (i == 0 || g_ascii_isspace(line->text[i - 1]));
	return n;
}

/* More than "Hi Ann," or "Ann,". */
static bool is_speech(const Line *line)
{
	static const char *const greetings[] = {"hi",   "hello", "hey",     "dear",
						"good", "hallo", "bonjour", "hola"};
	Line bare = trim(*line);

	if (bare.len == 0)
		return false;
	if (count_words(&bare) > GREETING_MAX_WORDS)
		return true;
	for (gsize i = 0; i < G_N_ELEMENTS(greetings); i++) {
		gsize len = strlen(greetings[i]);
		if (line_starts_nocase(&bare, greetings[i]) &&
		    (bare.len == len || !g_ascii_isalpha(bare.text[len])))
			return false;
	}
	return bare.text[bare.len - 1] != ',';
}

/* How many signs of a fence stand there; 0 for another line. */
static gsize fence_len(const Line *line)
{
	Line text = skip_blanks(*line);
	gsize n = 0;

	if (!line_starts(&text, "```") && !line_starts(&text, "~~~"))
		return 0;
	while (n < text.len && text.text[n] == text.text[0])
		n++;
	return n;
}

/* "```text```" opens nothing. */
static bool closes_itself(const Line *line, gsize n)
{
	Line text = skip_blanks(*line);
	g_autofree char *rest = g_strndup(text.text + n, text.len - n);

	return strstr(rest, "```") != NULL;
}

/* A line that opens a fence, closes it, or stands in one. */
static bool is_fenced(VoiceWalk *walk, const Line *line)
{
	gsize n = fence_len(line);

	if (n == 0)
		return walk->fence > 0;
	if (walk->fence == 0)
		walk->fence = closes_itself(line, n) ? 0 : n;
	else if (n >= walk->fence)
		walk->fence = 0;
	return true;
}

/* ---- lines of the mail that is answered ---- */

GHashTable *voice_lines(const char *body)
{
	GHashTable *lines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	gsize len = strlen(body);
	gsize pos = 0;
	Line line;

	while (line_next(body, len, &pos, &line) && g_hash_table_size(lines) < ANSWERED_MAX_LINES) {
		Line bare = trim(line);
		if (bare.len > 0)
			g_hash_table_add(lines, g_strndup(bare.text, bare.len));
	}
	return lines;
}

/* A diff may be sent again; what is said, or ordered, by another is not said again. */
static bool is_repeated(const VoiceWalk *walk, const Line *line)
{
	Line bare = trim(*line);

	if (!walk->answered || bare.len == 0 || strchr("+-@ ", line->text[0]) ||
	    line_starts(line, "diff ") || line_starts(line, "index "))
		return false;
	g_autofree char *text = g_strndup(bare.text, bare.len);
	return (walk->repeats || count_words(&bare) >= REPEATED_MIN_WORDS) &&
	       g_hash_table_contains(walk->answered, text);
}

/* "From HASH Mon Sep 17 00:00:00 2001", or scissors. */
static bool heads_patch(const Line *line)
{
	return patchtext_is_scissors(line->text, line->len) ||
	       (line_starts(line, "From ") && line->len > 45 && line->text[45] == ' ');
}

/* The line stands below "Ann wrote:".  Returns: false when it is neither blank nor indented */
static bool goes_on_quoting(VoiceWalk *walk, const Line *line)
{
	if (line_is_blank(line))
		return true;
	if (line->text[0] != ' ' && line->text[0] != '\t') {
		walk->quoting = false;
		return false;
	}
	walk->introduced = false;
	return true;
}

/* Sets @out_voice.  Returns: false when the talk ends at @line */
static bool tell(VoiceWalk *walk, const Line *line, Voice *out_voice)
{
	*out_voice = VOICE_SAMPLE;
	if (is_fenced(walk, line))
		return true;
	*out_voice = VOICE_QUOTE;
	if (is_quote(line)) {
		walk->introduced = walk->quoting = false;
		walk->attributing = 0;
		return true;
	}
	if (walk->quoting && goes_on_quoting(walk, line))
		return true;
	if (walk->attributing == 0 && ends_talk(walk, line))
		return false;
	if (walk->attributing == 0)
		walk->attributing = attribution_lines(walk->body, walk->len, walk->pos, line);
	if (walk->attributing > 0) {
		walk->introduced = walk->quoting = --walk->attributing == 0;
		*out_voice = VOICE_INTRODUCTION;
		return true;
	}
	if (introduces_quote(walk, line)) {
		*out_voice = VOICE_INTRODUCTION;
		return true;
	}
	bool blank = line_is_blank(line);
	if (!blank && (walk->repeats = is_repeated(walk, line)))
		return true;
	if (walk->introduced && walk->has_spoken && !is_elision(line))
		return false;
	walk->introduced = false;
	*out_voice = is_indented(line) && !blank ? VOICE_SAMPLE : VOICE_WRITER;
	walk->has_spoken |= *out_voice == VOICE_WRITER && is_speech(line);
	if (!blank) {
		walk->has_begun = true;
		walk->heads_patch = heads_patch(line);
	}
	return true;
}

bool voice_is_own(Voice voice)
{
	return voice == VOICE_WRITER || voice == VOICE_SAMPLE;
}

void voice_walk_init(VoiceWalk *walk, const char *body, GHashTable *answered)
{
	*walk = (VoiceWalk){.body = body, .len = strlen(body), .answered = answered};
}

bool voice_walk_next(VoiceWalk *walk, Line *out_line, Voice *out_voice)
{
	return line_next(walk->body, walk->len, &walk->pos, out_line) &&
	       tell(walk, out_line, out_voice);
}
