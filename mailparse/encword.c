/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * encword - encoded words of RFC 2047, the decoding half of text.h.
 *
 * GMime's decoder is not used: it loses the bytes of a word that says us-ascii and holds UTF-8.
 */
#include "mailparse/text.h"

#include <string.h>

/* A byte order mark shows nothing, and at the start of a text it is dropped on the way back. */
#define BYTE_ORDER_MARK 0xfeff

typedef struct {
	GString *out;     /* decoded so far                                                   */
	GString *pending; /* bytes of the last words, charset not undone yet                  */
	char *charset;    /* of pending; NULL when nothing is pending                         */
	const char *last; /* the last "?=" of the field; a word that starts after it has no end */
} WordDecoder;

static void flush_words(WordDecoder *decoder)
{
	if (decoder->charset != NULL) {
		g_autofree char *text = text_to_utf8(decoder->pending->str, decoder->pending->len,
						     decoder->charset);

		g_string_append(decoder->out, text);
		g_string_truncate(decoder->pending, 0);
		g_clear_pointer(&decoder->charset, g_free);
	}
}

static void append_base64(GString *out, const char *text, gsize len)
{
	g_autofree char *copy = g_strndup(text, len);
	gsize n_bytes = 0;
	g_autofree guchar *bytes = g_base64_decode(copy, &n_bytes);

	g_string_append_len(out, (const char *)bytes, (gssize)n_bytes);
}

static void append_q(GString *out, const char *text, gsize len)
{
	for (gsize i = 0; i < len; i++) {
		if (text[i] == '=' && i + 2 < len && g_ascii_isxdigit(text[i + 1]) &&
		    g_ascii_isxdigit(text[i + 2])) {
			g_string_append_c(out, (char)(g_ascii_xdigit_value(text[i + 1]) * 16 +
						      g_ascii_xdigit_value(text[i + 2])));
			i += 2;
		} else {
			g_string_append_c(out, text[i] == '_' ? ' ' : text[i]);
		}
	}
}

/*
 * "=?charset*language?Q?text?=" at @word.
 *
 * Returns: its length, 0 when it is none
 */
static gsize take_word(WordDecoder *decoder, const char *word)
{
	gsize n_charset = strcspn(word + 2, "?*= \t\r\n");
	const char *mark = word + 2 + n_charset;

	if (*mark == '*')
		mark += strcspn(mark, "? \t\r\n");
	if (n_charset == 0 || mark[0] != '?' || strchr("bBqQ", mark[1]) == NULL ||
	    mark[1] == '\0' || mark[2] != '?')
		return 0;

	const char *text = mark + 3;
	if (text > decoder->last)
		return 0;
	const char *end = strstr(text, "?=");

	g_autofree char *charset = g_ascii_strdown(word + 2, (gssize)n_charset);
	if (decoder->charset != NULL && strcmp(charset, decoder->charset) != 0)
		flush_words(decoder);
	if (decoder->charset == NULL)
		decoder->charset = g_steal_pointer(&charset);
	if (g_ascii_tolower(mark[1]) == 'b')
		append_base64(decoder->pending, text, (gsize)(end - text));
	else
		append_q(decoder->pending, text, (gsize)(end - text));
	return (gsize)(end + 2 - word);
}

/* Blanks between two encoded words are part of the encoding and go. */
static gsize skip_blanks_before_word(const WordDecoder *decoder, const char *at)
{
	gsize n_blanks = strspn(at, " \t\r\n");

	return decoder->charset != NULL && strncmp(at + n_blanks, "=?", 2) == 0 ? n_blanks : 0;
}

static void decode_words(WordDecoder *decoder, const char *field)
{
	decoder->last = g_strrstr(field, "?=");
	while (*field != '\0') {
		gsize n_blanks = skip_blanks_before_word(decoder, field);
		gsize n_word = 0;

		if (decoder->last != NULL && strncmp(field + n_blanks, "=?", 2) == 0)
			n_word = take_word(decoder, field + n_blanks);
		if (n_word == 0) {
			flush_words(decoder);
			g_string_append_c(decoder->out, *field++);
		} else {
			field += n_blanks + n_word;
		}
	}
	flush_words(decoder);
}

/* Of ASCII, without blanks. */
static gsize n_printable(const char *text)
{
	gsize n = 0;

	while (text[n] > ' ' && text[n] < 0x7f)
		n++;
	return n;
}

char *text_tidy(const char *utf8)
{
	GString *out = g_string_sized_new(strlen(utf8));

	for (const char *at = utf8; *at != '\0'; at += g_utf8_skip[(guchar)*at]) {
		gsize n_plain = n_printable(at);
		g_string_append_len(out, at, (gssize)n_plain);
		at += n_plain;
		if (*at == '\0')
			break;
		gunichar c = g_utf8_get_char(at);

		if (c == ' ' || g_unichar_iscntrl(c)) {
			if (out->len > 0 && out->str[out->len - 1] != ' ')
				g_string_append_c(out, ' ');
		} else if (c != BYTE_ORDER_MARK) {
			g_string_append_unichar(out, c);
		}
	}
	if (out->len > 0 && out->str[out->len - 1] == ' ')
		g_string_truncate(out, out->len - 1);
	return g_string_free(out, FALSE);
}

char *text_decode_field(const char *field)
{
	g_autofree char *utf8 = text_to_utf8(field, strlen(field), NULL);
	if (strstr(utf8, "=?") == NULL)
		return text_tidy(utf8);
	WordDecoder decoder = {.out = g_string_new(NULL), .pending = g_string_new(NULL)};

	decode_words(&decoder, utf8);
	g_string_free(decoder.pending, TRUE);

	g_autofree char *text = g_string_free(decoder.out, FALSE);
	return text_tidy(text);
}
