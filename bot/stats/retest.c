/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stats/retest.h"

#include "bot/stats/rank.h"
#include "bot/stats/shift.h"

#define LEAST_N 3u
#define LEVEL_SLACK (1 + 1e-12)

enum { BASE, BAD, FIX, N_SIDES };

/* The three sides on one scale; @worse is the sign of a change for the worse. */
typedef struct {
	const Sample *sides[N_SIDES];
	ShiftScale scale;
	double threshold;
	int worse;
} Retest;

/* Sign of a significant change from one side to the other, 1 for the worse; 0: not significant. */
static int find_change(const Retest *retest, int from, int to, double alpha)
{
	const Sample *a = retest->sides[from];
	const Sample *b = retest->sides[to];
	RankTest test = rank_sum_test(a->values, a->n, b->values, b->n);

	return test.p <= alpha * LEVEL_SLACK ? test.direction * retest->worse : 0;
}

/* The interval of a shift, turned so that larger is worse. */
static bool find_interval(const Retest *retest, int from, int to, double level, double *out_low,
			  double *out_high)
{
	g_autoptr(Shift) shift = shift_new(retest->sides[from], retest->sides[to], &retest->scale);
	double low, high;

	if (!shift_interval(shift, level, &low, &high))
		return false;
	*out_low = retest->worse > 0 ? low : -high;
	*out_high = retest->worse > 0 ? high : -low;
	return true;
}

static bool is_back(const Retest *retest, double level)
{
	double low, high;

	return find_interval(retest, BASE, FIX, level, &low, &high) && high < retest->threshold;
}

static bool is_no_better(const Retest *retest, double level)
{
	double low, high;

	return find_interval(retest, BAD, FIX, level, &low, &high) && low > -retest->threshold;
}

/* Enough values everywhere, and no side that lost many runs where another did not. */
static bool can_be_judged(const Sample *const *sides, double alpha)
{
	for (int i = 0; i < N_SIDES; i++) {
		if (sides[i]->n < LEAST_N ||
		    sample_misses_many(sides[i]) != sample_misses_many(sides[BASE]))
			return false;
	}
	size_t n_base = MIN(sides[BASE]->n, (size_t)RANK_MAX_N);
	size_t n_bad = MIN(sides[BAD]->n, (size_t)RANK_MAX_N);
	return rank_smallest_p(n_base, n_bad) <= alpha * LEVEL_SLACK;
}

static int sign_of_worse(const Retest *retest, Direction direction)
{
	if (direction != DIRECTION_NONE)
		return -(int)direction;
	g_autoptr(Shift) shift = shift_new(retest->sides[BASE], retest->sides[BAD], &retest->scale);
	return shift_estimate(shift) < 0 ? -1 : 1;
}

static RetestOutcome judge(const Retest *retest, const CompareOptions *options, double alpha_fix)
{
	double level = options->alpha_equivalence;

	if (find_change(retest, BASE, BAD, options->alpha) <= 0)
		return RETEST_NOT_REPRODUCED;

	int from_bad = find_change(retest, BAD, FIX, alpha_fix);
	if (from_bad > 0)
		return RETEST_WORSE;
	if (from_bad == 0)
		return is_no_better(retest, level) ? RETEST_NOT_RESOLVED : RETEST_UNCLEAR;
	if (is_back(retest, level))
		return RETEST_RESOLVED;
	return find_change(retest, BASE, FIX, alpha_fix) > 0 ? RETEST_PARTLY : RETEST_UNCLEAR;
}

RetestOutcome retest_judge(const Sample *base, const Sample *bad, const Sample *fix,
			   Direction direction, double delta, const CompareOptions *options,
			   size_t n_fixes)
{
	g_return_val_if_fail(n_fixes >= 1, RETEST_UNCLEAR);

	if (!can_be_judged((const Sample *const[]){base, bad, fix}, options->alpha))
		return RETEST_UNCLEAR;

	Sample views[N_SIDES] = {sample_view(base, RANK_MAX_N), sample_view(bad, RANK_MAX_N),
				 sample_view(fix, RANK_MAX_N)};
	Retest retest = {.sides = {&views[BASE], &views[BAD], &views[FIX]}};

	retest.scale = shift_scale_choose(retest.sides, N_SIDES);
	retest.threshold = shift_scale_threshold(&retest.scale, delta);
	retest.worse = sign_of_worse(&retest, direction);
	return judge(&retest, options, options->alpha / (double)n_fixes);
}

static const char *const outcome_names[] = {
	[RETEST_NOT_REPRODUCED] = "not-reproduced",
	[RETEST_WORSE] = "worse",
	[RETEST_RESOLVED] = "resolved",
	[RETEST_PARTLY] = "partly",
	[RETEST_NOT_RESOLVED] = "not-resolved",
	[RETEST_UNCLEAR] = "unclear",
};

const char *retest_outcome_name(RetestOutcome outcome)
{
	g_return_val_if_fail((size_t)outcome < G_N_ELEMENTS(outcome_names), "unclear");

	return outcome_names[outcome];
}
