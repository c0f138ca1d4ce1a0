/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/run/lkpselect.h"

#include "bot/model/statkey.h"

#include <math.h>
#include <string.h>

#define LEAST_RUNS 3u
#define LEAST_RATIO 1.05
#define LEAST_RATIO_PERF 1.01
/* What a ratio over a middle value of zero or less counts as, and any larger one. */
#define MAX_RATIO 5.0
/* A value that stands for "not measured". */
#define NO_VALUE (-1.0)

/* Shown although denied below. "*" is any text. */
static const char *const allowed[] = {
	"boot-*",      "cpuidle.*",      "iostat.*",        "lock_stat.*",   "meminfo.*",
	"mpstat.*",    "numa-meminfo.*", "numa-numastat.*", "numa-vmstat.*", "perf-profile.*",
	"perf-stat.*", "proc-vmstat.*",  "sched_debug.*",   "time.*",        "turbostat.*",
	"uptime.*",    "vmstat.*",
};

/* Noise, bookkeeping, and what says the same as another value. */
static const char *const denied[] = {
	"aim7.cpu",          "aim7.jti",
	"aim7.real",         "buddyinfo.*",
	"diskstats.*",       "dmesg.timestamp:*",
	"dmesg.bootstage:*", "ftrace.*",
	"kmsg.timestamp:*",  "latency_stats.*",
	"nfsstat.*",         "pagetypeinfo.*",
	"slabinfo.*",        "*.time.file_system_inputs.max",
};

/* Smaller changes of these are believed, and those of a test that measures speed. */
static const char *const perf_metrics[] = {
	"boot-*",
	"energy.*",
	"iostat.*",
	"perf-stat.*",
	"proc-vmstat.*",
	"pmeter.*",
	"vmstat.cpu.*",
	"vmstat.io.*",
	"vmstat.swap.*",
	"vmstat.system.*",
	"turbostat.*Watt",
	"turbostat.Avg_MHz",
	"turbostat.CorWatt",
	"*time.*",
	"lock_stat.*.contentions",
};

/* Tests that say whether something works; what they count is no measure of speed. */
static const char *const functional_tests[] = {
	"blktests.*",     "boot.*",
	"fxmark.*",       "kernel-selftests.*",
	"kunit.*",        "kvm-unit-tests.*",
	"libhugetlbfs.*", "locktorture.*",
	"ltp.*",          "mdadm-selftests.*",
	"ndctl.*",        "nvml.*",
	"packetdrill.*",  "perf-sanity-tests.*",
	"rcutorture.*",   "trinity.*",
	"xfstests.*",
};

/* The first that fits counts: some run must reach it, and the medians differ by half of it. */
static const struct {
	const char *pattern;
	double least;
} least_sizes[] = {
	{"*.time.elapsed_time*", 10},
	{"*.time.system_time", 10},
	{"*.time.user_time", 10},
	{"*context_switches", 1000},
	{"*faults", 1000},
	{"*swaps", 1000},
	{"*file_system_inputs", 10000},
	{"*file_system_outputs", 10000},
	{"*socket_messages_*", 10000},
	{"*vmstat.*nr_*", 100},
	{"interrupts.*", 100},
	{"iostat.*await*", 50},
	{"iostat.*util", 10},
	{"iostat.*.r/s", 50},
	{"iostat.*.w/s", 50},
	{"iostat.*kB/s", 100},
	{"iostat.*avgrq*", 200},
	{"vmstat.cpu.id", 10},
	{"vmstat.cpu.us", 10},
	{"vmstat.cpu.wa", 10},
	{"vmstat.cpu.st", 10},
	{"vmstat.cpu.sy", 50},
	{"vmstat.io.*", 100},
	{"vmstat.system.in", 100},
	{"vmstat.system.cs", 100},
	{"perf-c2c.HITM.total", 3000},
	{"xfstests.*.seconds", 10},
	{"proc-vmstat.*alloc*stall*", 100},
	{"proc-vmstat.compact_stall", 100},
};

/* For what has no row above: some run must pass it. */
static const struct {
	const char *pattern;
	double above;
} least_values[] = {
	{"iostat.*", 1},
	{"proc-vmstat.*", 1000},
	{"*meminfo.*", 1000},
	{"softirqs.*", 10000},
};

static bool fits_any(const char *const *patterns, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++) {
		if (g_pattern_match_simple(patterns[i], key))
			return true;
	}
	return false;
}

#define FITS(table, key) fits_any(table, G_N_ELEMENTS(table), key)

static bool is_perf_metric(const char *key)
{
	return FITS(perf_metrics, key) || (statkey_is_of_test(key) && !FITS(functional_tests, key));
}

/* Sorted samples of one side, without the extremes of very many. */
typedef struct {
	Sample *sample; /* owned */
	const double *values;
	size_t n;
} Side;

