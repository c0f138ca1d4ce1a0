/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/send/wire.h"

#include "bot/base/error.h"

#include <string.h>

#define LINE_MAX_BYTES 998u /* RFC 5321 section 4.5.3.1.6, without CRLF */
#define QP_LINE_MAX 76u     /* RFC 2045 section 6.7 rule 5, with the soft "=" */
#define CTE_NAME "Content-Transfer-Encoding:"

/* Lines of the stored form, one by one, never behind its end. */
typedef struct {
	const guint8 *pos;
	const guint8 *end;
} Lines;

typedef struct {
	const guint8 *bytes;
	gsize len;
} Line;

static bool take_line(Lines *lines, Line *out)
{
	if (lines->pos == lines->end)
		return false;
	const guint8 *lf = memchr(lines->pos, '\n', (gsize)(lines->end - lines->pos));
	const guint8 *stop = lf == NULL ? lines->end : lf;
	out->bytes = lines->pos;
	out->len = (gsize)(stop - lines->pos);
	lines->pos = lf == NULL ? stop : lf + 1;
	return true;
}

static bool fail(GError **error, const char *what)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT,
		    "the stored mail is not fit to be sent: %s", what);
	return false;
}

/* The one place that ends a line and doubles a leading dot. */
static void put_line(GByteArray *out, const guint8 *bytes, gsize len)
{
	if (len > 0 && bytes[0] == '.')
		g_byte_array_append(out, (const guint8 *)".", 1);
	if (len > 0)
		g_byte_array_append(out, bytes, (guint)len);
	g_byte_array_append(out, (const guint8 *)"\r\n", 2);
}

static bool has_prefix(const Line *line, const char *name)
{
	gsize len = strlen(name);

	return line->len >= len && g_ascii_strncasecmp((const char *)line->bytes, name, len) == 0;
}

static bool is_ascii(const guint8 *bytes, gsize len)
{
	for (gsize i = 0; i < len; i++) {
		if (bytes[i] >= 0x80)
			return false;
	}
	return true;
}

/* RFC 5322 section 2.2: a name of printable characters without blanks, then a colon. */
static bool begins_field(const Line *line)
{
	gsize i = 0;

	while (i < line->len && line->bytes[i] > ' ' && line->bytes[i] < 0x7f &&
	       line->bytes[i] != ':')
		i++;
	return i > 0 && i < line->len && line->bytes[i] == ':';
}

static bool is_printable(const Line *line)
{
	for (gsize i = 0; i < line->len; i++) {
		guint8 c = line->bytes[i];
		if ((c < ' ' && c != '\t') || c >= 0x7f)
			return false;
	}
	return true;
}

static bool is_continuation(const Line *line)
{
	return line->len > 0 && (line->bytes[0] == ' ' || line->bytes[0] == '\t');
}

static bool check_header_line(const Line *line, bool first, GError **error)
{
	if (line->len > LINE_MAX_BYTES)
		return fail(error, "a header line is over 998 bytes");
	if (!is_printable(line))
		return fail(error, "a header holds a control or non-ASCII byte");
	if (is_continuation(line) ? first : !begins_field(line))
		return fail(error, "a line of its headers is no header");
	return true;
}

typedef struct {
	bool ascii;
	bool long_line;
} BodyShape;

static BodyShape look_at_body(Lines body)
{
	BodyShape shape = {.ascii = true};
	Line line;

	while (take_line(&body, &line)) {
		shape.ascii = shape.ascii && is_ascii(line.bytes, line.len);
		shape.long_line = shape.long_line || line.len > LINE_MAX_BYTES;
	}
	return shape;
}

/* ---- quoted-printable ---- */

static bool needs_code(const Line *line, gsize i)
{
	guint8 c = line->bytes[i];

	if (c == ' ' || c == '\t')
		return i + 1 == line->len; /* blanks at the end would be lost on the way */
	return c == '=' || c < 0x21 || c > 0x7e;
}

