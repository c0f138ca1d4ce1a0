/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * addrlist - address lists of RFC 5322 section 3.4 as mailers really write them; the reading half
 * of mailbox.h.
 *
 * GMime's parser is not used: one odd name ("Ann [lab] <ann@example.org>") makes it refuse the
 * whole list, and a list of 30,000 commas costs it seconds.  Here a list is cut at its commas
 * first, so that a bad address costs only itself, and all is one pass.
 */
#include "mailparse/mailbox.h"

#include "mailparse/lex.h"
#include "mailparse/limits.h"
#include "mailparse/mailparse.h"
#include "mailparse/text.h"

#include <string.h>

typedef struct {
	GPtrArray *mailboxes;
	GString *name;    /* all outside <...>, quotes removed                                  */
	GString *bare;    /* all outside <...> and (...), quotes kept: an address without <>    */
	GString *comment; /* what stood in the last (...)                                       */
	GString *addr;    /* what stood in the last <...>                                       */
	bool has_angle;
	bool has_at; /* an '@' in bare                                                          */
} ListReader;

static void reset(ListReader *reader)
{
	g_string_truncate(reader->name, 0);
	g_string_truncate(reader->bare, 0);
	g_string_truncate(reader->comment, 0);
	g_string_truncate(reader->addr, 0);
	reader->has_angle = false;
	reader->has_at = false;
}

static void append_unescaped(GString *out, const char *text, gsize len)
{
	for (gsize i = 0; i < len; i++) {
		if (text[i] == '\\' && i + 1 < len)
			i++;
		g_string_append_c(out, text[i]);
	}
}

static bool add_mailbox(ListReader *reader, const char *raw_name, const char *raw_addr)
{
	g_autofree char *name = text_decode_field(raw_name);
	g_autofree char *addr = g_strstrip(g_strdup(raw_addr));
	g_autoptr(Mailbox) mailbox = mailbox_new(name, addr, NULL);

	if (mailbox == NULL)
		return false;
	if (reader->mailboxes->len < MAIL_MAX_ADDRESSES)
		g_ptr_array_add(reader->mailboxes, g_steal_pointer(&mailbox));
	return true;
}

/* `Ann Author ann@example.org`: the word around the '@' is the address, as git takes it. */
static void add_word_around_at(ListReader *reader)
{
	const char *bare = reader->bare->str;
	const char *at = strchr(bare, '@');
	const char *start = at;
	gsize len;

	while (start > bare && start[-1] != ' ' && start[-1] != '\t')
		start--;
	len = strcspn(start, " \t");

	g_autofree char *addr = g_strndup(start, len);
	g_autofree char *name = g_strdup_printf("%.*s %s", (int)(start - bare), bare, start + len);
	add_mailbox(reader, name, addr);
}

static void end_piece(ListReader *reader)
{
	if (reader->has_angle)
		add_mailbox(reader, reader->name->str, reader->addr->str);
	else if (reader->has_at && !add_mailbox(reader, reader->comment->str, reader->bare->str))
		add_word_around_at(reader);
	reset(reader);
}

/*
 * Words before a comma without any address are kept: the comma belongs to a name that should have
 * been quoted (`Author, Ann <ann@example.org>`).
 */
static void take_comma(ListReader *reader)
{
	if (reader->has_angle || reader->has_at) {
		end_piece(reader);
	} else if (reader->name->len > 0) {
		g_string_append(reader->name, ", ");
		g_string_truncate(reader->bare, 0);
	}
}

/* Returns: the place after the '>', or of what ends an address whose '>' is missing. */
static gsize take_angle(ListReader *reader, Lexer *lexer, gsize pos)
{
	gsize end;

	if (reader->has_angle)
		end_piece(reader);
	reader->has_angle = true;
	for (pos++; pos < lexer->len && strchr(">,;", lexer->text[pos]) == NULL; pos = end) {
		end = lexer->text[pos] == '"' ? lexer_quoted_end(lexer, pos) : 0;
		end = end != 0 ? end : pos + 1 + strcspn(lexer->text + pos + 1, ">,;\"");
		g_string_append_len(reader->addr, lexer->text + pos, (gssize)(end - pos));
	}
	if (g_ascii_strncasecmp(reader->addr->str, "mailto:", 7) == 0)
		g_string_erase(reader->addr, 0, 7);
	return pos < lexer->len && lexer->text[pos] == '>' ? pos + 1 : pos;
}

