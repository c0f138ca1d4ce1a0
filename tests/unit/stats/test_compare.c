/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stats/compare.h"
#include "bot/stats/rank.h"
#include "tests/unit/check_main.h"

#include <math.h>

/* Six calm runs, and the same runs times 1.05: every value of the one above all of the other. */
static const double calm[] = {100, 101, 99.5, 100.5, 99, 100.2};
static const double faster[] = {105, 106.05, 104.475, 105.525, 103.95, 105.21};

static Comparison compare_one(const double *a, size_t n_a, const double *b, size_t n_b,
			      Direction direction)
{
	g_autoptr(Sample) base = sample_new(a, n_a);
	g_autoptr(Sample) head = sample_new(b, n_b);
	CompareInput input = {"metric", base, head, direction, 0.02, 0, false};
	Comparison out;

	compare_family(&input, 1, &COMPARE_OPTIONS_DEFAULT, &out);
	return out;
}

/* @n copies of @input as one family; the first one's result. */
static Comparison compare_copies(const CompareInput *input, size_t n)
{
	g_autofree CompareInput *inputs = g_new(CompareInput, n);
	g_autofree Comparison *out = g_new(Comparison, n);

	for (size_t i = 0; i < n; i++)
		inputs[i] = *input;
	compare_family(inputs, n, &COMPARE_OPTIONS_DEFAULT, out);
	return out[0];
}

static void fill(double *values, size_t n, double value)
{
	for (size_t i = 0; i < n; i++)
		values[i] = value;
}

START_TEST(compare_calls_a_clear_rise_an_improvement_where_higher_is_better)
{
	Comparison c = compare_one(calm, 6, faster, 6, DIRECTION_HIGHER_IS_BETTER);

	ck_assert_int_eq(c.verdict, VERDICT_IMPROVEMENT);
	ck_assert_double_eq_tol(c.p, 2.0 / 924, 1e-12);
	ck_assert_double_eq_tol(c.shift, 5, 0.01);
	ck_assert(c.ratio_scale && c.has_percent && c.has_interval && c.has_equivalence);
	ck_assert(0 < c.low && c.low < c.shift && c.shift < c.high);
	ck_assert(c.low <= c.equivalence_low && c.equivalence_high <= c.high);
	ck_assert_uint_eq(c.n_plan, 0);
}
END_TEST

START_TEST(compare_changes_only_the_word_with_the_direction)
{
	Comparison higher = compare_one(calm, 6, faster, 6, DIRECTION_HIGHER_IS_BETTER);
	Comparison lower = compare_one(calm, 6, faster, 6, DIRECTION_LOWER_IS_BETTER);
	Comparison none = compare_one(calm, 6, faster, 6, DIRECTION_NONE);
	Comparison down = compare_one(faster, 6, calm, 6, DIRECTION_HIGHER_IS_BETTER);

	ck_assert_int_eq(lower.verdict, VERDICT_REGRESSION);
	ck_assert_int_eq(none.verdict, VERDICT_CHANGE);
	ck_assert_int_eq(down.verdict, VERDICT_REGRESSION);
	ck_assert_double_eq(lower.shift, higher.shift);
	ck_assert_double_eq(none.p, higher.p);
}
END_TEST

START_TEST(compare_finds_no_change_where_the_interval_lies_within_delta)
{
	const double again[] = {100.1, 100.9, 99.6, 100.3, 99.2, 100};

	Comparison c = compare_one(calm, 6, again, 6, DIRECTION_HIGHER_IS_BETTER);

	ck_assert_int_eq(c.verdict, VERDICT_NO_CHANGE);
	ck_assert(!c.below_threshold && !c.identical);
}
END_TEST

START_TEST(compare_says_no_change_of_a_sure_change_smaller_than_delta)
{
	double a[12], b[12];
	for (size_t i = 0; i < 12; i++) {
		a[i] = 100 + 0.01 * (double)i;
		b[i] = a[i] * 1.01;
	}

	Comparison c = compare_one(a, 12, b, 12, DIRECTION_HIGHER_IS_BETTER);

	ck_assert_int_eq(c.verdict, VERDICT_NO_CHANGE);
	ck_assert(c.below_threshold);
	ck_assert(c.p < 0.0001);
}
END_TEST

