/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * cursor - a bounded reader over bytes, for parsers of hostile text.
 *
 * Nothing here reads past the end, a NUL is a byte like any other, and the line number is kept for
 * messages.  A read that must not fail but does (skip over the end, a number that is none or too
 * large) latches `failed`: all later reads then fail as well, so a parser may test it once at its
 * end.  Asking whether something stands here (peek, take_char, take_word) never latches.
 */

#include <glib.h>
#include <stdbool.h>

typedef struct {
	const char *ptr; /* not NUL-terminated; into somebody else's bytes */
	gsize len;
} ByteSlice;

typedef struct {
	const char *data; /* borrowed; must outlive the cursor           */
	gsize len;
	gsize pos;
	gsize line;  /* number of the line at pos, the first is 1   */
	bool failed; /* a read that must not fail has failed         */
} ByteCursor;

void cursor_init(ByteCursor *cursor, const void *data, gsize len);

/** cursor_left: bytes not read yet; 0 after a failure. */
gsize cursor_left(const ByteCursor *cursor);

/** cursor_peek: the next byte as 0 to 255, -1 at the end. */
int cursor_peek(const ByteCursor *cursor);

/** cursor_skip: @n bytes on; latches when fewer are left. */
bool cursor_skip(ByteCursor *cursor, gsize n);

/** cursor_skip_blanks: over spaces and tabs. */
void cursor_skip_blanks(ByteCursor *cursor);

/** cursor_take_char: true and one byte on when the next byte is @c. */
bool cursor_take_char(ByteCursor *cursor, char c);

/** cursor_take_word: true and over @word when it stands here; ASCII case does not count. */
bool cursor_take_word(ByteCursor *cursor, const char *word);

/**
 * cursor_take_uint:
 * @max: largest value that is taken
 *
 * Decimal digits; latches when there is none or the value is over @max.
 */
bool cursor_take_uint(ByteCursor *cursor, unsigned max, unsigned *out_value);

/**
 * cursor_take_line:
 * @out_line: the line without its LF; a CR stays
 *
 * Returns: false at the end; a last line without LF counts as a line
 */
bool cursor_take_line(ByteCursor *cursor, ByteSlice *out_line);

/** slice_chomp: @slice without the CRs at its end. */
ByteSlice slice_chomp(ByteSlice slice);

/** slice_has_prefix: ASCII case does not count. */
bool slice_has_prefix(ByteSlice slice, const char *prefix);
