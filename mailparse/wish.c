/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/wish.h"

#include "mailparse/pattern.h"

#include <stdbool.h>
#include <string.h>

#define MAX_WISHES 20u
#define VALUE_MAX_BYTES 200u

#define QUOTE "[\"'`\\x{2018}\\x{201c}]?"
/* "mitigations=off", "foo.bar", "nosmt", "no_timer_check" */
#define PARAMETER                                                                                  \
	"((?-i:[a-z_][\\w.-]*)=[^\\s\"'`,;?)]*[^\\s\"'`,;?.)]|(?-i:no[a-z_]{2,20})|\\w+\\.\\w+(?:" \
	"=\\w+)?"                                                                                  \
	"|(?-i:[a-z]+_[a-z_]+))"
#define MOUNT_OPTION "([a-z][\\w=,.-]*[\\w=])"

typedef struct {
	const char *key;
	const char *pattern; /* its last group that matched is the value */
	const char *value;   /* instead of the group                     */
} Rule;

static const Rule rules[] = {
	{"runs",
	 "\\b(?:re-?run|run|test|try|repeat|do|with|for|give|at "
	 "least|about)\\b(?:(?!\\b(?:(?:i|we)\\b|it (?:fail|crash|happen))).){0,80}?\\b(\\d{1,4})"
	 "(?: more| additional| extra)? "
	 "(?:runs|times|iterations|repetitions|rounds|boots|samples|passes)\\b",
	 NULL},
	{"runs",
	 "\\b(?:some|a few|few|several|many) more (?:runs|times|iterations|rounds|samples)\\b"
	 "|(?<!\\d )\\bmore (?:runs|iterations|samples|repetitions)\\b"
	 "|\\b(?:several|multiple|a (?:few|couple of)) (?:times|runs)\\b",
	 "more"},
	{"boot",
	 "\\b(?:boot\\w*|command ?line|cmdline|(?:kernel|boot) (?:param\\w*|option\\w*|arg\\w*))\\b"
	 "(?: "
	 "(?:it|the|this|kernel|your|machine|box|system|with|using|option|parameter|param|argument"
	 "|a|set|to|add|and)\\b){0,6}:? " QUOTE PARAMETER,
	 NULL},
	{"boot",
	 QUOTE PARAMETER QUOTE "(?: (?:on|in|to|as|at|the|your|a|kernel)\\b){1,4} "
			       "(?:boot|command ?line|cmdline|param)",
	 NULL},
	{"mount",
	 "\\bmount(?:ed|ing)?\\b(?: "
	 "(?:it|the|this|that|fs|filesystem|file|system|xfs|ext4|btrfs|f2fs)"
	 "\\b){0,4} (?:with|using) (?:the )?(?:mount )?(?:options? )?(?:-o )?" QUOTE
	 "(?!(?:the|a|this|that|it|your|my|default|and|some|different)\\b)" MOUNT_OPTION,
	 NULL},
	{"mount", "\\bmount\\b.{0,30} -o " QUOTE MOUNT_OPTION, NULL},
	{"mount", "\\bwith(?:out)? (?:the )?" QUOTE MOUNT_OPTION QUOTE " mount (?:option|param)",
	 NULL},
	{"compiler", "\\b((?:gcc|clang|llvm)[- ]?\\d+(?:\\.\\d+)*)\\b", NULL},
	{"arch",
	 "\\bon (?:an? |your |the "
	 ")?(arm64|aarch64|arm32|armv7\\w*|riscv\\w*|s390x?|powerpc\\w*|ppc\\d*\\w*"
	 "|i386|i486|32-?bit|loongarch\\w*|mips\\w*|sparc\\w*|parisc|alpha)\\b",
	 NULL},
	{"workload",
	 "\\b(?:with|run(?:ning)?|using|under|try|on) (?:the |a |an )?"
	 "(?!(?:the|same|this|that|your|my|which|following|above|original|whole|full|failing|a)\\b)"
	 "([\\w.-]+)(?: \\w+)? (?:workload|benchmark|micro-?benchmark|test ?case)\\b",
	 NULL},
	{"workload",
	 "\\b(?:other|different|another|more) (?:\\w+ )?(?:workloads?|benchmarks?|test "
	 "?cases?|test "
	 "suites?)\\b",
	 "other"},
};

static void add(GPtrArray *wishes, const char *key, const char *value)
{
	char *wish = g_strdup_printf("%s=%s", key, value);

	if (wishes->len >= MAX_WISHES || strlen(value) > VALUE_MAX_BYTES ||
	    g_ptr_array_find_with_equal_func(wishes, wish, g_str_equal, NULL))
		g_free(wish);
	else
		g_ptr_array_add(wishes, wish);
}

static void apply(const Rule *rule, const char *sentence, GPtrArray *wishes)
{
	g_autoptr(GMatchInfo) info = NULL;

	g_regex_match(pattern_get(rule->pattern), sentence, 0, &info);
	for (; g_match_info_matches(info); g_match_info_next(info, NULL)) {
		g_autofree char *value =
			rule->value ? g_strdup(rule->value) : g_match_info_fetch(info, 1);
		add(wishes, rule->key, value);
	}
}

/* "CONFIG_X=m", "with CONFIG_X enabled", "without CONFIG_X", "CONFIG_X turned off" */
static void read_config(const char *sentence, GPtrArray *wishes)
{
	g_autoptr(GMatchInfo) info = NULL;

	g_regex_match(
		pattern_get(
			"(\\b(?:without|disabl\\w+|unset\\w*|no|turn\\w* off) (?:the )?)?" QUOTE
			"(?-i:(CONFIG_[A-Z0-9_]+))(=[\\w-]+)?" QUOTE
			"( (?:is |being |option )?(?:disabled|off|unset|not set|turned off|=n))?"),
		sentence, 0, &info);
	for (; g_match_info_matches(info); g_match_info_next(info, NULL)) {
		g_autofree char *without = g_match_info_fetch(info, 1);
		g_autofree char *name = g_match_info_fetch(info, 2);
		g_autofree char *value = g_match_info_fetch(info, 3);
		g_autofree char *off = g_match_info_fetch(info, 4);
		bool is_off = without[0] != '\0' || (off && off[0] != '\0');
		bool is_given = value && value[0] != '\0';
		g_autofree char *text = g_strconcat(name,
						    is_given ? value
						    : is_off ? "=n"
							     : "=y",
						    NULL);
		add(wishes, "config", text);
	}
}

GStrv wish_read(const char *sentence)
{
	GPtrArray *wishes = g_ptr_array_new();

	for (gsize i = 0; i < G_N_ELEMENTS(rules); i++)
		apply(&rules[i], sentence, wishes);
	if (strstr(sentence, "CONFIG_"))
		read_config(sentence, wishes);
	g_ptr_array_add(wishes, NULL);
	return (GStrv)g_ptr_array_free(wishes, FALSE);
}
