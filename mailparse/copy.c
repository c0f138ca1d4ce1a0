/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/copy.h"

#include "mailparse/bodyhash.h"
#include "mailparse/line.h"
#include "mailparse/message.h"
#include "mailparse/subject.h"
#include "mailparse/text.h"

#include <string.h>

/* What is longer is taken for the writer's. */
#define FOOTER_MAX_LINES 15u
#define FOOTER_MAX_BYTES 2000u

/* ---- one copy ---- */

typedef struct {
	const char *bytes;
	gsize len;
	Header *header;
	const char *body;
	gsize body_len;
	char *subject; /* "" when none */
	char *from;    /* "" when none */
} Copy;

static void copy_clear(Copy *copy)
{
	g_clear_pointer(&copy->header, header_unref);
	g_free(copy->subject);
	g_free(copy->from);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Copy, copy_clear)

static bool copy_init(Copy *copy, GBytes *bytes)
{
	ByteCursor cursor;

	copy->bytes = g_bytes_get_data(bytes, &copy->len);
	cursor_init(&cursor, copy->bytes, copy->len);
	header_skip_start(&cursor);
	copy->header = header_read(&cursor, NULL);
	if (copy->header == NULL)
		return false;
	copy->body = copy->bytes + cursor.pos;
	copy->body_len = copy->len - cursor.pos;
	copy->subject = header_get_text(copy->header, "Subject");
	copy->from = header_get_text(copy->header, "From");
	if (copy->subject == NULL)
		copy->subject = g_strdup("");
	if (copy->from == NULL)
		copy->from = g_strdup("");
	return true;
}

/* Without CR, and without white space at the end. */
static bool bodies_equal(const Copy *first, const Copy *second)
{
	const char *a = first->body, *b = second->body;
	gsize a_len = first->body_len, b_len = second->body_len, i = 0, j = 0;

	while (a_len > 0 && g_ascii_isspace(a[a_len - 1]))
		a_len--;
	while (b_len > 0 && g_ascii_isspace(b[b_len - 1]))
		b_len--;
	for (;; i++, j++) {
		while (i < a_len && a[i] == '\r')
			i++;
		while (j < b_len && b[j] == '\r')
			j++;
		if (i >= a_len || j >= b_len)
			return i >= a_len && j >= b_len;
		if (a[i] != b[j])
			return false;
	}
}

/* ---- one way to differ: which copy lacks the alteration? ---- */

typedef enum { FIRST = -1, NEITHER = 0, SECOND = 1, UNRELATED = 2 } Purer;

/* A list that has to (DMARC) writes its own address into From and the writer's elsewhere. */
static bool names_writer(const Copy *listed, const Mailbox *writer)
{
	static const char *const fields[] = {"X-Original-From", "Reply-To"};

	for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
		g_autofree char *value = header_get(listed->header, fields[i]);
		g_autoptr(Mailbox) named = value == NULL ? NULL : mailbox_parse(value, NULL);
		if (named != NULL && g_strcmp0(named->addr, writer->addr) == 0)
			return true;
	}
	return false;
}

static Purer purer_sender(const Copy *first, const Message *a, const Copy *second, const Message *b)
{
	if (a->from == NULL || b->from == NULL)
		return a->from == b->from ? NEITHER : UNRELATED;
	if (strcmp(a->from->addr, b->from->addr) == 0)
		return NEITHER;
	if (names_writer(first, b->from))
		return SECOND;
	return names_writer(second, a->from) ? FIRST : UNRELATED;
}

/* What stands in the brackets makes no patch of a mail: then it is the writer's. */
static bool is_list_tag(const char *bracket, gsize len)
{
	g_autofree char *alone = g_strdup_printf("%.*s x", (int)len, bracket);
	g_autoptr(SubjectPrefix) prefix = subject_parse(alone);

	return !prefix->is_patch && !prefix->is_pull && !prefix->numbered;
}

/* Is @tagged the subject @plain with one more "[...]"? */
static bool has_tag(const char *tagged, const char *plain)
{
	const char *open = strchr(tagged, '[');

	for (unsigned n = 0; open != NULL && n < 16; n++, open = strchr(open + 1, '[')) {
		gsize before = (gsize)(open - tagged);
		const char *close = strchr(open, ']');
		if (close == NULL || strncmp(tagged, plain, before) != 0)
			return false;
		if (strcmp(close + 1 + strspn(close + 1, " "), plain + before) == 0 &&
		    is_list_tag(open, (gsize)(close + 1 - open)))
			return true;
	}
	return false;
}

static Purer purer_subject(const char *first, const char *second)
{
	if (strcmp(first, second) == 0)
		return NEITHER;
	if (has_tag(first, second))
		return SECOND;
	return has_tag(second, first) ? FIRST : UNRELATED;
}

