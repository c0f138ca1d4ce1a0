/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * shift - by how much one side lies above the other: Hodges-Lehmann estimate, Moses interval.
 *
 * Hodges & Lehmann 1963; Moses 1965.  Works on the scale on which effects are added: logarithms
 * where all values are positive (effects are ratios), the metric's own unit elsewhere.
 */

#include "bot/stats/sample.h"

#include <glib.h>
#include <stdbool.h>

typedef struct {
	bool ratio;     /* log scale                                                           */
	double center;  /* |median of base|, what a threshold is of on the plain scale         */
	double percent; /* what a percent is of on the plain scale, with its sign; 0: none      */
} ShiftScale;

/**
 * shift_scale_choose:
 * @samples: all sides that will be compared, base first; each with n >= 1
 *
 * A percent is of the median of base with its sign, so that it goes the way of a table's
 * 100 * (head - base) / base: from -10 to -13 is +30 %.  Where median and mean of base lie on
 * different sides of zero no percent means anything, and there is none.
 */
ShiftScale shift_scale_choose(const Sample *const *samples, size_t n_samples);

/**
 * shift_scale_threshold:
 * @delta: relative, > 0
 *
 * Returns: @delta on the scale; 0 when there is no percent to take it of
 */
double shift_scale_threshold(const ShiftScale *scale, double delta);

/** shift_scale_percent: @x of the scale in percent of base, or unchanged when there is no percent.
 * Never beyond +-1e300, so that what is written stays a number.
 */
double shift_scale_percent(const ShiftScale *scale, double x);

typedef struct {
	double *differences; /* owned; all n_a * n_b of head - base, sorted   */
	double *cdf;         /* owned; P(U <= u) without ties                 */
	size_t n;            /* of differences                                */
} Shift;

/** shift_new: at most RANK_MAX_N values a side. */
Shift *shift_new(const Sample *base, const Sample *head, const ShiftScale *scale);
void shift_free(Shift *shift);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Shift, shift_free)

/** shift_estimate: the median of all differences. */
double shift_estimate(const Shift *shift);

/**
 * shift_interval:
 * @level: one-sided error of each end
 *
 * Returns: false, with nothing set, when so few runs give no interval at this level
 */
bool shift_interval(const Shift *shift, double level, double *out_low, double *out_high);
