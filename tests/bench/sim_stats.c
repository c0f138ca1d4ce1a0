/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sim_stats - the measured error rates and power of the verdict, remade with this tree's code.
 *
 *	sim_stats aa|power|cover|effect|plan|retest [REPORTS]
 *
 * One Markdown table a call.  The rates are per cent of REPORTS simulated reports (default 20,000);
 * a rate of 1 % then has a standard error of 0.07.  Exit status 1: a promise is broken, that is
 * a false alarm rate above 1 % by more than four standard errors, or too little power.
 */
#include "bot/stats/compare.h"
#include "bot/stats/rank.h"
#include "bot/stats/retest.h"
#include "tests/unit/stats/noise.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_K 20u
#define DELTA 0.02

typedef struct {
	NoiseShape shape;
	double cv;
	size_t n, k;
	double effect; /* factor on the first metric's head */
} Cell;

typedef struct {
	unsigned long n_reports;
	unsigned long any_change;                    /* on any metric                        */
	unsigned long verdicts[VERDICT_UNCLEAR + 1]; /* of the first metric                  */
	unsigned long covered, covered_90;           /* its true effect lies in the interval */
} Tally;

/* Both sides of one metric. */
typedef struct {
	Sample *base, *head; /* owned */
} Pair;

static Pair draw_pair(GRand *rand, const Cell *cell, double effect)
{
	double a[RANK_MAX_N], b[RANK_MAX_N];

	noise_fill(rand, cell->shape, cell->cv, cell->n, effect, a, b);
	return (Pair){sample_new(a, cell->n), sample_new(b, cell->n)};
}

static void pair_clear(Pair *pair)
{
	g_clear_pointer(&pair->base, sample_free);
	g_clear_pointer(&pair->head, sample_free);
}

static CompareInput input_of(const Sample *base, const Sample *head)
{
	return (CompareInput){"m", base, head, DIRECTION_HIGHER_IS_BETTER, DELTA, 0, false};
}

/* One report: the first metric with the cell's effect, the others without. */
static void make_report(GRand *rand, const Cell *cell, Comparison out[MAX_K])
{
	Pair pairs[MAX_K];
	CompareInput inputs[MAX_K];

	for (size_t i = 0; i < cell->k; i++) {
		pairs[i] = draw_pair(rand, cell, i == 0 ? cell->effect : 1);
		inputs[i] = input_of(pairs[i].base, pairs[i].head);
	}
	compare_family(inputs, cell->k, &COMPARE_OPTIONS_DEFAULT, out);
	for (size_t i = 0; i < cell->k; i++)
		pair_clear(&pairs[i]);
}

static void count_report(const Cell *cell, const Comparison *out, Tally *tally)
{
	double percent = 100 * (cell->effect - 1);
	bool any = false;

	for (size_t i = 0; i < cell->k; i++)
		any = any || out[i].verdict == VERDICT_REGRESSION ||
		      out[i].verdict == VERDICT_IMPROVEMENT;
	tally->n_reports++;
	tally->any_change += any;
	tally->verdicts[out[0].verdict]++;
	tally->covered += out[0].has_interval && out[0].low <= percent && percent <= out[0].high;
	tally->covered_90 += out[0].has_equivalence && out[0].equivalence_low <= percent &&
			     percent <= out[0].equivalence_high;
}

static Tally simulate(const Cell *cell, unsigned long n_reports)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(20 * (guint32)cell->shape + 1);
	Tally tally = {0};

	while (tally.n_reports < n_reports) {
		Comparison out[MAX_K];

		make_report(rand, cell, out);
		count_report(cell, out, &tally);
	}
	return tally;
}

static double percent_of(unsigned long part, unsigned long whole)
{
	return 100 * (double)part / (double)MAX(whole, 1);
}

/* What a measured rate may lie off a true one of @percent. */
static double slack(double percent, unsigned long n_reports)
{
	return 4 * sqrt(percent * (100 - percent) / (double)n_reports);
}

/* Largest family-wise rate that independent metrics can have: 1 - (1 - p)^K, p the critical one. */
static double exact_rate(size_t n, size_t k)
{
	double cdf[RANK_MAX_N * RANK_MAX_N + 1];
	double p = 0;

	rank_u_cdf(n, n, cdf);
	for (size_t u = 0; 2 * cdf[u] <= 0.01 / (double)k * (1 + 1e-12); u++)
		p = 2 * cdf[u];
	return 100 * (1 - pow(1 - p, (double)k));
}

