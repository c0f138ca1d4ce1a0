/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/ask.h"

#include "mailparse/addressee.h"
#include "mailparse/askother.h"
#include "mailparse/askwords.h"
#include "mailparse/pattern.h"

#include <string.h>

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

/* "Please test with this debug patch and send the output": the output is what a test gives. */
static bool tests_patch(const char *sentence)
{
	return pattern_matches(
		TO_YOU FILLER
		"(?:re-?)?(?:test|try|run|apply|boot)\\w*(?: (?:out|with|the|this|these|my"
		"|attached|below|following|debug|new|small|\\w+ing)\\b){1,4} "
		"(?:patch(?:es)?|diff|hunk|series|branch)\\b"
		"|\\band (?:please |then )*(?:re-?test|re-?run|re-?try"
		"|(?:test|try|run) (?:it |this )?(?:again|with))\\b",
		sentence);
}

static bool is_test(const char *sentence)
{
	static const char *const patterns[] = {
		TO_YOU FILLER TEST_VERB "(?=.{0,160}\\b" THING "\\b|.{0,20}:)",
		TO_YOU FILLER TEST_VERB
		"(?: and confirm| and report back| with| on| at| from| in)?\\W*$",
		TO_YOU FILLER GIVE_ROUND,
		TO_YOU FILLER
		"(?:re-?run|repeat|re-?do|re-?launch|re-?start)(?:ning)? (?:the|this|that"
		"|your|these|same|it|them) ?(?:\\w+ )?(?:tests?|jobs?|benchmarks?|runs?|build"
		"|measurements?|workloads?|it|them)\\b",
		"^(?:please |pls )?" GIVE_ROUND "(?: please)?\\W*$",
		/* a robot that is spoken to */
		"(?:^|[.,;!:@] ?)(?:@|hi |hey |dear )?(?:the )?(?:kernel )?(?:test "
		")?(?:ro)?(?:bot|lkp|0-?day"
		"|lorebot)\\b[,:]? (?:could you |can you )?(?:please |pls |plz |kindly )?" TEST_VERB
		"(?: |\\W*$)",
		/* as an order */
		"^(?:and |then |now |so |ok,? "
		"){0,2}(?:re-?run|re-?test|re-?build|re-?compile|re-?try"
		"|(?:test|try|run|compile|build) again)\\b(?!" PAST ").{0,160}\\b(?:please|pls)\\b",
		"^(?:try|test|run)(?: this| it| these| them)?:\\W*$",
		"\\b(?:so|now) you can (?:now )?(?:re-?test|re-?run|re-?start "
		"(?:the|that)|re-?build)\\b",
		/* with a change, and what comes of it */
		"\\bif you (?:only |just "
		")?(?:revert|apply|disable|enable|remove|drop|boot|mount|set)\\b"
		".{1,120}\\b(?:do|does|is|are|would|will)\\b.{0,30}\\b(?:still|same|slow|regress|"
		"crash"
		"|warn|fail|help|go away).{0,60}\\?",
		"\\b(?:does|do|would|will) (?:\\w+ "
		"){0,2}?(?:revert|boot|mount|disabl|enabl|sett|remov"
		"|apply)ing\\b.{1,100}?\\b" RESULT,
		"(?:" TO_YOU "|\\b(?:would|'d) be .{1,20} to\\b).{0,100}\\b(?:get|have|see) (?:the "
		"|some |new |fresh )*(?:numbers|results?) "
		"(?:for|with|on|from)\\b",
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
		TO_YOU ".{0,80}\\band (?:please )?(?:then )?" CHECK_VERB,
		TO_YOU FILLER
		"see (?:what happens|what changes|how (?:it|this|that|things)\\b).{0,60}"
		"\\b" THING "\\b",
		TO_YOU FILLER "(?:re-?)?confirm\\b.{0,60}\\bwith\\b.{1,60}\\bapplied\\b",
		TO_YOU FILLER
		"repeat (?:the|this|that|your) (?:\\w+ ){0,2}(?:test|run|measurement|job"
		"|benchmark)s?\\b",
		/* passive, and nouns */
		TO_YOU ".{0,40}\\b(?:get|have|see) (?!to )(?:\\w+ "
		       "){1,3}(?:re-?)?(?:tested|benchmarked)\\b",
		"\\b(?:can|could|may|might) " THIS_PATCH " (?:please )?be (?:re-?)?(?:tested|"
		"benchmarked)\\b",
		"\\b(?:can|could|may|might) (?:the|this|that|your|these) (?:same "
		")?(?:test|job|benchmark"
		"|workload|run|build|measurement)s? (?:please )?be "
		"(?:re-?)?(?:run|repeated|done|started"
		"|launched|tried)\\b",
		TO_YOU
		".{0,30}\\b(?:with|for|to) (?:a|another|one more|yet another) (?:\\w+ )?" ROUND
		"\\b.{0,60}\\b" THING "\\b",
		"\\b(?:grateful|thankful|glad|happy|appreciate) (?:for |about |to (?:get|have|see) "
		")?"
		"(?:a|another|some) (?:\\w+ )?(?:re-?)?(?:test|run|try|round)\\b",
		"\\b(?:re-?)?(?:test(?:ing)?|run) (?:of|with) " THIS_PATCH
		" (?:would|will|is) (?:be )?(?:\\w+ "
		")?(?:appreciated|welcome|nice|great|good|helpful)\\b",
		"^requesting (?:a|another) (?:\\w+ )?(?:re-?)?(?:test|run)\\b",
		"\\byou (?:can|could) (?:also )?help (?:me |us )?by (?:testing|trying|running)\\b",
		NULL,
	};

	return pattern_matches_any(patterns, sentence);
}

