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
	"|at least|folks|too|as well|double|in|with|like|do)\\b)*,? "

/* What opens a request to the reader. */
#define TO_YOU                                                                                     \
	"(?:\\b(?:can|could|would|will|may|might) (?:you|we|i (?:ask|bother|trouble) "             \
	"you|someone|anyone|somebody"                                                              \
	"|anybody|(?:the|your) (?:\\w+ ){0,2}(?:ro)?bot)\\b"                                       \
	"|(?:^|[.:;!)] )(?:\\w+, )?(?:mind|care to)\\b|\\bi(?:['’]d| would) (?:like|love|want) " \
	"you to\\b"                                                                                \
	"|\\b(?:please|pls|plz|kindly)\\b"                                                         \
	"|\\b(?:any|a) (?:chance|way|possibility)\\b.{0,40}?(?:\\b(?:you|someone|can|could)\\b)?"  \
	"|\\bpossible (?:for .{0,30} )?to\\b"                                                      \
	"|\\byou (?:just |only )?(?:need|have) to\\b"                                              \
	"|\\bif (?:you|the (?:\\w+ ){0,2}(?:ro)?bot|someone) (?:can|could|would)\\b"               \
	"|\\bask\\b.{0,40}\\b(?:ro)?bot\\b"                                                        \
	"|\\bwhether you (?:can|could)\\b"                                                         \
	"|\\bpossible that you\\b"                                                                 \
	"|\\b(?:appreciate|grateful|thankful|glad|happy|great|nice|good|helpful|cool)\\b.{0,20} "  \
	"if "                                                                                      \
	"(?:you|someone|the (?:\\w+ ){0,2}(?:ro)?bot)\\b"                                          \
	"|\\bif you (?:get|have|find) (?:a |the |some )?(?:chance|time|moment|cycles?|minute) "    \
	"to\\b"                                                                                    \
	"|\\b(?:need|like|want|appreciate) (?:your help|you|the (?:\\w+ ){0,2}(?:ro)?bot) to\\b"   \
	"|\\bi ask (?:you|the (?:\\w+ ){0,2}(?:ro)?bot) (?:to|for)\\b"                             \
	"|\\bhave (?:the|your) \\w+ (?=(?:re-?)?(?:test|try|run|build|compile|eat|chew)\\b)"       \
	"|\\bwould you mind\\b)"

/* What can be tested, or points at it. */
#define THING                                                                                      \
	"(?:patch(?:es|set)?|diff|hunk|fix(?:es)?|fixup|series|branch|tree|version|changes?|"      \
	"commits?"                                                                                 \
	"|revert(?:ing)?|snapshot|release|kernel|tip|upstream|mainline|approach|code|build|one|"   \
	"below"                                                                                    \
	"|attached|following|above|this|that|these|those|it|them|both"                             \
	"|both|same (?:job|test|thing|workload|benchmark|case)|v\\d+\\.\\d+|next-\\d{8}"           \
	"|(?:https?|git|ssh)://|git@|what(?:'s| is) (?:in|at|on)|(?=[a-f]*\\d)[0-9a-f]{7,40})"

/* The patch of this very mail. */
#define THIS_PATCH                                                                                 \
	"(?:(?:this|that|it|these|something like (?:this|that)|the (?:following|below|attached)"   \
	"|following|below|attached|the patch|patch|diff|hunk|change)"                              \
	"(?: (?:following|below|attached|above|patch|diff|hunk|change|one|shown))*"                \
	"(?: \\[\\d+\\])?)"

/* A machine or program of the reader's that does the work. */
#define MACHINE                                                                                    \
	"(?:machine(?:ry|s)?|box|lab|farm|(?:ro)?bot|suite|rig|bench|setup|system|infrastructure"  \
	"|hardware|compiler|ci)"

#define ROUND "(?:try|shot|spin|go|whirl|(?:test|trial)(?:[- ](?:run|drive))?|run|round)"