static void put_qp_line(GByteArray *out, const Line *line)
{
	static const char hex[] = "0123456789ABCDEF";
	guint8 chunk[QP_LINE_MAX];
	gsize n = 0;

	for (gsize i = 0; i < line->len; i++) {
		bool coded = needs_code(line, i);
		gsize room = i + 1 < line->len ? 1 : 0; /* for the soft line break */
		if (n + (coded ? 3 : 1) + room > QP_LINE_MAX) {
			chunk[n++] = '=';
			put_line(out, chunk, n);
			n = 0;
		}
		guint8 c = line->bytes[i];
		if (coded) {
			chunk[n++] = '=';
			chunk[n++] = (guint8)hex[c >> 4];
			chunk[n++] = (guint8)hex[c & 15];
		} else {
			chunk[n++] = c;
		}
	}
	put_line(out, chunk, n);
}

static void put_body(GByteArray *out, Lines body, bool quoted_printable)
{
	Line line;

	while (take_line(&body, &line)) {
		if (quoted_printable)
			put_qp_line(out, &line);
		else
			put_line(out, line.bytes, line.len);
	}
}

/* ---- headers ---- */

typedef struct {
	const char *encoding; /* what Content-Transfer-Encoding must say */
	unsigned n_encodings; /* how often it was there                  */
	bool in_encoding;     /* the line before was that header         */
	bool multipart;
} HeaderWork;

static void put_header_line(GByteArray *out, const Line *line, HeaderWork *work)
{
	if (has_prefix(line, "Content-Type: multipart/") ||
	    has_prefix(line, "Content-Type: message/"))
		work->multipart = true;
	if (work->in_encoding && is_continuation(line))
		return; /* of the value that was replaced */
	work->in_encoding = has_prefix(line, CTE_NAME);
	if (!work->in_encoding) {
		put_line(out, line->bytes, line->len);
		return;
	}
	work->n_encodings++;
	g_autofree char *text = g_strconcat(CTE_NAME, " ", work->encoding, NULL);
	put_line(out, (const guint8 *)text, strlen(text));
}

/* Copies the headers and the empty line after them; @lines is then at the body. */
static bool put_headers(GByteArray *out, Lines *lines, HeaderWork *work, GError **error)
{
	bool first = true;
	Line line;

	for (; take_line(lines, &line); first = false) {
		if (line.len == 0 && !first) {
			put_line(out, line.bytes, 0);
			return true;
		}
		if (!check_header_line(&line, first, error))
			return false;
		put_header_line(out, &line, work);
	}
	return fail(error, "no empty line follows its headers");
}

static bool find_body(Lines all, Lines *out_body, GError **error)
{
	Line line;

	while (take_line(&all, &line)) {
		if (line.len == 0) {
			*out_body = all;
			return true;
		}
	}
	return fail(error, "no empty line follows its headers");
}

static const char *encoding_for(const BodyShape *shape, bool eight_bit)
{
	if (shape->long_line || (!shape->ascii && !eight_bit))
		return "quoted-printable";
	return shape->ascii ? "7bit" : "8bit";
}

static bool check_work(const HeaderWork *work, GError **error)
{
	if (work->n_encodings != 1)
		return fail(error, "it has not just one Content-Transfer-Encoding");
	if (work->multipart && strcmp(work->encoding, "quoted-printable") == 0)
		return fail(error, "a multipart mail cannot become quoted-printable as a whole");
	return true;
}

static bool check_bytes(const guint8 *bytes, gsize len, GError **error)
{
	if (len == 0)
		return fail(error, "it is empty");
	if (memchr(bytes, '\r', len) != NULL || memchr(bytes, '\0', len) != NULL)
		return fail(error, "it holds a CR or NUL byte");
	return true;
}

GBytes *wire_make(GBytes *mail, bool eight_bit, GError **error)
{
	gsize len = 0;
	const guint8 *bytes = g_bytes_get_data(mail, &len);
	Lines body = {0};

	if (!check_bytes(bytes, len, error))
		return NULL;
	Lines lines = {.pos = bytes, .end = bytes + len};
	if (!find_body(lines, &body, error))
		return NULL;

	BodyShape shape = look_at_body(body);
	HeaderWork work = {.encoding = encoding_for(&shape, eight_bit)};
	g_autoptr(GByteArray) out = g_byte_array_new();
	if (!put_headers(out, &lines, &work, error) || !check_work(&work, error))
		return NULL;
	put_body(out, lines, strcmp(work.encoding, "quoted-printable") == 0);
	return g_byte_array_free_to_bytes(g_steal_pointer(&out));
}
