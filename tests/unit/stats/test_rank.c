/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stats/rank.h"
#include "tests/unit/check_main.h"

#include <math.h>
#include <string.h>

/* Of all ways to choose which pooled values belong to b, how many lie as far down, as far up. */
typedef struct {
	unsigned long below, above, all;
	unsigned long at_lowest, at_highest;
} Enumeration;

static double sum_of_mid_ranks(const double *pooled, size_t n, unsigned long subset)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(subset >> i & 1))
			continue;
		for (size_t j = 0; j < n; j++)
			sum += pooled[j] < pooled[i] ? 1 : pooled[j] == pooled[i] ? 0.5 : 0;
		sum += 0.5;
	}
	return sum;
}

static Enumeration enumerate(const double *a, size_t n_a, const double *b, size_t n_b)
{
	double pooled[16];
	size_t n = n_a + n_b;
	unsigned long observed_set = ((1UL << n_b) - 1) << n_a;
	double lowest = INFINITY, highest = -INFINITY;
	Enumeration count = {0};

	memcpy(pooled, a, n_a * sizeof(double));
	memcpy(pooled + n_a, b, n_b * sizeof(double));
	double observed = sum_of_mid_ranks(pooled, n, observed_set);

	for (unsigned long set = 0; set < 1UL << n; set++) {
		if ((size_t)__builtin_popcountl(set) != n_b)
			continue;
		double sum = sum_of_mid_ranks(pooled, n, set);
		count.all++;
		count.below += sum <= observed;
		count.above += sum >= observed;
		if (sum < lowest)
			count.at_lowest = 0;
		if (sum > highest)
			count.at_highest = 0;
		lowest = fmin(lowest, sum);
		highest = fmax(highest, sum);
		count.at_lowest += sum == lowest;
		count.at_highest += sum == highest;
	}
	return count;
}

static double two_sided(unsigned long x, unsigned long y, unsigned long all)
{
	return fmin(1, 2 * (double)MIN(x, y) / (double)all);
}

START_TEST(rank_sum_test_agrees_with_counting_every_arrangement)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(1);

	for (int round = 0; round < 300; round++) {
		double a[6], b[6];
		size_t n_a = (size_t)g_rand_int_range(rand, 1, 7);
		size_t n_b = (size_t)g_rand_int_range(rand, 1, 7);
		/* From nearly all values tied to hardly any. */
		int n_values = round % 3 == 0 ? 3 : round % 3 == 1 ? 8 : 1000;

		for (size_t i = 0; i < n_a; i++)
			a[i] = g_rand_int_range(rand, 0, n_values);
		for (size_t i = 0; i < n_b; i++)
			b[i] = g_rand_int_range(rand, 0, n_values + 3);

		RankTest test = rank_sum_test(a, n_a, b, n_b);

		Enumeration want = enumerate(a, n_a, b, n_b);
		ck_assert_double_eq_tol(test.p, two_sided(want.below, want.above, want.all), 1e-12);
		ck_assert_double_eq_tol(test.p_smallest,
					two_sided(want.at_lowest, want.at_highest, want.all),
					1e-12);
		ck_assert_int_eq(test.direction,
				 (want.above < want.below) - (want.below < want.above));
	}
}
END_TEST

START_TEST(rank_sum_test_of_sides_swapped_gives_the_same_p_and_the_other_direction)
{
	const double a[] = {1, 2, 2, 5, 7};
	const double b[] = {2, 6, 8, 9};

	RankTest ab = rank_sum_test(a, 5, b, 4);
	RankTest ba = rank_sum_test(b, 4, a, 5);

	ck_assert_double_eq_tol(ab.p, ba.p, 1e-15);
	ck_assert_int_eq(ab.direction, 1);
	ck_assert_int_eq(ba.direction, -1);
}
END_TEST

START_TEST(rank_sum_test_of_equal_values_can_show_nothing)
{
	const double same[] = {3, 3, 3, 3, 3, 3};

	RankTest test = rank_sum_test(same, 6, same, 6);

	ck_assert_double_eq(test.p, 1);
	ck_assert_double_eq(test.p_smallest, 1);
	ck_assert_int_eq(test.direction, 0);
}
END_TEST

START_TEST(rank_sum_test_is_exact_at_its_largest_size)
{
	double a[RANK_MAX_N], b[RANK_MAX_N];

	for (unsigned i = 0; i < RANK_MAX_N; i++) {
		a[i] = i;
		b[i] = 100 + i;
	}

	RankTest test = rank_sum_test(a, RANK_MAX_N, b, RANK_MAX_N);

	/* C(48, 24) */
	ck_assert_double_eq_tol(test.p * 32247603683100.0, 2, 1e-12);
	ck_assert_double_eq(test.p, test.p_smallest);
}
END_TEST

