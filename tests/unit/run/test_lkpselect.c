/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/run/lkpselect.h"
#include "tests/unit/check_main.h"

#include <string.h>

static Matrix *matrix_of(const char *key, const char *values)
{
	g_autofree char *json = g_strdup_printf("{\"%s\": [%s]}", key, values);
	Matrix *matrix = matrix_parse(json, strlen(json), "m", NULL);

	ck_assert_ptr_nonnull(matrix);
	return matrix;
}

static bool is_shown(const char *key, const char *base_values, const char *head_values)
{
	g_autoptr(Matrix) base = matrix_of(key, base_values);
	g_autoptr(Matrix) head = matrix_of(key, head_values);

	return lkpselect_is_shown(base, head, key);
}

START_TEST(lkpselect_shows_ranges_that_separate)
{
	ck_assert(is_shown("x.ops", "10, 11, 12", "20, 21, 22"));
	ck_assert(is_shown("x.ops", "20, 21, 22", "10, 11, 12"));
	ck_assert(!is_shown("x.ops", "10, 15, 20", "12, 17, 22"));
}
END_TEST

START_TEST(lkpselect_lets_one_half_overlap)
{
	/* Each side's nearest value lies beyond the other's median only. */
	ck_assert(is_shown("x.ops", "10, 11, 14", "13, 15, 16"));
	ck_assert(!is_shown("x.ops", "10, 11, 16", "13, 15, 17"));
	ck_assert(!is_shown("x.ops", "10, 12, 14", "11, 15, 16"));
}
END_TEST

START_TEST(lkpselect_takes_the_upper_of_two_middle_values)
{
	/* Of 10, 11, 12, 13 it is 12, so a head value of 11.5 is not beyond it. */
	ck_assert(!is_shown("x.ops", "10, 11, 12, 13", "11.5, 14, 15, 16"));
	ck_assert(is_shown("x.ops", "10, 11, 12, 13", "12.5, 14, 15, 16"));
}
END_TEST

START_TEST(lkpselect_asks_for_one_per_cent_of_speed_and_five_of_the_rest)
{
	ck_assert(is_shown("x.ops", "1000, 1000, 1000", "1011, 1011, 1011"));
	ck_assert(!is_shown("x.ops", "1000, 1000, 1000", "1010, 1010, 1010"));
	ck_assert(is_shown("perf-stat.i.cpi", "1000, 1000, 1000", "1011, 1011, 1011"));
	ck_assert(!is_shown("meminfo.Slab", "1000, 1000, 1000", "1049, 1049, 1049"));
	ck_assert(is_shown("meminfo.Slab", "1000, 1000, 1000", "1051, 1051, 1051"));
	ck_assert(!is_shown("fxmark.a.works/sec", "1000, 1000, 1000", "1049, 1049, 1049"));
}
END_TEST

START_TEST(lkpselect_asks_for_changes_of_a_plausible_size)
{
	ck_assert(!is_shown("x.time.elapsed_time", "1, 1, 1", "2, 2, 2"));
	ck_assert(!is_shown("x.time.elapsed_time", "60, 60, 60", "64, 64, 64"));
	ck_assert(is_shown("x.time.elapsed_time", "60, 60, 60", "65, 65, 65"));
	ck_assert(!is_shown("meminfo.Slab", "400, 400, 400", "900, 900, 900"));
	ck_assert(is_shown("proc-vmstat.nr_dirtied", "446, 446, 446", "283, 283, 283"));
	ck_assert(!is_shown("proc-vmstat.nr_dirtied", "46, 46, 46", "28, 28, 28"));
	ck_assert(!is_shown("proc-vmstat.pgfault", "446, 446, 446", "283, 283, 283"));
	ck_assert(!is_shown("vmstat.cpu.id", "8, 8, 8", "3, 3, 3"));
	ck_assert(is_shown("vmstat.cpu.id", "23, 23, 23", "14, 14, 14"));
}
END_TEST

START_TEST(lkpselect_asks_for_three_runs_on_one_side)
{
	ck_assert(!is_shown("x.ops", "10, 10", "20, 20"));
	ck_assert(is_shown("x.ops", "10, 10", "20, 20, 20"));
	ck_assert(is_shown("x.ops", "10, 10, 10", "20"));
}
END_TEST

START_TEST(lkpselect_drops_values_of_minus_one)
{
	ck_assert(is_shown("x.ops", "-1, 10, 10, 10", "20, 20, 20"));
	ck_assert(!is_shown("x.ops", "-1, -1, -1", "20, 20, 20"));
}
END_TEST