static void take_plain(ListReader *reader, const char *text, gsize len)
{
	g_string_append_len(reader->name, text, (gssize)len);
	g_string_append_len(reader->bare, text, (gssize)len);
	reader->has_at = reader->has_at || memchr(text, '@', len) != NULL;
}

static gsize take_quoted(ListReader *reader, Lexer *lexer, gsize pos)
{
	gsize end = lexer_quoted_end(lexer, pos);

	if (end == 0)
		return pos + 1;
	append_unescaped(reader->name, lexer->text + pos + 1, end - pos - 2);
	g_string_append_len(reader->bare, lexer->text + pos, (gssize)(end - pos));
	return end;
}

static gsize take_comment(ListReader *reader, Lexer *lexer, gsize pos)
{
	gsize end = lexer_comment_end(lexer, pos);

	if (end == 0) {
		take_plain(reader, "(", 1);
		return pos + 1;
	}
	g_string_truncate(reader->comment, 0);
	append_unescaped(reader->comment, lexer->text + pos + 1, end - pos - 2);
	g_string_append_printf(reader->name, "(%s)", reader->comment->str);
	return end;
}

static void read_list(ListReader *reader, const char *field)
{
	Lexer lexer;

	lexer_init(&lexer, field, strlen(field));
	for (gsize pos = 0; pos < lexer.len;) {
		char c = field[pos];

		if (c == '"') {
			pos = take_quoted(reader, &lexer, pos);
		} else if (c == '(') {
			pos = take_comment(reader, &lexer, pos);
		} else if (c == '<') {
			pos = take_angle(reader, &lexer, pos);
		} else if (c == ',') {
			take_comma(reader);
			pos++;
		} else if (c == ';') {
			end_piece(reader);
			pos++;
		} else if (c == ':' && !reader->has_at && !reader->has_angle) {
			reset(reader); /* the name of a group ends here */
			pos++;
		} else if (c == '>') {
			pos++;
		} else {
			/* At least one: a ":" may stand here that ends no name of a group. */
			gsize len = 1 + strcspn(field + pos + 1, "\"(<>,;:");
			take_plain(reader, field + pos, len);
			pos += len;
		}
	}
	end_piece(reader);
}

GPtrArray *mailbox_list_parse(const char *field)
{
	ListReader reader = {
		.mailboxes = g_ptr_array_new_with_free_func((GDestroyNotify)mailbox_free),
		.name = g_string_new(NULL),
		.bare = g_string_new(NULL),
		.comment = g_string_new(NULL),
		.addr = g_string_new(NULL),
	};

	if (field != NULL)
		read_list(&reader, field);
	g_string_free(reader.name, TRUE);
	g_string_free(reader.bare, TRUE);
	g_string_free(reader.comment, TRUE);
	g_string_free(reader.addr, TRUE);
	return reader.mailboxes;
}

Mailbox *mailbox_parse(const char *text, GError **error)
{
	g_autoptr(GPtrArray) mailboxes = mailbox_list_parse(text);

	if (mailboxes->len == 0) {
		/* Some mailers encode the whole field, its angle brackets too. */
		g_autofree char *decoded = text_decode_field(text);

		g_ptr_array_unref(mailboxes);
		mailboxes = mailbox_list_parse(decoded);
	}
	if (mailboxes->len == 0) {
		g_autofree char *shown = g_strescape(text, NULL);

		g_set_error(error, MAIL_ERROR, MAIL_ERROR_SYNTAX,
			    "\"%.*s\" holds no usable address", 80, shown);
		return NULL;
	}
	return mailbox_copy(g_ptr_array_index(mailboxes, 0));
}
