/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/git/binary.h"

#include "bot/base/error.h"
#include "bot/git/hunk.h"

#include <gio/gio.h>
#include <string.h>

typedef struct {
	const char *bytes;
	gsize len;
	gsize pos;
} Lines;

typedef struct {
	const char *text; /* without LF and CR */
	gsize len;
} Line;

static bool next_line(Lines *lines, Line *out_line)
{
	if (lines->pos == lines->len)
		return false;

	const char *start = lines->bytes + lines->pos;
	gsize left = lines->len - lines->pos;
	const char *lf = memchr(start, '\n', left);
	gsize len = lf ? (gsize)(lf - start) : left;

	lines->pos += len + (lf ? 1 : 0);
	if (len > 0 && start[len - 1] == '\r')
		len--;
	*out_line = (Line){start, len};
	return true;
}

static gpointer fail(GError **error, const char *reason)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_CONFLICT, "the binary data %s", reason);
	return NULL;
}

static int digit_of(char c)
{
	static const char alphabet[] =
		"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"!#$%&()*+-;<=>?@^_`{|}~";
	const char *at = c != '\0' ? strchr(alphabet, c) : NULL;

	return at ? (int)(at - alphabet) : -1;
}

/* Five digits of base 85, most significant first, hold four bytes, most significant first. */
static bool decode_group(const char *digits, guint8 bytes[4])
{
	guint64 value = 0;

	for (int i = 0; i < 5; i++) {
		int digit = digit_of(digits[i]);
		if (digit < 0)
			return false;
		value = value * 85 + (guint64)digit;
	}
	if (value > G_MAXUINT32)
		return false;
	for (int i = 0; i < 4; i++)
		bytes[i] = (guint8)(value >> (24 - 8 * i));
	return true;
}

/* The first letter says how many bytes the line holds: A-Z are 1 to 26, a-z 27 to 52. */
static gsize line_bytes(char letter)
{
	if (letter >= 'A' && letter <= 'Z')
		return (gsize)(letter - 'A' + 1);
	if (letter >= 'a' && letter <= 'z')
		return (gsize)(letter - 'a' + 27);
	return 0;
}

static bool decode_line(GByteArray *packed, const Line *line)
{
	gsize n = line->len > 0 ? line_bytes(line->text[0]) : 0;

	if (n == 0 || line->len != 1 + (n + 3) / 4 * 5)
		return false;
	for (gsize done = 0; done < n; done += 4) {
		guint8 group[4];
		if (!decode_group(line->text + 1 + done / 4 * 5, group))
			return false;
		g_byte_array_append(packed, group, (guint)MIN(n - done, 4));
	}
	return true;
}

/* "literal 123" or "delta 45". */
static bool parse_block_head(const Line *line, bool *out_delta, gsize *out_size)
{
	g_autofree char *text = g_strndup(line->text, line->len);
	const char *number = NULL;
	guint64 size;

	if (g_str_has_prefix(text, "literal "))
		number = text + strlen("literal ");
	else if (g_str_has_prefix(text, "delta "))
		number = text + strlen("delta ");
	if (!number ||
	    !g_ascii_string_to_unsigned(number, 10, 0, APPLY_MAX_FILE_BYTES, &size, NULL))
		return false;
	*out_delta = text[0] == 'd';
	*out_size = size;
	return true;
}

static GByteArray *inflate(const GByteArray *packed, gsize size, GError **error)
{
	g_autoptr(GZlibDecompressor) zlib = g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_ZLIB);
	g_autoptr(GByteArray) out = g_byte_array_new();
	guint8 buffer[16384];
	gsize pos = 0;

	for (;;) {
		gsize n_read = 0;
		gsize n_written = 0;
		GConverterResult result = g_converter_convert(
			G_CONVERTER(zlib), packed->data + pos, packed->len - pos, buffer,
			sizeof(buffer), G_CONVERTER_INPUT_AT_END, &n_read, &n_written, NULL);

		pos += n_read;
		if (result == G_CONVERTER_ERROR)
			return fail(error, "cannot be inflated");
		if (out->len + n_written > size)
			return fail(error, "is longer than its header says");
		g_byte_array_append(out, buffer, (guint)n_written);
		if (result == G_CONVERTER_FINISHED)
			break;
	}
	if (out->len != size)
		return fail(error, "is shorter than its header says");
	return g_steal_pointer(&out);
}

