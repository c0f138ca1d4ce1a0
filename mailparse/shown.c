/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/shown.h"

#include "mailparse/pattern.h"

#include <glib.h>
#include <string.h>

#define PEOPLE                                                                                     \
	"(?:you|one|they|people|users?|developers?|testers?|reviewers?|maintainers?|authors?"      \
	"|anybody|anyone|everybody|everyone|somebody|someone|who(?:ever)?)"
#define MAY "(?:can|could|may|might|must|should|would|will|have to|has to|need to|needs to)"
#define SAY                                                                                        \
	"(?:repl\\w+|writ\\w+|wrote|sen[dt]\\w*|typ(?:e|es|ed|ing)|sa(?:y|ys|id|ying)|answer\\w*|" \
	"us(?:e|es|ed|ing)|put\\w*)"

/* Words that what is shown comes behind. */
#define LEADS_IN                                                                                   \
	"(?:\\b" PEOPLE " (?:just |also |only |then |simply )*" MAY "\\b"                          \
	"|\\b" SAY " (?:\\w+ ){0,4}?(?:with|by)\\b|\\bby " SAY                                     \
	"|\\b(?:i|we|he|she|they|you|somebody|someone) (?:have |had |has |just |already |once "    \
	"|originally |first )*(?:sent|wrote|tried|used|said|typed|replied|mailed|posted)\\b"       \
	"|\\b(?:says?|said|told|tells?|wrote|reads?|mentions?|shows?)(?: \\w+){0,2}:$"             \
	"|\\b(?:send|forward|mail|type|write|paste|reply|use) (?:\\w+ ){0,4}(?:to the (?:\\w+ "    \
	")?(?:ro)?bot|this|it)?:$"                                                                 \
	"|\\b(?:you|we) need (?:is|are|to \\w+)\\b|\\bnext "                                       \
	"time\\b|\\b(?:my|your|this|the|that|a) (?:line|mail|command)$"                            \
	"|\\bdid the (?:\\w+ )?(?:ro)?bot\\b|写道[:：]$"                                        \
	"|\\bwr(?:ote|ites)\\b|\\bexamples?\\b|\\be\\.g\\.|\\bfor "                                \
	"instance\\b|\\bsyntax\\b|\\busage\\b|\\bsuch as\\b"                                       \
	"|\\blike (?:this|so|these|the following)\\b|\\bform(?:at)?s?\\b"                          \
	"|\\bcommands?\\b|\\bhow to\\b|\\binstructions?\\b|\\bhelp "                               \
	"(?:text|mail|message)\\b|\\bdocument\\w*\\b"                                              \
	"|\\b(?:a|any|each|such) (?:mail|line|message|reply|request|text|string|subject)s?\\b"     \
	"|\\b(?:understand|accept|recogni[sz]|react|listen|pars|support)\\w*\\b"                   \
	"|\\binstead of\\b|\\brather than\\b|\\b(?:don['’]?t|do not|never|not) (?:\\w+ )?" SAY     \
	"|(?:^|[.?!] )(?:in order )?to (?:re-?)?(?:test|run|ask|trigger|start|request|cancel"      \
	"|try|check|repeat|stop|withdraw)\\b)"

/* The last sentence of @text. */
static const char *last_sentence(const char *text)
{
	const char *start = text;

	for (const char *at = text; *at; at++) {
		if (strchr(".?!", at[0]) && at[1] == ' ' && g_ascii_isupper(at[2]))
			start = at + 2;
	}
	return start;
}

static char last_byte(const char *text)
{
	gsize len = strlen(text);

	return len == 0 ? '\0' : text[len - 1];
}

static bool is_unfinished(const char *paragraph)
{
	char last = last_byte(paragraph);

	if (last == '\0' || g_str_has_suffix(paragraph, "--"))
		return false;
	return g_ascii_isalnum(last) || strchr("-,(\"'`", last);
}

bool shown_by_what_stands_above(const char *paragraph)
{
	/* reStructuredText: a directive, or a paragraph that opens a literal block */
	static const char block[] = "^\\.\\. [\\w-]+::|::$";
	static const char colon[] = "[:\\x{ff1a}]$";
	const char *sentence = last_sentence(paragraph);

	if (sentence[0] == '\0')
		return false;
	if (pattern_matches(block, paragraph))
		return true;
	if (!pattern_matches(colon, sentence) && !is_unfinished(sentence))
		return false;
	return pattern_matches(LEADS_IN, sentence);
}

bool shown_by_what_follows(const char *paragraph, const char *next, bool adjacent)
{
	static const char verbs[] =
		"^[,;]? ?(?:is|was|are|were|would|will|does|did|do|has|had|should|can|could|may|"
		"might|works?|worked|fails?|failed|means|meant|tests?|tested|re-?runs?|runs?|ran|"
		"asks?"
		"|asked|makes?|made|got|gets|gives?|tells?|told|starts?|triggers?|and|or|which|"
		"yesterday|today|last|before|again|earlier|"
		"that|"
		"then|as|to|in|on|if|when|where|instead|but|because|so)(?=[ ,.;?!]|$)";
	bool lower = g_ascii_islower(next[0]) || next[0] == ',';

	if (!lower || strstr(next, " | ")) /* a line of a diffstat begins with a path */
		return false;
	return pattern_matches(verbs, next) ||
	       (adjacent && strchr(paragraph, ' ') && is_unfinished(paragraph));
}

bool shown_by_code(const char *line)
{
	return pattern_matches("^(?:#(?:include|define|!|\\+begin)|\\$ |<(?:pre|code|tt)>"
			       "|\\.\\. (?:code|highlight|::)|\\{code|[\"'\\x{201c}\\x{ab}]{1,3}$"
			       "|(?:static|int|void|char) )",
			       line);
}

bool shown_is_connector(const char *line)
{
	return pattern_matches("^(?:(?:and|or|resp\\.?|respectively|alternatively|also|else|"
			       "either|then|otherwise)[ ,]*){1,3}[:,.]?$",
			       line);
}
