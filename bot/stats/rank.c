/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stats/rank.h"

#include <glib.h>
#include <math.h>

/*
 * How many k-subsets of some integer scores have each sum: the shift algorithm.  The scores are
 * taken one by one; a new score r turns every (k-1)-subset of sum s - r into a k-subset of sum s.
 * k and s run downwards so that no score is used twice.  With at most 2 * RANK_MAX_N scores no
 * count passes C(48, 24) = 3.2e13, which a double holds exactly.
 *
 * Returns: (transfer full): total + 1 counts of the subsets of size @size
 */
static double *count_subset_sums(const unsigned *scores, size_t n_scores, size_t size,
				 unsigned total)
{
	size_t width = (size_t)total + 1;
	g_autofree double *counts = g_new0(double, (size + 1) * width);

	counts[0] = 1;
	for (size_t i = 0; i < n_scores; i++) {
		unsigned score = scores[i];

		for (size_t k = MIN(i + 1, size); k >= 1; k--) {
			double *row = counts + k * width;
			const double *smaller = row - width;

			for (unsigned s = total; s >= score; s--)
				row[s] += smaller[s - score];
		}
	}
	return g_memdup2(counts + size * width, width * sizeof(double));
}

/* Twice the mid-rank of each pooled value, which is a whole number also where values tie. */
static void rank_doubled(const double *values, size_t n, unsigned *ranks)
{
	for (size_t i = 0; i < n; i++) {
		ranks[i] = 1;
		for (size_t j = 0; j < n; j++) {
			if (values[j] < values[i])
				ranks[i] += 2;
			else if (values[j] == values[i])
				ranks[i] += 1;
		}
	}
}

static double two_sided(double smaller_tail, double all)
{
	return fmin(1, 2 * smaller_tail / all);
}

static RankTest judge_sum(const double *counts, unsigned total, unsigned observed)
{
	double below = 0, above = 0, all = 0;
	double lowest = 0, highest = 0;

	for (unsigned s = 0; s <= total; s++) {
		all += counts[s];
		if (s <= observed)
			below += counts[s];
		if (s >= observed)
			above += counts[s];
		if (counts[s] > 0)
			highest = counts[s];
		if (lowest == 0)
			lowest = counts[s];
	}
	return (RankTest){
		.p = two_sided(fmin(below, above), all),
		.p_smallest = two_sided(fmin(lowest, highest), all),
		.direction = (above < below) - (below < above),
	};
}

RankTest rank_sum_test(const double *a, size_t n_a, const double *b, size_t n_b)
{
	double pooled[2 * RANK_MAX_N];
	unsigned ranks[2 * RANK_MAX_N];
	size_t n = n_a + n_b;
	unsigned observed = 0;

	g_return_val_if_fail(n_a >= 1 && n_a <= RANK_MAX_N, ((RankTest){1, 1, 0}));
	g_return_val_if_fail(n_b >= 1 && n_b <= RANK_MAX_N, ((RankTest){1, 1, 0}));

	for (size_t i = 0; i < n; i++)
		pooled[i] = i < n_a ? a[i] : b[i - n_a];
	rank_doubled(pooled, n, ranks);
	for (size_t i = n_a; i < n; i++)
		observed += ranks[i];

	unsigned total = (unsigned)(n * (n + 1));
	g_autofree double *counts = count_subset_sums(ranks, n, n_b, total);
	return judge_sum(counts, total, observed);
}

void rank_u_cdf(size_t n_a, size_t n_b, double *cdf)
{
	unsigned scores[2 * RANK_MAX_N];
	size_t n = n_a + n_b;
	double all = 0, below = 0;

	g_return_if_fail(n_a >= 1 && n_a <= RANK_MAX_N && n_b >= 1 && n_b <= RANK_MAX_N);

	/* U is the rank sum of b less the smallest that it can be, n_b (n_b + 1) / 2. */
	for (size_t i = 0; i < n; i++)
		scores[i] = (unsigned)i + 1;
	size_t smallest = n_b * (n_b + 1) / 2;
	unsigned largest = (unsigned)(smallest + n_a * n_b);
	g_autofree double *counts = count_subset_sums(scores, n, n_b, largest);

	for (size_t u = 0; u <= n_a * n_b; u++)
		all += counts[smallest + u];
	for (size_t u = 0; u <= n_a * n_b; u++) {
		below += counts[smallest + u];
		cdf[u] = below / all;
	}
}

double rank_smallest_p(size_t n_a, size_t n_b)
{
	double combinations = 1;

	for (size_t i = 1; i <= n_a; i++)
		combinations *= (double)(n_b + i) / (double)i;
	return fmin(1, 2 / combinations);
}

size_t rank_n_min(size_t n_hypotheses, double alpha)
{
	size_t n = 1;

	g_return_val_if_fail(alpha > 0, 0);

	while ((double)n_hypotheses * rank_smallest_p(n, n) > alpha * (1 + 1e-12))
		n++;
	return n;
}

/* The two branches of Acklam's approximation: the tail below 0.02425, and the middle. */
static double quantile_of_tail(double p)
{
	double q = sqrt(-2 * log(p));
	double top = -7.784894002430293e-03;
	double bottom = 7.784695709041462e-03;

	top = top * q - 3.223964580411365e-01;
	top = top * q - 2.400758277161838e+00;
	top = top * q - 2.549732539343734e+00;
	top = top * q + 4.374664141464968e+00;
	top = top * q + 2.938163982698783e+00;
	bottom = bottom * q + 3.224671290700398e-01;
	bottom = bottom * q + 2.445134137142996e+00;
	bottom = bottom * q + 3.754408661907416e+00;
	bottom = bottom * q + 1;
	return top / bottom;
}

static double quantile_of_middle(double p)
{
	double q = p - 0.5;
	double r = q * q;
	double top = -3.969683028665376e+01;
	double bottom = -5.447609879822406e+01;

	top = top * r + 2.209460984245205e+02;
	top = top * r - 2.759285104469687e+02;
	top = top * r + 1.383577518672690e+02;
	top = top * r - 3.066479806614716e+01;
	top = top * r + 2.506628277459239e+00;
	bottom = bottom * r + 1.615858368580409e+02;
	bottom = bottom * r - 1.556989798598866e+02;
	bottom = bottom * r + 6.680131188771972e+01;
	bottom = bottom * r - 1.328068155288572e+01;
	bottom = bottom * r + 1;
	return top * q / bottom;
}

double normal_quantile(double p)
{
	g_return_val_if_fail(p > 0 && p < 1, 0);

	if (p < 0.02425)
		return quantile_of_tail(p);
	if (p > 1 - 0.02425)
		return -quantile_of_tail(1 - p);
	return quantile_of_middle(p);
}