START_TEST(compare_is_unclear_with_one_or_two_runs_a_side)
{
	for (size_t n = 0; n <= 2; n++) {
		Comparison c = compare_one(calm, n, faster, 6, DIRECTION_HIGHER_IS_BETTER);

		ck_assert_int_eq(c.verdict, VERDICT_UNCLEAR);
		ck_assert(!c.has_interval && !c.has_equivalence);
		ck_assert_double_eq(c.p, 1);
		ck_assert_uint_eq(c.n_min, 5);
		ck_assert_double_nan(c.smallest_effect);
	}
}
END_TEST

START_TEST(compare_is_unclear_below_the_least_number_of_runs)
{
	for (size_t n = 3; n <= 4; n++) {
		Comparison far = compare_one(calm, n, faster, n, DIRECTION_HIGHER_IS_BETTER);
		Comparison near = compare_one(calm, n, calm + 1, n, DIRECTION_HIGHER_IS_BETTER);

		ck_assert_int_eq(far.verdict, VERDICT_UNCLEAR);
		ck_assert_int_eq(near.verdict, VERDICT_UNCLEAR);
		ck_assert(!far.has_interval);
		ck_assert_double_nan(far.smallest_effect);
		ck_assert_uint_eq(far.n_min, 5);
		ck_assert_uint_ge(far.n_plan, 5);
	}
}
END_TEST

START_TEST(compare_asks_for_more_runs_when_more_metrics_share_the_error)
{
	static const struct {
		size_t n_metrics, n_min;
		Verdict verdict;
	} table[] = {{1, 5, VERDICT_IMPROVEMENT},
		     {4, 6, VERDICT_IMPROVEMENT},
		     {5, 7, VERDICT_UNCLEAR},
		     {20, 8, VERDICT_UNCLEAR},
		     {65, 9, VERDICT_UNCLEAR}};
	g_autoptr(Sample) base = sample_new(calm, 6);
	g_autoptr(Sample) head = sample_new(faster, 6);
	CompareInput input = {"m", base, head, DIRECTION_HIGHER_IS_BETTER, 0.02, 0, false};

	for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
		Comparison c = compare_copies(&input, table[i].n_metrics);

		ck_assert_int_eq(c.verdict, table[i].verdict);
		ck_assert_uint_eq(c.n_min, table[i].n_min);
	}
}
END_TEST

START_TEST(compare_steps_down_as_holm_does)
{
	/* 5v5 cannot reject at 0.01 / 2, but may once the other metric is rejected. */
	double a[12], b[12];
	for (size_t i = 0; i < 12; i++) {
		a[i] = 100 + (double)i;
		b[i] = 200 + (double)i;
	}
	g_autoptr(Sample) small_base = sample_new(calm, 5);
	g_autoptr(Sample) small_head = sample_new(faster, 5);
	g_autoptr(Sample) base = sample_new(a, 12);
	g_autoptr(Sample) head = sample_new(b, 12);
	CompareInput inputs[] = {
		{"small", small_base, small_head, DIRECTION_HIGHER_IS_BETTER, 0.02, 0, false},
		{"large", base, head, DIRECTION_HIGHER_IS_BETTER, 0.02, 0, false},
	};
	Comparison out[2];

	compare_family(inputs, 2, &COMPARE_OPTIONS_DEFAULT, out);

	ck_assert_int_eq(out[0].verdict, VERDICT_IMPROVEMENT);
	ck_assert(!out[0].has_interval);
	ck_assert_int_eq(out[1].verdict, VERDICT_IMPROVEMENT);
}
END_TEST