static bool print_aa(const Cell *cell, unsigned long n_reports)
{
	Tally tally = simulate(cell, n_reports);
	double rate = percent_of(tally.any_change, n_reports);

	printf("| %s | %zu | %zu | %.3f | %.3f | %.1f |\n", noise_name(cell->shape), cell->k,
	       cell->n, rate, exact_rate(cell->n, cell->k),
	       percent_of(tally.verdicts[VERDICT_UNCLEAR], n_reports));
	fflush(stdout);
	return rate <= 1 + slack(1, n_reports);
}

static bool table_aa(unsigned long n_reports)
{
	const size_t sizes[] = {4, 5, 6, 8, 10, 12, 13};
	const size_t families[] = {1, 5, 20};
	bool kept = true;

	puts("| noise, cv 3 % | K | n | false changes % | exact, independent % | unclear % |");
	puts("|---|---|---|---|---|---|");
	for (unsigned shape = 0; shape < NOISE_N_SHAPES; shape++) {
		for (size_t i = 0; i < G_N_ELEMENTS(families) * G_N_ELEMENTS(sizes); i++) {
			Cell cell = {.shape = (NoiseShape)shape,
				     .cv = 0.03,
				     .k = families[i / G_N_ELEMENTS(sizes)],
				     .n = sizes[i % G_N_ELEMENTS(sizes)],
				     .effect = 1};
			kept &= print_aa(&cell, n_reports / cell.k + 1);
		}
	}
	return kept;
}

static bool print_power(const Cell *cell, unsigned long n_reports, double promised)
{
	Tally tally = simulate(cell, n_reports);
	double found = percent_of(tally.verdicts[VERDICT_IMPROVEMENT], n_reports);

	printf("| %s | %zu | %zu | %.0f | %.2f | %.2f | %.2f | %.3f |\n", noise_name(cell->shape),
	       cell->k, cell->n, 100 * (cell->effect - 1), found,
	       percent_of(tally.verdicts[VERDICT_NO_CHANGE], n_reports),
	       percent_of(tally.verdicts[VERDICT_UNCLEAR], n_reports),
	       percent_of(tally.verdicts[VERDICT_REGRESSION], n_reports));
	fflush(stdout);
	return found >= promised - slack(promised, n_reports);
}

static bool table_power(unsigned long n_reports)
{
	const NoiseShape shapes[] = {NOISE_NORMAL, NOISE_LOG_T3, NOISE_BIMODAL, NOISE_AR1,
				     NOISE_DRIFT};
	const size_t sizes[] = {5, 6, 8, 10, 12};
	const double effects[] = {1.01, 1.02, 1.05, 1.2};
	bool kept;

	puts("| noise, cv 1 % | K | n | change % | found % | no-change % | unclear % | wrong way % "
	     "|");
	puts("|---|---|---|---|---|---|---|---|");
	kept = print_power(&(Cell){NOISE_NORMAL, 0.01, 6, 1, 1.05}, n_reports, 99);
	kept &= print_power(&(Cell){NOISE_NORMAL, 0.01, 12, 1, 1.02}, n_reports, 95);
	kept &= print_power(&(Cell){NOISE_NORMAL, 0.01, 10, 20, 1.05}, n_reports / 20 + 1, 99);
	for (size_t s = 0; s < G_N_ELEMENTS(shapes); s++) {
		for (size_t i = 0; i < G_N_ELEMENTS(sizes) * G_N_ELEMENTS(effects); i++) {
			Cell cell = {shapes[s], 0.01, sizes[i / G_N_ELEMENTS(effects)], 1,
				     effects[i % G_N_ELEMENTS(effects)]};
			kept &= print_power(&cell, n_reports, 0);
		}
	}
	return kept;
}

