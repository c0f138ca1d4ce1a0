/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/addressee.h"

#include "mailparse/pattern.h"

#include <string.h>

#define NAME "(?-i:\\p{Lu}[\\p{L}\\p{N}'_-]*)"
#define NAMES "@?" NAME "(?:(?: and | & |, ?|/| )@?" NAME "){0,3}"
#define GREETING                                                                                   \
	"(?:(?:hi|hello|hey|hallo|dear|greetings|howdy|good (?:morning|day|evening)"               \
	"|thanks|thank you|thx|thanx)\\b[ ,!]*)"
#define MODAL "(?:can|could|would|will|may|might|should|shall)"
#define PLEASE "(?:please|pls|plz|kindly)"
#define VERB "(?:re-?)?(?:test|try|run|check|verify|confirm|reproduce|give)\\b"
#define ANYBODY                                                                                    \
	"(?<!you or )\\b(?:(?:some|any|every|no)(?:one|body)|no one|one of you)(?: else)?\\b"
#define GROUP "(?:folks|people|team|guys|developers|maintainers|users|testers)"
#define ADDING "(?:\\+|cc:|(?:cc'?ing|cc'?ed|adding|added)\\b)"

/* Begin a sentence as names do, or stand for no one person. */
static const char *const no_names[] = {
	"a",
	"accordingly",
	"ack",
	"actually",
	"additionally",
	"afaics",
	"afaict",
	"afaik",
	"after",
	"afternoon",
	"again",
	"agreed",
	"ah",
	"aha",
	"alas",
	"all",
	"also",
	"alternatively",
	"and",
	"another",
	"any",
	"anyhow",
	"anyway",
	"anyways",
	"apparently",
	"applied",
	"are",
	"argh",
	"as",
	"assuming",
	"attached",
	"awesome",
	"bah",
	"basically",
	"besides",
	"best",
	"bonjour",
	"boot",
	"both",
	"btw",
	"build",
	"bump",
	"but",
	"can",
	"care",
	"certainly",
	"chance",
	"check",
	"cheers",
	"clearly",
	"community",
	"compile",
	"confirmed",
	"congratulations",
	"consequently",
	"cool",
	"could",
	"currently",
	"damn",
	"darn",
	"day",
	"dear",
	"developers",
	"did",
	"do",
	"does",
	"doh",
	"done",
	"drop",
	"dropped",
	"duh",
	"eek",
	"eh",
	"either",
	"er",
	"erm",
	"evening",
	"eventually",
	"everybody",
	"everyone",
	"ew",
	"excellent",
	"experts",
	"failed",
	"fails",
	"finally",
	"fine",
	"first",
	"firstly",
	"fix",
	"fixed",
	"folks",
	"for",
	"frankly",
	"friendly",
	"furthermore",
	"fwiw",
	"gah",
	"gentle",
	"given",
	"good",
	"great",
	"greetings",
	"grr",
	"guys",
	"ha",
	"haha",
	"hallo",
	"have",
	"heh",
	"hello",
	"hence",
	"here",
	"hey",
	"hi",
	"hm",
	"hmm",
	"hmmm",
	"hola",
	"honestly",
	"hopefully",
	"howdy",
	"however",
	"hrm",
	"huh",
	"hum",
	"i",
	"ideally",
	"if",
	"ignore",
	"iirc",
	"imho",
	"imo",
	"in",
	"indeed",
	"initially",
	"instead",
	"interesting",
	"is",
	"it",
	"just",
	"kind",
	"kindly",
	"lastly",
	"later",
	"let",
	"list",
	"long",
	"looking",
	"looks",
	"lot",
	"madam",
	"maintainers",
	"maybe",
	"meantime",
	"meanwhile",
	"measure",
	"meh",
	"members",
	"mind",
	"moin",
	"moreover",
	"morning",
	"most",
	"much",
	"nack",
	"nah",
	"nak",
	"nevertheless",
	"next",
	"nice",
	"no",
	"nonetheless",
	"nope",
	"note",
	"now",
	"obsolete",
	"obviously",
	"of",
	"often",
	"oh",
	"ok",
	"okay",
	"only",
	"oops",
	"or",
	"originally",
	"otherwise",
	"ouch",
	"overall",
	"patch",
	"perfect",
	"perhaps",
	"phew",
	"ping",
	"please",
	"pls",
	"possibly",
	"posted",
	"previously",
	"probably",
	"ps",
	"pushed",
	"question",
	"quick",
	"rebased",
	"rebuild",
	"recently",
	"regarding",
	"regardless",
	"regards",
	"relaunch",
	"reminder",
	"repeat",
	"requesting",
	"rerun",
	"restart",
	"retest",
	"retry",
	"reverted",
	"right",
	"run",
	"sadly",
	"salut",
	"same",
	"second",
	"secondly",
	"see",
	"seems",
	"sent",
	"separately",
	"servus",
	"short",
	"sigh",
	"similarly",
	"since",
	"sir",
	"sirs",
	"so",
	"sorry",
	"sounds",
	"still",
	"superseded",
	"sure",
	"team",
	"test",
	"tested",
	"testers",
	"testing",
	"thank",
	"thanks",
	"thanx",
	"that",
	"the",
	"then",
	"there",
	"therefore",
	"these",
	"this",
	"three",
	"thus",
	"thx",
	"time",
	"to",
	"today",
	"together",
	"tomorrow",
	"tonight",
	"too",
	"try",
	"two",
	"ugh",
	"uh",
	"um",
	"understood",
	"unfortunately",
	"unsubscribe",
	"update",
	"updated",
	"using",
	"usually",
	"verify",
	"warm",
	"we",
	"welcome",
	"well",
	"what",
	"when",
	"while",
	"whoops",
	"will",
	"with",
	"withdrawn",
	"working",
	"works",
	"would",
	"wow",
	"yeah",
	"yep",
	"yes",
	"yesterday",
	"yikes",
	"you",
	"yup",
	NULL,
};