static bool is_question(const char *sentence)
{
	static const char *const patterns[] = {
		"\\b(?:does|do|would|will)\\b (?:\\w+ )?" THIS_PATCH " (?:also )?" RESULT,
		"\\b(?:does|do|would|will)\\b (?:\\w+ )?" THIS_PATCH " work for you\\b",
		"\\b(?:does|do|will|would) (?:this|the|that) "
		"(?:regression|problem|issue|bug|crash|splat"
		"|warning|failure|error|hang)s? (?:still )?(?:go "
		"away|disappear|vanish|persist|happen"
		"|occur|trigger|reproduce)\\b",
		"\\b(?:does|do) (?:it|this|that) (?:\\w+ "
		")?(?:reproduce|trigger|happen|occur|fail|crash"
		"|warn)\\b.{0,40}\\b(?:on|with|in) ",
		"\\bwhat (?:effect|difference|impact)\\b.{0,60}\\b" THIS_PATCH "\\b",
		"\\bwhat (?:the|your) (?:\\w+ )?(?:ro)?bot (?:thinks|says|makes|reports) "
		"(?:of|about|on|for)"
		"\\b",
		TO_YOU FILLER
		"(?:re-?|double[- ]?)check\\b(?=.{0,80}\\b(?:it|this|that|these|them|commits?"
		"|patch(?:es)?|fix(?:es)?|branch|tree|build|tip|with|again)\\b)",
		TO_YOU FILLER
		"(?:re-?)?(?:verify|confirm)(?: once)? (?:(?:it|this|these|them)\\b"
		"(?! (?:is|was|are|has|does)\\b)|(?:the |your |following |these |this |below "
		"|attached )*(?:fix|patch(?:es)?|branch|commits?|changes?|diff|tip)\\b"
		"|with\\b|on\\b)",
		"^(?:and |then |now |so |ok,? "
		"){0,2}(?:re-?run|re-?test|re-?build|re-?compile|re-?try (?:it "
		"|this |that )?with|(?:test|try|run|compile|build) again)\\b(?!" PAST ")",
		TO_YOU FILLER "check\\b.{0,40}\\bwith (?:this|the|my|attached|below)\\b.{0,30}"
			      "\\b(?:patch|diff|change|fix|branch|series)\\b",
		"\\b(?:let (?:me|us) know|tell (?:me|us)) (?:if|whether|how) " THIS_PATCH
		" (?:" RESULT "|works?|performs?|behaves?|does|goes)",
		NULL,
	};

	return pattern_matches_any(patterns, sentence);
}

