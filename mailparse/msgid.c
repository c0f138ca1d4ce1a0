/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/msgid.h"

#include "mailparse/cursor.h"
#include "mailparse/lex.h"
#include "mailparse/limits.h"

#include <string.h>

#define SYNTHETIC_DOMAIN "@synthetic.invalid"
#define SYNTHETIC_HEX 32u

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* NULL unless @id is made of visible ASCII of an allowed length. */
static char *check_id(GString *id)
{
	bool good = id->len > 0 && id->len <= MSGID_MAX_BYTES;

	for (gsize i = 0; good && i < id->len; i++)
		good = id->str[i] > ' ' && id->str[i] < 0x7f;
	return g_string_free(id, !good);
}

/*
 * From the '<' at @pos.  A blank before another '<' means that the first was never closed (cut
 * References): the later one counts.  "<<id>>" is "<id>".
 */
static char *take_bracketed(const Lexer *lexer, gsize pos, gsize *out_end)
{
	GString *id = g_string_new(NULL);
	gsize i;

	for (i = pos + 1; i < lexer->len && lexer->text[i] != '>'; i++) {
		char c = lexer->text[i];

		if (c == '<' && (id->len == 0 || is_blank(lexer->text[i - 1])))
			g_string_truncate(id, 0);
		else if (!is_blank(c))
			g_string_append_c(id, c);
	}
	*out_end = MIN(i + 1, lexer->len);
	if (i >= lexer->len)
		g_string_truncate(id, 0);
	return check_id(id);
}

static char *take_bare(const Lexer *lexer, gsize pos)
{
	gsize end = pos;

	/* A "(" right behind a letter is a part of the id: "a(b)c@example.org" is a real one. */
	while (end < lexer->len && !is_blank(lexer->text[end]) &&
	       strchr("<>", lexer->text[end]) == NULL)
		end++;
	return check_id(g_string_new_len(lexer->text + pos, (gssize)(end - pos)));
}

char *msgid_canonical(const char *text)
{
	gsize pos = 0;
	gsize end;
	Lexer lexer;

	lexer_init(&lexer, text, strlen(text));
	while (pos < lexer.len) {
		if (is_blank(text[pos]))
			pos++;
		else if (text[pos] == '(' && (end = lexer_comment_end(&lexer, pos)) != 0)
			pos = end;
		else
			break;
	}
	if (pos < lexer.len && text[pos] == '<' && memchr(text + pos, '>', lexer.len - pos) != NULL)
		return take_bracketed(&lexer, pos, &end);
	while (pos < lexer.len && text[pos] == '<')
		pos++;
	return take_bare(&lexer, pos);
}

char *msgid_bare(const char *text)
{
	g_autofree char *trimmed = g_strstrip(g_strdup(text));
	gsize len = strlen(trimmed);
	bool bracketed = len > 2 && *trimmed == '<' && trimmed[len - 1] == '>';
	g_autofree char *id =
		bracketed ? g_strndup(trimmed + 1, len - 2) : g_steal_pointer(&trimmed);

	return msgid_is_canonical(id) ? g_steal_pointer(&id) : NULL;
}

bool msgid_is_canonical(const char *id)
{
	gsize len = 0;

	for (; id[len] != '\0'; len++) {
		if (id[len] <= ' ' || id[len] >= 0x7f || id[len] == '>')
			return false;
	}
	return len > 0 && len <= MSGID_MAX_BYTES && *id != '<';
}

/* Keeps the last MAIL_MAX_REFERENCES: the nearest ancestors stand at the end. */
static void drop_oldest(GPtrArray *ids)
{
	if (ids->len > MAIL_MAX_REFERENCES)
		g_ptr_array_remove_range(ids, 0, ids->len - MAIL_MAX_REFERENCES);
}

GPtrArray *msgid_list(const char *field)
{
	GPtrArray *ids = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	Lexer lexer;

	if (field == NULL)
		return ids;
	lexer_init(&lexer, field, strlen(field));
	for (gsize pos = 0; pos < lexer.len;) {
		gsize end = 0;

		if (field[pos] == '(')
			end = lexer_comment_end(&lexer, pos);
		if (field[pos] == '<') {
			g_autofree char *id = take_bracketed(&lexer, pos, &end);

			if (id != NULL && !g_hash_table_contains(seen, id)) {
				g_hash_table_add(seen, id);
				g_ptr_array_add(ids, g_steal_pointer(&id));
			}
		}
		pos = end != 0 ? end : pos + 1;
	}
	drop_oldest(ids);
	return ids;
}

/*
 * One mail comes by many doors (IMAP with CRLF, an archive with LF, an mbox with an empty line
 * more), so line ends and trailing empty lines do not count.
 */
static void add_piece(GChecksum *sum, ByteSlice piece)
{
	ByteCursor cursor;
	ByteSlice line;
	gsize n_empty = 0;

	cursor_init(&cursor, piece.ptr, piece.len);
	while (cursor_take_line(&cursor, &line)) {
		line = slice_chomp(line);
		if (line.len == 0) {
			n_empty++;
			continue;
		}
		for (; n_empty > 0; n_empty--)
			g_checksum_update(sum, (const guchar *)"\n", 1);
		g_checksum_update(sum, (const guchar *)line.ptr, (gssize)line.len);
		g_checksum_update(sum, (const guchar *)"\n", 1);
	}
	g_checksum_update(sum, (const guchar *)"", 1);
}

char *msgid_synthetic(const ByteSlice *pieces, gsize n_pieces)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);

	for (gsize i = 0; i < n_pieces; i++)
		add_piece(sum, pieces[i]);
	return g_strdup_printf("%.*s" SYNTHETIC_DOMAIN, (int)SYNTHETIC_HEX,
			       g_checksum_get_string(sum));
}

bool msgid_is_synthetic(const char *id)
{
	return strspn(id, "0123456789abcdef") == SYNTHETIC_HEX &&
	       strcmp(id + SYNTHETIC_HEX, SYNTHETIC_DOMAIN) == 0;
}

char *msgid_url_escape(const char *id)
{
	return g_uri_escape_string(id, "@$+=!*'(),:;", false);
}
