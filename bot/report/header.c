/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/report/header.h"

#include "bot/report/clean.h"
#include "mailparse/mailbox.h"

#include <stdbool.h>
#include <string.h>

#define LINE_COLUMNS 78u     /* RFC 5322 section 2.1.1: should not be longer */
#define ENCODED_WORD_MAX 66u /* RFC 2047 section 2 allows 75; so "Subject: " fits before it */

void header_add(GString *out, const char *name, const char *value)
{
	g_string_append_printf(out, "%s: %s\n", name, value);
}

/* Adds @item, on a new line when the one at hand would grow too long. */
static void add_item(GString *out, gsize *column, const char *item)
{
	gsize len = strlen(item);

	if (*column + 1 + len > LINE_COLUMNS) {
		g_string_append(out, "\n ");
		*column = 1 + len;
	} else {
		g_string_append_c(out, ' ');
		*column += 1 + len;
	}
	g_string_append(out, item);
}

/* A blank is where a line may be folded; runs of blanks become one. */
static void add_words(GString *out, gsize *column, const char *text)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);

	for (guint i = 0; words[i] != NULL; i++) {
		if (*words[i] != '\0')
			add_item(out, column, words[i]);
	}
}

static gsize start(GString *out, const char *name)
{
	g_string_append_printf(out, "%s:", name);
	return strlen(name) + 1;
}

static void append_q(GString *word, const char *c, gsize len)
{
	if (len == 1 && g_ascii_isalnum(*c)) {
		g_string_append_c(word, *c);
		return;
	}
	if (len == 1 && *c == ' ') {
		g_string_append_c(word, '_');
		return;
	}
	for (gsize i = 0; i < len; i++)
		g_string_append_printf(word, "=%02X", (guchar)c[i]);
}

/* Encoded words, none with a part of a character (RFC 2047 section 5). */
static void add_encoded(GString *out, gsize *column, const char *text)
{
	const char *const head = "=?UTF-8?q?";

	for (const char *c = text; *c != '\0';) {
		g_autoptr(GString) word = g_string_new(head);
		for (; *c != '\0'; c = clean_next(c)) {
			g_autoptr(GString) next = g_string_new(NULL);
			append_q(next, c, (gsize)(clean_next(c) - c));
			if (word->len + next->len + 2 > ENCODED_WORD_MAX)
				break;
			g_string_append(word, next->str);
		}
		g_string_append(word, "?=");
		add_item(out, column, word->str);
	}
}

void header_add_text(GString *out, const char *name, const char *text)
{
	g_autofree char *line = clean_line(text);
	gsize column = start(out, name);

	if (!g_str_is_ascii(line) || strstr(line, "=?") != NULL) {
		add_encoded(out, &column, line);
	} else {
		add_words(out, &column, line);
	}
	g_string_append_c(out, '\n');
}

/* The name may be folded at its blanks; the address stays byte for byte what it is. */
static void add_mailbox(GString *out, gsize *column, const Mailbox *mailbox, const char *end)
{
	g_autofree char *text = mailbox_to_header(mailbox);
	gsize n_addr = strlen(mailbox->addr) + (*mailbox->name == '\0' ? 0 : strlen("<>"));
	gsize n_name = strlen(text) - n_addr;
	g_autofree char *name = g_strndup(text, n_name);
	g_autofree char *addr = g_strconcat(text + n_name, end, NULL);

	add_words(out, column, name);
	add_item(out, column, addr);
}

void header_add_mailboxes(GString *out, const char *name, const GPtrArray *mailboxes)
{
	if (mailboxes->len == 0)
		return;

	gsize column = start(out, name);
	for (guint i = 0; i < mailboxes->len; i++) {
		add_mailbox(out, &column, g_ptr_array_index(mailboxes, i),
			    i + 1 < mailboxes->len ? "," : "");
	}
	g_string_append_c(out, '\n');
}

void header_add_ids(GString *out, const char *name, const GPtrArray *ids)
{
	if (ids->len == 0)
		return;

	gsize column = start(out, name);
	for (guint i = 0; i < ids->len; i++) {
		g_autofree char *item = g_strconcat("<", g_ptr_array_index(ids, i), ">", NULL);
		add_item(out, &column, item);
	}
	g_string_append_c(out, '\n');
}
