/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/subject.h"

#include "mailparse/cursor.h"
#include "mailparse/limits.h"
#include "mailparse/subjectmark.h"
#include "mailparse/text.h"

#include <stddef.h>
#include <string.h>

#define REROLL_MAX_MINOR 3u
#define BARE_PREFIX_MAX_BYTES 64
#define BRACKET_MAX_BYTES 512u
#define WORD_MAX_BYTES 64u /* longer words are tags unread, which keeps this linear */

/* What one word says, or several together. */
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

/* Returns: true when the whole of @word was understood; then only is @meaning changed */
static bool read_pieces(ByteSlice word, Meaning *meaning)
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

	if (!read_pieces(part, &read) || (read.is_dotted && !meaning->is_dotted))
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
	    !cursor_take_uint(&cursor, SERIES_MAX_PATCHES, &revision) || cursor_left(&cursor) > 0)
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

	if (is_joint(word) || read_numbered(word, meaning))
		return;
	if (word.len <= WORD_MAX_BYTES) {
		if (read_pieces(word, meaning))
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
	} else if (first.len > 0 && first.ptr[first.len - 1] == '/' && is_number(second)) {
		whole = g_strdup_printf("%.*s%.*s", (int)first.len, first.ptr, (int)second.len,
					second.ptr);
	}
	return whole != NULL &&
			       read_pieces((ByteSlice){.ptr = whole, .len = strlen(whole)}, meaning)
		       ? n
		       : 0;
}

/* All words of one bracket. */
static void read_words(ByteSlice text, Meaning *meaning, GPtrArray *tags)
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

/*
 * Length of the bracket at the start of @text with all that is nested in it; 0 when it never ends.
 * No deeper look than BRACKET_MAX_BYTES: each of many that nest badly would look at all the rest.
 */
static gsize bracket_len(const char *text)
{
	gsize depth = 0;

	for (gsize i = 0; i < BRACKET_MAX_BYTES && text[i] != '\0'; i++) {
		if (text[i] == '[')
			depth++;
		else if (text[i] == ']' && --depth == 0)
			return i + 1;
	}
	const char *end = strchr(text, ']');
	return end ? (gsize)(end - text) + 1 : 0;
}

/* "RESEND: [PATCH 1/2]", "PATCH[v2 1/2]": words of the prefix before its bracket. */
static gsize words_before_bracket(const char *text, Meaning *meaning)
{
	gsize len = strcspn(text, "[");
	gsize end = MIN(len, BARE_PREFIX_MAX_BYTES);
	g_autoptr(GPtrArray) unread = g_ptr_array_new_with_free_func(g_free);
	Meaning read = {0};

	if (!g_ascii_isupper(text[0]) || text[len] != '[' || end < len)
		return 0;
	while (end > 0 && strchr(" :", text[end - 1]) != NULL)
		end--;
	read_words((ByteSlice){.ptr = text, .len = end}, &read, unread);
	if (unread->len > 0 || !(read.patch || read.rfc || read.resend))
		return 0;
	read_words((ByteSlice){.ptr = text, .len = end}, meaning, unread);
	return len;
}

/* "(PATCH 1/2)", "{PATCH 1/2}", which need the word, and a gateway's "【external】". */
static gsize odd_bracket_len(const char *text, Meaning *meaning, GPtrArray *tags)
{
	static const struct {
		const char *opening, *closing;
		bool of_gateway;
	} pairs[] = {{"(", ")", false}, {"{", "}", false}, {"【", "】", true}};

	for (gsize i = 0; i < G_N_ELEMENTS(pairs); i++) {
		const char *inside = text + strlen(pairs[i].opening);
		const char *end = g_str_has_prefix(text, pairs[i].opening)
					  ? strstr(inside, pairs[i].closing)
					  : NULL;
		g_autoptr(GPtrArray) unread = g_ptr_array_new_with_free_func(g_free);
		Meaning read = {0};

		if (end == NULL)
			continue;
		ByteSlice words = {.ptr = inside, .len = (gsize)(end - inside)};
		read_words(words, &read, unread);
		if (!read.patch && !pairs[i].of_gateway)
			return 0;
		read_words(words, meaning, tags);
		return (gsize)(end - text) + strlen(pairs[i].closing);
	}
	return 0;
}

