/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/ask.h"

#include "mailparse/addressee.h"
#include "mailparse/pattern.h"

#include <string.h>

/* Words that may stand between "can you" and its verb. */
#define FILLER                                                                                     \
	"(?:,? "                                                                                   \
	"?\\b(?:all|guys|both|also|please|pls|maybe|perhaps|possibly|kindly|just|then|instead"     \
	"|quickly|now|still|help|me|us|to|try to|go ahead and|by any chance|be so kind|be able"    \
	"|at least|folks|too|as well|double)\\b)*,? "

/* What opens a request to the reader. */
#define TO_YOU                                                                                     \
	"(?:\\b(?:can|could|would|will|may|might) (?:you|we|i ask you|someone|anyone|somebody"     \
	"|anybody|the (?:\\w+ ){0,2}(?:ro)?bot)\\b"                                                \
	"|\\b(?:please|pls|plz|kindly)\\b"                                                         \
	"|\\b(?:any|a) (?:chance|way|possibility)\\b.{0,40}?(?:\\b(?:you|someone|can|could)\\b)?"  \
	"|\\bpossible (?:for .{0,30} )?to\\b"                                                      \
	"|\\byou (?:just |only )?(?:need|have) to\\b"                                              \
	"|\\bif (?:you|the (?:\\w+ ){0,2}(?:ro)?bot|someone) (?:can|could|would)\\b"               \
	"|\\bask\\b.{0,40}\\b(?:ro)?bot\\b"                                                        \
	"|\\bwould you mind\\b)"

/* What can be tested, or points at it. */
#define THING                                                                                      \
	"(?:patch(?:es|set)?|diff|hunk|fix(?:es)?|fixup|series|branch|tree|version|changes?|"      \
	"commits?"                                                                                 \
	"|revert(?:ing)?|snapshot|release|kernel|tip|upstream|mainline|approach|code|build|one|"   \
	"below"                                                                                    \
	"|attached|following|above|this|that|these|those|it|them)"

/* The patch of this very mail. */
#define THIS_PATCH                                                                                 \
	"(?:(?:this|that|it|these|something like (?:this|that)|the (?:following|below|attached)"   \
	"|following|below|attached|the patch|patch|diff|hunk|change)"                              \
	"(?: (?:following|below|attached|above|patch|diff|hunk|change|one|shown))*)"

/* Verbs that ask for a test by themselves. */
#define TEST_VERB                                                                                  \
	"(?:(?:re-?)?test(?:ing)?|re-?try|re-?run(?:ning)?"                                        \
	"|(?:try|run)(?:ning)? (?:again|to (?:set|disable|enable|revert|boot|mount|test|run|apply" \
	"|reproduce))|try(?:ing)?|run(?:ning)?"                                                    \
	"|give .{1,80}?\\b(?:a|another) (?:try|shot|spin|go|whirl|test))\\b"

#define NOT "(?:not|never|no longer|cannot|dont|\\w+n['\\x{2019}]t)"
#define NOT_I                                                                                      \
	"(?<!\\bi )(?<!\\bwe )(?<!\\bi can )(?<!\\bi could )(?<!\\bi did )(?<!\\bi do )(?<!\\bi "  \
	"have )"
#define SHALL "(?:will|can|could|would|should|might|may|am going to|are going to)"

#define RERUN "(?:re-?test|re-?try|re-?run|(?:test|try|run) (?:it |this |that )?again)\\b"

/* Verbs that do so only with what is to be found out. */
#define CHECK_VERB                                                                                 \
	"(?:check|verify|confirm|see|tell (?:me|us)|let (?:me|us) "                                \
	"know|validate|report)\\b.{0,100}"                                                         \
	"\\b(?:if|whether|that)\\b.{0,140}\\b(?:fix|help|resolv|solv|work|cure|trigger|go away"    \
	"|goes away|still|repro|address|improv|makes?|change)"

#define RESULT "(?:fix|cure|help|address|resolve|solve|silence|take care|do the trick)(?:s|es)?\\b"

static bool matches_any(const char *const *patterns, const char *text)
{
	for (gsize i = 0; patterns[i]; i++) {
		if (pattern_matches(patterns[i], text))
			return true;
	}
	return false;
}

/* The first group of @pattern in @text; NULL when it does not match. */
static char *capture(const char *pattern, const char *text)
{
	g_autoptr(GMatchInfo) info = NULL;

	if (!g_regex_match(pattern_get(pattern), text, 0, &info))
		return NULL;
	g_autofree char *found = g_match_info_fetch(info, 1);
	if (!found || found[0] == '\0')
		return NULL;
	return g_strstrip(g_steal_pointer(&found));
}

