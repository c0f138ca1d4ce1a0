/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/clock.h"

#include "tests/unit/check_main.h"

#include <string.h>

START_TEST(a_fixed_clock_stands_still_until_it_is_set)
{
	g_autoptr(Clock) clock = clock_new_fixed(1000);

	clock_set(clock, clock_now_us(clock) + 5);

	ck_assert(clock_is_fixed(clock));
	ck_assert_int_eq(clock_now_us(clock), 1005);
}
END_TEST

START_TEST(iso_dates_are_read_with_and_without_time_and_offset)
{
	static const struct {
		const char *text;
		int64_t s;
	} rows[] = {
		{"1970-01-02", 86400},
		{"2026-01-05T12:00:00Z", 1767614400},
		{"2026-01-05T13:30:00+01:30", 1767614400},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		int64_t us = 0;
		ck_assert(clock_parse_iso(rows[i].text, &us, NULL));
		ck_assert_int_eq(us, rows[i].s * CLOCK_US_PER_S);
	}
}
END_TEST

START_TEST(what_is_no_date_is_an_error_that_names_it)
{
	static const char *const texts[] = {"", "tomorrow", "2026-13-01", "2026-01-05T25:00:00Z"};

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(GError) error = NULL;
		int64_t us = 0;
		ck_assert(!clock_parse_iso(texts[i], &us, &error));
		ck_assert_ptr_nonnull(strstr(error->message, texts[i]));
	}
}
END_TEST

START_TEST(dates_are_written_as_the_standards_say)
{
	g_autofree char *iso = clock_format_iso(INT64_C(1767614400) * CLOCK_US_PER_S);
	g_autofree char *mail = clock_format_rfc5322(INT64_C(1767614400) * CLOCK_US_PER_S);
	g_autofree char *beyond = clock_format_iso(INT64_MAX);

	ck_assert_str_eq(iso, "2026-01-05T12:00:00Z");
	ck_assert_str_eq(mail, "Mon, 5 Jan 2026 12:00:00 +0000");
	ck_assert_str_eq(beyond, "(no date)");
}
END_TEST

CHECK_MAIN("clock", a_fixed_clock_stands_still_until_it_is_set,
	   iso_dates_are_read_with_and_without_time_and_offset,
	   what_is_no_date_is_an_error_that_names_it, dates_are_written_as_the_standards_say)
