/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What strangers' texts become on their way out: log lines and JSON. */
#include "bot/base/json.h"
#include "bot/base/log.h"

#include "tests/unit/check_main.h"

#include <string.h>

START_TEST(a_log_line_cannot_be_forged_or_move_the_cursor)
{
	g_autofree char *safe = log_escape("a\nb\033[2Jc\xff\xc3\xa9\x7f", -1);

	ck_assert_str_eq(safe, "a\\x0ab\\x1b[2Jc\\xff\xc3\xa9\\x7f");
}
END_TEST

START_TEST(bytes_that_are_no_utf8_become_valid_json)
{
	autojson *text = json_text("caf\xe9");
	autojson *none = json_text(NULL);

	ck_assert_str_eq(json_string_value(text), "caf\xef\xbf\xbd");
	ck_assert(json_is_null(none));
}
END_TEST

START_TEST(printed_json_steers_no_terminal)
{
	static const char hostile[] = "a\033[2J\x7f\xc2\x9b"
				      "2J\xc2\xa0\xc3\xa9";
	g_autofree char *line = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&line, &len);
	autojson *list = json_pack("[o]", json_text(hostile));

	json_print_line(out, list);
	fclose(out);

	ck_assert_str_eq(line, "[\"a\\u001B[2J\\u007F\\u009B2J\xc2\xa0\xc3\xa9\"]\n");
	autojson *again = json_parse_bytes(line, len, "line", NULL);
	ck_assert_str_eq(json_string_value(json_array_get(again, 0)), hostile);
}
END_TEST

START_TEST(hostile_json_is_refused_with_its_place)
{
	static const char *const texts[] = {"", "{", "{\"a\":1,\"a\":2}", "[1e999]", "\xff"};

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(GError) error = NULL;
		ck_assert_ptr_null(json_parse_bytes(texts[i], strlen(texts[i]), "f.json", &error));
		ck_assert_ptr_nonnull(strstr(error->message, "f.json"));
	}
}
END_TEST

START_TEST(deep_json_is_refused_and_does_not_overflow)
{
	g_autofree char *deep = g_strnfill(1000000, '[');

	ck_assert_ptr_null(json_parse_bytes(deep, 1000000, "deep", NULL));
}
END_TEST

CHECK_MAIN("text_out", a_log_line_cannot_be_forged_or_move_the_cursor,
	   bytes_that_are_no_utf8_become_valid_json, printed_json_steers_no_terminal,
	   hostile_json_is_refused_with_its_place, deep_json_is_refused_and_does_not_overflow)
