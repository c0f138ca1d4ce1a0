/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * rank - the exact two-sided rank-sum test with ties, and the law of U.
 *
 * Wilcoxon 1945, Mann & Whitney 1947; exact conditional law by the shift algorithm (Streitberg &
 * Roehmel 1986).  Exact in doubles up to RANK_MAX_N a side; larger samples are refused by callers.
 */

#include <stdbool.h>
#include <stddef.h>

#define RANK_MAX_N 24u

typedef struct {
	double p;          /* two-sided, in (0, 1]                                             */
	double p_smallest; /* smallest p that any arrangement of these pooled values could give */
	int direction;     /* sign of b against a: -1, 0, 1                                    */
} RankTest;

/** rank_sum_test: n_a, n_b in 1..RANK_MAX_N; all values finite. */
RankTest rank_sum_test(const double *a, size_t n_a, const double *b, size_t n_b);

/** rank_u_cdf: @cdf gets n_a*n_b+1 values P(U <= u) without ties. */
void rank_u_cdf(size_t n_a, size_t n_b, double *cdf);

/** rank_smallest_p: 2/C(n_a+n_b, n_a), at most 1. */
double rank_smallest_p(size_t n_a, size_t n_b);

/** rank_n_min: smallest n with n_hypotheses * 2/C(2n, n) <= alpha. */
size_t rank_n_min(size_t n_hypotheses, double alpha);

/** normal_quantile: inverse of the normal distribution function, 0 < p < 1 (Acklam, rel. 1e-9). */
double normal_quantile(double p);
