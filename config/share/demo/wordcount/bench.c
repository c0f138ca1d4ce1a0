/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * bench [WORDS] - how many words a second does the counter count?
 *
 * The text is made up, always the same, with few frequent and many rare words.  It is counted
 * again and again for a third of a second; the fastest counts, in CPU time: what else runs on the
 * machine can only slow one down.  Prints "name value" a line.
 */

#include "wordcount.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define VOCABULARY 8192
#define WORD_MAX 12
#define MIN_REPETITIONS 20
#define BUDGET_SECONDS 0.35

static uint32_t random_state = 12345;

static uint32_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return random_state;
}

static size_t make_word(uint32_t number, char *word)
{
	static const char syllables[16][4] = {"ba", "ce", "di", "fo", "gu", "ha", "je", "ki",
					      "lo", "mu", "na", "pe", "ri", "so", "tu", "wa"};
	size_t len = 0;

	do {
		memcpy(word + len, syllables[number % 16], 2);
		len += 2;
		number /= 16;
	} while (number);
	return len;
}

/* The smaller of two random numbers is often small: some words are more frequent than others. */
static uint32_t pick_word(void)
{
	uint32_t a = next_random() % VOCABULARY;
	uint32_t b = next_random() % VOCABULARY;

	return a < b ? a : b;
}

static char *make_text(size_t words, size_t *len)
{
	char *text = malloc(words * (WORD_MAX + 1) + 1);

	*len = 0;
	for (size_t i = 0; text && i < words; i++) {
		*len += make_word(pick_word(), text + *len);
		text[(*len)++] = i % 10 == 9 ? '\n' : ' ';
	}
	return text;
}

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static double elapsed_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* CPU seconds of one counting; negative: no memory. */
static double count_once(const char *text, size_t len, struct wordcount_stats *stats)
{
	double start = cpu_seconds();
	struct wordcount *wc = wordcount_new();
	int failed = !wc || wordcount_add_text(wc, text, len);
	double seconds = cpu_seconds() - start;

	if (!failed)
		wordcount_get_stats(wc, stats);
	wordcount_free(wc);
	return failed ? -1 : seconds;
}

static void print_usage(double start)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	printf("user_seconds %.4f\n", usage.ru_utime.tv_sec + usage.ru_utime.tv_usec / 1e6);
	printf("system_seconds %.4f\n", usage.ru_stime.tv_sec + usage.ru_stime.tv_usec / 1e6);
	printf("elapsed_seconds %.4f\n", elapsed_seconds() - start);
	printf("max_rss_kb %ld\n", usage.ru_maxrss);
	printf("minor_faults %ld\n", usage.ru_minflt);
	printf("voluntary_switches %ld\n", usage.ru_nvcsw);
	printf("involuntary_switches %ld\n", usage.ru_nivcsw);
}

int main(int argc, char **argv)
{
	size_t words = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000;
	double start = elapsed_seconds(), best = 0, sum = 0;
	struct wordcount_stats stats;
	unsigned int repetitions = 0;
	size_t len;
	char *text;

	if (words < 1000 || words > 10000000) {
		fprintf(stderr, "bench: %s words? 1000 to 10000000\n", argv[1]);
		return 2;
	}
	text = make_text(words, &len);
	while (repetitions < MIN_REPETITIONS || sum < BUDGET_SECONDS) {
		double seconds = text ? count_once(text, len, &stats) : -1;

		if (seconds < 0) {
			fprintf(stderr, "bench: no memory\n");
			return 1;
		}
		sum += seconds;
		if (repetitions++ == 0 || seconds < best)
			best = seconds;
	}
	free(text);

	printf("words_per_sec %.0f\n", words / best);
	printf("mean_words_per_sec %.0f\n", words * (double)repetitions / sum);
	printf("ns_per_word %.3f\n", best / words * 1e9);
	printf("repetitions %u\n", repetitions);
	printf("distinct_words %zu\n", stats.words);
	printf("buckets %zu\n", stats.buckets);
	printf("load_factor %.3f\n", (double)stats.words / stats.buckets);
	printf("empty_buckets %zu\n", stats.empty_buckets);
	printf("longest_chain %zu\n", stats.longest_chain);
	print_usage(start);
	return 0;
}
