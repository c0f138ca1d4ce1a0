/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stats/sample.h"
#include "tests/unit/check_main.h"

#include <math.h>

START_TEST(sample_new_drops_and_counts_what_is_no_measurement)
{
	const double values[] = {1, NAN, 2, INFINITY, -INFINITY, 1e151, -3};

	g_autoptr(Sample) sample = sample_new(values, G_N_ELEMENTS(values));

	ck_assert_uint_eq(sample->n, 3);
	ck_assert_uint_eq(sample->n_missing, 4);
	ck_assert_double_eq(sample->values[0], 1);
	ck_assert_double_eq(sample->values[1], 2);
	ck_assert_double_eq(sample->values[2], -3);
}
END_TEST

START_TEST(sample_of_nothing_has_figures_too)
{
	g_autoptr(Sample) sample = sample_new(NULL, 0);

	ck_assert_double_eq(sample_mean(sample), 0);
	ck_assert_double_eq(sample_stddev(sample), -1);
	ck_assert_double_eq(sample_median(sample), 0);
	ck_assert(!sample_misses_many(sample));
}
END_TEST

START_TEST(sample_stddev_divides_by_n)
{
	const double one_of_six[] = {0, 0, 0, 0, 0, 6};
	g_autoptr(Sample) sample = sample_new(one_of_six, 6);

	/* The well-known artefact of one run in six that is not zero: 223 % of the mean. */
	ck_assert_double_eq_tol(sample_stddev(sample) / sample_mean(sample), sqrt(5), 1e-12);
}
END_TEST

START_TEST(sample_stddev_of_one_run_is_minus_one)
{
	g_autoptr(Sample) sample = sample_new((const double[]){7}, 1);

	ck_assert_double_eq(sample_stddev(sample), -1);
}
END_TEST

START_TEST(sample_median_keeps_the_run_order)
{
	const double values[] = {4, 1, 3, 2};
	g_autoptr(Sample) sample = sample_new(values, 4);

	ck_assert_double_eq(sample_median(sample), 2.5);
	ck_assert_double_eq(sample->values[0], 4);
}
END_TEST

START_TEST(sample_figures_stay_numbers_for_the_largest_values)
{
	const double values[] = {-1e150, 1e150, 1e150};
	g_autoptr(Sample) sample = sample_new(values, 3);

	ck_assert(isfinite(sample_mean(sample)));
	ck_assert(isfinite(sample_stddev(sample)));
}
END_TEST

START_TEST(sample_misses_many_only_above_a_quarter)
{
	g_autoptr(Sample) quarter = sample_new((const double[]){1, 2, 3, NAN}, 4);
	g_autoptr(Sample) more = sample_new((const double[]){1, 2, NAN}, 3);

	ck_assert(!sample_misses_many(quarter));
	ck_assert(sample_misses_many(more));
}
END_TEST

CHECK_MAIN("sample", sample_new_drops_and_counts_what_is_no_measurement,
	   sample_of_nothing_has_figures_too, sample_stddev_divides_by_n,
	   sample_stddev_of_one_run_is_minus_one, sample_median_keeps_the_run_order,
	   sample_figures_stay_numbers_for_the_largest_values,
	   sample_misses_many_only_above_a_quarter)
