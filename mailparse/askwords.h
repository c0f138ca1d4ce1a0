/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * askwords - pieces of the patterns in ask.c and askother.c: what opens a request, what is to be
 * done with what.
 */

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
	"|\\b(?:(?:would|could|will|might|may) it be|is it) possible (?:for .{0,30} )?to\\b"       \
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
	"|(?:do|perform|make) (?:(?:the|a|an|these|those|two|some|below|following|same|another) "  \
	")*"                                                                                       \
	"(?:test run|run|measurement|experiment|comparison)s?"                                     \
	"|(?:do|perform) (?:(?:the|a|an|these|those|two|some|below|following|same|another) "       \
	")*tests?"                                                                                 \
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

/* Further on somebody tells what came of it. */
#define PAST                                                                                       \
	".{0,120}\\b(?:pass(?:es|ed)?|fail(?:s|ed)?|show(?:s|ed)|gave|gives|no "                   \
	"(?:regression|change"                                                                     \
	"|difference)|work(?:s|ed)|was|were|is|are|did|does|ok)\\b"
