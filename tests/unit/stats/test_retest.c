/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stats/retest.h"
#include "tests/unit/check_main.h"

#include <math.h>

/* Eight runs around @level with a spread of about one per cent, some ties, in a scattered order. */
static Sample *runs_around(double level)
{
	const double noise[] = {0.3, -0.8, 1.1, 0, -0.4, 0.7, -1.2, 0.2};
	double values[G_N_ELEMENTS(noise)];

	for (size_t i = 0; i < G_N_ELEMENTS(noise); i++)
		values[i] = level * (1 + noise[i] / 100);
	return sample_new(values, G_N_ELEMENTS(noise));
}

static RetestOutcome judge_levels(double base_level, double bad_level, double fix_level,
				  Direction direction)
{
	g_autoptr(Sample) base = runs_around(base_level);
	g_autoptr(Sample) bad = runs_around(bad_level);
	g_autoptr(Sample) fix = runs_around(fix_level);

	return retest_judge(base, bad, fix, direction, 0.02, &COMPARE_OPTIONS_DEFAULT, 1);
}

START_TEST(retest_tells_the_outcomes_apart)
{
	static const struct {
		double base, bad, fix;
		RetestOutcome outcome;
	} table[] = {
		{100, 110, 100, RETEST_RESOLVED},       {100, 110, 95, RETEST_RESOLVED},
		{100, 110, 105, RETEST_PARTLY},         {100, 110, 110, RETEST_NOT_RESOLVED},
		{100, 110, 120, RETEST_WORSE},          {100, 100.1, 100, RETEST_NOT_REPRODUCED},
		{100, 100, 120, RETEST_NOT_REPRODUCED}, {100, 90, 100, RETEST_NOT_REPRODUCED},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
		RetestOutcome outcome = judge_levels(table[i].base, table[i].bad, table[i].fix,
						     DIRECTION_LOWER_IS_BETTER);
		ck_assert_str_eq(retest_outcome_name(outcome),
				 retest_outcome_name(table[i].outcome));
	}
}
END_TEST

START_TEST(retest_turns_with_the_direction)
{
	ck_assert_int_eq(judge_levels(100, 90, 100, DIRECTION_HIGHER_IS_BETTER), RETEST_RESOLVED);
	ck_assert_int_eq(judge_levels(100, 90, 95, DIRECTION_HIGHER_IS_BETTER), RETEST_PARTLY);
	ck_assert_int_eq(judge_levels(100, 90, 80, DIRECTION_HIGHER_IS_BETTER), RETEST_WORSE);
	ck_assert_int_eq(judge_levels(100, 110, 100, DIRECTION_HIGHER_IS_BETTER),
			 RETEST_NOT_REPRODUCED);
	/* Perhaps a little better than bad, by how much is not known. */
	ck_assert_int_eq(judge_levels(100, 90, 91.08, DIRECTION_HIGHER_IS_BETTER), RETEST_UNCLEAR);
}
END_TEST

START_TEST(retest_without_a_direction_takes_the_blamed_change_as_the_worse_way)
{
	ck_assert_int_eq(judge_levels(100, 90, 100, DIRECTION_NONE), RETEST_RESOLVED);
	ck_assert_int_eq(judge_levels(100, 110, 100, DIRECTION_NONE), RETEST_RESOLVED);
	ck_assert_int_eq(judge_levels(100, 110, 110, DIRECTION_NONE), RETEST_NOT_RESOLVED);
}
END_TEST

START_TEST(retest_is_unclear_while_the_fix_is_neither_shown_back_nor_shown_worse)
{
	/* Better than bad, but the interval against base reaches over the threshold. */
	ck_assert_int_eq(judge_levels(100, 110, 101.2, DIRECTION_LOWER_IS_BETTER), RETEST_UNCLEAR);
}
END_TEST

