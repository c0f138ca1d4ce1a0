/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/header.h"

#include "mailparse/limits.h"
#include "mailparse/mailparse.h"
#include "mailparse/msgid.h"
#include "mailparse/text.h"

#include <gmime/gmime.h>
#include <string.h>

/* Length of the field's name when @line is one (RFC 5322 section 2.2, blanks before ":" too), else
 * 0. */
static gsize field_name_len(ByteSlice line)
{
	gsize len = 0;
	gsize end;

	while (len < line.len && line.ptr[len] > ' ' && line.ptr[len] < 0x7f &&
	       line.ptr[len] != ':')
		len++;
	for (end = len; end < line.len && (line.ptr[end] == ' ' || line.ptr[end] == '\t');)
		end++;
	return end < line.len && line.ptr[end] == ':' ? len : 0;
}

static bool is_from_line(ByteSlice line)
{
	return line.len >= 5 && (memcmp(line.ptr, "From ", 5) == 0 ||
				 (line.len >= 6 && memcmp(line.ptr, ">From ", 6) == 0));
}

static bool is_empty_line(ByteSlice line)
{
	return slice_chomp(line).len == 0;
}

void header_skip_start(ByteCursor *cursor)
{
	ByteCursor ahead = *cursor;
	ByteSlice line;

	while (cursor_take_line(&ahead, &line) && (is_empty_line(line) || is_from_line(line)))
		*cursor = ahead;
}

static bool fail_limit(GError **error, const char *what, unsigned limit, gsize line)
{
	g_set_error(error, MAIL_ERROR, MAIL_ERROR_LIMIT,
		    "line %" G_GSIZE_FORMAT ": %s has more than %u bytes", line, what, limit);
	return false;
}

/* A "From " line amid the fields becomes a field without a name, so that nothing folds over it. */
static void begin_field(Header *header, ByteSlice line, gsize n_name)
{
	HeaderField field = {.name = {.ptr = line.ptr, .len = n_name}, .value = {.ptr = line.ptr}};

	if (n_name > 0)
		field.value.ptr = (const char *)memchr(line.ptr, ':', line.len) + 1;
	g_array_append_val(header->fields, field);
}

static bool extend_last_field(Header *header, ByteSlice line, gsize line_number, GError **error)
{
	HeaderField *last = &g_array_index(header->fields, HeaderField, header->fields->len - 1);

	last->value.len = (gsize)(line.ptr + line.len - last->value.ptr);
	return last->value.len <= MAIL_MAX_FIELD_BYTES ||
	       fail_limit(error, "one header field", MAIL_MAX_FIELD_BYTES, line_number);
}

static bool read_fields(Header *header, ByteCursor *cursor, GError **error)
{
	const gsize start = cursor->pos;
	ByteCursor ahead = *cursor;
	ByteSlice line;

	for (; cursor_take_line(&ahead, &line); *cursor = ahead) {
		bool folded = line.len > 0 && (line.ptr[0] == ' ' || line.ptr[0] == '\t');
		gsize n_name = folded ? 0 : field_name_len(line);

		if (is_empty_line(line)) {
			*cursor = ahead;
			return true;
		}
		if (folded ? header->fields->len == 0 : n_name == 0 && !is_from_line(line))
			return true;
		if (!folded)
			begin_field(header, line, n_name);
		if (!extend_last_field(header, line, cursor->line, error))
			return false;
		if (ahead.pos - start > MAIL_MAX_HEADER_BYTES)
			return fail_limit(error, "one header", MAIL_MAX_HEADER_BYTES, cursor->line);
	}
	return true;
}

Header *header_read(ByteCursor *cursor, GError **error)
{
	g_autoptr(Header) header = g_atomic_rc_box_new0(Header);

	header->fields = g_array_new(FALSE, FALSE, sizeof(HeaderField));
	return read_fields(header, cursor, error) ? g_steal_pointer(&header) : NULL;
}

Header *header_ref(Header *header)
{
	return g_atomic_rc_box_acquire(header);
}

static void header_clear(gpointer header)
{
	g_array_unref(((Header *)header)->fields);
}

void header_unref(Header *header)
{
	if (header != NULL)
		g_atomic_rc_box_release_full(header, header_clear);
}

static gsize n_printable(const char *bytes, gsize len)
{
	gsize n = 0;

	while (n < len && bytes[n] >= ' ' && bytes[n] < 0x7f)
		n++;
	return n;
}

static void append_unfolded(GString *out, ByteSlice value)
{
	for (gsize i = 0; i < value.len; i++) {
		gsize n_plain = n_printable(value.ptr + i, value.len - i);
		g_string_append_len(out, value.ptr + i, (gssize)n_plain);
		i += n_plain;
		if (i == value.len)
			break;
		char c = value.ptr[i];

		if (c == '\0')
			g_string_append_c(out, '\1');
		else if (c != '\n' &&
			 !(c == '\r' && (i + 1 == value.len || value.ptr[i + 1] == '\n')))
			g_string_append_c(out, c);
	}
}

static bool field_is(const HeaderField *field, const char *name)
{
	return field->name.len == strlen(name) && slice_has_prefix(field->name, name);
}

static const HeaderField *next_field(const Header *header, const char *name, guint *index)
{
	while (*index < header->fields->len) {
		const HeaderField *field = &g_array_index(header->fields, HeaderField, (*index)++);

		if (field_is(field, name))
			return field;
	}
	return NULL;
}

char *header_get(const Header *header, const char *name)
{
	guint index = 0;
	const HeaderField *field = next_field(header, name, &index);

	if (field == NULL)
		return NULL;

	GString *value = g_string_sized_new(field->value.len);
	append_unfolded(value, field->value);
	return g_strstrip(g_string_free(value, FALSE));
}

char *header_get_all(const Header *header, const char *name)
{
	GString *values = NULL;
	guint index = 0;

	for (const HeaderField *field; (field = next_field(header, name, &index)) != NULL;) {
		if (values == NULL)
			values = g_string_new(NULL);
		else
			g_string_append(values, ", ");
		append_unfolded(values, field->value);
	}
	return values ? g_string_free(values, FALSE) : NULL;
}

char *header_get_text(const Header *header, const char *name)
{
	g_autofree char *value = header_get(header, name);

	return value ? text_decode_field(value) : NULL;
}

char *header_message_id(const Header *header)
{
	guint index = 0;

	for (const HeaderField *field;
	     (field = next_field(header, "Message-ID", &index)) != NULL;) {
		GString *value = g_string_new(NULL);

		append_unfolded(value, field->value);

		g_autofree char *text = g_string_free(value, FALSE);
		char *id = msgid_canonical(text);
		if (id != NULL)
			return id;
	}
	return NULL;
}

void header_parse_date(const char *text, int64_t *out_us, int *out_offset_min)
{
	g_autoptr(GDateTime) date = text ? g_mime_utils_header_decode_date(text) : NULL;

	*out_us = date ? g_date_time_to_unix(date) * G_USEC_PER_SEC : 0;
	*out_offset_min = date ? (int)(g_date_time_get_utc_offset(date) / G_TIME_SPAN_MINUTE) : 0;
}
