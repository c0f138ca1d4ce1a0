/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * subjectword - what the words of a subject's prefix mean: "PATCH", "v2", "1/3", "RESEND", a tag.
 *
 * In all the spellings that people give them.  Private to subject.c.
 */

#include "mailparse/cursor.h"

#include <stdbool.h>

/* What one word says, or several together; what is said first counts. */
typedef struct {
	bool patch;
	bool rfc;
	bool resend;
	bool pull;
	bool has_revision;
	bool is_dotted; /* "v2.1", which counts when nothing plainer was said */
	unsigned revision;
	bool numbered;
	unsigned number;
	unsigned total;
} Meaning;

/** meaning_read_word: false when @word is not wholly understood; @io_meaning is then unchanged. */
bool meaning_read_word(ByteSlice word, Meaning *io_meaning);

/**
 * meaning_read_words: all words of one bracket.
 * @io_tags: (element-type utf8): gets those that mean nothing to us
 */
void meaning_read_words(ByteSlice text, Meaning *io_meaning, GPtrArray *io_tags);