START_TEST(compare_does_not_charge_for_what_can_never_be_rejected)
{
	/* One value of twelve differs: no arrangement of these has p below 0.01 (Tarone). */
	const double nearly_constant[] = {5, 5, 5, 5, 5, 6};
	const double constant[] = {5, 5, 5, 5, 5, 5};
	g_autoptr(Sample) base = sample_new(calm, 6);
	g_autoptr(Sample) head = sample_new(faster, 6);
	g_autoptr(Sample) five = sample_new(constant, 6);
	g_autoptr(Sample) tied = sample_new(nearly_constant, 6);
	CompareInput inputs[12];
	Comparison out[12];
	inputs[0] = (CompareInput){"m", base, head, DIRECTION_HIGHER_IS_BETTER, 0.02, 0, false};
	for (size_t i = 1; i < 12; i++)
		inputs[i] = (CompareInput){"t", five, i % 2 ? tied : five, 0, 0.02, 0, false};

	compare_family(inputs, 12, &COMPARE_OPTIONS_DEFAULT, out);

	ck_assert_int_eq(out[0].verdict, VERDICT_IMPROVEMENT);
	ck_assert_int_eq(out[2].verdict, VERDICT_NO_CHANGE);
	ck_assert(out[2].identical && !out[1].identical);
}
END_TEST

START_TEST(compare_of_equal_constants_is_no_change)
{
	double five[3];
	fill(five, 3, 5);

	Comparison c = compare_one(five, 3, five, 3, DIRECTION_HIGHER_IS_BETTER);

	ck_assert_int_eq(c.verdict, VERDICT_NO_CHANGE);
	ck_assert(c.identical);
	ck_assert_double_eq(c.shift, 0);
}
END_TEST

START_TEST(compare_of_different_constants_is_a_change_from_the_least_number_on)
{
	double five[6], six[6];
	fill(five, 6, 5);
	fill(six, 6, 6);

	Comparison c = compare_one(five, 6, six, 6, DIRECTION_LOWER_IS_BETTER);
	Comparison few = compare_one(five, 4, six, 4, DIRECTION_LOWER_IS_BETTER);

	ck_assert_int_eq(c.verdict, VERDICT_REGRESSION);
	ck_assert_double_eq_tol(c.low, 20, 1e-9);
	ck_assert_double_eq_tol(c.high, 20, 1e-9);
	ck_assert_double_nan(c.spread_ratio);
	ck_assert_int_eq(few.verdict, VERDICT_UNCLEAR);
}
END_TEST

START_TEST(compare_takes_one_constant_side_as_any_other)
{
	double constant[6];
	fill(constant, 6, 100);

	Comparison c = compare_one(constant, 6, faster, 6, DIRECTION_HIGHER_IS_BETTER);

	ck_assert_int_eq(c.verdict, VERDICT_IMPROVEMENT);
	ck_assert_double_eq_tol(c.p, 2.0 / 924, 1e-12);
}
END_TEST

START_TEST(compare_with_a_zero_somewhere_is_in_percent_of_the_base_median)
{
	const double a[] = {0, 10, 10, 10, 10, 11};
	const double b[] = {20, 20, 20, 20, 20, 21};

	Comparison c = compare_one(a, 6, b, 6, DIRECTION_LOWER_IS_BETTER);

	ck_assert(!c.ratio_scale && c.has_percent);
	ck_assert_double_eq(c.shift, 100);
	ck_assert_int_eq(c.verdict, VERDICT_REGRESSION);
}
END_TEST

START_TEST(compare_of_negative_values_takes_a_rise_as_a_rise)
{
	const double a[] = {-10, -10.1, -10.2, -10.3, -10.4, -10.5};
	const double b[] = {-5, -5.1, -5.2, -5.3, -5.4, -5.5};

	Comparison c = compare_one(a, 6, b, 6, DIRECTION_HIGHER_IS_BETTER);

	/* 100 * (b - a) / a, as the table prints it. */
	ck_assert_int_eq(c.verdict, VERDICT_IMPROVEMENT);
	ck_assert_double_eq_tol(c.shift, 100 * 5 / -10.25, 1e-9);
	ck_assert(c.negative_base && c.low < c.shift && c.shift < c.high && c.high < 0);
	ck_assert(c.equivalence_low < c.equivalence_high);
	ck_assert_double_gt(c.smallest_effect, 0);
}
END_TEST