START_TEST(retest_of_several_fixes_asks_more_of_each)
{
	const double a[] = {100, 101, 102, 103, 104};
	const double b[] = {110, 111, 112, 113, 114};
	g_autoptr(Sample) base = sample_new(a, 5);
	g_autoptr(Sample) bad = sample_new(b, 5);

	/* 5v5 has p = 0.0079 at best. */
	RetestOutcome one = retest_judge(base, bad, base, DIRECTION_LOWER_IS_BETTER, 0.05,
					 &COMPARE_OPTIONS_DEFAULT, 1);
	RetestOutcome two = retest_judge(base, bad, base, DIRECTION_LOWER_IS_BETTER, 0.05,
					 &COMPARE_OPTIONS_DEFAULT, 2);

	ck_assert_int_eq(one, RETEST_RESOLVED);
	ck_assert_int_eq(two, RETEST_UNCLEAR);
}
END_TEST

START_TEST(retest_is_unclear_with_too_few_runs)
{
	const double a[] = {100, 101, 102, 103, 104, 105};
	const double b[] = {110, 111, 112, 113, 114, 115};
	g_autoptr(Sample) few_base = sample_new(a, 4);
	g_autoptr(Sample) few_bad = sample_new(b, 4);
	g_autoptr(Sample) base = sample_new(a, 6);
	g_autoptr(Sample) bad = sample_new(b, 6);
	g_autoptr(Sample) two = sample_new(a, 2);
	const CompareOptions *options = &COMPARE_OPTIONS_DEFAULT;

	ck_assert_int_eq(retest_judge(few_base, few_bad, few_base, DIRECTION_LOWER_IS_BETTER, 0.02,
				      options, 1),
			 RETEST_UNCLEAR);
	ck_assert_int_eq(retest_judge(base, bad, two, DIRECTION_LOWER_IS_BETTER, 0.02, options, 1),
			 RETEST_UNCLEAR);
	ck_assert_int_eq(retest_judge(two, bad, base, DIRECTION_LOWER_IS_BETTER, 0.02, options, 1),
			 RETEST_UNCLEAR);
}
END_TEST

START_TEST(retest_is_unclear_when_one_side_lost_many_runs)
{
	const double lossy[] = {100, 101, 100.5, 99, 100.2, 99.5, NAN, NAN, NAN};
	g_autoptr(Sample) base = runs_around(100);
	g_autoptr(Sample) bad = runs_around(110);
	g_autoptr(Sample) fix = sample_new(lossy, G_N_ELEMENTS(lossy));

	ck_assert_int_eq(retest_judge(base, bad, fix, DIRECTION_LOWER_IS_BETTER, 0.02,
				      &COMPARE_OPTIONS_DEFAULT, 1),
			 RETEST_UNCLEAR);
}
END_TEST

START_TEST(retest_of_counts_with_zeros_uses_the_base_median_as_measure)
{
	const double a[] = {10, 10, 0, 10, 11, 10};
	const double b[] = {30, 31, 30, 32, 30, 30};
	g_autoptr(Sample) base = sample_new(a, 6);
	g_autoptr(Sample) bad = sample_new(b, 6);

	ck_assert_int_eq(retest_judge(base, bad, base, DIRECTION_LOWER_IS_BETTER, 0.5,
				      &COMPARE_OPTIONS_DEFAULT, 1),
			 RETEST_RESOLVED);
}
END_TEST

START_TEST(retest_outcomes_have_the_names_that_reports_use)
{
	ck_assert_str_eq(retest_outcome_name(RETEST_NOT_REPRODUCED), "not-reproduced");
	ck_assert_str_eq(retest_outcome_name(RETEST_WORSE), "worse");
	ck_assert_str_eq(retest_outcome_name(RETEST_RESOLVED), "resolved");
	ck_assert_str_eq(retest_outcome_name(RETEST_PARTLY), "partly");
	ck_assert_str_eq(retest_outcome_name(RETEST_NOT_RESOLVED), "not-resolved");
	ck_assert_str_eq(retest_outcome_name(RETEST_UNCLEAR), "unclear");
}
END_TEST

CHECK_MAIN("retest", retest_tells_the_outcomes_apart, retest_turns_with_the_direction,
	   retest_without_a_direction_takes_the_blamed_change_as_the_worse_way,
	   retest_is_unclear_while_the_fix_is_neither_shown_back_nor_shown_worse,
	   retest_of_several_fixes_asks_more_of_each, retest_is_unclear_with_too_few_runs,
	   retest_is_unclear_when_one_side_lost_many_runs,
	   retest_of_counts_with_zeros_uses_the_base_median_as_measure,
	   retest_outcomes_have_the_names_that_reports_use)
