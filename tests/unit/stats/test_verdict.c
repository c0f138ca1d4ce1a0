/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stats/verdict.h"
#include "tests/unit/check_main.h"

START_TEST(verdict_names_read_back_as_themselves)
{
	const char *const names[] = {"regression", "improvement", "change", "no-change", "unclear"};

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		ck_assert_str_eq(verdict_name(verdict_from_name(names[i])), names[i]);
}
END_TEST

START_TEST(verdict_of_an_unknown_name_is_unclear)
{
	ck_assert_int_eq(verdict_from_name("better"), VERDICT_UNCLEAR);
	ck_assert_int_eq(verdict_from_name(NULL), VERDICT_UNCLEAR);
}
END_TEST

START_TEST(direction_names_read_back_as_themselves)
{
	const char *const names[] = {"higher", "lower", "none"};

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		ck_assert_str_eq(direction_name(direction_from_name(names[i])), names[i]);
	ck_assert_int_eq(direction_from_name("up"), DIRECTION_NONE);
}
END_TEST

CHECK_MAIN("verdict", verdict_names_read_back_as_themselves, verdict_of_an_unknown_name_is_unclear,
	   direction_names_read_back_as_themselves)