static bool is_offer(const char *sentence)
{
	static const char *const patterns[] = {
		"\\b" THIS_PATCH
		"(?: \\([^)]{1,60}\\))?,? (?:should|will|ought to|might|may|would|seems to) "
		"(?:(?!not|never)\\w+ ){0,2}?(?:" RESULT
		"|get rid of)(?! (?:of itself|to (?:read|look|know|see|have)))",
		"\\bup to the (?:\\w+ ){0,2}(?:ro)?bot\\b",
		"\\bhere(?:'s| is| are) (?:the|a|an|my) (?:\\w+ "
		"){0,3}?(?:patch|diff|fix|hunk)\\b.{0,30}"
		"\\b(?:to|for) (?:test|try)",
		"\\bplease find (?:attached |below )?(?:a|the|my) "
		"(?:fixed|updated|debug|corrected|new) "
		"(?:patch|diff|hunk)\\b",
		"\\bshould be (?:fixed|resolved|addressed|solved) (?:by|with) " THIS_PATCH,
		"^(?:\\w+ )?fix (?:is )?(?:below|attached)\\b",
		"^this works for me\\b",
		NULL,
	};

	return pattern_matches_any(patterns, sentence);
}

/* An address is one word of the sentence, whatever words it is made of. */
static char *mask_urls(const char *sentence)
{
	return g_regex_replace(
		pattern_get("((?:https?|git|ssh)://|git@)[^\\s<>\"]*[^\\s<>\".,;:!?)]"), sentence,
		-1, 0, "\\1_", 0, NULL);
}

static AskKind kind_of(const char *sentence)
{
	if (addressee_is_third(sentence) && !ask_names_robot(sentence))
		return ASK_NONE;
	if (ask_is_stop(sentence))
		return ASK_STOP;
	/* "Please ignore v1 and test the patch below" */
	if (ask_is_cancel(sentence) &&
	    !pattern_matches("\\b(?:and|but) (?:\\w+ ){0,2}?(?:re-?)?(?:test|try|run)\\b",
			     sentence))
		return ASK_CANCEL;
	bool test = is_test(sentence);
	if (test && !ask_is_other_work(sentence) &&
	    (tests_patch(sentence) || !ask_is_info(sentence)))
		return ASK_TEST;
	if (ask_is_info(sentence) || (!test && ask_wants_fact(sentence)))
		return ASK_INFO;
	if (test || ask_is_other_work(sentence))
		return ASK_NONE;
	if (is_question(sentence))
		return ASK_QUESTION;
	return is_offer(sentence) ? ASK_OFFER : ASK_NONE;
}

AskKind ask_kind(const char *sentence)
{
	g_autofree char *masked = strstr(sentence, "://") || strchr(sentence, '@')
					  ? mask_urls(sentence)
					  : g_strdup(sentence);

	return kind_of(masked);
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
		"\\b(?:re-?test|re-?run|re-?try|re-?launch|re-?start|repeat|again|"
		"once more|another (?:go|try|run|round|shot|spin)|try to repro\\w*|still "
		"repro\\w*|latest|newest"
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
	static const char *const patterns[] = {
		"\\b((?:revert(?:ing)?|disabl(?:e|ing)|enabl(?:e|ing)|restor(?:e|ing)|set(?:ting)?"
		"|mount(?:ing)? with|boot(?:ing)? with|chang(?:e|ing)|remov(?:e|ing))\\b.{1,160}?)"
		"(?:\\?|\\.$|$)",
		/* "came in with the merge window" changes nothing */
		"\\b(?:re-?)?(?:test|try|run|launch|measur|build|boot|check|start|repeat|do)\\w*\\b"
		"(?:(?!\\bwith).){0,60}\\b(with(?:out)?\\b.{1,160}?)(?:\\?|\\.$|$)",
		NULL,
	};

	for (gsize i = 0; patterns[i]; i++) {
		char *change = capture(patterns[i], sentence);
		if (change)
			return change;
	}
	return NULL;
}