START_TEST(lkpselect_cuts_the_extremes_of_many_runs)
{
	g_autoptr(GString) many = g_string_new("99");
	for (int i = 0; i < 31; i++)
		g_string_append(many, ", 10");

	ck_assert(is_shown("x.ops", many->str, "20, 20, 20"));
	ck_assert(!is_shown("x.ops", "99, 10, 10", "20, 20, 20"));
}
END_TEST

START_TEST(lkpselect_believes_any_profile_that_separates)
{
	ck_assert(
		is_shown("perf-profile.self.cycles-pp.f", "0.5, 0.5, 0.5", "0.501, 0.501, 0.501"));
}
END_TEST

START_TEST(lkpselect_shows_no_bookkeeping)
{
	ck_assert(!is_shown("slabinfo.x.active_objs", "100, 100, 100", "900, 900, 900"));
	ck_assert(!is_shown("aim7.jti", "10, 10, 10", "90, 90, 90"));
	ck_assert(is_shown("cpuidle..time", "9e8, 9e8, 9e8", "5e8, 5e8, 5e8"));
}
END_TEST

START_TEST(lkpselect_skips_what_base_does_not_have_but_new_profile_entries)
{
	g_autoptr(Matrix) base = matrix_of("perf-profile.self.x", "1, 1, 1");
	g_autoptr(Matrix) other = matrix_of("x.ops", "1, 1, 1");
	g_autoptr(Matrix) new_profile = matrix_of("perf-profile.self.y", "5, 5, 5");
	g_autoptr(Matrix) new_value = matrix_of("x.new", "500, 500, 500");

	ck_assert(lkpselect_is_shown(base, new_profile, "perf-profile.self.y"));
	ck_assert(!lkpselect_is_shown(other, new_profile, "perf-profile.self.y"));
	ck_assert(!lkpselect_is_shown(other, new_value, "x.new"));
}
END_TEST

START_TEST(lkpselect_takes_what_head_does_not_have_as_zero)
{
	g_autoptr(Matrix) base = matrix_of("x.ops", "5, 5, 5");
	g_autoptr(Matrix) head = matrix_of("x.other", "5, 5, 5");

	ck_assert(lkpselect_is_shown(base, head, "x.ops"));
}
END_TEST

START_TEST(lkpselect_shows_failures_where_their_largest_count_differs)
{
	g_autoptr(Matrix) clean = matrix_of("ltp.a.pass", "1, 1");
	g_autoptr(Matrix) broken = matrix_of("ltp.a.fail", "0, 1");
	g_autoptr(Matrix) unknown = matrix_of("ltp.b.pass", "1, 1");

	ck_assert(lkpselect_is_shown(clean, broken, "ltp.a.fail"));
	ck_assert(!lkpselect_is_shown(unknown, broken, "ltp.a.fail"));
	ck_assert(!lkpselect_is_shown(clean, clean, "ltp.a.pass"));
	ck_assert(is_shown("dmesg.WARNING:at_x", "0, 0", "0, 1"));
	ck_assert(!is_shown("dmesg.WARNING:at_x", "0, 1", "1, 1"));
}
END_TEST

START_TEST(lkpselect_of_no_runs_shows_nothing)
{
	g_autoptr(Matrix) none = matrix_of("x.ops", "");

	ck_assert(!lkpselect_is_shown(none, none, "x.ops"));
	ck_assert(!lkpselect_is_shown(none, none, "absent.fail"));
}
END_TEST

CHECK_MAIN("lkpselect", lkpselect_shows_ranges_that_separate, lkpselect_lets_one_half_overlap,
	   lkpselect_takes_the_upper_of_two_middle_values,
	   lkpselect_asks_for_one_per_cent_of_speed_and_five_of_the_rest,
	   lkpselect_asks_for_changes_of_a_plausible_size,
	   lkpselect_asks_for_three_runs_on_one_side, lkpselect_drops_values_of_minus_one,
	   lkpselect_cuts_the_extremes_of_many_runs, lkpselect_believes_any_profile_that_separates,
	   lkpselect_shows_no_bookkeeping,
	   lkpselect_skips_what_base_does_not_have_but_new_profile_entries,
	   lkpselect_takes_what_head_does_not_have_as_zero,
	   lkpselect_shows_failures_where_their_largest_count_differs,
	   lkpselect_of_no_runs_shows_nothing)