static void trim_end(GString *text)
{
	while (text->len > 0 && g_ascii_isspace(text->str[text->len - 1]))
		g_string_truncate(text, text->len - 1);
}

/* All that can be read, decoded, part by part; no white space at its end. */
static GString *text_of(const Message *message)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < message->parts->len; i++) {
		const MessagePart *part = message->parts->pdata[i];
		gsize len = 0;
		const char *bytes = g_bytes_get_data(part->bytes, &len);
		if (part->alternative)
			continue;
		g_string_append_len(text, part->text != NULL ? part->text : bytes,
				    (gssize)(part->text != NULL ? strlen(part->text) : len));
		trim_end(text);
		g_string_append_c(text, '\n');
	}
	trim_end(text);
	return text;
}

static bool is_ruler(const Line *line)
{
	Line left = line_chomp(*line);

	while (left.len > 0 && strchr("_-=*#~ ", left.text[left.len - 1]) != NULL)
		left.len--;
	return left.len == 0 && line->len >= 2;
}

/* What follows a text: below its last line a ruler and a few lines that are no patch. */
static bool is_footer(const char *tail, gsize len)
{
	gsize pos = 0;
	unsigned n_lines = 0;
	Line line;

	if (!line_next(tail, len, &pos, &line) || !line_is_blank(&line))
		return false;
	while (line_next(tail, len, &pos, &line)) {
		if (n_lines == 0 && line_is_blank(&line))
			continue;
		if (n_lines++ == 0 ? !is_ruler(&line)
				   : line_starts(&line, "diff ") || line_starts(&line, "@@"))
			return false;
	}
	return n_lines <= FOOTER_MAX_LINES && len <= FOOTER_MAX_BYTES && !text_has_diff(tail, len);
}

static Purer purer_text(const GString *first, const GString *second)
{
	gsize shared = MIN(first->len, second->len);

	if (memcmp(first->str, second->str, shared) != 0)
		return UNRELATED;
	if (first->len == second->len)
		return NEITHER;
	if (first->len > second->len)
		return is_footer(first->str + shared, first->len - shared) ? SECOND : UNRELATED;
	return is_footer(second->str + shared, second->len - shared) ? FIRST : UNRELATED;
}

static BodyState state_of(const Copy *copy, const Message *message)
{
	const char *at = message->from == NULL ? NULL : strrchr(message->from->addr, '@');

	return at == NULL ? BODY_UNSIGNED
			  : bodyhash_check(copy->header, at + 1, copy->body, copy->body_len);
}

static Purer purer_body(const Copy *first, const Message *a, const Copy *second, const Message *b)
{
	int difference = (int)state_of(second, b) - (int)state_of(first, a);

	return difference == 0 ? NEITHER : difference > 0 ? SECOND : FIRST;
}

/* ---- both ---- */

static CopyDifference compare_altered(const Copy *first, const Message *a, const Copy *second,
				      const Message *b)
{
	static const char *const what[] = {
		"another address in From, as lists write it",
		"other bytes of the same text",
		"a tag in the subject",
		"a footer",
	};
	g_autoptr(GString) a_text = text_of(a);
	g_autoptr(GString) b_text = text_of(b);
	const Purer purer[] = {
		purer_sender(first, a, second, b),
		purer_body(first, a, second, b),
		purer_subject(first->subject, second->subject),
		purer_text(a_text, b_text),
	};
	CopyDifference difference = {COPY_ALTERED, false, what[1]};

	for (gsize i = G_N_ELEMENTS(purer); i-- > 0;) {
		if (purer[i] == UNRELATED)
			return (CopyDifference){COPY_OTHER, false,
						"another sender, subject or text"};
		if (purer[i] == NEITHER)
			continue;
		difference.better = purer[i] == SECOND;
		/* The body differs with its footer; that says more. */
		if (i != 1 || difference.what == what[1])
			difference.what = what[i];
	}
	return difference;
}

CopyDifference copy_compare(GBytes *first_bytes, GBytes *second_bytes)
{
	static const CopyDifference unread = {COPY_OTHER, false, "bytes that cannot be read"};
	g_auto(Copy) first = {0};
	g_auto(Copy) second = {0};

	if (!copy_init(&first, first_bytes) || !copy_init(&second, second_bytes))
		return unread;
	if (strcmp(first.subject, second.subject) == 0 && strcmp(first.from, second.from) == 0 &&
	    bodies_equal(&first, &second))
		return (CopyDifference){COPY_SAME, false, NULL};

	g_autoptr(Message) a = message_parse((const guint8 *)first.bytes, first.len, NULL);
	g_autoptr(Message) b = message_parse((const guint8 *)second.bytes, second.len, NULL);
	return a == NULL || b == NULL ? unread : compare_altered(&first, a, &second, b);
}
