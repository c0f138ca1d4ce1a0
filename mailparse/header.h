/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * header - the fields at the head of a mail or of one of its parts.
 *
 * Reads as `git mailinfo` does where mail is broken: leading empty lines and "From " or ">From "
 * lines are skipped, and the header ends at its empty line or before the first line that is no
 * field.
 */

#include "mailparse/cursor.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
	ByteSlice name;
	ByteSlice value; /* with its folds, without the last line end */
} HeaderField;

typedef struct {
	GArray *fields; /* (element-type HeaderField) in mail order; into the mail's bytes */
} Header;

/**
 * header_read:
 * @cursor: at the first byte of a header; left at the first byte of the body
 * @error: LIMIT over MAIL_MAX_HEADER_BYTES or MAIL_MAX_FIELD_BYTES
 *
 * Returns: (transfer full): maybe without any field; NULL with @error set
 */
Header *header_read(ByteCursor *cursor, GError **error) G_GNUC_WARN_UNUSED_RESULT;
Header *header_ref(Header *header);
void header_unref(Header *header);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Header, header_unref)

/** header_skip_start: over empty lines and "From " lines before the first field of a mail. */
void header_skip_start(ByteCursor *cursor);

/**
 * header_get:
 *
 * Returns: (transfer full) (nullable): value of the first field @name, unfolded, otherwise the
 * bytes of the mail (a NUL becomes 0x01); NULL when there is none
 */
char *header_get(const Header *header, const char *name);

/** header_get_all: the values of all fields @name, joined by ", "; NULL when there is none. */
char *header_get_all(const Header *header, const char *name);

/** header_get_text: header_get() as text_decode_field() reads it. */
char *header_get_text(const Header *header, const char *name);

/**
 * header_message_id:
 *
 * Returns: (transfer full) (nullable): canonical, of the first Message-ID field that has a usable
 * one
 */
char *header_message_id(const Header *header);

/**
 * header_parse_date:
 * @text: (nullable): value of a Date: field
 * @out_us: 0 when it is no date
 * @out_offset_min: its zone, minutes east of UTC
 */
void header_parse_date(const char *text, int64_t *out_us, int *out_offset_min);
