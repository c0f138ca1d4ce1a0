/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/cursor.h"

#include "tests/unit/check_main.h"

#include <string.h>

static ByteCursor cursor_over(const char *text)
{
	ByteCursor cursor;

	cursor_init(&cursor, text, strlen(text));
	return cursor;
}

START_TEST(cursor_takes_lines_with_and_without_a_last_lf)
{
	ByteCursor cursor = cursor_over("a\r\n\nb");
	ByteSlice line;

	ck_assert(cursor_take_line(&cursor, &line));
	ck_assert_uint_eq(line.len, 2);
	ck_assert_uint_eq(slice_chomp(line).len, 1);
	ck_assert(cursor_take_line(&cursor, &line));
	ck_assert_uint_eq(line.len, 0);
	ck_assert_uint_eq(cursor.line, 3);
	ck_assert(cursor_take_line(&cursor, &line));
	ck_assert(slice_has_prefix(line, "B"));
	ck_assert(!cursor_take_line(&cursor, &line));
	ck_assert(!cursor.failed);
}
END_TEST

START_TEST(cursor_reads_a_nul_like_any_byte)
{
	static const char bytes[] = "a\0b\n";
	ByteCursor cursor;
	ByteSlice line;

	cursor_init(&cursor, bytes, 4);

	ck_assert(cursor_take_line(&cursor, &line));
	ck_assert_uint_eq(line.len, 3);
}
END_TEST

START_TEST(cursor_takes_a_number_up_to_the_maximum)
{
	ByteCursor cursor = cursor_over("0042x");
	unsigned value = 0;

	ck_assert(cursor_take_uint(&cursor, 42, &value));
	ck_assert_uint_eq(value, 42);
	ck_assert_int_eq(cursor_peek(&cursor), 'x');
}
END_TEST

START_TEST(cursor_latches_a_number_over_the_maximum)
{
	static const char *const texts[] = {"43", "4294967338", "99999999999999999999999", "x", ""};

	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		ByteCursor cursor = cursor_over(texts[i]);
		unsigned value = 7;

		ck_assert(!cursor_take_uint(&cursor, 42, &value));
		ck_assert_uint_eq(value, 7);
		ck_assert(cursor.failed);
		ck_assert_int_eq(cursor_peek(&cursor), -1);
	}
}
END_TEST

START_TEST(cursor_latches_a_skip_over_the_end)
{
	ByteCursor cursor = cursor_over("a\nb");
	ByteSlice line;

	ck_assert(cursor_skip(&cursor, 3));
	ck_assert_uint_eq(cursor.line, 2);
	ck_assert(!cursor.failed);
	ck_assert(!cursor_skip(&cursor, 1));
	ck_assert(cursor.failed);
	ck_assert(!cursor_take_line(&cursor, &line));
}
END_TEST

START_TEST(cursor_asks_without_latching)
{
	ByteCursor cursor = cursor_over(" \tPatch");

	cursor_skip_blanks(&cursor);

	ck_assert(!cursor_take_char(&cursor, 'x'));
	ck_assert(!cursor_take_word(&cursor, "PATCHES"));
	ck_assert(cursor_take_word(&cursor, "PATCH"));
	ck_assert(!cursor_take_char(&cursor, '\0'));
	ck_assert(!cursor.failed);
}
END_TEST

CHECK_MAIN("cursor", cursor_takes_lines_with_and_without_a_last_lf,
	   cursor_reads_a_nul_like_any_byte, cursor_takes_a_number_up_to_the_maximum,
	   cursor_latches_a_number_over_the_maximum, cursor_latches_a_skip_over_the_end,
	   cursor_asks_without_latching)