/* "a spin", what is given it being named before. */
#define GIVE_ROUND                                                                                 \
	"(?:giv(?:e|ing) (?:.{1,80}? )?\\b(?:a|another|one more) (?:quick |new |little )?" ROUND   \
	"|hav(?:e|ing) (?:a|another) (?:quick |new )?(?:try|go|shot|spin|run)"                     \
	"|hav(?:e|ing) (?:the|your) (?:\\w+ )?" MACHINE                                            \
	" (?:eat|chew|test|try|run|build|look at|measure) "                                        \
	"|(?:do|make|perform) (?:(?:the|a|an|these|those|two|some|below|following|same) )*"        \
	"(?:test|run|measurement|experiment|comparison)s?"                                         \
	"|(?:feed|put|throw|push|send|run) .{1,40}? (?:to|through|at|on|into) (?:the|your) "       \
	"(?:\\w+ ){0,2}?" MACHINE "|(?:trigger|start|kick off|launch) (?:the|your) (?:\\w+ "       \
	"){0,2}(?:tests?|benchmarks?|workloads?"                                                   \
	"|jobs?|suite|ci)"                                                                         \
	"|tak(?:e|ing) .{1,40}? for (?:a|another) (?:quick )?(?:spin|ride|drive|run))\\b"

/* Verbs that ask for a test by themselves. */
#define TEST_VERB                                                                                  \
	"(?:(?:re-?)?test(?:ing)?|re-?try|re-?run(?:ning)?"                                        \
	"|(?:try|run|test)(?:ning)? (?:again|to "                                                  \
	"(?:set|disable|enable|revert|boot|mount|test|run|apply"                                   \
	"|reproduce))|try(?:ing)?|run(?:ning)?|evaluate|validate|benchmark|measure"                \
	"|repeat (?:the|this|that|your) (?:\\w+ ){0,2}(?:test|run|measurement|job|benchmark)"      \
	"|re-?(?:launch|build|compile|measure|bench)(?:ing)?"                                      \
	"|(?:re-?start|re-?do|repeat) (?:the|this|that|your|these|my|it|them|same)\\b"             \
	"|(?:compil|build|boot|measur|bench|check)(?:e|ing)? (?:it |this |that |them )?again"      \
	")\\b"

#define NOT "(?:not|never|no longer|cannot|dont|\\w+n['\\x{2019}]t)"
#define NOT_I                                                                                      \
	"(?<!\\bi )(?<!\\bwe )(?<!\\bi can )(?<!\\bi could )(?<!\\bi did )(?<!\\bi do )(?<!\\bi "  \
	"have )"
#define SHALL "(?:will|can|could|would|should|might|may|am going to|are going to)"

#define RERUN                                                                                      \
	"(?:re-?(?:test|try|run|measure|bench|build)|(?:test|try|run|measure|bench|build|boot) "   \
	"(?:it |this |that )?"                                                                     \
	"again)\\b"

/* Verbs that do so only with what is to be found out. */
#define CHECK_VERB                                                                                 \
	"(?:check|verify|confirm|see|tell (?:me|us)|let (?:me|us) "                                \
	"know|validate|report)\\b.{0,100}"                                                         \
	"\\b(?:if|whether|that)\\b.{0,140}\\b(?:fix|help|resolv|solv|work|cure|trigger|go away"    \
	"|goes away|gone|vanish|disappear|still|repro|address|(?<!to be "                          \
	")improv|makes? (?:a|any|no|it|things|the)\\b|change|restor"                               \
	"|recover|back\\b|better|faster|differ"                                                    \
	"|(?:it|this|that|bug|crash|hang|splat|warning|problem|issue|regression) (?:\\w+ "         \
	")?happen)"

