/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/text.h"

#include "mailparse/cursor.h"

#include <string.h>

#define CHARSET_MAX_BYTES 64u
#define REPLACEMENT "\357\277\275"
#define MARK "\357\273\277" /* of byte order */

/* Names that iconv knows in a narrower sense than mailers use them. */
static const char *const charset_aliases[][2] = {
	{"iso-8859-1", "windows-1252"},
	{"latin1", "windows-1252"},
	{"gb2312", "gb18030"},
	{"gbk", "gb18030"},
	{"euc-kr", "cp949"},
	{"ks_c_5601-1987", "cp949"},
	{"shift_jis", "cp932"},
	{"x-sjis", "cp932"},
};

/* windows-1252 0x80 to 0x9f; 0 where it has no character. */
static const guint16 windows_1252[32] = {
	0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
	0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
	0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178,
};

/* Safe to hand to iconv: a name, without the "//TRANSLIT" that would change what is an error. */
static bool is_charset_name(const char *charset)
{
	gsize len = strlen(charset);

	return len > 0 && len <= CHARSET_MAX_BYTES &&
	       strspn(charset,
		      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:+()") ==
		       len;
}

static const char *iconv_name(const char *charset)
{
	for (gsize i = 0; i < G_N_ELEMENTS(charset_aliases); i++) {
		if (g_ascii_strcasecmp(charset, charset_aliases[i][0]) == 0)
			return charset_aliases[i][1];
	}
	return charset;
}

/* Text of these charsets may be plain ASCII to the eye of a UTF-8 check. */
static bool looks_like_ascii(const char *charset)
{
	static const char *const prefixes[] = {"iso-2022-", "utf-7",  "hz-gb",
					       "utf-16",    "utf-32", "ucs-"};

	for (gsize i = 0; i < G_N_ELEMENTS(prefixes); i++) {
		if (g_ascii_strncasecmp(charset, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	}
	return false;
}

static GString *convert_by_iconv(const char *bytes, gsize len, const char *charset)
{
	gsize n_out;

	if (!is_charset_name(charset))
		return NULL;

	g_autofree char *out =
		g_convert(bytes, (gssize)len, "UTF-8", iconv_name(charset), NULL, &n_out, NULL);
	return out ? g_string_new_len(out, (gssize)n_out) : NULL;
}

static void append_windows_1252(GString *out, unsigned char byte)
{
	if (byte < 0x80 || byte >= 0xa0)
		g_string_append_unichar(out, byte);
	else if (windows_1252[byte - 0x80] != 0)
		g_string_append_unichar(out, windows_1252[byte - 0x80]);
	else
		g_string_append(out, REPLACEMENT);
}

/* Valid UTF-8 stays, every other byte is taken for windows-1252; NULs go. */
static GString *convert_byte_by_byte(const char *bytes, gsize len)
{
	GString *out = g_string_sized_new(len + len / 8);
	const char *end = bytes + len;

	while (bytes < end) {
		const char *stop;

		g_utf8_validate_len(bytes, (gsize)(end - bytes), &stop);
		g_string_append_len(out, bytes, stop - bytes);
		if (stop < end && *stop != '\0')
			append_windows_1252(out, (unsigned char)*stop);
		bytes = stop < end ? stop + 1 : end;
	}
	return out;
}

static void drop_nuls_and_mark(GString *text)
{
	gsize kept = 0;

	for (gsize i = 0; i < text->len; i++) {
		if (text->str[i] != '\0')
			text->str[kept++] = text->str[i];
	}
	g_string_truncate(text, kept);
	if (g_str_has_prefix(text->str, MARK))
		g_string_erase(text, 0, (gssize)strlen(MARK));
}

static bool is_utf8_but_for_nuls(const char *bytes, gsize len)
{
	const char *end = bytes + len;

	while (!g_utf8_validate_len(bytes, (gsize)(end - bytes), &bytes)) {
		if (*bytes != '\0')
			return false;
		bytes++;
	}
	return true;
}

/* As nearly all text is. */
static bool needs_no_change(const char *bytes, gsize len)
{
	return g_utf8_validate_len(bytes, len, NULL) &&
	       (len < strlen(MARK) || memcmp(bytes, MARK, strlen(MARK)) != 0);
}

char *text_to_utf8(const char *bytes, gsize len, const char *charset)
{
	bool is_believed = charset != NULL && looks_like_ascii(charset);
	GString *text = NULL;

	if (len == 0)
		return g_strdup("");
	if (!is_believed && needs_no_change(bytes, len))
		return g_strndup(bytes, len);
	if (is_believed || (charset != NULL && !is_utf8_but_for_nuls(bytes, len)))
		text = convert_by_iconv(bytes, len, charset);
	if (text == NULL)
		text = convert_byte_by_byte(bytes, len);
	drop_nuls_and_mark(text);
	return g_string_free(text, FALSE);
}

char *text_to_lf(char *text)
{
	char *to = text;

	for (const char *from = text; *from != '\0';) {
		gsize n_plain = strcspn(from, "\r");
		gsize n_cr = strspn(from + n_plain, "\r");
		gsize n_kept = from[n_plain + n_cr] == '\n' ? n_plain : n_plain + n_cr;

		memmove(to, from, n_kept);
		to += n_kept;
		from += n_plain + n_cr;
	}
	*to = '\0';
	return text;
}

typedef struct {
	GString *out;
	gsize depth; /* quote depth of the line that waits for its end */
	bool open;   /* the last line ended in a soft break            */
	bool delsp;
} Unflow;

static void unflow_begin_line(Unflow *unflow, gsize depth)
{
	for (gsize i = 0; i < depth; i++)
		g_string_append_c(unflow->out, '>');
	if (depth > 0)
		g_string_append_c(unflow->out, ' ');
}

static void unflow_close(Unflow *unflow)
{
	if (unflow->open)
		g_string_append_c(unflow->out, '\n');
	unflow->open = false;
}

static void unflow_line(Unflow *unflow, ByteSlice line)
{
	gsize depth = 0;

	while (depth < line.len && line.ptr[depth] == '>')
		depth++;
	line.ptr += depth;
	line.len -= depth;
	if (line.len > 0 && line.ptr[0] == ' ') {
		line.ptr++;
		line.len--;
	}

	bool is_signature = line.len == 3 && memcmp(line.ptr, "-- ", 3) == 0;
	bool soft = line.len > 0 && line.ptr[line.len - 1] == ' ' && !is_signature;

	if (unflow->depth != depth || is_signature)
		unflow_close(unflow);
	if (!unflow->open)
		unflow_begin_line(unflow, depth);
	g_string_append_len(unflow->out, line.ptr,
			    (gssize)(soft && unflow->delsp ? line.len - 1 : line.len));
	unflow->open = true;
	unflow->depth = depth;
	if (!soft)
		unflow_close(unflow);
}

GBytes *text_unflow(GBytes *bytes, bool delsp)
{
	gsize len;
	const char *data = g_bytes_get_data(bytes, &len);
	Unflow unflow = {.out = g_string_sized_new(len), .delsp = delsp};
	ByteCursor cursor;
	ByteSlice line;

	cursor_init(&cursor, data, len);
	while (cursor_take_line(&cursor, &line))
		unflow_line(&unflow, slice_chomp(line));
	unflow_close(&unflow);
	/* The line end before a boundary is not of the part. */
	if (len > 0 && data[len - 1] != '\n' && g_str_has_suffix(unflow.out->str, "\n"))
		g_string_truncate(unflow.out, unflow.out->len - 1);
	return g_string_free_to_bytes(unflow.out);
}

bool text_has_diff(const char *bytes, gsize len)
{
	static const char *const marks[] = {"--- ", "+++ ", "@@ -"};
	gsize n_seen = 0;
	ByteCursor cursor;
	ByteSlice line;

	cursor_init(&cursor, bytes, len);
	while (cursor_take_line(&cursor, &line)) {
		if (slice_has_prefix(line, "diff --git "))
			return true;
		n_seen = slice_has_prefix(line, marks[n_seen]) ? n_seen + 1 : 0;
		if (n_seen == G_N_ELEMENTS(marks))
			return true;
	}
	return false;
}

static bool is_hex_capital(char c)
{
	return g_ascii_isdigit(c) || (c >= 'A' && c <= 'F');
}

bool text_is_quoted_printable(const char *bytes, gsize len)
{
	gsize n_marks = 0;
	bool certain = false, in_url = false;

	for (gsize i = 0; i < len; i++) {
		in_url = !g_ascii_isspace(bytes[i]) &&
			 (in_url ||
			  (bytes[i] == ':' && len - i > 2 && memcmp(bytes + i, "://", 3) == 0));
		if (bytes[i] != '=')
			continue;
		const char *next = bytes + i + 1;
		gsize left = len - i - 1;
		bool soft = left == 0 || next[0] == '\n' ||
			    (left > 1 && next[0] == '\r' && next[1] == '\n');
		if (!soft && (left < 2 || !is_hex_capital(next[0]) || !is_hex_capital(next[1])))
			return false;
		/* "https://example.org/?a=3D" may be meant so. */
		bool counts = soft || !in_url;
		certain = certain || soft || (counts && memcmp(next, "3D", 2) == 0);
		n_marks += counts;
	}
	return certain && n_marks >= 2;
}

/* ---- cleartext signatures ---- */

#define SIGNED "-----BEGIN PGP SIGNED MESSAGE-----"
#define SIGNATURE "-----BEGIN PGP SIGNATURE-----"
#define SIGNATURE_END "-----END PGP SIGNATURE-----"

typedef enum {
	SIGNED_OUTSIDE,
	SIGNED_HEADER,
	SIGNED_TEXT,
	SIGNED_ARMOR,
} SignedPlace;

static bool is_line(ByteSlice line, const char *words)
{
	gsize len = strlen(words);

	while (line.len > len && g_ascii_isspace(line.ptr[line.len - 1]))
		line.len--;
	return line.len == len && memcmp(line.ptr, words, len) == 0;
}

/* Where the next line stands; @out_keep: this one is text. */
static SignedPlace pass_line(SignedPlace place, ByteSlice line, bool *out_keep)
{
	*out_keep = false;
	switch (place) {
	case SIGNED_OUTSIDE:
		*out_keep = !is_line(line, SIGNED);
		return *out_keep ? SIGNED_OUTSIDE : SIGNED_HEADER;
	case SIGNED_HEADER:
		return slice_chomp(line).len == 0 ? SIGNED_TEXT : SIGNED_HEADER;
	case SIGNED_TEXT:
		*out_keep = !is_line(line, SIGNATURE);
		return *out_keep ? SIGNED_TEXT : SIGNED_ARMOR;
	case SIGNED_ARMOR:
		return is_line(line, SIGNATURE_END) ? SIGNED_OUTSIDE : SIGNED_ARMOR;
	}
	g_assert_not_reached();
}

GBytes *text_unsign(GBytes *bytes)
{
	gsize len;
	const char *data = g_bytes_get_data(bytes, &len);
	SignedPlace place = SIGNED_OUTSIDE;
	ByteCursor cursor;
	ByteSlice line;

	if (len == 0 || memmem(data, len, SIGNED, strlen(SIGNED)) == NULL)
		return g_bytes_ref(bytes);
	GString *out = g_string_sized_new(len);
	cursor_init(&cursor, data, len);
	for (gsize start = 0; cursor_take_line(&cursor, &line); start = cursor.pos) {
		bool keep;
		bool escaped =
			place == SIGNED_TEXT && line.len >= 2 && memcmp(line.ptr, "- ", 2) == 0;
		place = pass_line(place, line, &keep);
		gsize from = start + (escaped ? 2 : 0);
		if (keep)
			g_string_append_len(out, data + from, (gssize)(cursor.pos - from));
	}
	return g_string_free_to_bytes(out);
}