START_TEST(compare_of_a_negative_share_goes_the_way_of_the_difference)
{
	const double a[] = {-10, -10.1, -10.2, -10.3, -10.4, -10.5};
	const double b[] = {-5, -5.1, -5.2, -5.3, -5.4, -5.5};
	g_autoptr(Sample) base = sample_new(a, 6);
	g_autoptr(Sample) head = sample_new(b, 6);
	CompareInput input = {"metric%", base, head, DIRECTION_NONE, 0.02, 0, true};
	Comparison c;

	compare_family(&input, 1, &COMPARE_OPTIONS_DEFAULT, &c);

	ck_assert_double_gt(c.low, 0);
	ck_assert(!c.negative_base);
}
END_TEST

START_TEST(compare_gives_no_percent_of_a_base_on_both_sides_of_zero)
{
	const double a[] = {-1, -1, -1, -1, -1, 1000};
	const double b[] = {7, 7, 8, 8, 9, 9};

	Comparison c = compare_one(a, 6, b, 6, DIRECTION_NONE);

	ck_assert(!c.has_percent && !c.negative_base);
	ck_assert_double_eq(c.shift, 9);
}
END_TEST

START_TEST(compare_with_a_base_median_of_zero_has_a_unit_and_no_percent)
{
	const double a[] = {0, 0, 0, 0, 0, 1};
	const double b[] = {7, 7, 8, 8, 9, 9};

	Comparison c = compare_one(a, 6, b, 6, DIRECTION_LOWER_IS_BETTER);

	ck_assert(!c.has_percent);
	ck_assert_double_eq(c.shift, 8);
	ck_assert_int_eq(c.verdict, VERDICT_REGRESSION);
}
END_TEST

START_TEST(compare_with_a_base_median_of_zero_needs_an_absolute_delta_for_no_change)
{
	const double a[] = {0, 0, 0, 0, 0, 1, 0, 0};
	const double b[] = {0, 0, 0, 1, 0, 0, 0, 0};
	g_autoptr(Sample) base = sample_new(a, 8);
	g_autoptr(Sample) head = sample_new(b, 8);
	CompareInput without = {"m", base, head, DIRECTION_LOWER_IS_BETTER, 0.02, 0, false};
	CompareInput with = {"m", base, head, DIRECTION_LOWER_IS_BETTER, 0.02, 5, false};

	ck_assert_int_eq(compare_copies(&without, 1).verdict, VERDICT_UNCLEAR);
	ck_assert_int_eq(compare_copies(&with, 1).verdict, VERDICT_NO_CHANGE);
}
END_TEST

START_TEST(compare_is_unclear_where_a_test_with_ties_rejects_but_the_middle_shift_is_zero)
{
	double a[24], b[24];
	fill(a, 24, 100);
	fill(b, 24, 100);
	fill(b, 9, 110);

	Comparison c = compare_one(a, 24, b, 24, DIRECTION_HIGHER_IS_BETTER);

	ck_assert(c.p <= 0.01);
	ck_assert_double_eq(c.shift, 0);
	ck_assert_int_eq(c.verdict, VERDICT_UNCLEAR);
}
END_TEST

START_TEST(compare_is_unclear_when_runs_are_missing_on_one_side_only)
{
	double lossy[9], whole[9], alike[9];
	for (size_t i = 0; i < 9; i++) {
		whole[i] = 100 + (double)i / 10;
		lossy[i] = i < 6 ? 105 + (double)i / 10 : (double)NAN;
		alike[i] = i < 6 ? 100 + (double)i / 10 : (double)NAN;
	}

	Comparison c = compare_one(whole, 9, lossy, 9, DIRECTION_HIGHER_IS_BETTER);
	Comparison near = compare_one(whole, 9, alike, 9, DIRECTION_HIGHER_IS_BETTER);
	Comparison both = compare_one(lossy, 9, lossy, 9, DIRECTION_HIGHER_IS_BETTER);

	ck_assert_int_eq(c.verdict, VERDICT_UNCLEAR);
	ck_assert(c.runs_missing);
	ck_assert_int_eq(near.verdict, VERDICT_UNCLEAR);
	ck_assert_double_eq(c.p, 1);
	ck_assert(!both.runs_missing);
}
END_TEST