static bool table_cover(unsigned long n_reports)
{
	const size_t sizes[] = {5, 6, 8, 12};
	bool kept = true;

	puts("| noise, cv 1 %, change 2 % | n | 99 % interval holds it | 90 % interval | no-change "
	     "% |");
	puts("|---|---|---|---|---|");
	for (unsigned shape = 0; shape < NOISE_GRID; shape++) {
		for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
			Cell cell = {(NoiseShape)shape, 0.01, sizes[i], 1, 1.02};
			Tally tally = simulate(&cell, n_reports);
			double covered = percent_of(tally.covered, n_reports);

			printf("| %s | %zu | %.2f | %.2f | %.2f |\n", noise_name(cell.shape),
			       cell.n, covered, percent_of(tally.covered_90, n_reports),
			       percent_of(tally.verdicts[VERDICT_NO_CHANGE], n_reports));
			kept &= covered >= 99 - slack(99, n_reports);
		}
	}
	return kept;
}

/* The middle smallest effect that A/A reports state, in per cent. */
static double median_smallest_effect(const Cell *cell, unsigned long n_reports)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(7);
	g_autofree double *effects = g_new(double, n_reports);

	for (unsigned long r = 0; r < n_reports; r++) {
		Comparison out[MAX_K];

		make_report(rand, cell, out);
		effects[r] = out[0].smallest_effect;
	}
	values_sort(effects, n_reports);
	return effects[n_reports / 2];
}

static bool table_effect(unsigned long n_reports)
{
	const struct {
		size_t k, n;
	} cells[] = {{1, 5}, {1, 6}, {1, 8}, {1, 12}, {1, 20}, {20, 8}, {20, 10}, {20, 12}};
	bool kept = true;

	puts("| K | n | smallest effect, in units of cv | found when true % |");
	puts("|---|---|---|---|");
	for (size_t i = 0; i < G_N_ELEMENTS(cells); i++) {
		/* So noisy that the threshold of 2 % plays no part. */
		Cell cell = {NOISE_NORMAL, 0.05, cells[i].n, cells[i].k, 1};
		unsigned long n = n_reports / cell.k + 100;
		double effect = median_smallest_effect(&cell, n);
		cell.effect = 1 + effect / 100;
		double found = percent_of(simulate(&cell, n).verdicts[VERDICT_IMPROVEMENT], n);

		printf("| %zu | %zu | %.2f | %.1f |\n", cell.k, cell.n,
		       log1p(effect / 100) / cell.cv, found);
		fflush(stdout);
		kept &= found >= 84 && found <= 94;
	}
	return kept;
}

/* Metrics seen; unclear at the start; of these with a plan that fits; of these clear then. */
enum { PLAN_ALL, PLAN_UNCLEAR, PLAN_FITS, PLAN_CLEAR, PLAN_N };

static void follow_plan(GRand *rand, const Cell *cell, unsigned long counts[PLAN_N])
{
	Cell whole = *cell;
	whole.n = RANK_MAX_N;
	Pair all = draw_pair(rand, &whole, cell->effect);
	Sample base = sample_view(all.base, cell->n);
	Sample head = sample_view(all.head, cell->n);
	CompareInput part = input_of(&base, &head);
	Comparison out;

	compare_family(&part, 1, &COMPARE_OPTIONS_DEFAULT, &out);
	counts[PLAN_ALL]++;
	if (out.verdict == VERDICT_UNCLEAR) {
		counts[PLAN_UNCLEAR]++;
		if (out.n_plan > 0 && out.n_plan <= RANK_MAX_N) {
			base.n = head.n = out.n_plan;
			compare_family(&part, 1, &COMPARE_OPTIONS_DEFAULT, &out);
			counts[PLAN_FITS]++;
			counts[PLAN_CLEAR] += out.verdict != VERDICT_UNCLEAR;
		}
	}
	pair_clear(&all);
}

