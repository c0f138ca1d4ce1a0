/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/subject.h"

#include "mailparse/limits.h"
#include "mailparse/subjectmark.h"
#include "mailparse/subjectword.h"
#include "mailparse/text.h"

#include <string.h>

#define BARE_PREFIX_MAX_BYTES 64
#define BRACKET_MAX_BYTES 512u

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
	meaning_read_words((ByteSlice){.ptr = text, .len = end}, &read, unread);
	if (unread->len > 0 || !(read.patch || read.rfc || read.resend))
		return 0;
	meaning_read_words((ByteSlice){.ptr = text, .len = end}, meaning, unread);
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
		meaning_read_words(words, &read, unread);
		if (!read.patch && !pairs[i].of_gateway)
			return 0;
		meaning_read_words(words, meaning, tags);
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
				meaning_read_words((ByteSlice){.ptr = text + 1, .len = len - 2},
						   meaning, tags);
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
		if (word[len] == '\0' ||
		    !meaning_read_word((ByteSlice){.ptr = word, .len = len}, &read))
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
	meaning_read_words((ByteSlice){.ptr = text, .len = (gsize)(colon - text)}, &bare,
			   bare_tags);
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
	meaning_read_words(hint, &read, unread);
	/* A ratio, or a revision of some hardware. */
	bool other = (read.numbered && read.number > read.total) || slice_has_prefix(hint, "rev");
	if (unread->len == 0 && !read.patch && !read.pull && !other)
		meaning_read_words(hint, meaning, unread);
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
#define NO_BREAK_SPACE 0xa0u
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
		if (!narrow && (c == IDEOGRAPHIC_SPACE || c == NO_BREAK_SPACE))
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
	g_autofree char *text = strstr(tidy, "\xef\xbc") == NULL && strstr(tidy, "\xc2\xa0") == NULL
					? g_steal_pointer(&tidy)
					: narrow_prefix(tidy);
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
