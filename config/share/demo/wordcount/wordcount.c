/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "wordcount.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 512

struct entry {
	struct entry *next;
	unsigned long count;
	size_t len;
	char word[];
};

struct wordcount {
	struct entry *buckets[BUCKETS];
	size_t words;
};

static unsigned int hash_word(const char *word, size_t len)
{
	unsigned int hash = 5381;

	for (size_t i = 0; i < len; i++)
		hash = hash * 33 + (unsigned char)word[i];
	return hash;
}

struct wordcount *wordcount_new(void)
{
	return calloc(1, sizeof(struct wordcount));
}

void wordcount_free(struct wordcount *wc)
{
	if (!wc)
		return;
	for (size_t i = 0; i < BUCKETS; i++) {
		while (wc->buckets[i]) {
			struct entry *entry = wc->buckets[i];

			wc->buckets[i] = entry->next;
			free(entry);
		}
	}
	free(wc);
}

static int is_word(const struct entry *entry, const char *word, size_t len)
{
	return entry->len == len && memcmp(entry->word, word, len) == 0;
}

static struct entry *find(const struct wordcount *wc, const char *word, size_t len)
{
	struct entry *entry = wc->buckets[hash_word(word, len) % BUCKETS];

	while (entry && !is_word(entry, word, len))
		entry = entry->next;
	return entry;
}

static struct entry *insert(struct wordcount *wc, const char *word, size_t len)
{
	struct entry *entry = malloc(sizeof(*entry) + len);
	struct entry **link = &wc->buckets[hash_word(word, len) % BUCKETS];

	if (!entry)
		return NULL;
	while (*link)
		link = &(*link)->next;
	entry->next = NULL;
	entry->count = 0;
	entry->len = len;
	memcpy(entry->word, word, len);
	*link = entry;
	wc->words++;
	return entry;
}

int wordcount_add(struct wordcount *wc, const char *word, size_t len)
{
	struct entry *entry = find(wc, word, len);

	if (!entry)
		entry = insert(wc, word, len);
	if (!entry)
		return -1;
	entry->count++;
	return 0;
}

static int is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

int wordcount_add_text(struct wordcount *wc, const char *text, size_t len)
{
	size_t i = 0;

	while (i < len) {
		size_t start;

		while (i < len && is_blank(text[i]))
			i++;
		start = i;
		while (i < len && !is_blank(text[i]))
			i++;
		if (i > start && wordcount_add(wc, text + start, i - start))
			return -1;
	}
	return 0;
}

unsigned long wordcount_get(const struct wordcount *wc, const char *word, size_t len)
{
	const struct entry *entry = find(wc, word, len);

	return entry ? entry->count : 0;
}

void wordcount_get_stats(const struct wordcount *wc, struct wordcount_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	stats->buckets = BUCKETS;
	stats->words = wc->words;
	for (size_t i = 0; i < BUCKETS; i++) {
		size_t length = 0;

		for (const struct entry *entry = wc->buckets[i]; entry; entry = entry->next)
			length++;
		if (length == 0)
			stats->empty_buckets++;
		if (length > stats->longest_chain)
			stats->longest_chain = length;
	}
}
