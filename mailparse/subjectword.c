/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/subjectword.h"

#include "mailparse/limits.h"

#include <stddef.h>
#include <string.h>

#define REROLL_MAX_MINOR 3u
#define KERNEL_FIRST 5u /* "v6.1" is a kernel */
#define KERNEL_LAST 7u
#define NUMBERED_MAX 30u   /* "#4711" is a bug */
#define WORD_MAX_BYTES 64u /* longer words are tags unread, which keeps this linear */

static const struct {
	const char *word;
	gsize offset; /* of the flag in Meaning */
} keywords[] = {
	{"PATCHSET", offsetof(Meaning, patch)}, {"PATCHES", offsetof(Meaning, patch)},
	{"PATCH", offsetof(Meaning, patch)},    {"RFC", offsetof(Meaning, rfc)},
	{"RESEND", offsetof(Meaning, resend)},  {"RESENT", offsetof(Meaning, resend)},
	{"RE-SEND", offsetof(Meaning, resend)}, {"REPOST", offsetof(Meaning, resend)},
	{"GIT-PULL", offsetof(Meaning, pull)},  {"PULL", offsetof(Meaning, pull)},
};

/* Before a number; the longest first. */
static const char *const version_words[] = {"version",   "ver.",    "ver",   "revision", "rev.",
					    "rev",       "attempt", "round", "take",     "try",
					    "iteration", "v.",      "v"};

/* "2nd try", "third version" */
static const char *const ordinals[] = {"1st", "2nd", "3rd", "4th", "5th",
				       "6th", "7th", "8th", "9th"};
static const char *const ordinal_words[] = {"first", "second",  "third",  "fourth", "fifth",
					    "sixth", "seventh", "eighth", "ninth"};

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

/* "RESEND2" is the second time, "RESEND2/3" a counter. */
static void skip_count(ByteCursor *cursor)
{
	ByteCursor ahead = *cursor;
	unsigned count;

	if (cursor_take_uint(&ahead, SERIES_MAX_PATCHES, &count) && cursor_peek(&ahead) != '/')
		*cursor = ahead;
}

static bool take_keyword(ByteCursor *cursor, Meaning *meaning)
{
	for (gsize i = 0; i < G_N_ELEMENTS(keywords); i++) {
		if (cursor_take_word(cursor, keywords[i].word)) {
			*(bool *)((char *)meaning + keywords[i].offset) = true;
			if (keywords[i].offset == offsetof(Meaning, resend))
				skip_count(cursor);
			return true;
		}
	}
	return false;
}

static bool take_version_word(ByteCursor *cursor)
{
	for (gsize i = 0; i < G_N_ELEMENTS(version_words); i++) {
		if (cursor_take_word(cursor, version_words[i]))
			return true;
	}
	return false;
}

/*
 * "v3", "V03", "ver3", "v2.1".  "v5.10" and the like name a kernel: nobody rerolls a part of a
 * series that often.
 */
static bool take_revision(ByteCursor *cursor, Meaning *meaning)
{
	ByteCursor ahead = *cursor;
	unsigned revision;
	unsigned minor = 0;

	if (!take_version_word(&ahead) || !cursor_take_uint(&ahead, SERIES_MAX_PATCHES, &revision))
		return false;

	bool dotted = cursor_take_char(&ahead, '.');
	if (dotted && revision >= KERNEL_FIRST && revision <= KERNEL_LAST)
		return false;
	if (dotted &&
	    (!cursor_take_uint(&ahead, REROLL_MAX_MINOR, &minor) || cursor_peek(&ahead) == '.'))
		return false;
	if (!meaning->has_revision || (meaning->is_dotted && !dotted)) {
		meaning->has_revision = true;
		meaning->is_dotted = dotted;
		meaning->revision = revision;
	}
	*cursor = ahead;
	return true;
}

static bool take_slash(ByteCursor *cursor)
{
	return cursor_take_char(cursor, '/') || cursor_take_char(cursor, '\\') ||
	       cursor_take_word(cursor, "-of-");
}

