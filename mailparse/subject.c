/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/subject.h"

#include "mailparse/cursor.h"
#include "mailparse/limits.h"
#include "mailparse/text.h"

#include <stddef.h>
#include <string.h>

#define FULL_WIDTH_COLON "\357\274\232"
#define REROLL_MAX_MINOR 3u
#define BARE_PREFIX_MAX_BYTES 64
#define WORD_MAX_BYTES 64u /* longer words are tags unread, which keeps this linear */

typedef enum {
	MARK_NONE,
	MARK_REPLY,
	MARK_FORWARD,
} Mark;

/*
 * What mailers put before a subject when its mail is answered or passed on.  A short mark that may
 * as well be the name of a subsystem ("res: fix a leak") counts only before a bracket.
 */
static const struct {
	const char *word;
	Mark mark;
	bool before_bracket;
} marks[] = {
	{"re", MARK_REPLY, false},     {"aw", MARK_REPLY, false},
	{"antw", MARK_REPLY, false},   {"antwort", MARK_REPLY, false},
	{"odp", MARK_REPLY, false},    {"ynt", MARK_REPLY, false},
	{"sv", MARK_REPLY, true},      {"vs", MARK_REPLY, true},
	{"res", MARK_REPLY, true},     {"ref", MARK_REPLY, true},
	{"rv", MARK_REPLY, true},      {"r", MARK_REPLY, true},
	{"回复", MARK_REPLY, false},   {"答复", MARK_REPLY, false},
	{"回覆", MARK_REPLY, false},   {"答覆", MARK_REPLY, false},
	{"返信", MARK_REPLY, false},   {"отв", MARK_REPLY, false},
	{"fwd", MARK_FORWARD, false},  {"fw", MARK_FORWARD, false},
	{"wg", MARK_FORWARD, false},   {"tr", MARK_FORWARD, true},
	{"转发", MARK_FORWARD, false}, {"轉寄", MARK_FORWARD, false},
	{"轉發", MARK_FORWARD, false},
};

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
	{"REPOST", offsetof(Meaning, resend)},  {"PULL", offsetof(Meaning, pull)},
};

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool take_keyword(ByteCursor *cursor, Meaning *meaning)
{
	for (gsize i = 0; i < G_N_ELEMENTS(keywords); i++) {
		if (cursor_take_word(cursor, keywords[i].word)) {
			*(bool *)((char *)meaning + keywords[i].offset) = true;
			return true;
		}
	}
	return false;
}

/*
 * "v3", "V03", "v2.1".  "v5.10" and the like name a kernel: nobody rerolls a part of a series that
 * often.
 */
