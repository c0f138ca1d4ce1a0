/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stats/rank.h"
#include "bot/stats/shift.h"
#include "tests/unit/check_main.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PLAIN ((ShiftScale){.ratio = false, .center = 1, .percent = 1})

static Sample *read_values(const char *text)
{
	double values[RANK_MAX_N];
	size_t n = 0;
	g_auto(GStrv) words = g_strsplit(text, " ", -1);

	for (size_t i = 0; words[i] != NULL; i++) {
		if (*words[i] != '\0')
			values[n++] = g_ascii_strtod(words[i], NULL);
	}
	return sample_new(values, n);
}

static void check_interval(const Shift *shift, double level, char *const *ends)
{
	double low, high;
	bool found = shift_interval(shift, level, &low, &high);

	ck_assert_int_eq(found, strcmp(ends[0], "none") != 0);
	if (!found)
		return;
	ck_assert_double_eq_tol(low, g_ascii_strtod(ends[0], NULL), 1e-9);
	ck_assert_double_eq_tol(high, g_ascii_strtod(ends[1], NULL), 1e-9);
}

static void check_reference_line(const char *line)
{
	g_auto(GStrv) parts = g_strsplit(line, "|", -1);
	g_autoptr(Sample) base = read_values(parts[0]);
	g_autoptr(Sample) head = read_values(parts[1]);
	g_auto(GStrv) want = g_strsplit(g_strstrip(parts[2]), " ", -1);

	RankTest test = rank_sum_test(base->values, base->n, head->values, head->n);
	g_autoptr(Shift) shift = shift_new(base, head, &PLAIN);

	ck_assert_double_eq_tol(test.p, g_ascii_strtod(want[0], NULL), 1e-12);
	ck_assert_int_eq(test.direction, (int)g_ascii_strtoll(want[1], NULL, 10));
	ck_assert_double_eq_tol(shift_estimate(shift), g_ascii_strtod(want[2], NULL), 1e-9);
	check_interval(shift, 0.005, want + 3);
	check_interval(shift, 0.05, want + 5);
}

START_TEST(rank_test_and_interval_agree_with_reference_values)
{
	g_autofree char *path =
		g_build_filename(g_getenv("LOREBOT_TEST_DATA"), "golden/stats/reference.txt", NULL);
	g_autofree char *text = NULL;
	size_t n_checked = 0;

	ck_assert(g_file_get_contents(path, &text, NULL, NULL));
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	for (size_t i = 0; lines[i] != NULL; i++) {
		if (*lines[i] == '#' || *lines[i] == '\0')
			continue;
		check_reference_line(lines[i]);
		n_checked++;
	}

	ck_assert_uint_eq(n_checked, 60);
}
END_TEST

START_TEST(shift_scale_is_of_ratios_only_while_all_values_are_positive)
{
	g_autoptr(Sample) positive = sample_new((const double[]){1, 2, 3}, 3);
	g_autoptr(Sample) zero = sample_new((const double[]){1, 0, 3}, 3);

	ck_assert(shift_scale_choose((const Sample *const[]){positive, positive}, 2).ratio);
	ck_assert(!shift_scale_choose((const Sample *const[]){positive, zero}, 2).ratio);
	ck_assert(!shift_scale_choose((const Sample *const[]){zero, positive}, 2).ratio);
}
END_TEST

START_TEST(shift_of_a_ratio_is_symmetric)
{
	g_autoptr(Sample) low = sample_new((const double[]){100, 100, 100}, 3);
	g_autoptr(Sample) high = sample_new((const double[]){200, 200, 200}, 3);
	ShiftScale scale = shift_scale_choose((const Sample *const[]){low, high}, 2);

	g_autoptr(Shift) up = shift_new(low, high, &scale);
	g_autoptr(Shift) down = shift_new(high, low, &scale);

	ck_assert_double_eq_tol(shift_scale_percent(&scale, shift_estimate(up)), 100, 1e-9);
	ck_assert_double_eq_tol(shift_scale_percent(&scale, shift_estimate(down)), -50, 1e-9);
}
END_TEST

START_TEST(shift_percent_stays_a_number)
{
	ShiftScale ratio = {.ratio = true};
	ShiftScale tiny_center = {.ratio = false, .center = 5e-324, .percent = 5e-324};

	ck_assert(isfinite(shift_scale_percent(&ratio, 1e4)));
	ck_assert_double_eq(shift_scale_percent(&tiny_center, -1e150), -1e300);
}
END_TEST

START_TEST(shift_without_a_center_keeps_the_unit)
{
	ShiftScale scale = {.ratio = false, .center = 0};

	ck_assert_double_eq(shift_scale_percent(&scale, 3), 3);
	ck_assert_double_eq(shift_scale_threshold(&scale, 0.02), 0);
}
END_TEST

CHECK_MAIN("shift", rank_test_and_interval_agree_with_reference_values,
	   shift_scale_is_of_ratios_only_while_all_values_are_positive,
	   shift_of_a_ratio_is_symmetric, shift_percent_stays_a_number,
	   shift_without_a_center_keeps_the_unit)
