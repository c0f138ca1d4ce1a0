/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WORDCOUNT_H
#define WORDCOUNT_H

/*
 * wordcount - how often does each word stand in a text?
 *
 * A word is a run of bytes other than blank, tab and newline.
 */

#include <stddef.h>

struct wordcount;

struct wordcount_stats {
	size_t buckets;
	size_t words;		/* different ones */
	size_t empty_buckets;
	size_t longest_chain;
};

/* NULL: no memory. */
struct wordcount *wordcount_new(void);
void wordcount_free(struct wordcount *wc);

/* 0, or -1: no memory. */
int wordcount_add(struct wordcount *wc, const char *word, size_t len);
int wordcount_add_text(struct wordcount *wc, const char *text, size_t len);

/* How often the word was added; 0 for one never seen. */
unsigned long wordcount_get(const struct wordcount *wc, const char *word, size_t len);

void wordcount_get_stats(const struct wordcount *wc, struct wordcount_stats *stats);

#endif
