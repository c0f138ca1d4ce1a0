/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often the verdict is wrong, counted.  The seeds are fixed, so the tests always give the same
 * answer; tests/bench/sim_stats makes the long tables.
 */
#include "bot/stats/compare.h"
#include "tests/unit/check_main.h"
#include "tests/unit/stats/noise.h"

#include <stdbool.h>

#define MAX_K 20u

typedef struct {
	NoiseShape shape;
	double cv;
	size_t n, k;
	double effect; /* on the first metric; 1: none */
	unsigned n_reports;
} Cell;

static bool is_change(Verdict verdict)
{
	return verdict == VERDICT_REGRESSION || verdict == VERDICT_IMPROVEMENT;
}

/* One report of @cell into @out. */
static void make_report(GRand *rand, const Cell *cell, Comparison *out)
{
	CompareInput inputs[MAX_K];
	g_autoptr(GPtrArray) samples = g_ptr_array_new_with_free_func((GDestroyNotify)sample_free);

	for (size_t i = 0; i < cell->k; i++) {
		double a[24], b[24];

		noise_fill(rand, cell->shape, cell->cv, cell->n, i == 0 ? cell->effect : 1, a, b);
		Sample *base = sample_new(a, cell->n);
		Sample *head = sample_new(b, cell->n);
		g_ptr_array_add(samples, base);
		g_ptr_array_add(samples, head);
		inputs[i] =
			(CompareInput){"m", base, head, DIRECTION_HIGHER_IS_BETTER, 0.02, 0, false};
	}
	compare_family(inputs, cell->k, &COMPARE_OPTIONS_DEFAULT, out);
}

static unsigned count_reports_with_a_change(const Cell *cell, unsigned seed)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
	unsigned n_found = 0;

	for (unsigned i = 0; i < cell->n_reports; i++) {
		Comparison out[MAX_K];
		bool any = false;

		make_report(rand, cell, out);
		for (size_t j = 0; j < cell->k; j++)
			any = any || is_change(out[j].verdict);
		n_found += any;
	}
	return n_found;
}

START_TEST(compare_of_one_build_with_itself_rarely_finds_a_change)
{
	static const Cell cells[] = {
		{NOISE_NORMAL, 0.03, 5, 1, 1, 4000},    {NOISE_NORMAL, 0.03, 12, 1, 1, 2000},
		{NOISE_LOG_T3, 0.03, 6, 1, 1, 4000},    {NOISE_BIMODAL, 0.03, 6, 2, 1, 3000},
		{NOISE_AR1, 0.03, 8, 1, 1, 2000},       {NOISE_DRIFT, 0.03, 8, 5, 1, 600},
		{NOISE_GRID, 0.03, 8, 1, 1, 3000},      {NOISE_NORMAL, 0.03, 9, 20, 1, 400},
		{NOISE_DRIFT_4CV, 0.03, 6, 1, 1, 3000},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cells); i++) {
		double n = cells[i].n_reports;
		/* One per cent and four standard errors of counting so few. */
		double limit = n * 0.01 + 4 * sqrt(n * 0.01 * 0.99);

		unsigned n_found = count_reports_with_a_change(&cells[i], 11 + (unsigned)i);

		ck_assert_msg(n_found <= limit, "%s n=%zu K=%zu: %u of %u",
			      noise_name(cells[i].shape), cells[i].n, cells[i].k, n_found,
			      cells[i].n_reports);
	}
}
END_TEST

START_TEST(compare_never_finds_a_change_below_the_least_number_of_runs)
{
	static const Cell cells[] = {
		{NOISE_NORMAL, 0.001, 4, 1, 1.5, 500},
		{NOISE_NORMAL, 0.001, 7, 20, 1.5, 50},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cells); i++)
		ck_assert_uint_eq(count_reports_with_a_change(&cells[i], 5), 0);
}
END_TEST

START_TEST(compare_finds_five_per_cent_with_six_runs_a_side)
{
	const Cell cell = {NOISE_NORMAL, 0.01, 6, 1, 1.05, 3000};

	/* 99.98 % over many reports. */
	ck_assert_uint_ge(count_reports_with_a_change(&cell, 3), 2985);
}
END_TEST

START_TEST(compare_finds_two_per_cent_with_twelve_runs_a_side)
{
	const Cell cell = {NOISE_NORMAL, 0.01, 12, 1, 1.02, 1500};

	/* 95.4 % over many reports, standard error of 1500 is 0.54 %. */
	ck_assert_uint_ge(count_reports_with_a_change(&cell, 4), 1500 * 0.938);
}
END_TEST

START_TEST(compare_rejects_exactly_eight_of_the_arrangements_of_six_and_six)
{
	unsigned n_changes = 0;

	for (unsigned set = 0; set < 1U << 12; set++) {
		double a[6], b[6];
		size_t n_a = 0, n_b = 0;

		if (__builtin_popcount(set) != 6)
			continue;
		for (unsigned i = 0; i < 12; i++) {
			if (set >> i & 1)
				b[n_b++] = 100 * (i + 1);
			else
				a[n_a++] = 100 * (i + 1);
		}
		g_autoptr(Sample) base = sample_new(a, 6);
		g_autoptr(Sample) head = sample_new(b, 6);
		CompareInput input = {"m", base, head, DIRECTION_HIGHER_IS_BETTER, 0.02, 0, false};
		Comparison out;
		compare_family(&input, 1, &COMPARE_OPTIONS_DEFAULT, &out);
		n_changes += is_change(out.verdict);
	}

	/* U of 0, 1 and 2 on both ends: 2 * (1 + 1 + 2) of 924, 0.87 %. */
	ck_assert_uint_eq(n_changes, 8);
}
END_TEST

CHECK_MAIN("error_rates", compare_of_one_build_with_itself_rarely_finds_a_change,
	   compare_never_finds_a_change_below_the_least_number_of_runs,
	   compare_finds_five_per_cent_with_six_runs_a_side,
	   compare_finds_two_per_cent_with_twelve_runs_a_side,
	   compare_rejects_exactly_eight_of_the_arrangements_of_six_and_six)