START_TEST(compare_uses_the_runs_there_are_when_few_are_missing)
{
	double lossy[7] = {105, 106, 104.5, NAN, 105.5, 105.3, 105.1};

	Comparison c = compare_one(calm, 6, lossy, 7, DIRECTION_HIGHER_IS_BETTER);

	ck_assert_uint_eq(c.n_head, 6);
	ck_assert_int_eq(c.verdict, VERDICT_IMPROVEMENT);
}
END_TEST

START_TEST(compare_uses_the_first_values_of_a_sample_that_is_too_large)
{
	double a[40], b[40];
	for (size_t i = 0; i < 40; i++) {
		a[i] = i < RANK_MAX_N ? 100 + (double)i / 100 : 1;
		b[i] = i < RANK_MAX_N ? 120 + (double)i / 100 : 1;
	}

	Comparison c = compare_one(a, 40, b, 40, DIRECTION_HIGHER_IS_BETTER);

	ck_assert_uint_eq(c.n_base, RANK_MAX_N);
	ck_assert_double_eq_tol(c.shift, 20, 0.1);
	ck_assert_int_eq(c.verdict, VERDICT_IMPROVEMENT);
}
END_TEST

START_TEST(compare_of_scaled_runs_gives_the_same_answer)
{
	double a[6], b[6];
	for (size_t i = 0; i < 6; i++) {
		a[i] = calm[i] * 4096;
		b[i] = faster[i] * 4096;
	}

	Comparison plain = compare_one(calm, 6, faster, 6, DIRECTION_HIGHER_IS_BETTER);
	Comparison scaled = compare_one(a, 6, b, 6, DIRECTION_HIGHER_IS_BETTER);

	ck_assert_double_eq_tol(plain.shift, scaled.shift, 1e-9);
	ck_assert_double_eq_tol(plain.low, scaled.low, 1e-9);
	ck_assert_int_eq(plain.verdict, scaled.verdict);
}
END_TEST

START_TEST(compare_gives_the_effect_that_these_runs_could_have_seen)
{
	const double wide[] = {90, 95, 100, 105, 110, 115};
	Comparison c = compare_one(wide, 6, wide, 6, DIRECTION_HIGHER_IS_BETTER);
	double half_width = (log1p(c.high / 100) - log1p(c.low / 100)) / 2;

	/* Normal quantiles of 0.9 and of 1 - 0.01 / 2. */
	double want = 100 * expm1(half_width * (1 + 1.2815516 / 2.5758293));

	ck_assert_double_eq_tol(c.smallest_effect, want, 1e-6);
}
END_TEST

START_TEST(compare_plans_more_runs_for_an_unclear_metric)
{
	const double wide[] = {97, 98.5, 100, 101.5, 103, 104.5};
	Comparison c = compare_one(wide, 6, wide, 6, DIRECTION_HIGHER_IS_BETTER);
	double deviation = (log1p(c.equivalence_high / 100) - log1p(c.equivalence_low / 100)) / 2 /
			   (1.6448536 * sqrt(2.0 / 6));
	double ratio = (2.5758293 + 0.8416212) * deviation / log(1.02);

	ck_assert_int_eq(c.verdict, VERDICT_UNCLEAR);
	ck_assert_uint_eq(c.n_plan, (size_t)ceil(2 * ratio * ratio));
	ck_assert_double_nan(c.reachable_delta);
}
END_TEST

START_TEST(compare_says_which_delta_the_budget_can_reach)
{
	const double wide[] = {97, 98.5, 100, 101.5, 103, 104.5};
	g_autoptr(Sample) sample = sample_new(wide, 6);
	CompareInput input = {"m", sample, sample, DIRECTION_HIGHER_IS_BETTER, 0.02, 0, false};
	CompareOptions options = {0.01, 0.05, 12};
	Comparison c;

	compare_family(&input, 1, &options, &c);

	ck_assert_uint_gt(c.n_plan, 12);
	double want = 100 * expm1(log(1.02) * sqrt((double)c.n_plan / 12));
	ck_assert_double_eq_tol(c.reachable_delta, want, 1e-9);
}
END_TEST