/*
 * Over all brackets, reply marks and stray colons at the start of @text.  A reply mark below a
 * counter or a version is no answer: "[PATCH v3 0/1] Re: [PATCH 1/2] m: x" is a posting that bears
 * the title of what it answers, and neither the marks nor the brackets in that title are its own.
 *
 * Returns: the title
 */
static const char *read_prefix(const char *text, SubjectPrefix *prefix, Meaning *meaning,
			       GPtrArray *tags)
{
	bool cited = false;
	gsize len;
	Mark mark;

	for (;;) {
		text += strspn(text, " :");
		if (*text == '[' && (len = bracket_len(text)) > 0) {
			if (!cited)
				read_words((ByteSlice){.ptr = text + 1, .len = len - 2}, meaning,
					   tags);
			text += len;
		} else if ((len = mark_len(text, &mark)) > 0) {
			cited = cited || meaning->numbered || meaning->has_revision;
			prefix->is_reply = prefix->is_reply || (mark == MARK_REPLY && !cited);
			prefix->is_forward = prefix->is_forward || (mark == MARK_FORWARD && !cited);
			text += len;
		} else if ((len = stamp_len(text)) > 0 ||
			   (!cited && ((len = words_before_bracket(text, meaning)) > 0 ||
				       (len = odd_bracket_len(text, meaning, tags)) > 0))) {
			text += len;
		} else {
			return text;
		}
	}
}

/* "[PATCH v3 1/2 foo: fix it", whose bracket never ends: as many words as can be understood. */
static const char *read_open_prefix(const char *text, Meaning *meaning)
{
	Meaning read = *meaning;
	const char *at = text + 1;

	if (text[0] != '[' || strchr(text, ']') != NULL)
		return text;
	for (;;) {
		const char *word = at + strspn(at, " ,");
		gsize len = strcspn(word, " ,");
		if (word[len] == '\0' || !read_pieces((ByteSlice){.ptr = word, .len = len}, &read))
			break;
		at = word + len;
	}
	if (!read.patch)
		return text;
	*meaning = read;
	return at + strspn(at, " ,:");
}

/*
 * "PATCH v3 1/2: foo: fix it", "PATCH v3 1/2] foo: fix it", where brackets were forgotten. Returns:
 * the title
 */
static const char *read_bare_prefix(const char *text, Meaning *meaning, GPtrArray *tags)
{
	const char *colon = strpbrk(text, ":[]");
	g_autoptr(GPtrArray) bare_tags = g_ptr_array_new_with_free_func(g_free);
	Meaning bare = *meaning;

	if (colon == NULL || *colon == '[' || colon - text > BARE_PREFIX_MAX_BYTES ||
	    (!g_str_has_prefix(text, "PATCH") && !g_str_has_prefix(text, "RFC PATCH") &&
	     !g_str_has_prefix(text, "RESEND PATCH") && !g_str_has_prefix(text, "GIT PULL")))
		return text;
	read_words((ByteSlice){.ptr = text, .len = (gsize)(colon - text)}, &bare, bare_tags);
	if (bare_tags->len > 0 && !bare.numbered && !bare.has_revision)
		return text;
	*meaning = bare;
	g_ptr_array_extend_and_steal(tags, g_steal_pointer(&bare_tags));
	return colon + 1 + strspn(colon + 1, " :");
}