static bool take_counter(ByteCursor *cursor, Meaning *meaning)
{
	ByteCursor ahead = *cursor;
	unsigned number;
	unsigned total;

	cursor_take_char(&ahead, '#');
	if (!cursor_take_uint(&ahead, SERIES_MAX_PATCHES, &number) || !take_slash(&ahead) ||
	    !cursor_take_uint(&ahead, SERIES_MAX_PATCHES, &total) || total == 0 ||
	    meaning->numbered)
		return false;
	meaning->numbered = true;
	meaning->number = number;
	meaning->total = total;
	*cursor = ahead;
	return true;
}

/* After one piece of a word: its end, or a joint ("RFC-v2"), or nothing ("PATCHv2", "PATCH1/8"). */
static bool take_joint(ByteCursor *cursor)
{
	int c = cursor_peek(cursor);

	if (c > 0 && strchr("-_/|+:.&", c) != NULL)
		return cursor_skip(cursor, 1) && cursor_left(cursor) > 0;
	return c < 0 || is_digit(c) || c == 'v' || c == 'V';
}

bool meaning_read_word(ByteSlice word, Meaning *meaning)
{
	Meaning read = *meaning;
	ByteCursor cursor;

	cursor_init(&cursor, word.ptr, word.len);
	while (cursor_left(&cursor) > 0) {
		if (!take_keyword(&cursor, &read) && !take_revision(&cursor, &read) &&
		    !take_counter(&cursor, &read))
			return false;
		if (!take_joint(&cursor))
			return false;
	}
	*meaning = read;
	return true;
}

static bool slice_is(ByteSlice slice, const char *word)
{
	return slice.len == strlen(word) && slice_has_prefix(slice, word);
}

static bool is_number(ByteSlice word)
{
	for (gsize i = 0; i < word.len; i++) {
		if (!is_digit(word.ptr[i]))
			return false;
	}
	return word.len > 0;
}

/* A dotted version inside a longer word is a kernel: "v6.1-rc3", "for-v5.15". */
static bool read_part(ByteSlice part, Meaning *meaning)
{
	Meaning read = *meaning;

	if (!meaning_read_word(part, &read) || (read.is_dotted && !meaning->is_dotted))
		return false;
	*meaning = read;
	return true;
}

/* Splits "PATCH-for-6.9", "RFC/RFT", "iproute2-PATCH", "net-next-v2" into what we know and a tag.
 */
static ByteSlice split_off_known(ByteSlice word, Meaning *meaning)
{
	for (gsize i = 1; i + 1 < word.len; i++) {
		ByteSlice left = {.ptr = word.ptr, .len = i};
		ByteSlice right = {.ptr = word.ptr + i + 1, .len = word.len - i - 1};

		if (strchr("-_/|+:", word.ptr[i]) == NULL || slice_is(left, "for"))
			continue;
		if (read_part(left, meaning))
			return right;
		if (read_part(right, meaning))
			return left;
	}
	return word;
}

/* "-", "--", "|" between the words of a prefix say nothing. */
static bool is_joint(ByteSlice word)
{
	for (gsize i = 0; i < word.len; i++) {
		if (strchr("-|:.&+#/", word.ptr[i]) == NULL)
			return false;
	}
	return true;
}

/* "#2": whoever has forgotten "v". */
static bool read_numbered(ByteSlice word, Meaning *meaning)
{
	ByteCursor cursor;
	unsigned revision;

	cursor_init(&cursor, word.ptr, word.len);
	if (!cursor_take_char(&cursor, '#') ||
	    !cursor_take_uint(&cursor, NUMBERED_MAX, &revision) || cursor_left(&cursor) > 0)
		return false;
	if (!meaning->has_revision) {
		meaning->has_revision = true;
		meaning->revision = revision;
	}
	return true;
}

