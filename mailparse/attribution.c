/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/attribution.h"

#include "mailparse/pattern.h"

#include <stdbool.h>
#include <string.h>

#define MAX_LINES 4u
#define MAX_BYTES 400u

#define NAME "(?-i:\\p{Lu}[\\p{L}\\p{N}'._-]*)"
#define NAMES "(?:(?:" NAME "|von|van|de|der|la)[ ,]*){1,6}"
#define COLON " ?(?:\\([^)]*\\))?[\\s\u00a0]?[:：]$"

/* What an attribution begins with; the rest of its line is a date or a name. */
#define INTRO                                                                                                   \
	"(?:on|am|at|in|le|el|il|em|op|den|dnia|w dniu|w dn\\.|dne|dňa|v|vo|tiistai\\w*|"                      \
	"maanantai\\w*|în|pe data de|la|στις|στις|на|в|пн|вт|ср|чт|пт|сб|вс|у|lør|" \
	"quoting|citing|zitat von|citando|citat|citeren|excerpts from|thus spake|quoth|"                        \
	"[*+]+|在|於|于|vào)"

/* "wrote" in the tongues whose mailers end an attribution by it. */
#define FOREIGN_VERB                                                                                                \
	"(?:schrieb|schreibt|hat geschrieben|geschrieben|a écrit|a ecrit|écrivait|écrit"                         \
	"|escribió|escribio|ha escrito|va escriure|ha scritto|scrisse|scrive|escreveu|"                            \
	"schreef|het volgende geschreven|skrev(?: følgende| följande)?|kirjoitti|"                                \
	"napisał(?:\\(?a?\\)?)?|pisze|napsala?(?:\\(a\\))?|napísala?|napisala?|"                                  \
	"je napisao(?:/la)?|је написао(?:/ла)?|írta|(?:şunu |şunları )?yazdı|a scris|"              \
	"έγραψε|написала?|писала?|пишет|пише|написав|кирjутас|kirjutas|" \
	"rašė|rakstīja|đã viết|menulis|написа|"                                                        \
	"写道|寫道|写到|寫到|写了|写的|书写|さんは書きました|は書きました|"             \
	"wrote|さんのメッセージ|님이 작성|님이 씀|작성|썼습니다|כתב|כתבה|"              \
	"كتب|نوشت|ने लिखा|เขียน(?:ว่า)?)"

#define ENGLISH_VERB                                                                               \
	"(?:wrote(?: (?:the following|as follows|on .{1,80}|at .{1,80}|in message.{1,120}))?"      \
	"|writes?)"

#define DATED                                                                                      \
	"(?:\\b(?:19|20)\\d\\d\\b|\\d{1,2}[:.h]\\d\\d|\\b\\d{1,2}[./-]\\d{1,2}[./-]\\d{2,4}"       \
	"|\\d年|\\d월)"

/* @text is the whole attribution, blanks folded. */
static bool is_whole(const char *text)
{
	static const char *const patterns[] = {
		FOREIGN_VERB COLON,
		/* "Am 06.05.24 um 10:00 schrieb Bo Reviewer:" */
		"^(?=.*" DATED ").{0,300}\\b(?:schrieb|skrev|schreef|escribió|scrisse|napsal"
		"|написал|yazdı) .{1,120}" COLON,
		"^" INTRO "[ ,].{0,300}\\b" ENGLISH_VERB COLON,
		"^(?=.*[\\d@]).{0,300}\\b" ENGLISH_VERB COLON,
		"^(?:you|he|she|they|i|" NAMES ")(?: \\([^)]*\\))?,? " ENGLISH_VERB COLON,
		/* no verb: a date and an address */
		"^(?=.*" DATED ").{0,300}[<(\\[](?:mailto:)?[^\\s<>@]+@[^\\s<>@]+[>)\\]]\\S{0,30}"
		"(?: \\[.{1,60}\\])?" COLON,
		"^(?:[*+]+|quoting|zitat von|citando|citat|citeren|excerpts from|thus spake|quoth"
		"|in message) .{1,200}" COLON,
		/* the colon was lost */
		"^" INTRO "[ ,](?=.*" DATED ").{0,300}<[^\\s<>@]+@[^\\s<>@]+> ?(?:" ENGLISH_VERB
		"|" FOREIGN_VERB ")$",
		NULL,
	};

	for (gsize i = 0; patterns[i]; i++) {
		if (pattern_matches(patterns[i], text))
			return true;
	}
	return false;
}

/* May an attribution of several lines begin so, though its second line looks like a whole one? */
static bool is_first_half(const char *text)
{
	return pattern_matches("^" INTRO "[ ,].*\\d|^(?=.*" DATED ").*[,<>\\w]$"
			       "|<[^\\s<>@]+@[^\\s<>@]+>$",
			       text) &&
	       !pattern_matches("[.?!]$", text);
}

/* A colon, or what stands before one that was lost. */
static bool may_end(const Line *line)
{
	gsize n = line->len;

	while (n > 0 && g_ascii_isspace(line->text[n - 1]))
		n--;
	if (n == 0)
		return false;
	return line->text[n - 1] == ':' || (n >= 3 && memcmp(line->text + n - 3, "：", 3) == 0) ||
	       (memchr(line->text, '@', n) && memchr(line->text, '>', n));
}

static void append_folded(GString *text, const Line *line)
{
	g_autofree char *copy = g_strndup(line->text, line->len);

	g_strstrip(copy);
	if (text->len > 0)
		g_string_append_c(text, ' ');
	g_string_append(text, copy);
}

/* The line must say something for which the patterns are worth trying. */
static bool may_begin(const Line *line)
{
	if (line->len == 0 || line->len > MAX_BYTES || line_is_blank(line))
		return false;
	return strchr(">|#/-", line->text[0]) == NULL;
}

/* Most lines are told from an attribution by that none of the next few could end one. */
static bool has_end(const char *body, gsize len, gsize pos, const Line *line)
{
	Line next = *line;

	for (guint n = 1; n <= MAX_LINES && may_begin(&next); n++) {
		if (may_end(&next))
			return true;
		if (!line_next(body, len, &pos, &next))
			return false;
	}
	return false;
}

guint attribution_lines(const char *body, gsize len, gsize pos, const Line *line)
{
	g_autoptr(GString) text = g_string_new(NULL);
	Line next = *line;

	if (!has_end(body, len, pos, line))
		return 0;
	for (guint n = 1; n <= MAX_LINES && may_begin(&next); n++) {
		append_folded(text, &next);
		if (text->len > MAX_BYTES)
			return 0;
		if (may_end(&next) && is_whole(text->str))
			return n;
		if (n == 1 && !is_first_half(text->str))
			return 0;
		if (!line_next(body, len, &pos, &next))
			return 0;
	}
	return 0;
}
