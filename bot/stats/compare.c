/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stats/compare.h"

#include "bot/stats/rank.h"
#include "bot/stats/shift.h"

#include <math.h>

/* Fewer values than this say nothing about noise. */
#define LEAST_N 3u
/* Powers of the smallest effect (90 %) and of the plan (80 %), as normal quantiles. */
#define QUANTILE_90 1.2815515655446004
#define QUANTILE_80 0.8416212335729143
/* A plan longer than this is no plan; it also keeps the number inside size_t. */
#define MAX_PLAN 1e6
/* alpha / k and 2 / C(n, k) are rounded; equal levels must stay equal. */
#define LEVEL_SLACK (1 + 1e-12)

/* One metric on its way through the steps. */
typedef struct {
	Sample base, head; /* views of the caller's samples, cut to RANK_MAX_N      */
	ShiftScale scale;
	double threshold; /* delta on the scale; 0: none                           */
	Shift *shift;     /* owned; NULL with fewer than LEAST_N values on a side  */
	double p;
	bool testable; /* counts in K                                               */
	bool rejected; /* by Holm                                                   */
} Metric;

static void find_range(const Sample *sample, double *out_least, double *out_largest)
{
	*out_least = *out_largest = sample->values[0];
	for (size_t i = 1; i < sample->n; i++) {
		*out_least = fmin(*out_least, sample->values[i]);
		*out_largest = fmax(*out_largest, sample->values[i]);
	}
}

/* The larger range over the smaller, on the scale of the test; NaN where one side is constant. */
static double spread_ratio(const Metric *metric)
{
	double low[2], high[2], range[2];
	const Sample *sides[2] = {&metric->base, &metric->head};

	for (size_t i = 0; i < 2; i++) {
		find_range(sides[i], &low[i], &high[i]);
		range[i] = metric->scale.ratio ? log(high[i]) - log(low[i]) : high[i] - low[i];
	}
	double smaller = fmin(range[0], range[1]);
	return smaller > 0 ? fmax(range[0], range[1]) / smaller : (double)NAN;
}

static bool all_equal(const Metric *metric)
{
	double low[2], high[2];

	find_range(&metric->base, &low[0], &high[0]);
	find_range(&metric->head, &low[1], &high[1]);
	return low[0] == high[0] && low[1] == high[1] && low[0] == low[1];
}

/* Steps 0 and 1: clean, choose the scale, test. */
static void metric_init(Metric *metric, const CompareInput *input, double alpha, Comparison *out)
{
	*metric = (Metric){.base = sample_view(input->base, RANK_MAX_N),
			   .head = sample_view(input->head, RANK_MAX_N),
			   .p = 1};
	*out = (Comparison){.verdict = VERDICT_UNCLEAR,
			    .n_base = metric->base.n,
			    .n_head = metric->head.n,
			    .p = 1,
			    .smallest_effect = (double)NAN,
			    .reachable_delta = (double)NAN,
			    .spread_ratio = (double)NAN};
	if (metric->base.n < LEAST_N || metric->head.n < LEAST_N)
		return;

	metric->scale =
		shift_scale_choose((const Sample *const[]){&metric->base, &metric->head}, 2);
	if (input->is_share)
		metric->scale.percent = fabs(metric->scale.percent);
	metric->threshold = shift_scale_threshold(&metric->scale, input->delta);
	if (metric->threshold == 0)
		metric->threshold = input->delta_absolute;
	metric->shift = shift_new(&metric->base, &metric->head, &metric->scale);
	out->ratio_scale = metric->scale.ratio;
	out->has_percent = metric->scale.ratio || metric->scale.percent != 0;
	out->negative_base = metric->scale.percent < 0;
	out->spread_ratio = spread_ratio(metric);
	out->runs_missing = sample_misses_many(input->base) != sample_misses_many(input->head);
	out->identical = !out->runs_missing && all_equal(metric);
	if (out->identical)
		return;

	RankTest test = rank_sum_test(metric->base.values, metric->base.n, metric->head.values,
				      metric->head.n);
	/* Tarone: what no arrangement of these values could reject need not be paid for. */
	metric->testable = test.p_smallest <= alpha * LEVEL_SLACK;
	if (!out->runs_missing)
		out->p = metric->p = test.p;
}

/* Step 2: Holm's step-down over the @k testable metrics. */
static void reject_by_holm(Metric *metrics, size_t n_metrics, size_t k, double alpha)
{
	while (k > 0) {
		Metric *least = NULL;

		for (size_t i = 0; i < n_metrics; i++) {
			Metric *metric = &metrics[i];

			if (metric->testable && !metric->rejected &&
			    (least == NULL || metric->p < least->p))
				least = metric;
		}
		if (least == NULL || least->p > alpha / (double)k * LEVEL_SLACK)
			return;
		least->rejected = true;
		k--;
	}
}

/* Both ends in percent, the lower one first: of a base below zero they change places. */
static void set_interval(const Metric *metric, double low, double high, double *out_low,
			 double *out_high)
{
	double a = shift_scale_percent(&metric->scale, low);
	double b = shift_scale_percent(&metric->scale, high);

	*out_low = fmin(a, b);
	*out_high = fmax(a, b);
}

