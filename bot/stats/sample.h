/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * sample - one metric's values on one side, and the plain figures the table prints of them.
 *
 * The unit is one boot or one independent run.  NaN stands for a run whose value is missing; it is
 * dropped here and counted.
 */

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
	double *values;    /* owned; finite only, in run order */
	size_t n;
	size_t n_missing;
} Sample;

/** sample_new: copies @values, drops what is not finite into n_missing. */
Sample *sample_new(const double *values, size_t n);
void sample_free(Sample *sample);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Sample, sample_free)

/** sample_mean: 0 for an empty sample. */
double sample_mean(const Sample *sample);

/** sample_stddev: population deviation (divide by n), as lkp's tables; -1 for n < 2. */
double sample_stddev(const Sample *sample);

double sample_median(const Sample *sample);
