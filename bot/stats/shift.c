/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stats/shift.h"

#include "bot/stats/rank.h"

#include <math.h>

ShiftScale shift_scale_choose(const Sample *const *samples, size_t n_samples)
{
	double median = sample_median(samples[0]);
	bool one_side = (median < 0) == (sample_mean(samples[0]) < 0);
	ShiftScale scale = {
		.ratio = true, .center = fabs(median), .percent = one_side ? median : 0};

	for (size_t i = 0; i < n_samples; i++) {
		for (size_t j = 0; j < samples[i]->n; j++)
			scale.ratio = scale.ratio && samples[i]->values[j] > 0;
	}
	return scale;
}

double shift_scale_threshold(const ShiftScale *scale, double delta)
{
	return scale->ratio ? log1p(delta) : delta * scale->center;
}

double shift_scale_percent(const ShiftScale *scale, double x)
{
	if (scale->ratio)
		return 100 * expm1(fmin(x, 680));
	if (scale->percent == 0)
		return x;
	return CLAMP(100 * (x / scale->percent), -1e300, 1e300);
}

static double place(const ShiftScale *scale, double value)
{
	return scale->ratio ? log(value) : value;
}

Shift *shift_new(const Sample *base, const Sample *head, const ShiftScale *scale)
{
	g_return_val_if_fail(base->n >= 1 && base->n <= RANK_MAX_N, NULL);
	g_return_val_if_fail(head->n >= 1 && head->n <= RANK_MAX_N, NULL);

	Shift *shift = g_new0(Shift, 1);
	shift->differences = g_new(double, base->n * head->n);
	shift->cdf = g_new(double, base->n * head->n + 1);

	for (size_t i = 0; i < base->n; i++) {
		for (size_t j = 0; j < head->n; j++)
			shift->differences[shift->n++] =
				place(scale, head->values[j]) - place(scale, base->values[i]);
	}
	values_sort(shift->differences, shift->n);
	rank_u_cdf(base->n, head->n, shift->cdf);
	return shift;
}

void shift_free(Shift *shift)
{
	if (shift == NULL)
		return;
	g_free(shift->differences);
	g_free(shift->cdf);
	g_free(shift);
}

double shift_estimate(const Shift *shift)
{
	const double *d = shift->differences;
	size_t n = shift->n;

	return n % 2 == 1 ? d[n / 2] : (d[n / 2 - 1] + d[n / 2]) / 2;
}

bool shift_interval(const Shift *shift, double level, double *out_low, double *out_high)
{
	size_t k = 0;

	while (k < shift->n && shift->cdf[k] <= level * (1 + 1e-12))
		k++;
	if (k == 0)
		return false;
	*out_low = shift->differences[k - 1];
	*out_high = shift->differences[shift->n - k];
	return true;
}
