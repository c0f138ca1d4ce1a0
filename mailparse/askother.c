/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/askother.h"

#include "mailparse/askwords.h"
#include "mailparse/pattern.h"

/* Talk about the reader's own patch, about other work than a test, or about the writer's plans. */
bool ask_is_other_work(const char *sentence)
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
		"\\byourself\\b|\\btry not to\\b|\\bchanges? your mind\\b|\\b(?:fewer|less) "
		"(?:tests?|mails?"
		"|reports?)\\b",
		"\\b(?:any|a) way to "
		"(?:re-?)?(?:run|test|reproduce|try)\\b.{0,60}\\b(?:locally|here|myself"
		"|on my|at home|by hand|offline)\\b",
		"\\b(?:let (?:me|us) know|tell (?:me|us)) (?:if|whether) you (?:still "
		")?(?:need|want|prefer"
		"|agree|think|would)\\b",
		"\\b(?:said|says|wrote|claims?|claimed|thinks?|believes?)\\b.{0,5}[\"\\x{201c}\\x{"
		"ab}\\x{201e}]",
		"(?<!\\w)[*_\\x{ab}\\x{201e}](?:\\w+,? ){0,3}(?:please|(?:can|could|would) you)\\b",
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

	return pattern_matches_any(patterns, sentence);
}

bool ask_is_info(const char *sentence)
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

	return pattern_matches_any(patterns, sentence);
}

bool ask_is_cancel(const char *sentence)
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

	return pattern_matches_any(patterns, sentence);
}

/* The reader's mails are not wanted any more. */
bool ask_is_stop(const char *sentence)
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

	return pattern_matches_any(patterns, sentence);
}

/* A question about what was done, that no run would answer. */
bool ask_wants_fact(const char *sentence)
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
