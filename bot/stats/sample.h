/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * sample - one metric's values on one side, and the plain figures the table prints of them.
 *
 * The unit is one boot or one independent run.  NaN stands for a run whose value is missing; it is
 * dropped here and counted.  So is a value beyond SAMPLE_MAX_MAGNITUDE: nothing that is measured is
 * so large, and its square would no longer be a number.
 */

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#define SAMPLE_MAX_MAGNITUDE 1e150

typedef struct {
	double *values; /* owned; finite only, in run order */
	size_t n;
	size_t n_missing;
} Sample;

/** sample_new: copies @values; what is not finite or too large is dropped into n_missing. */
Sample *sample_new(const double *values, size_t n);
void sample_free(Sample *sample);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Sample, sample_free)

/** sample_mean: 0 for an empty sample. */
double sample_mean(const Sample *sample);

/** sample_stddev: population deviation (divide by n), as lkp's tables; -1 for n < 2. */
double sample_stddev(const Sample *sample);

/** sample_median: 0 for an empty sample. */
double sample_median(const Sample *sample);

/** sample_view: the first @max_n values of @sample, which keeps owning them. */
Sample sample_view(const Sample *sample, size_t max_n);

/** sample_misses_many: more than a quarter of the runs have no value. */
bool sample_misses_many(const Sample *sample);

/** values_sort: in place, ascending; finite values only. */
void values_sort(double *values, size_t n);
