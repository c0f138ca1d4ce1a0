/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "wordcount.h"

#include <stdio.h>
#include <string.h>

static int number, failures;

static void check(int ok, const char *what)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++number, what);
	failures += !ok;
}

static unsigned long count(const char *text, const char *word)
{
	struct wordcount *wc = wordcount_new();
	unsigned long n;

	wordcount_add_text(wc, text, strlen(text));
	n = wordcount_get(wc, word, strlen(word));
	wordcount_free(wc);
	return n;
}

static size_t count_distinct(unsigned int words)
{
	struct wordcount *wc = wordcount_new();
	struct wordcount_stats stats;
	char word[16];

	for (unsigned int i = 0; i < words; i++) {
		int len = snprintf(word, sizeof(word), "w%u", i);

		wordcount_add(wc, word, len);
	}
	wordcount_get_stats(wc, &stats);
	wordcount_free(wc);
	return stats.words;
}

int main(void)
{
	check(count("", "a") == 0, "an empty text has no words");
	check(count("a b a", "a") == 2, "a word that stands twice counts twice");
	check(count("a b a", "b") == 1, "a word that stands once counts once");
	check(count("aa aaa", "a") == 0, "a part of a word is no word");
	check(count("  a\t\nb  ", "b") == 1, "tabs, newlines and several blanks separate words");
	check(count("A a", "a") == 1, "capitals are other letters");
	check(count("end", "end") == 1, "the last word needs nothing behind it");
	check(count_distinct(10000) == 10000, "ten thousand different words stay different");
	printf("1..%d\n", number);
	return failures != 0;
}