START_TEST(compare_names_no_reachable_delta_when_the_budget_is_below_the_least_number)
{
	const double wide[] = {90, 95, 100};
	g_autoptr(Sample) sample = sample_new(wide, 3);
	CompareInput input = {"m", sample, sample, DIRECTION_HIGHER_IS_BETTER, 0.02, 0, false};
	CompareOptions options = {0.01, 0.05, 4};
	Comparison c;

	compare_family(&input, 1, &options, &c);

	ck_assert_uint_gt(c.n_plan, 4);
	ck_assert_double_nan(c.reachable_delta);
}
END_TEST

START_TEST(compare_tells_how_the_spread_changed)
{
	const double narrow[] = {100, 101, 102, 100, 101, 102};
	const double wide[] = {97, 101, 105, 97, 101, 105};

	Comparison c = compare_one(narrow, 6, wide, 6, DIRECTION_NONE);

	ck_assert_double_eq_tol(c.spread_ratio, log(105.0 / 97) / log(1.02), 1e-9);
}
END_TEST

START_TEST(compare_answers_in_numbers_whatever_the_values)
{
	const double odd[] = {-1e150, 1e150, 5e-324, 0, -5e-324, 1e-300, 1e308, NAN};
	const double tiny[] = {5e-324, 5e-324, 5e-324, 5e-324, 5e-324};
	const double huge[] = {1e150, 1e150, 1e150, 1e150, 1e150};

	Comparison mixed = compare_one(odd, 8, odd, 8, DIRECTION_NONE);
	Comparison ratio = compare_one(tiny, 5, huge, 5, DIRECTION_NONE);

	ck_assert(isfinite(mixed.shift) && isfinite(mixed.low) && isfinite(mixed.high));
	ck_assert(isfinite(ratio.shift) && isfinite(ratio.high));
	ck_assert_int_eq(ratio.verdict, VERDICT_CHANGE);
}
END_TEST

START_TEST(compare_of_no_metric_is_nothing)
{
	compare_family(NULL, 0, &COMPARE_OPTIONS_DEFAULT, NULL);
}
END_TEST

CHECK_MAIN("compare", compare_calls_a_clear_rise_an_improvement_where_higher_is_better,
	   compare_changes_only_the_word_with_the_direction,
	   compare_finds_no_change_where_the_interval_lies_within_delta,
	   compare_says_no_change_of_a_sure_change_smaller_than_delta,
	   compare_is_unclear_with_one_or_two_runs_a_side,
	   compare_is_unclear_below_the_least_number_of_runs,
	   compare_asks_for_more_runs_when_more_metrics_share_the_error,
	   compare_steps_down_as_holm_does, compare_does_not_charge_for_what_can_never_be_rejected,
	   compare_of_equal_constants_is_no_change,
	   compare_of_different_constants_is_a_change_from_the_least_number_on,
	   compare_takes_one_constant_side_as_any_other,
	   compare_with_a_zero_somewhere_is_in_percent_of_the_base_median,
	   compare_of_negative_values_takes_a_rise_as_a_rise,
	   compare_of_a_negative_share_goes_the_way_of_the_difference,
	   compare_gives_no_percent_of_a_base_on_both_sides_of_zero,
	   compare_with_a_base_median_of_zero_has_a_unit_and_no_percent,
	   compare_with_a_base_median_of_zero_needs_an_absolute_delta_for_no_change,
	   compare_is_unclear_where_a_test_with_ties_rejects_but_the_middle_shift_is_zero,
	   compare_is_unclear_when_runs_are_missing_on_one_side_only,
	   compare_uses_the_runs_there_are_when_few_are_missing,
	   compare_uses_the_first_values_of_a_sample_that_is_too_large,
	   compare_of_scaled_runs_gives_the_same_answer,
	   compare_gives_the_effect_that_these_runs_could_have_seen,
	   compare_plans_more_runs_for_an_unclear_metric,
	   compare_says_which_delta_the_budget_can_reach,
	   compare_names_no_reachable_delta_when_the_budget_is_below_the_least_number,
	   compare_tells_how_the_spread_changed, compare_answers_in_numbers_whatever_the_values,
	   compare_of_no_metric_is_nothing)