/* Talk about the reader's own patch, about other work than a test, or about the writer's plans. */
static bool is_other_work(const char *sentence)
{
	static const char *const patterns[] = {
		"\\byour (?:\\w+ "
		"){0,2}(?:patch|patches|patchset|series|changes?|code|driver|v\\d)\\b",
		"\\b(?:checkpatch|sparse|smatch|coccinelle|get_maintainer|dt_binding_check|W=1)\\b",
		"\\b(?:compile|build|boot|smoke|unit)[- ]?test(?:ed|ing)? (?:this|it|your|the patch"
		"|with|on|your)\\b",
		"\\b(?:resend|resubmit|repost|rebase|submit|squash|fold|pick "
		"up|queue|merge)(?:ing)?\\b"
		".{0,30}\\b(?:patch|it|this|series|against|on|v\\d)",
		NOT_I "\\b(?:" NOT "|no need to|no need for|unnecessary to|no reason to) "
		      "(?:\\w+ ){0,3}(?:re-?)?(?:test|try|run)(?:n?ing)?\\b",
		"\\b(?:hold off|hold back|refrain from|stop|skip|avoid|no point in|not "
		"worth|postpone"
		"|wait with) (?:\\w+ ){0,3}(?:re-?)?(?:test|try|runn)ing\\b",
		"\\b(?:asked|told|requested|begged)\\b",
		"\\b(?:i|we|you|he|she|they)(?:['\\x{2019}](?:ll|d)| " SHALL ") (?:\\w+ )?ask\\b",
		"\\b(?:once|when|after|as soon as|until) (?:the |my |a )?(?:v\\d+|next|new|respin"
		"|final|series|patch(?:es)?|fix|it|that|this)\\b.{0,30}"
		"\\b(?:is|are|has|have|gets?|lands?|hits?)\\b",
		"\\b(?:how|why|where|what) (?:\\w+ )?(?:can|could|would|should|do|did) "
		"(?:you|we|i|one|they)\\b",
		"\\b(?:could|would|should) (?:you|we) (?:\\w+ )?have (?:\\w+ "
		")?(?:tested|tried|run)\\b",
		"\\b(?:can|could|should|shall|may|might|would) i\\b(?! ask you)",
		"(?<!if )\\b(?:i|we|you|he|she|they|\\w+s) (?:" SHALL "|shall) please\\b",
		"\\bbefore (?:you )?(?:post|submit|send|merg|push)",
		"(?<!\\w)[\"'`\\x{201c}\\x{2018}](?:\\w+,? ){0,3}(?:please|(?:can|could|would) "
		"you)\\b",
		"\\b(?:in case you|feel free|you (?:may|might) (?:want|like)|you could (?:also "
		")?try"
		"|i would suggest|i'd suggest)\\b",
		"\\b(?:did|have|had|were|was) "
		"(?:you|anyone|someone|anybody)\\b.{0,40}\\b(?:test|try|tried|run"
		"|able)",
		"\\btry(?:ing)? (?:to "
		")?(?:resend|mak|captur|feed|explain|find|figur|understand|keep"
		"|avoid|improv|split|rebas|clean|convert|writ|describ|add|report|out the "
		"repro|your)",
		"\\bas well as? (?:DFS|other)\\b",
		"\\bset-?ups? as well\\b",
		NULL,
	};

	return matches_any(patterns, sentence);
}

static bool is_info(const char *sentence)
{
	static const char *const patterns[] = {
		TO_YOU ".{0,80}\\b(?:bisect\\w*|(?:\\.|kernel )?config\\b(?! ?=)|dmesg|logs?|stack "
		       "?traces?"
		       "|addr2line|decode_stacktrace|(?:network )?captures?|dump|outputs?|which "
		       "combination"
		       "|full diff|debug(?:ging)? logging|steps to "
		       "reproduce|reproducer|vmlinux|backtraces?)\\b",
		"\\b(?:can|could|may) i (?:get|have|see)\\b",
		"\\bwhat(?: is| does|'s)\\b.{0,80}\\bmean\\b",
		NULL,
	};

	return matches_any(patterns, sentence);
}

static bool is_cancel(const char *sentence)
{
	static const char *const patterns[] = {
		"\\bplease (?:ignore|drop|disregard|discard)\\b",
		"\\bself[- ]?nack\\b",
		"\\bi(?:'ll| will|'m going to) (?:drop|withdraw|abandon)\\b",
		"\\b(?:series|patch) (?:is )?(?:dropped|withdrawn)\\b",
		NULL,
	};

	return matches_any(patterns, sentence);
}

