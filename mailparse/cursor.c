/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/cursor.h"

#include <string.h>

void cursor_init(ByteCursor *cursor, const void *data, gsize len)
{
	*cursor = (ByteCursor){.data = data, .len = len, .line = 1};
}

gsize cursor_left(const ByteCursor *cursor)
{
	return cursor->failed ? 0 : cursor->len - cursor->pos;
}

int cursor_peek(const ByteCursor *cursor)
{
	return cursor_left(cursor) > 0 ? (unsigned char)cursor->data[cursor->pos] : -1;
}

bool cursor_skip(ByteCursor *cursor, gsize n)
{
	if (n > cursor_left(cursor)) {
		cursor->failed = true;
		return false;
	}
	for (gsize i = 0; i < n; i++) {
		if (cursor->data[cursor->pos + i] == '\n')
			cursor->line++;
	}
	cursor->pos += n;
	return true;
}

void cursor_skip_blanks(ByteCursor *cursor)
{
	while (cursor_peek(cursor) == ' ' || cursor_peek(cursor) == '\t')
		cursor->pos++;
}

bool cursor_take_char(ByteCursor *cursor, char c)
{
	return cursor_peek(cursor) == (unsigned char)c && cursor_skip(cursor, 1);
}

bool cursor_take_word(ByteCursor *cursor, const char *word)
{
	gsize len = strlen(word);

	return len <= cursor_left(cursor) &&
	       g_ascii_strncasecmp(cursor->data + cursor->pos, word, len) == 0 &&
	       cursor_skip(cursor, len);
}

bool cursor_take_uint(ByteCursor *cursor, unsigned max, unsigned *out_value)
{
	guint64 value = 0;
	gsize start = cursor->pos;
	int c;

	while ((c = cursor_peek(cursor)) >= '0' && c <= '9' && value <= max) {
		value = value * 10 + (guint64)(c - '0');
		cursor->pos++;
	}
	if (cursor->pos == start || value > max) {
		cursor->failed = true;
		return false;
	}
	*out_value = (unsigned)value;
	return true;
}

bool cursor_take_line(ByteCursor *cursor, ByteSlice *out_line)
{
	gsize left = cursor_left(cursor);
	if (left == 0)
		return false;

	const char *start = cursor->data + cursor->pos;
	const char *lf = memchr(start, '\n', left);
	gsize len = lf ? (gsize)(lf - start) : left;

	*out_line = (ByteSlice){.ptr = start, .len = len};
	cursor->pos += lf ? len + 1 : len;
	cursor->line++;
	return true;
}

ByteSlice slice_chomp(ByteSlice slice)
{
	while (slice.len > 0 && slice.ptr[slice.len - 1] == '\r')
		slice.len--;
	return slice;
}

bool slice_has_prefix(ByteSlice slice, const char *prefix)
{
	gsize len = strlen(prefix);

	return slice.len >= len && g_ascii_strncasecmp(slice.ptr, prefix, len) == 0;
}