static bool table_plan(unsigned long n_reports)
{
	const double cvs[] = {0.01, 0.015, 0.02};
	const double effects[] = {1, 1.01, 1.02, 1.03};

	puts("| n | cv % | change % | unclear % | plan up to 24, of these % | clear then % |");
	puts("|---|---|---|---|---|---|");
	for (size_t i = 0; i < G_N_ELEMENTS(cvs) * G_N_ELEMENTS(effects); i++) {
		g_autoptr(GRand) rand = g_rand_new_with_seed(9);
		Cell cell = {NOISE_NORMAL, cvs[i / G_N_ELEMENTS(effects)], 6, 1,
			     effects[i % G_N_ELEMENTS(effects)]};
		unsigned long counts[PLAN_N] = {0};

		while (counts[PLAN_ALL] < n_reports)
			follow_plan(rand, &cell, counts);
		printf("| 6 | %.1f | %.0f | %.1f | %.1f | %.1f |\n", 100 * cell.cv,
		       100 * (cell.effect - 1), percent_of(counts[PLAN_UNCLEAR], n_reports),
		       percent_of(counts[PLAN_FITS], counts[PLAN_UNCLEAR]),
		       percent_of(counts[PLAN_CLEAR], counts[PLAN_FITS]));
		fflush(stdout);
	}
	return true;
}

static Sample *draw_sample(GRand *rand, size_t n, double level)
{
	double values[RANK_MAX_N];

	for (size_t i = 0; i < n; i++)
		values[i] = level * exp(0.01 * noise_gauss(rand));
	return sample_new(values, n);
}

static void count_retests(size_t n, double bad_level, double fix_level, unsigned long n_reports,
			  unsigned long counts[RETEST_UNCLEAR + 1])
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(13);

	for (unsigned long r = 0; r < n_reports; r++) {
		g_autoptr(Sample) base = draw_sample(rand, n, 1);
		g_autoptr(Sample) bad = draw_sample(rand, n, bad_level);
		g_autoptr(Sample) fix = draw_sample(rand, n, fix_level);

		counts[retest_judge(base, bad, fix, DIRECTION_LOWER_IS_BETTER, DELTA,
				    &COMPARE_OPTIONS_DEFAULT, 1)]++;
	}
}

static bool table_retest(unsigned long n_reports)
{
	const size_t sizes[] = {5, 6, 8, 12};
	const double levels[][2] = {{1.05, 1},    {1.05, 1.01}, {1.05, 1.02}, {1.05, 1.03},
				    {1.05, 1.05}, {1.05, 1.1},  {1.1, 1},     {1.1, 1.02},
				    {1.03, 1},    {1, 1}};
	bool kept = true;

	puts("| n | bad +% | fix +% | not-reproduced | worse | resolved | partly | not-resolved | "
	     "unclear |");
	puts("|---|---|---|---|---|---|---|---|---|");
	for (size_t i = 0; i < G_N_ELEMENTS(sizes) * G_N_ELEMENTS(levels); i++) {
		size_t n = sizes[i / G_N_ELEMENTS(levels)];
		const double *level = levels[i % G_N_ELEMENTS(levels)];
		unsigned long counts[RETEST_UNCLEAR + 1] = {0};

		count_retests(n, level[0], level[1], n_reports, counts);
		printf("| %zu | %.0f | %.0f ", n, 100 * (level[0] - 1), 100 * (level[1] - 1));
		for (size_t k = 0; k < G_N_ELEMENTS(counts); k++)
			printf("| %.2f ", percent_of(counts[k], n_reports));
		puts("|");
		fflush(stdout);
		/* A fix that is delta or more worse than base is hardly ever called resolved. */
		if (level[1] >= 1 + DELTA)
			kept &= percent_of(counts[RETEST_RESOLVED], n_reports) <=
				5 + slack(5, n_reports);
	}
	return kept;
}

static const struct {
	const char *name;
	bool (*print)(unsigned long n_reports);
} tables[] = {
	{"aa", table_aa},         {"power", table_power}, {"cover", table_cover},
	{"effect", table_effect}, {"plan", table_plan},   {"retest", table_retest},
};

int main(int argc, char **argv)
{
	unsigned long n_reports = argc > 2 ? strtoul(argv[2], NULL, 10) : 20000;

	for (size_t i = 0; argc > 1 && n_reports > 0 && i < G_N_ELEMENTS(tables); i++) {
		if (strcmp(argv[1], tables[i].name) != 0)
			continue;
		if (tables[i].print(n_reports))
			return EXIT_SUCCESS;
		fprintf(stderr, "sim_stats: table %s breaks its promise\n", argv[1]);
		return EXIT_FAILURE;
	}
	fputs("usage: sim_stats aa|power|cover|effect|plan|retest [REPORTS]\n", stderr);
	return 2;
}
