/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/transfer.h"

#include <gmime/gmime.h>
#include <string.h>

static bool is_base64_char(char c)
{
	return g_ascii_isalnum(c) || c == '+' || c == '/';
}

/*
 * Where the base64 ends: after padding, or before a line with other characters that starts where a
 * group of four is complete.
 */
static gsize base64_len(ByteSlice body)
{
	gsize n_digits = 0;
	ByteCursor cursor;
	ByteSlice line;
	gsize line_start = 0;

	cursor_init(&cursor, body.ptr, body.len);
	for (; cursor_take_line(&cursor, &line); line_start = cursor.pos) {
		bool aligned = n_digits % 4 == 0;

		for (gsize i = 0; i < line.len; i++) {
			if (line.ptr[i] == '=')
				return cursor.pos;
			if (is_base64_char(line.ptr[i]))
				n_digits++;
			else if (!g_ascii_isspace(line.ptr[i]) && aligned && n_digits > 0)
				return line_start;
		}
	}
	return body.len;
}

GBytes *transfer_decode(ByteSlice body, const char *encoding)
{
	GMimeContentEncoding kind = encoding ? g_mime_content_encoding_from_string(encoding)
					     : GMIME_CONTENT_ENCODING_DEFAULT;
	GMimeEncoding state;

	if (kind != GMIME_CONTENT_ENCODING_BASE64 &&
	    kind != GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE &&
	    kind != GMIME_CONTENT_ENCODING_UUENCODE)
		return g_bytes_new(body.ptr, body.len);
	if (kind == GMIME_CONTENT_ENCODING_BASE64)
		body.len = base64_len(body);

	g_mime_encoding_init_decode(&state, kind);
	char *out = g_malloc(g_mime_encoding_outlen(&state, body.len) + 1);
	gsize len = g_mime_encoding_flush(&state, body.ptr, body.len, out);
	return g_bytes_new_take(out, len);
}