/* "foo: fix it (v3)", "foo: fix it [ver #2]": a hint that stays in the title. */
static void read_title_end(const char *title, Meaning *meaning)
{
	gsize len = strlen(title);
	char closing = len > 0 ? title[len - 1] : '\0';
	const char *opening = closing == ')' ? strrchr(title, '(') : NULL;

	if (closing == ']')
		opening = strrchr(title, '[');
	if (opening == NULL)
		return;

	Meaning read = {0};
	g_autoptr(GPtrArray) unread = g_ptr_array_new_with_free_func(g_free);
	ByteSlice hint = {.ptr = opening + 1, .len = (gsize)(title + len - 1 - (opening + 1))};
	read_words(hint, &read, unread);
	if (unread->len == 0 && !read.patch && !read.pull)
		read_words(hint, meaning, unread);
}

static void apply_meaning(SubjectPrefix *prefix, const Meaning *meaning)
{
	prefix->rfc = meaning->rfc;
	prefix->resend = meaning->resend;
	prefix->is_pull = meaning->pull;
	prefix->numbered = meaning->numbered;
	prefix->revision = meaning->has_revision ? meaning->revision : 1;
	prefix->number = meaning->numbered ? meaning->number : 1;
	prefix->total = meaning->numbered ? meaning->total : 1;
	prefix->is_patch =
		meaning->patch ||
		(!meaning->pull && (meaning->rfc || meaning->numbered || meaning->has_revision));
}

#define FULL_WIDTH_FIRST 0xff01u
#define FULL_WIDTH_LAST 0xff5eu
#define IDEOGRAPHIC_SPACE 0x3000u
#define PREFIX_MAX_BYTES 128

/* What an input method makes of "[PATCH 1/3]"; the title stays as it was typed. */
static char *narrow_prefix(const char *text)
{
	const char *end = g_strstr_len(text, PREFIX_MAX_BYTES, "\uff3d");
	GString *out = g_string_new(NULL);

	if (end == NULL)
		end = strchr(text, ']');
	for (const char *at = text; *at != '\0'; at += g_utf8_skip[(guchar)*at]) {
		gunichar c = g_utf8_get_char(at);
		bool narrow = end == NULL || at > end;
		if (!narrow && c == IDEOGRAPHIC_SPACE)
			c = ' ';
		else if (!narrow && c >= FULL_WIDTH_FIRST && c <= FULL_WIDTH_LAST)
			c -= FULL_WIDTH_FIRST - '!';
		g_string_append_unichar(out, c);
	}
	return g_string_free(out, FALSE);
}

/* "[Fwd: [PATCH] m: x]", as some mailers pass mail on, is "Fwd: [PATCH] m: x". */
static char *prepare(const char *subject)
{
	g_autofree char *utf8 = text_to_utf8(subject, strnlen(subject, SUBJECT_MAX_BYTES), NULL);
	g_autofree char *tidy = text_tidy(utf8);
	g_autofree char *text =
		strstr(tidy, "\xef\xbc") == NULL ? g_steal_pointer(&tidy) : narrow_prefix(tidy);
	gsize len = strlen(text);
	Mark mark;

	if (len > 2 && text[0] == '[' && text[len - 1] == ']' && mark_len(text + 1, &mark) > 0)
		return g_strndup(text + 1, len - 2);
	return g_steal_pointer(&text);
}

SubjectPrefix *subject_parse(const char *subject)
{
	SubjectPrefix *prefix = g_new0(SubjectPrefix, 1);
	g_autofree char *text = prepare(subject ? subject : "");
	GPtrArray *tags = g_ptr_array_new();
	Meaning meaning = {0};

	const char *title = read_prefix(text, prefix, &meaning, tags);
	if (!meaning.patch)
		title = read_bare_prefix(title, &meaning, tags);
	if (!meaning.patch)
		title = read_open_prefix(title, &meaning);
	if (meaning.patch || meaning.numbered)
		read_title_end(title, &meaning);
	apply_meaning(prefix, &meaning);
	prefix->title = g_strdup(title);
	g_ptr_array_add(tags, NULL);
	prefix->tags = (GStrv)g_ptr_array_free(tags, FALSE);
	return prefix;
}

void subject_free(SubjectPrefix *prefix)
{
	if (prefix == NULL)
		return;
	g_strfreev(prefix->tags);
	g_free(prefix->title);
	g_free(prefix);
}
