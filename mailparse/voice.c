/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/voice.h"

#include <string.h>

#define SAMPLE_INDENT 4u
#define NAME_MAX_BYTES 40u    /* of what stands before the sign, "Ann B. Author>" */
#define INITIALS_MAX_BYTES 3u /* such need no blank behind the sign                */
#define GREETING_MAX_WORDS 4u
#define HEADER_MAX_LINES 6u

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

static bool is_quote(const Line *line)
{
	Line text = skip_blanks(*line);

	return line_starts(&text, ">") || line_starts(&text, "|") || has_rare_sign(line) ||
	       has_name_and_sign(&text);
}

static bool has_digit(const Line *line)
{
	for (gsize i = 0; i < line->len; i++) {
		if (g_ascii_isdigit(line->text[i]))
			return true;
	}
	return false;
}

/* "On Mon, 6 May 2024 at 10:00, Ann Author" */
static bool is_dated(const Line *bare)
{
	return (line_starts(bare, "On ") || line_starts(bare, "Am ") || line_starts(bare, "Le ")) &&
	       has_digit(bare);
}

/* "On Monday, Ann wrote:", "Ann <ann@example.org> writes:", also the second half of one. */
static bool is_attribution(const Line *line)
{
	static const char *const verbs[] = {
		" wrote:",       " writes:",           " schrieb:",
		" \u00e9crit :", " \u00e9crit\u00a0:", " escribi\u00f3:",
		" ha scritto:",  "\u5199\u9053\uff1a", "\u5199\u9053:"};
	Line bare = trim(*line);

	if (is_dated(&bare) && ends(&bare, ":") &&
	    g_strstr_len(bare.text, (gssize)bare.len, " schrieb "))
		return true;
	for (gsize i = 0; i < G_N_ELEMENTS(verbs); i++) {
		if (ends(&bare, verbs[i]))
			return line_starts(&bare, "On ") || has_digit(&bare) ||
			       memchr(bare.text, '@', bare.len) != NULL;
	}
	return false;
}

/* Any line that ends in a colon and has a quote below it, or the first half of an attribution. */
static bool introduces_quote(const VoiceWalk *walk, const Line *line)
{
	gsize at = walk->pos;
	Line bare = trim(*line);
	Line next;

	if (!line_next(walk->body, walk->len, &at, &next))
		return false;
	return (ends(&bare, ":") && is_quote(&next)) || (is_dated(&bare) && is_attribution(&next));
}

/* "-----Original Message-----", "-------- Forwarded Message --------" and their kin. */
static bool marks_original(const Line *line)
{
	static const char *const words[] = {"original message",         "original mail",
					    "original appointment",     "forwarded",
					    "urspr\u00fcngliche",       "originalnachricht",
					    "weitergeleitete",          "message d'origine",
					    "message transf",           "mensaje original",
					    "messaggio originale",      "mensagem original",
					    "\u539f\u59cb\u90ae\u4ef6", "\u8f6c\u53d1\u90ae\u4ef6",
					    "\u539f\u90ae\u4ef6"};
	Line bare = trim(*line);

	if (line_starts_nocase(&bare, "begin forwarded message") ||
	    line_starts_nocase(&bare, "start of forwarded message"))
		return true;
	if (bare.len > 200 || (!line_starts(&bare, "----") && !line_starts(&bare, "====")))
		return false;
	g_autofree char *text = g_ascii_strdown(bare.text, (gssize)bare.len);
	for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
		if (strstr(text, words[i]))
			return true;
	}
	return false;
}

/* "From: Ann" with "Sent:" or "Date:" and "To:" right below, as Outlook heads the original. */
static bool heads_original(const VoiceWalk *walk, const Line *line)
{
	gsize at = walk->pos;
	bool date = false;
	bool to = false;
	Line next;

	if (!line_starts(line, "From:") && !line_starts(line, "*From:*") &&
	    !line_starts(line, "Von:"))
		return false;
	for (guint i = 0; i < HEADER_MAX_LINES && line_next(walk->body, walk->len, &at, &next);
	     i++) {
		Line bare = trim(next);
		if (line_starts(&bare, "*"))
			bare = line_after(bare, 1);
		if (bare.len == 0)
			break;
		if (line_starts(&bare, "Sent:") || line_starts(&bare, "Gesendet:"))
			return true;
		date |= line_starts(&bare, "Date:");
		to |= line_starts(&bare, "To:");
	}
	return date && to;
}

/* Below this the mail of another person begins, or no person speaks any more. */
static bool ends_talk(const VoiceWalk *walk, const Line *line)
{
	Line bare = line_chomp(*line);

	if ((bare.len == 3 && memcmp(bare.text, "-- ", 3) == 0) ||
	    (bare.len == 2 && memcmp(bare.text, "--", 2) == 0))
		return true;
	return line_starts(line, "________________________________") || marks_original(line) ||
	       heads_original(walk, line);
}

/* "...", "[snip]": something of the quote was cut out here. */
static bool is_elision(const Line *line)
{
	Line bare = trim(*line);

	return line_starts(&bare, "...") || line_starts(&bare, "\u2026") ||
	       (line_starts(&bare, "[") && ends(&bare, "]")) ||
	       (line_starts(&bare, "<") && ends(&bare, ">"));
}

/* More than "Hi Ann,". */
static bool is_speech(const Line *line)
{
	Line bare = trim(*line);
	guint n_words = 1;

	if (bare.len == 0)
		return false;
	for (gsize i = 0; i < bare.len; i++)
		n_words += bare.text[i] == ' ';
	return n_words > GREETING_MAX_WORDS || strchr(",.!", bare.text[bare.len - 1]) == NULL;
}

static bool is_fence(const Line *line)
{
	return line_starts(line, "```") || line_starts(line, "~~~");
}

/* "```text```" opens nothing. */
static bool closes_itself(const Line *line)
{
	g_autofree char *rest = g_strndup(line->text + 3, line->len - 3);

	return strstr(rest, "```") != NULL;
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
	if (is_fence(line)) {
		walk->fenced ^= !closes_itself(line);
		return true;
	}
	if (walk->fenced)
		return true;
	*out_voice = VOICE_QUOTE;
	if (is_quote(line)) {
		walk->introduced = walk->quoting = false;
		return true;
	}
	if (walk->quoting && goes_on_quoting(walk, line))
		return true;
	if (ends_talk(walk, line))
		return false;
	if (is_attribution(line)) {
		walk->introduced = walk->quoting = true;
		return true;
	}
	if (introduces_quote(walk, line))
		return true;
	if (walk->introduced && walk->has_spoken && !is_elision(line))
		return false;
	walk->introduced = false;
	*out_voice = is_indented(line) && !line_is_blank(line) ? VOICE_SAMPLE : VOICE_WRITER;
	walk->has_spoken |= *out_voice == VOICE_WRITER && is_speech(line);
	return true;
}

void voice_walk_init(VoiceWalk *walk, const char *body)
{
	*walk = (VoiceWalk){.body = body, .len = strlen(body)};
}

bool voice_walk_next(VoiceWalk *walk, Line *out_line, Voice *out_voice)
{
	return line_next(walk->body, walk->len, &walk->pos, out_line) &&
	       tell(walk, out_line, out_voice);
}