static void read_word(ByteSlice word, Meaning *meaning, GPtrArray *tags)
{
	ByteSlice tag = word;

	while (tag.len > 1 && tag.ptr[tag.len - 1] == ':')
		tag.len--;
	word = tag;
	if (is_joint(word) || read_numbered(word, meaning))
		return;
	if (word.len <= WORD_MAX_BYTES) {
		if (meaning_read_word(word, meaning))
			return;
		tag = split_off_known(word, meaning);
	}
	g_ptr_array_add(tags, g_strndup(tag.ptr, tag.len));
}

static GArray *split_words(ByteSlice text)
{
	GArray *words = g_array_new(FALSE, FALSE, sizeof(ByteSlice));
	ByteSlice word = {.ptr = text.ptr};

	for (gsize i = 0; i <= text.len; i++) {
		if (i < text.len && strchr(" ,;[]()", text.ptr[i]) == NULL) {
			word.len++;
			continue;
		}
		if (word.len > 0)
			g_array_append_val(words, word);
		word = (ByteSlice){.ptr = text.ptr + i + 1};
	}
	return words;
}

static ByteSlice word_at(const GArray *words, guint index)
{
	return index < words->len ? g_array_index(words, ByteSlice, index) : (ByteSlice){.ptr = ""};
}

static bool is_version_word(ByteSlice word)
{
	for (gsize i = 0; i < G_N_ELEMENTS(version_words); i++) {
		if (slice_is(word, version_words[i]))
			return true;
	}
	return false;
}

/* 0: @word is none. */
static unsigned ordinal_of(ByteSlice word)
{
	for (gsize i = 0; i < G_N_ELEMENTS(ordinals); i++) {
		if (slice_is(word, ordinals[i]) || slice_is(word, ordinal_words[i]))
			return (unsigned)i + 1;
	}
	return 0;
}

/*
 * What is one word for a person and several for us: "1 of 3", as Mercurial writes it, "1 / 3",
 * "1/ 3", "v 2", "ver #2", "take 2", "2nd try".
 *
 * Returns: how many words from @index on were read, 0 for none
 */
static guint read_spread(const GArray *words, guint index, Meaning *meaning)
{
	ByteSlice first = word_at(words, index);
	ByteSlice second = word_at(words, index + 1);
	ByteSlice third = word_at(words, index + 2);
	g_autofree char *whole = NULL;
	guint n = 2;

	if (ordinal_of(first) > 0 && is_version_word(second)) {
		whole = g_strdup_printf("v%u", ordinal_of(first));
	} else if (is_version_word(first)) {
		gsize sign = slice_has_prefix(second, "#") ? 1 : 0;
		whole = g_strdup_printf("v%.*s", (int)(second.len - sign), second.ptr + sign);
	} else if (is_number(first) && (slice_is(second, "of") || slice_is(second, "/")) &&
		   is_number(third)) {
		whole = g_strdup_printf("%.*s/%.*s", (int)first.len, first.ptr, (int)third.len,
					third.ptr);
		n = 3;
	} else if (is_number(first) && second.len > 1 && second.ptr[0] == '/' &&
		   is_number((ByteSlice){second.ptr + 1, second.len - 1})) {
		whole = g_strdup_printf("%.*s%.*s", (int)first.len, first.ptr, (int)second.len,
					second.ptr);
	} else if (first.len > 0 && first.ptr[first.len - 1] == '/' && is_number(second)) {
		whole = g_strdup_printf("%.*s%.*s", (int)first.len, first.ptr, (int)second.len,
					second.ptr);
	}
	return whole != NULL && meaning_read_word((ByteSlice){.ptr = whole, .len = strlen(whole)},
						  meaning)
		       ? n
		       : 0;
}

void meaning_read_words(ByteSlice text, Meaning *meaning, GPtrArray *tags)
{
	g_autoptr(GArray) words = split_words(text);

	for (guint i = 0; i < words->len; i++) {
		guint n = read_spread(words, i, meaning);

		if (n > 0)
			i += n - 1;
		else if (slice_is(word_at(words, i), "GIT") &&
			 slice_is(word_at(words, i + 1), "PULL"))
			continue;
		else if (meaning->pull && slice_is(word_at(words, i), "REQUEST"))
			continue;
		else
			read_word(word_at(words, i), meaning, tags);
	}
}