static void side_clear(Side *side)
{
	g_clear_pointer(&side->sample, sample_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Side, side_clear)

/* A key that is not there was 0 in every run. */
static Sample *samples_of(const Matrix *matrix, const char *key)
{
	if (matrix_find(matrix, key) != NULL)
		return matrix_padded(matrix, key);
	size_t n = matrix_n_complete(matrix);
	g_autofree double *zeros = g_new0(double, n);
	return sample_new(zeros, n);
}

static Side make_side(const Matrix *matrix, const char *key, size_t max_cut)
{
	Side side = {.sample = samples_of(matrix, key)};
	size_t n = 0;

	for (size_t i = 0; i < side.sample->n; i++) {
		if (side.sample->values[i] != NO_VALUE)
			side.sample->values[n++] = side.sample->values[i];
	}
	values_sort(side.sample->values, n);
	size_t cut = MIN(n / 32, max_cut);
	side.values = side.sample->values + cut;
	side.n = n - 2 * cut;
	return side;
}

static double side_min(const Side *side)
{
	return side->values[0];
}

static double side_max(const Side *side)
{
	return side->values[side->n - 1];
}

static double side_median(const Side *side)
{
	return side->values[side->n / 2];
}

/* Half of one side lies beyond all of the other, and that one's half beyond its nearest. */
static bool ranges_separate(const Side *a, const Side *b)
{
	return (side_min(b) > side_median(a) && side_median(b) > side_max(a)) ||
	       (side_min(a) > side_median(b) && side_median(a) > side_max(b));
}

static bool ratio_is_large(const Side *a, const Side *b, const char *key)
{
	double low = fmin(side_median(a), side_median(b));
	double high = fmax(side_median(a), side_median(b));
	double ratio = low > 0 ? fmin(high / low, MAX_RATIO) : MAX_RATIO;

	return ratio > LEAST_RATIO_PERF && (ratio > LEAST_RATIO || is_perf_metric(key));
}

static bool size_is_plausible(const Side *a, const Side *b, const char *key)
{
	double max = fmax(side_max(a), side_max(b));
	double delta = fabs(side_median(a) - side_median(b));

	for (size_t i = 0; i < G_N_ELEMENTS(least_sizes); i++) {
		if (g_pattern_match_simple(least_sizes[i].pattern, key))
			return max >= least_sizes[i].least && delta >= least_sizes[i].least / 2;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(least_values); i++) {
		if (g_pattern_match_simple(least_values[i].pattern, key))
			return max > least_values[i].above;
	}
	return true;
}

static bool has_key_of_group(const Matrix *matrix, const char *key)
{
	size_t len = statkey_group_len(key) + 1;

	for (guint i = 0; i < matrix->rows->len; i++) {
		const MatrixRow *row = g_ptr_array_index(matrix->rows, i);
		if (strncmp(row->key, key, len) == 0)
			return true;
	}
	return false;
}

/* New in head: only where the monitor ran on base too and could have seen it. */
static bool may_be_new(const Matrix *base, const char *key)
{
	return (g_str_has_prefix(key, "lock_stat.") || g_str_has_prefix(key, "perf-profile.")) &&
	       has_key_of_group(base, key);
}

static double largest(const Matrix *matrix, const char *key)
{
	const MatrixRow *row = matrix_find(matrix, key);
	double max = 0;

	for (size_t i = 0; row != NULL && i < matrix->n_runs; i++) {
		if (row->values[i] > max)
			max = row->values[i];
	}
	return max;
}

/* "x.fail" counts where base is known to have passed "x", and the other way round. */
static bool has_counterpart(const Matrix *base, const char *key)
{
	static const char *const exempt[] = {"dmesg.*", "kmsg.*", "last_state.*", "stderr.*"};
	static const struct {
		const char *suffix, *counterpart;
	} pairs[] = {
		{".fail", ".pass"}, {".error", ".pass"}, {".warn", ".pass"}, {".pass", ".fail"}};

	if (FITS(exempt, key))
		return true;
	for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) {
		if (!g_str_has_suffix(key, pairs[i].suffix))
			continue;
		size_t len = strlen(key) - strlen(pairs[i].suffix);
		g_autofree char *other =
			g_strdup_printf("%.*s%s", (int)len, key, pairs[i].counterpart);
		return matrix_find(base, other) != NULL;
	}
	return true;
}

static bool values_differ(const Matrix *base, const Matrix *head, const char *key)
{
	if (matrix_find(base, key) == NULL && !may_be_new(base, key))
		return false;

	g_auto(Side) b = make_side(base, key, 3);
	g_auto(Side) a = make_side(head, key, b.n <= 3 ? 1 : 3);
	if (a.n == 0 || b.n == 0 || (a.n < LEAST_RUNS && b.n < LEAST_RUNS))
		return false;
	if (!ranges_separate(&a, &b))
		return false;
	/* Profiles are shares; what the parser kept is worth a row. */
	return g_str_has_prefix(key, "perf-profile.") ||
	       (ratio_is_large(&a, &b, key) && size_is_plausible(&a, &b, key));
}

bool lkpselect_is_shown(const Matrix *base, const Matrix *head, const char *key)
{
	if (FITS(denied, key) && !FITS(allowed, key))
		return false;
	if (statkey_is_failure(key))
		return largest(base, key) != largest(head, key) && has_counterpart(base, key);
	return values_differ(base, head, key);
}
