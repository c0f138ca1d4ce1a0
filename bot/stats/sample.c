/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stats/sample.h"

#include <math.h>
#include <stdlib.h>

#define MANY_MISSING 0.25

static int compare_doubles(const void *x, const void *y)
{
	double a = *(const double *)x;
	double b = *(const double *)y;

	return (a > b) - (a < b);
}

void values_sort(double *values, size_t n)
{
	if (n > 1)
		qsort(values, n, sizeof(double), compare_doubles);
}

Sample *sample_new(const double *values, size_t n)
{
	Sample *sample = g_new0(Sample, 1);

	sample->values = g_new(double, n);
	for (size_t i = 0; i < n; i++) {
		if (isfinite(values[i]) && fabs(values[i]) <= SAMPLE_MAX_MAGNITUDE)
			sample->values[sample->n++] = values[i];
		else
			sample->n_missing++;
	}
	return sample;
}

void sample_free(Sample *sample)
{
	if (sample == NULL)
		return;
	g_free(sample->values);
	g_free(sample);
}

double sample_mean(const Sample *sample)
{
	double sum = 0;

	if (sample->n == 0)
		return 0;
	for (size_t i = 0; i < sample->n; i++)
		sum += sample->values[i];
	return sum / (double)sample->n;
}

double sample_stddev(const Sample *sample)
{
	double mean = sample_mean(sample);
	double squares = 0;

	if (sample->n < 2)
		return -1;
	for (size_t i = 0; i < sample->n; i++)
		squares += (sample->values[i] - mean) * (sample->values[i] - mean);
	return sqrt(squares / (double)sample->n);
}

double sample_median(const Sample *sample)
{
	size_t n = sample->n;

	if (n == 0)
		return 0;
	g_autofree double *sorted = g_memdup2(sample->values, n * sizeof(double));
	values_sort(sorted, n);
	return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

Sample sample_view(const Sample *sample, size_t max_n)
{
	Sample view = *sample;

	view.n = MIN(view.n, max_n);
	return view;
}

bool sample_misses_many(const Sample *sample)
{
	size_t all = sample->n + sample->n_missing;

	return (double)sample->n_missing > MANY_MISSING * (double)all;
}