static bool take_revision(ByteCursor *cursor, Meaning *meaning)
{
	ByteCursor ahead = *cursor;
	unsigned revision;
	unsigned minor = 0;

	if (!cursor_take_word(&ahead, "v") ||
	    !cursor_take_uint(&ahead, SERIES_MAX_PATCHES, &revision))
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

static bool take_counter(ByteCursor *cursor, Meaning *meaning)
{
	ByteCursor ahead = *cursor;
	unsigned number;
	unsigned total;

	if (!cursor_take_uint(&ahead, SERIES_MAX_PATCHES, &number) ||
	    !cursor_take_char(&ahead, '/') ||
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

static void read_word(ByteSlice word, Meaning *meaning, GPtrArray *tags)
{
	ByteSlice tag = word;

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

/* "1 of 3", as Mercurial writes it. */
static bool read_spoken_counter(const GArray *words, guint index, Meaning *meaning)
{
	ByteSlice number = word_at(words, index);
	ByteSlice total = word_at(words, index + 2);

	if (!is_number(number) || !slice_is(word_at(words, index + 1), "of") || !is_number(total))
		return false;

	g_autofree char *counter = g_strdup_printf("%.*s/%.*s", (int)number.len, number.ptr,
						   (int)total.len, total.ptr);
	return read_pieces((ByteSlice){.ptr = counter, .len = strlen(counter)}, meaning);
}

/* All words of one bracket. */
static void read_words(ByteSlice text, Meaning *meaning, GPtrArray *tags)
{
	g_autoptr(GArray) words = split_words(text);

	for (guint i = 0; i < words->len; i++) {
		if (read_spoken_counter(words, i, meaning))
			i += 2;
		else if (slice_is(word_at(words, i), "GIT") &&
			 slice_is(word_at(words, i + 1), "PULL"))
			continue;
		else if (meaning->pull && slice_is(word_at(words, i), "REQUEST"))
			continue;
		else
			read_word(word_at(words, i), meaning, tags);
	}
}

/* Length of the bracket at the start of @text with all that is nested in it; 0 when it never ends.
 */
static gsize bracket_len(const char *text)
{
	gsize depth = 0;

	for (gsize i = 0; text[i] != '\0'; i++) {
		if (text[i] == '[')
			depth++;
		else if (text[i] == ']' && --depth == 0)
			return i + 1;
	}
	const char *end = strchr(text, ']');
	return end ? (gsize)(end - text) + 1 : 0;
}

static bool has_prefix_nocase(const char *text, const char *utf8_prefix)
{
	return g_ascii_strncasecmp(text, utf8_prefix, strlen(utf8_prefix)) == 0;
}

/* "[2]", "(2)", "^2", blanks and the colon after a reply mark. Returns: their length, 0 for no mark
 */
static gsize mark_end_len(const char *text)
{
	gsize len = 0;

	if (text[0] == '[' || text[0] == '(' || text[0] == '^') {
		gsize n_digits = strspn(text + 1, "0123456789");

		len = 1 + n_digits;
		if (n_digits == 0 || (text[0] != '^' && strchr("])", text[len]) == NULL))
			return 0;
		len += text[0] != '^' ? 1 : 0;
	}
	len += strspn(text + len, " ");
	if (text[len] == ':')
		return len + 1;
	return has_prefix_nocase(text + len, FULL_WIDTH_COLON) ? len + strlen(FULL_WIDTH_COLON) : 0;
}

/* Returns: length of the reply or forward mark at the start of @text, 0 when there is none */
static gsize mark_len(const char *text, Mark *out_mark)
{
	for (gsize i = 0; i < G_N_ELEMENTS(marks); i++) {
		gsize len = strlen(marks[i].word);

		if (!has_prefix_nocase(text, marks[i].word) || mark_end_len(text + len) == 0)
			continue;
		len += mark_end_len(text + len);
		len += strspn(text + len, " ");
		if (marks[i].before_bracket && text[len] != '[')
			continue;
		*out_mark = marks[i].mark;
		return len;
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
		} else {
			return text;
		}
	}
}

/* "PATCH v3 1/2: foo: fix it", where the brackets were forgotten. Returns: the title */
static const char *read_bare_prefix(const char *text, Meaning *meaning, GPtrArray *tags)
{
	const char *colon = strchr(text, ':');
	g_autoptr(GPtrArray) bare_tags = g_ptr_array_new_with_free_func(g_free);
	Meaning bare = *meaning;

	if (colon == NULL || colon - text > BARE_PREFIX_MAX_BYTES ||
	    (!g_str_has_prefix(text, "PATCH") && !g_str_has_prefix(text, "RFC PATCH") &&
	     !g_str_has_prefix(text, "RESEND PATCH") && !g_str_has_prefix(text, "GIT PULL")))
		return text;
	read_words((ByteSlice){.ptr = text, .len = (gsize)(colon - text)}, &bare, bare_tags);
	if (bare_tags->len > 0 && !bare.numbered && !bare.has_revision)
		return text;
	*meaning = bare;
	g_ptr_array_extend_and_steal(tags, g_steal_pointer(&bare_tags));
	return colon + 1 + strspn(colon + 1, " ");
}

/* "foo: fix it (v3)", "foo: fix it [RESEND]": a hint that stays in the title. */
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
	ByteSlice hint = {.ptr = opening + 1, .len = (gsize)(title + len - 1 - (opening + 1))};
	if (hint.len == 0 || !read_pieces(hint, &read) || read.patch || read.pull)
		return;
	read_pieces(hint, meaning);
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

static char *prepare(const char *subject)
{
	g_autofree char *utf8 = text_to_utf8(subject, strnlen(subject, SUBJECT_MAX_BYTES), NULL);

	return text_tidy(utf8);
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