#define RESULT                                                                                     \
	"(?:(?:fix|cure|help|address|resolve|solve|silence|take care|do the trick|restore|undo)"   \
	"(?:s|es)?|(?:bring|get|give)s? .{1,40}? back|(?:bring|get|give)s? back"                   \
	"|(?:make|change|improve)s? (?:.{1,40}? )?(?:any difference|a difference|anything|better"  \
	"|go away|disappear|vanish|work|pass|faster|things))\\b"

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
		"\\b(?:once|when|after|as soon as|until) i(?:['\\x{2019}]ve| "
		"have|['\\x{2019}]ll)\\b",
		"\\b(?:how|why|where|what) (?:\\w+ )?(?:can|could|would|should|do|did) "
		"(?:you|we|i|one|they)\\b",
		"\\b(?:could|would|should) (?:you|we) (?:\\w+ )?have (?:\\w+ "
		")?(?:tested|tried|run)\\b",
		"\\b(?:can|could|should|shall|may|might|would) i\\b(?! (?:ask|bother|trouble) "
		"(?:you|the))",
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
		"|avoid|improv|split|rebas|clean|convert|writ|describ|add|report|gather|hav(?:e|"
		"ing)\\b|be\\b|stay"
		"|out the "
		"repro|your)",
		/* about what the writer does */
		"\\b(?:let (?:me|us) know|tell (?:me|us)) (?:if|whether) (?:i|we|there)\\b",
		"\\byour (?:\\w+ ){0,2}fix\\b",
		"\\bneeds? to be (?:improved|changed|updated|clarified|documented|reworked)\\b",
		"\\bas well as? (?:DFS|other)\\b",
		"\\bset-?ups? as well\\b",
		NULL,
	};

	return matches_any(patterns, sentence);
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
		"^(?!.{0,60}\\b(?:if|unless|otherwise)\\b).{0,200}\\bi(?:'ll| will|'m going to) "
		"(?:drop|withdraw|abandon)\\b",
		"\\b(?:series|patch) (?:is )?(?:dropped|withdrawn)\\b",
		"^(?:so |pls |and )?(?:ignore|disregard|discard|scratch) "
		"(?:this|that|the|my|it|v\\d)\\b",
		"^(?:drop|skip) (?:this|the|my) (?:\\w+ )?(?:patch|series|version|mail|request)\\b",
		"\\b(?:series|patch(?:es|set)?|version|mail|request|v\\d+|this|that|it) "
		"(?:can|should|may"
		"|must) (?:safely |just )?be (?:ignored|dropped|discarded|disregarded)\\b",
		"^(?:dropped|withdrawn|superseded|obsolete)(?:[,.!;:]| by\\b| in favou?r)",
		"\\bn(?:ac?k|ack)(?:ed|ing)?\\b.{0,20}\\b(?:my (?:own )?|myself|own )",
		"\\bi(?:['’]m| am) (?:dropping|withdrawing|abandoning)\\b",
		NULL,
	};

	return matches_any(patterns, sentence);
}

/* The reader's mails are not wanted any more. */
static bool is_stop(const char *sentence)
{
	static const char *const patterns[] = {
		"\\b(?:stop|quit|cease) (?:e-?mailing|mailing|spamming|cc['’]?ing|copying|notifying"
		"|bothering) (?:me|us)\\b",
		"\\b(?:stop|quit|cease) sending\\b(?!.{0,20}\\bpatch).{0,30}"
		"\\b(?:me|us|mails?|reports?|these)\\b",
		"\\b(?:remove|take|drop|strike) (?:me|us|my (?:e-?mail )?(?:address|name|mail)) "
		"(?:off|from|out of) (?:\\w+ "
		"){0,4}?(?:lists?|cc|recipients?|mails?|mailings?|reports?"
		"|notifications?)\\b",
		"^(?:please )?(?:remove|unsubscribe) me(?:,? please)?\\W*$",
		"^(?:please )?unsubscribe(?: me)?\\b",
		"\\b(?:don['’]t|do not|never) (?:ever )?(?:send|mail|e-?mail|cc|copy|notify) "
		"(?:me|us) "
		"(?:\\w+ ){0,4}?(?:mails?|reports?|these|this|any ?more|again)\\b",
		"\\b(?:i|we) (?:do not|don['’]t|no longer) (?:want|wish|need) (?:to "
		"(?:get|receive) )?"
		"(?:(?:any|more|your|these|this|such|of) "
		"){0,3}(?:mails?|reports?|these|e-?mails?)\\b",
		"\\b(?:stop|quit|cease) (?:testing|building|scanning|polling|watching) (?:\\w+ "
		"){0,3}?"
		"(?:repo\\w*|tree|branch(?:es)?|list|me|us|patches)\\b",
		"\\bopt(?:ing)?[- ]?out\\b.{0,40}\\b(?:mails?|reports?|these|tests?|this|list)\\b",
		NULL,
	};

	return matches_any(patterns, sentence);
}

