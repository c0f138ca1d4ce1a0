/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/inbody.h"

#include "mailparse/cursor.h"
#include "mailparse/header.h"
#include "mailparse/limits.h"
#include "mailparse/text.h"

#include <string.h>

typedef enum {
	FIELD_FROM,
	FIELD_SUBJECT,
	FIELD_DATE,
	N_FIELDS,
} Field;

static const char *const field_names[N_FIELDS] = {"From:", "Subject:", "Date:"};

typedef struct {
	GString *values[N_FIELDS]; /* NULL until seen                               */
	GString *open;             /* the one that a folded line continues; borrowed */
} Reader;

/* "From " 40 hex " Mon Sep 17 00:00:00 2001": git-format-patch's first line. */
static bool is_format_patch_line(ByteSlice line)
{
	static const char date[] = " Mon Sep 17 00:00:00 2001";
	gsize n_hex = 0;

	if (line.len < 5 || memcmp(line.ptr, "From ", 5) != 0)
		return false;
	while (5 + n_hex < line.len && g_ascii_isxdigit(line.ptr[5 + n_hex]))
		n_hex++;
	return (n_hex == 40 || n_hex == 64) && line.len == 5 + n_hex + strlen(date) &&
	       memcmp(line.ptr + 5 + n_hex, date, strlen(date)) == 0;
}

static bool take_field(Reader *reader, Field field, ByteSlice value)
{
	if (reader->values[field] != NULL)
		return false;
	reader->values[field] = g_string_new_len(value.ptr, (gssize)value.len);
	reader->open = reader->values[field];
	return true;
}

static bool take_named_field(Reader *reader, ByteSlice line)
{
	for (Field field = 0; field < N_FIELDS; field++) {
		gsize len = strlen(field_names[field]);

		if (slice_has_prefix(line, field_names[field]))
			return take_field(
				reader, field,
				(ByteSlice){.ptr = line.ptr + len, .len = line.len - len});
	}
	return false;
}

/* Returns: false when @line is the first of the text proper. */
static bool take_line(Reader *reader, ByteSlice line)
{
	bool folded = line.len > 0 && (line.ptr[0] == ' ' || line.ptr[0] == '\t');

	if (folded && reader->open != NULL && reader->open->len < MAIL_MAX_FIELD_BYTES) {
		g_string_append_len(reader->open, line.ptr, (gssize)line.len);
		return true;
	}
	reader->open = NULL;
	if (line.len > 0 && line.ptr[0] == '>')
		return is_format_patch_line((ByteSlice){.ptr = line.ptr + 1, .len = line.len - 1});
	if (slice_has_prefix(line, "[PATCH] ") && memcmp(line.ptr, "[PATCH]", 7) == 0) {
		bool taken = take_field(reader, FIELD_SUBJECT, line);

		reader->open = NULL;
		return taken;
	}
	return take_named_field(reader, line);
}

/* Returns: where the text proper begins; an empty line ends the fields once there is one. */
static gsize read_fields(Reader *reader, ByteCursor *cursor)
{
	ByteSlice line;
	gsize start = 0;

	for (; cursor_take_line(cursor, &line); start = cursor->pos) {
		if (line.len > 0 && !take_line(reader, line))
			return start;
		if (line.len == 0 && reader->open != NULL)
			return cursor->pos;
	}
	return start;
}

static Inbody *inbody_new(const Reader *reader)
{
	Inbody *inbody = g_new0(Inbody, 1);

	if (reader->values[FIELD_FROM] != NULL)
		inbody->from = mailbox_parse(reader->values[FIELD_FROM]->str, NULL);
	if (reader->values[FIELD_SUBJECT] != NULL)
		inbody->subject = text_decode_field(reader->values[FIELD_SUBJECT]->str);
	if (reader->values[FIELD_DATE] != NULL)
		inbody->date = text_decode_field(reader->values[FIELD_DATE]->str);
	header_parse_date(inbody->date, &inbody->date_us, &inbody->date_offset_min);
	return inbody;
}

Inbody *inbody_read(const char *text)
{
	Reader reader = {0};
	ByteCursor cursor;

	cursor_init(&cursor, text, strlen(text));
	gsize rest = read_fields(&reader, &cursor);
	Inbody *inbody = inbody_new(&reader);

	inbody->rest = text + rest;
	for (Field field = 0; field < N_FIELDS; field++) {
		if (reader.values[field] != NULL)
			g_string_free(reader.values[field], TRUE);
	}
	return inbody;
}

void inbody_free(Inbody *inbody)
{
	if (inbody == NULL)
		return;
	mailbox_free(inbody->from);
	g_free(inbody->subject);
	g_free(inbody->date);
	g_free(inbody);
}
