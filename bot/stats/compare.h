/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * compare - the fixed-n procedure: are these two sets of runs different, by how much, how sure?
 *
 * Steps and formulas are those of doc "statistics" in this folder's README.md: log scale when all
 * values are positive, exact rank-sum test, Tarone and Holm over the K headline metrics,
 * Hodges-Lehmann shift with Moses interval, verdict order, smallest effect, how many more runs.
 */

#include "bot/stats/sample.h"
#include "bot/stats/verdict.h"

#include <glib.h>
#include <stdbool.h>

typedef struct {
	double alpha;             /* family error rate of a report, 0.01          */
	double alpha_equivalence; /* one-sided level of the no-change test, 0.05  */
	size_t budget;            /* most runs a side we may spend; 0: not stated */
} CompareOptions;

#define COMPARE_OPTIONS_DEFAULT ((CompareOptions){0.01, 0.05, 0})

typedef struct {
	const char *key;    /* not owned                                                    */
	const Sample *base; /* not owned                                                    */
	const Sample *head; /* not owned                                                    */
	Direction direction;
	double delta;          /* relative threshold, 0.02 = 2 %; > 0                          */
	double delta_absolute; /* threshold in the metric's unit when the median of base is 0; 0:
				  none */
	bool is_share;         /* a share already: a percent of it goes the way of the difference */
} CompareInput;

typedef struct {
	Verdict verdict;
	bool identical;       /* all values equal on both sides                               */
	bool runs_missing;    /* unclear because > 25 % are missing on one side only          */
	bool below_threshold; /* no-change although significant: real but smaller than delta  */
	bool ratio_scale;     /* percents are ratios (log scale)                              */
	bool has_percent;   /* false: shift etc. are in the metric's unit (no base to divide by) */
	bool negative_base; /* percents are of a base below zero: a rise has a minus        */
	size_t n_base, n_head;
	double p;          /* two-sided, exact; 1 when not tested                          */
	double shift;      /* Hodges-Lehmann, percent of base (or unit, see has_percent)   */
	bool has_interval; /* false: no interval at this level with so few runs            */
	double low, high;  /* simultaneous interval at alpha/(2K) a side                   */
	bool has_equivalence;
	double equivalence_low, equivalence_high; /* 90 % interval                               */
	double smallest_effect; /* percent these runs would have found 9 times in 10; NaN: none */
	size_t n_plan;          /* about how many a side settle a change of delta; 0: no plan   */
	double reachable_delta; /* percent (or unit) reachable within the budget; NaN when n_plan */
				/* fits, or when the budget is below n_min: then none is        */
	size_t n_min;           /* fewest runs a side for all metrics that are not identical    */
	double spread_ratio;    /* larger range over smaller; > 3 is worth a word; NaN: a side */
				/* is constant or too few                                      */
} Comparison;

/**
 * compare_family:
 * @inputs: the K headline metrics of one report, one head commit
 * @out: @n_inputs results in the same order
 *
 * K is @n_inputs less the identical ones (they cannot be tested) and less what Tarone's rule drops
 * (also what has fewer than 3 values on a side).  Where the runs are too few for any interval at
 * alpha/(2K), no "no-change" is given either: such runs say nothing.
 * Samples over RANK_MAX_N a side use their first RANK_MAX_N values.
 */
void compare_family(const CompareInput *inputs, size_t n_inputs, const CompareOptions *options,
		    Comparison *out);