/* Step 3: the shift, the interval that the verdict uses, and the one of the no-change test. */
static void estimate(const Metric *metric, double level, double level_equivalence, Comparison *out)
{
	double low = 0, high = 0;

	out->shift = shift_scale_percent(&metric->scale, shift_estimate(metric->shift));
	out->has_interval = shift_interval(metric->shift, level, &low, &high);
	if (out->has_interval)
		set_interval(metric, low, high, &out->low, &out->high);
	out->has_equivalence = shift_interval(metric->shift, level_equivalence, &low, &high);
	if (out->has_equivalence)
		set_interval(metric, low, high, &out->equivalence_low, &out->equivalence_high);
}

static bool lies_within_threshold(const Metric *metric, double level)
{
	double low, high;

	return shift_interval(metric->shift, level, &low, &high) && low > -metric->threshold &&
	       high < metric->threshold;
}

static Verdict word_for_change(double shift, Direction direction)
{
	if (direction == DIRECTION_NONE)
		return VERDICT_CHANGE;
	return (shift > 0) == (direction == DIRECTION_HIGHER_IS_BETTER) ? VERDICT_IMPROVEMENT
									: VERDICT_REGRESSION;
}

/* Step 4. The order matters: the no-change test before the change test would cost power. */
static void judge(const Metric *metric, Direction direction, double level, double level_equivalence,
		  Comparison *out)
{
	double shift = shift_estimate(metric->shift);

	if (out->runs_missing)
		return;
	if (lies_within_threshold(metric, level)) {
		out->verdict = VERDICT_NO_CHANGE;
		out->below_threshold = metric->rejected;
	} else if (metric->rejected) {
		/* With ties the test may reject although the middle difference is zero. */
		if (shift != 0)
			out->verdict = word_for_change(shift, direction);
	} else if (out->has_interval && lies_within_threshold(metric, level_equivalence)) {
		/* Runs too few to show any change may not claim that there is none. */
		out->verdict = VERDICT_NO_CHANGE;
	}
}

/* Step 5: what these runs would have found nine times in ten. */
static void find_smallest_effect(const Metric *metric, double level, Comparison *out)
{
	double low, high;

	if (!shift_interval(metric->shift, level, &low, &high))
		return;
	double z = -normal_quantile(level);
	double effect = (high - low) / 2 * (1 + QUANTILE_90 / z);
	out->smallest_effect = fabs(shift_scale_percent(&metric->scale, effect));
}

/* Step 6: how many runs a side settle a change of delta, four times in five. */
static void plan_more_runs(const Metric *metric, double level, const CompareOptions *options,
			   Comparison *out)
{
	double low, high;
	double n_base = (double)out->n_base;
	double n_head = (double)out->n_head;

	if (!shift_interval(metric->shift, options->alpha_equivalence, &low, &high) ||
	    metric->threshold == 0)
		return;
	double z_equivalence = -normal_quantile(options->alpha_equivalence);
	double deviation = (high - low) / 2 / (z_equivalence * sqrt(1 / n_base + 1 / n_head));
	double ratio = (QUANTILE_80 - normal_quantile(level)) * deviation / metric->threshold;
	double n_plan = fmax(ceil(2 * ratio * ratio), fmax(n_base, n_head) + 2);

	n_plan = fmax(n_plan, (double)out->n_min);
	out->n_plan = n_plan <= MAX_PLAN ? (size_t)n_plan : 0;
	if (options->budget >= out->n_min && n_plan > (double)options->budget) {
		double reachable = metric->threshold * sqrt(n_plan / (double)options->budget);
		out->reachable_delta = fabs(shift_scale_percent(&metric->scale, reachable));
	}
}

static void finish(const Metric *metric, const CompareInput *input, size_t k,
		   const CompareOptions *options, Comparison *out)
{
	double level = options->alpha / (2 * (double)k);

	if (metric->shift == NULL)
		return;
	estimate(metric, level, options->alpha_equivalence, out);
	find_smallest_effect(metric, level, out);
	if (out->identical)
		out->verdict = VERDICT_NO_CHANGE;
	else
		judge(metric, input->direction, level, options->alpha_equivalence, out);
	if (out->verdict == VERDICT_UNCLEAR && !out->runs_missing)
		plan_more_runs(metric, level, options, out);
}

void compare_family(const CompareInput *inputs, size_t n_inputs, const CompareOptions *options,
		    Comparison *out)
{
	g_autofree Metric *metrics = g_new0(Metric, n_inputs);
	size_t n_testable = 0;
	size_t n_family = 0;

	g_return_if_fail(options->alpha > 0 && options->alpha < 1);
	g_return_if_fail(options->alpha_equivalence > 0 && options->alpha_equivalence < 0.5);

	for (size_t i = 0; i < n_inputs; i++) {
		metric_init(&metrics[i], &inputs[i], options->alpha, &out[i]);
		n_testable += metrics[i].testable;
		n_family += !out[i].identical;
	}
	reject_by_holm(metrics, n_inputs, n_testable, options->alpha);

	/* More runs can make every metric testable, so the least number counts all of them. */
	size_t n_min = rank_n_min(MAX(n_family, 1), options->alpha);
	for (size_t i = 0; i < n_inputs; i++) {
		out[i].n_min = n_min;
		finish(&metrics[i], &inputs[i], MAX(n_testable, 1), options, &out[i]);
		shift_free(metrics[i].shift);
	}
}