static bool is_test(const char *sentence)
{
	static const char *const patterns[] = {
		TO_YOU FILLER TEST_VERB "(?=.{0,160}\\b" THING "\\b|.{0,20}:)",
		TO_YOU FILLER TEST_VERB "(?: and confirm| and report back)?\\W*$",
		TO_YOU FILLER
		"try (?:with|without|(?:disabl|enabl|revert|remov|sett|boot|mount|bump"
		"|increas|decreas|lower|rais)ing)\\b",
		TO_YOU FILLER "try (?:if|whether)\\b.{0,80}\\b(?:fix|help|work|patch)",
		TO_YOU ".{0,80}\\band (?:please )?(?:then )?" RERUN,
		TO_YOU FILLER "(?:and )?" CHECK_VERB,
		TO_YOU FILLER "(?:try (?:to )?)?reproduc\\w+\\b.{0,60}\\bwith\\b.{0,40}\\b(?:patch"
			      "|attached|debug|change)",
		"\\bgive .{1,60}\\b(?:a|another) (?:try|shot|spin|go|whirl)\\b.{0,20}\\bplease\\b",
		"\\b(?:t-b|tested-by)\\b.{0,20}\\b(?:welcome|appreciated)\\b",
		"\\bway to verify\\b.{0,40}\\b(?:ro)?bot\\b",
		NULL,
	};

	return matches_any(patterns, sentence);
}

static bool is_question(const char *sentence)
{
	static const char *const patterns[] = {
		"\\b(?:does|do|would|will)\\b (?:\\w+ )?" THIS_PATCH " (?:also )?" RESULT,
		"\\b(?:does|do|would|will)\\b (?:\\w+ )?" THIS_PATCH " work for you\\b",
		"\\bwhat (?:effect|difference|impact)\\b.{0,60}\\b" THIS_PATCH "\\b",
		NULL,
	};

	return matches_any(patterns, sentence);
}

static bool is_offer(const char *sentence)
{
	static const char *const patterns[] = {
		"\\b" THIS_PATCH
		",? (?:should|will|ought to|might|may|would|seems to) (?:\\w+ ){0,2}?" RESULT,
		"\\bshould be (?:fixed|resolved|addressed|solved) (?:by|with) " THIS_PATCH,
		"^(?:\\w+ )?fix (?:is )?(?:below|attached)\\b",
		"^this works for me\\b",
		NULL,
	};

	return matches_any(patterns, sentence);
}

AskKind ask_kind(const char *sentence)
{
	if (addressee_is_third(sentence) && !ask_names_robot(sentence))
		return ASK_NONE;
	if (is_cancel(sentence))
		return ASK_CANCEL;
	bool test = is_test(sentence);
	if (test && !is_other_work(sentence) && !is_info(sentence))
		return ASK_TEST;
	if (is_info(sentence))
		return ASK_INFO;
	if (test || is_other_work(sentence))
		return ASK_NONE;
	if (is_question(sentence))
		return ASK_QUESTION;
	return is_offer(sentence) ? ASK_OFFER : ASK_NONE;
}

bool ask_names_patch(const char *sentence)
{
	return pattern_matches(
		"\\b(?:patch(?:es|set)?|diff|hunk|fix(?:es)?|fixup|series|branch|commits?"
		"|changes|below|attached|following)\\b",
		sentence);
}

bool ask_names_robot(const char *sentence)
{
	return pattern_matches(
		"\\b(?:test robot|lorebot|lkp|0-?day|kbuild robot|(?:the|your) "
		"(?:ro)?bot)\\b(?![@-]|'s\\b)"
		"(?! (?:\\w+ )?(?:found|report\\w*|complain\\w*|said|says|notic\\w*|caught|warn\\w*"
		"|tested|hit|detected|bisected|flagged)\\b)",
		sentence);
}

bool ask_is_again(const char *sentence)
{
	return pattern_matches(
		"\\b(?:re-?test|re-?run|re-?try|again|once more|still repro\\w*|latest|newest"
		"|current|tip of)\\b",
		sentence);
}

char *ask_base_hint(const char *sentence)
{
	static const char *const patterns[] = {
		"\\b(?:on top of|against|based on|on tip of) (?:the |a )?"
		"([\\w./'-]+(?: (?:tree|branch|kernel|release|snapshot|tip|master))?)",
		"\\b((?:tip of|latest|newest|current) [\\w./'-]+(?: "
		"(?:tree|branch|kernel|release|snapshot))?)",
		NULL,
	};

	for (gsize i = 0; patterns[i]; i++) {
		char *hint = capture(patterns[i], sentence);
		if (hint)
			return hint;
	}
	return NULL;
}

char *ask_change(const char *sentence)
{
	return capture(
		"\\b((?:revert(?:ing)?|disabl(?:e|ing)|enabl(?:e|ing)|restor(?:e|ing)|set(?:ting)?"
		"|mount(?:ing)? with|boot(?:ing)? with|chang(?:e|ing)|remov(?:e|ing)"
		"|with(?:out)?)\\b.{1,160}?)(?:\\?|\\.$|$)",
		sentence);
}