static bool is_no_name(const char *word)
{
	g_autofree char *folded = g_utf8_strdown(word, -1);

	return g_strv_contains(no_names, folded);
}

/* Is one of the words in @names a name? */
static bool holds_name(const char *names)
{
	g_auto(GStrv) words = g_strsplit_set(names, " ,&/@()", -1);

	for (gsize i = 0; words[i]; i++) {
		if (words[i][0] != '\0' && !is_no_name(words[i]))
			return true;
	}
	return false;
}

/* The first group of the first of @patterns that holds a name. */
static char *find_name(const char *const *patterns, const char *sentence)
{
	for (gsize i = 0; patterns[i]; i++) {
		g_autoptr(GMatchInfo) info = NULL;
		if (!g_regex_match(pattern_get(patterns[i]), sentence, 0, &info))
			continue;
		g_autofree char *names = g_match_info_fetch(info, 1);
		if (names && holds_name(names))
			return g_steal_pointer(&names);
	}
	return NULL;
}

char *addressee_asked(const char *sentence)
{
	static const char *const patterns[] = {
		"(?:^|[\\s(,;:])@([\\p{L}][\\w-]*(?: " NAME ")?)",
		"^" GREETING "?(" NAMES ") ?(?:\\([^)]*\\) ?)?(?:[,:;!\\x{2013}\\x{2014}]|-+ )",
		"^" GREETING "([\\p{L}][\\w-]*)[,:!]",
		"^([\\p{L}][\\w-]*)[,:] (?:" MODAL "|" PLEASE ")\\b",
		"^" GREETING "?(?:\\w+ )?(" NAME "(?: " NAME ")?) (?:" PLEASE "|" MODAL " you)\\b",
		"\\b" MODAL " you ?[,(] ?(" NAMES ")[,)]",
		"\\b" MODAL " (" NAMES ") (?:\\w+ ){0,3}?" VERB,
		"^(" NAMES ") will (?:please|kindly)\\b",
		"\\bgive (" NAMES ") (?:a chance|the chance|time)\\b",
		"\\b(?:patch|it|this|series|branch|fix) (" NAMES ")\\?$",
		"\\b(?:if|for|chance|way|that|hope) (" NAMES ") (?:" MODAL "|to)\\b",
		"(?:^|[\\s(\\[])" ADDING " ?(" NAMES ")",
		", (?:dear )?((?-i:\\p{Lu}\\p{Ll}[\\p{L}'-]*)(?: " NAME ")?) ?[?.!:]*$",
		NULL,
	};

	return find_name(patterns, sentence);
}

char *addressee_greeted(const char *sentence, bool opens)
{
	static const char *const patterns[] = {
		"^" GREETING "{1,2}(" NAMES ")(?:$|[ ,:;!.-])",
		"^" GREETING "([\\p{L}][\\w-]*)[,:!]",
		"^\\W{0,2}" ADDING " ?(" NAMES ")",
		"^dear ([\\p{L}][\\w-]*)$",
		"^" GREETING "there,? (" NAMES ")[,.!:]?",
		"^" GREETING "<?([^\\s<>@]+)@[^\\s<>]+>?[,:]?$",
		"^(\\p{Han}{2,4})[,\\x{ff0c}\\x{3001}:\\x{ff1a}]",
		"^(" NAMES ") ?[,!]$",
		"^(@[\\p{L}][\\w-]*(?: " NAME ")?)[,:]?$",
		NULL,
	};
	static const char *const opening[] = {"^(" NAMES ") ?(?:[,:]|-+ |$)", NULL};
	char *names = find_name(patterns, sentence);

	return names || !opens ? names : find_name(opening, sentence);
}

bool addressee_is_third(const char *sentence)
{
	static const char pattern[] =
		"\\b" MODAL " (?:" ANYBODY "|(?:they|he|she|people|folks|others?|those)\\b"
		"|(?:the|our|my|your|these|some|any|other|all)(?! of you) (?:[\\w'/.-]+ ){1,5}?"
		"(?:(?:" PLEASE "|also|then) )*" VERB ")"
		"|" ANYBODY ",? (?:" PLEASE "|" MODAL "|who|with|at|in|from|on|able|willing|ha[sd]"
		"|have|having|up for|want\\w*|to)\\b"
		"|^(?:if )?" ANYBODY "|, " ANYBODY "\\W*$|^who(?:ever)?\\b"
		"|\\b" NAME " " GROUP "\\b"
		"|\\b(?:those|people|folks|users|testers|developers|maintainers) "
		"(?:who|with|having|at|of)\\b";

	return pattern_matches(pattern, sentence);
}