/* A question about what was done, that no run would answer. */
static bool asks_fact(const char *sentence)
{
	return pattern_matches(
		"^(?:\\W*(?:and|but|so|btw|also|hmm?|thanks|just curious|out of curiosity)\\b[,:. "
		"]*)*"
		"(?:what|which|where|how|why)\\b(?!.{0,20}\\b(?:if|about|effect|difference)\\b)"
		".{0,140}\\b(?:config|compiler|gcc|clang|kernel|base|tree|commit|version|hardware"
		"|machine|cpus?|script|test\\w*|logs?|metrics?|numbers?|unit|mean|reproduc\\w*"
		"|parameters?|workload|benchmark|results?|data|runs?)\\b.{0,80}\\?"
		"|" TO_YOU FILLER "(?:re-?)?bisect\\b",
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
		"){0,2}(?:re-?run|re-?test|re-?build|re-?compile|re-?try (?:it |this |that "
		")?(?:with|on|please))\\b"
		"(?=.{0,160}\\b(?:" THING "|with|on|please)\\b|\\W*$)",
		"^(?:test|try|run|compile|build) again\\b",
		"^(?:try|test|run)(?: this| it| these| them)?:\\W*$",
		"\\byou can (?:now )?(?:re-?test|re-?run|re-?start (?:the|that)|re-?build)\\b",
		/* with a change, and what comes of it */
		"\\bif you (?:only |just "
		")?(?:revert|apply|disable|enable|remove|drop|boot|mount|set)\\b"
		".{1,120}\\b(?:do|does|is|are|would|will)\\b.{0,30}\\b(?:still|same|slow|regress|"
		"crash"
		"|warn|fail|help|go away)",
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

	return matches_any(patterns, sentence);
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
		TO_YOU FILLER "(?:(?:re-?|double[- "
			      "]?)check|(?:re-?)?(?:verify|confirm))\\b(?!.{0,40}\\b(?:what|which|"
			      "why|how|where|who)\\b)(?=.{0,80}\\b(?:it|this|that"
			      "|these|them|commits?|patch(?:es)?|fix(?:es)?|branch|tree|build|tip|"
			      "with|again)\\b)",
		TO_YOU FILLER "check\\b.{0,40}\\bwith (?:this|the|my|attached|below)\\b.{0,30}"
			      "\\b(?:patch|diff|change|fix|branch|series)\\b",
		"\\b(?:let (?:me|us) know|tell (?:me|us)) (?:if|whether|how) " THIS_PATCH
		" (?:" RESULT "|works?|performs?|behaves?|does|goes)",
		NULL,
	};

	return matches_any(patterns, sentence);
}

static bool is_offer(const char *sentence)
{
	static const char *const patterns[] = {
		"\\b" THIS_PATCH
		"(?: \\([^)]{1,60}\\))?,? (?:should|will|ought to|might|may|would|seems to) "
		"(?:\\w+ ){0,2}?(?:" RESULT "|get rid of)",
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

	return matches_any(patterns, sentence);
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
	if (is_stop(sentence))
		return ASK_STOP;
	/* "Please ignore v1 and test the patch below" */
	if (is_cancel(sentence) &&
	    !pattern_matches("\\b(?:and|but) (?:\\w+ ){0,2}?(?:re-?)?(?:test|try|run)\\b",
			     sentence))
		return ASK_CANCEL;
	bool test = is_test(sentence);
	if (test && !is_other_work(sentence) && (tests_patch(sentence) || !is_info(sentence)))
		return ASK_TEST;
	if (is_info(sentence) || (!test && asks_fact(sentence)))
		return ASK_INFO;
	if (test || is_other_work(sentence))
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