/* Reject if min(U, n*n - U) <= u, at alpha 0.01 over K metrics; -1: no U rejects. */
static const struct {
	size_t n;
	double combinations;
	int largest_u[5];
} critical_values[] = {
	{3, 20, {-1, -1, -1, -1, -1}},
	{4, 70, {-1, -1, -1, -1, -1}},
	{5, 252, {0, -1, -1, -1, -1}},
	{6, 924, {2, 1, -1, -1, -1}},
	{7, 3432, {4, 3, 1, 0, -1}},
	{8, 12870, {7, 6, 4, 2, 1}},
	{9, 48620, {11, 9, 7, 5, 4}},
	{10, 184756, {16, 13, 10, 8, 7}},
	{11, 705432, {21, 18, 15, 12, 10}},
	{12, 2704156, {27, 24, 20, 17, 15}},
	{13, 10400600, {34, 30, 26, 23, 20}},
	{14, 40116600, {42, 38, 32, 29, 25}},
	{15, 155117520, {51, 46, 40, 36, 32}},
	{16, 601080390, {60, 54, 48, 43, 39}},
	{17, 2333606220, {70, 64, 57, 51, 47}},
	{18, 9075135300, {81, 74, 66, 61, 55}},
	{19, 35345263800, {93, 85, 77, 70, 65}},
	{20, 137846528820, {105, 97, 88, 81, 75}},
};

START_TEST(rank_u_cdf_gives_the_critical_values)
{
	const double families[] = {1, 2, 5, 10, 20};

	for (size_t i = 0; i < G_N_ELEMENTS(critical_values); i++) {
		double cdf[20 * 20 + 1];
		size_t n = critical_values[i].n;

		rank_u_cdf(n, n, cdf);

		for (size_t k = 0; k < G_N_ELEMENTS(families); k++) {
			int u = -1;
			while (2 * cdf[u + 1] <= 0.01 / families[k] * (1 + 1e-12))
				u++;
			ck_assert_int_eq(u, critical_values[i].largest_u[k]);
		}
	}
}
END_TEST

START_TEST(rank_smallest_p_is_two_arrangements_of_all)
{
	for (size_t i = 0; i < G_N_ELEMENTS(critical_values); i++) {
		size_t n = critical_values[i].n;
		ck_assert_double_eq_tol(rank_smallest_p(n, n) * critical_values[i].combinations, 2,
					1e-9);
	}
	ck_assert_double_eq_tol(rank_smallest_p(3, 8), 2.0 / 165, 1e-12);
	ck_assert_double_eq_tol(rank_smallest_p(4, 12), 2.0 / 1820, 1e-12);
	ck_assert_double_eq_tol(rank_smallest_p(12, 6), 2.0 / 18564, 1e-12);
	ck_assert_double_eq(rank_smallest_p(1, 1), 1);
}
END_TEST

START_TEST(rank_n_min_grows_with_the_number_of_metrics)
{
	static const struct {
		size_t first, last, n_min;
	} table[] = {{1, 1, 5},    {2, 4, 6},      {5, 17, 7},     {18, 64, 8},
		     {65, 243, 9}, {244, 923, 10}, {924, 3527, 11}};

	for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
		ck_assert_uint_eq(rank_n_min(table[i].first, 0.01), table[i].n_min);
		ck_assert_uint_eq(rank_n_min(table[i].last, 0.01), table[i].n_min);
	}
	ck_assert_uint_eq(rank_n_min(1, 0.001), 7);
	ck_assert_uint_eq(rank_n_min(20, 0.001), 9);
}
END_TEST

START_TEST(normal_quantile_inverts_the_normal_distribution)
{
	for (double p = 1e-8; p < 1; p += p < 0.01 ? p : 0.01) {
		double back = erfc(-normal_quantile(p) / sqrt(2)) / 2;
		ck_assert_double_eq_tol(back / p, 1, 5e-8);
	}
	ck_assert_double_eq_tol(normal_quantile(0.995), 2.5758293035489, 1e-8);
	ck_assert_double_eq_tol(normal_quantile(0.5), 0, 1e-12);
}
END_TEST

CHECK_MAIN("rank", rank_sum_test_agrees_with_counting_every_arrangement,
	   rank_sum_test_of_sides_swapped_gives_the_same_p_and_the_other_direction,
	   rank_sum_test_of_equal_values_can_show_nothing,
	   rank_sum_test_is_exact_at_its_largest_size, rank_u_cdf_gives_the_critical_values,
	   rank_smallest_p_is_two_arrangements_of_all, rank_n_min_grows_with_the_number_of_metrics,
	   normal_quantile_inverts_the_normal_distribution)