typedef struct {
	const guint8 *bytes;
	gsize len;
	gsize pos;
	bool broken; /* latches: read past the end or a number too large */
} Delta;

static guint8 take_byte(Delta *delta)
{
	if (delta->pos == delta->len) {
		delta->broken = true;
		return 0;
	}
	return delta->bytes[delta->pos++];
}

static gsize take_size(Delta *delta)
{
	gsize size = 0;
	guint8 byte;

	for (unsigned shift = 0; shift < 35; shift += 7) {
		byte = take_byte(delta);
		size |= (gsize)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return size;
	}
	delta->broken = true;
	return 0;
}

/* Bytes of a number whose presence the low bits of @mask tell, least significant first. */
static gsize take_masked(Delta *delta, unsigned mask, unsigned n_bytes)
{
	gsize value = 0;

	for (unsigned i = 0; i < n_bytes; i++) {
		if (mask & (1u << i))
			value |= (gsize)take_byte(delta) << (8 * i);
	}
	return value;
}

static bool take_copy(Delta *delta, unsigned command, GBytes *old, GByteArray *out, gsize size)
{
	gsize offset = take_masked(delta, command & 0x0f, 4);
	gsize n = take_masked(delta, (command >> 4) & 0x07, 3);
	gsize old_len;
	const guint8 *bytes = g_bytes_get_data(old, &old_len);

	if (n == 0)
		n = 0x10000;
	if (delta->broken || offset > old_len || n > old_len - offset || n > size - out->len)
		return false;
	g_byte_array_append(out, bytes + offset, (guint)n);
	return true;
}

static bool take_insert(Delta *delta, gsize n, GByteArray *out, gsize size)
{
	if (n == 0 || n > delta->len - delta->pos || n > size - out->len)
		return false;
	g_byte_array_append(out, delta->bytes + delta->pos, (guint)n);
	delta->pos += n;
	return true;
}

static GByteArray *apply_delta(GBytes *old, const GByteArray *bytes, GError **error)
{
	g_autoptr(GByteArray) out = g_byte_array_new();
	Delta delta = {.bytes = bytes->data, .len = bytes->len};
	gsize old_size = take_size(&delta);
	gsize size = take_size(&delta);

	if (delta.broken || old_size != g_bytes_get_size(old))
		return fail(error, "is a delta for a file of another size");
	if (size > APPLY_MAX_FILE_BYTES)
		return fail(error, "makes too large a file");
	while (delta.pos < delta.len) {
		unsigned command = take_byte(&delta);
		bool ok = command & 0x80 ? take_copy(&delta, command, old, out, size)
					 : take_insert(&delta, command, out, size);
		if (!ok)
			return fail(error, "holds a broken delta");
	}
	if (out->len != size)
		return fail(error, "holds a delta that ends too early");
	return g_steal_pointer(&out);
}

static bool find_block(Lines *lines)
{
	static const char mark[] = "GIT binary patch";
	Line line;

	while (next_line(lines, &line)) {
		if (line.len == strlen(mark) && memcmp(line.text, mark, line.len) == 0)
			return true;
	}
	return false;
}

GBytes *binary_apply(GBytes *old, const DiffFile *file, GError **error)
{
	g_return_val_if_fail(old != NULL && file != NULL, NULL);

	g_autoptr(GByteArray) packed = g_byte_array_new();
	Lines lines = {.bytes = (const char *)file->start, .len = file->len};
	Line line;
	bool is_delta;
	gsize size;

	if (!find_block(&lines) || !next_line(&lines, &line) ||
	    !parse_block_head(&line, &is_delta, &size))
		return fail(error, "has no \"literal\" or \"delta\" line with a usable size");
	while (next_line(&lines, &line) && line.len > 0) {
		if (!decode_line(packed, &line))
			return fail(error, "has a line that is no base 85");
	}

	g_autoptr(GByteArray) plain = inflate(packed, size, error);
	if (!plain)
		return NULL;
	if (!is_delta)
		return g_byte_array_free_to_bytes(g_steal_pointer(&plain));

	GByteArray *made = apply_delta(old, plain, error);
	return made ? g_byte_array_free_to_bytes(made) : NULL;
}
