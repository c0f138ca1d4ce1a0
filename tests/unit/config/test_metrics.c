/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config/metrics.h"
#include "bot/base/error.h"
#include "tests/unit/check_main.h"

#include <string.h>

static MetricIndex *delivered(void)
{
	g_autoptr(GError) error = NULL;
	MetricIndex *index = metrics_load(NULL, &error);

	ck_assert_msg(index != NULL, "%s", error != NULL ? error->message : "");
	return index;
}

START_TEST(metrics_of_the_delivered_index_know_the_common_tests)
{
	static const struct {
		const char *key;
		Direction direction;
		bool headline;
	} table[] = {
		{"stress-ng.touch.ops_per_sec", DIRECTION_HIGHER_IS_BETTER, true},
		{"stress-ng.udp-flood.ops_per_sec", DIRECTION_HIGHER_IS_BETTER, true},
		{"stress-ng.touch.ops", DIRECTION_NONE, false},
		{"stress-ng.time.elapsed_time", DIRECTION_LOWER_IS_BETTER, false},
		{"stress-ng.time.voluntary_context_switches", DIRECTION_NONE, false},
		{"aim7.jobs-per-min", DIRECTION_HIGHER_IS_BETTER, true},
		{"fxmark.ssd_xfs_MRPL_18_bufferedio.works/sec", DIRECTION_HIGHER_IS_BETTER, true},
		{"will-it-scale.per_process_ops", DIRECTION_HIGHER_IS_BETTER, true},
		{"will-it-scale.workload", DIRECTION_NONE, false},
		{"netperf.Throughput_total_Mbps", DIRECTION_HIGHER_IS_BETTER, true},
		{"netperf.Throughput_tps", DIRECTION_HIGHER_IS_BETTER, true},
		{"fio.read_iops", DIRECTION_HIGHER_IS_BETTER, true},
		{"fio.write_bw_MBps", DIRECTION_HIGHER_IS_BETTER, true},
		{"unixbench.score", DIRECTION_HIGHER_IS_BETTER, true},
		{"hackbench.throughput", DIRECTION_HIGHER_IS_BETTER, true},
		{"vm-scalability.median", DIRECTION_HIGHER_IS_BETTER, true},
		{"vm-scalability.stddev%", DIRECTION_NONE, false},
		{"kbuild.buildtime_per_iteration", DIRECTION_LOWER_IS_BETTER, true},
		{"filebench.sum_operations/s", DIRECTION_HIGHER_IS_BETTER, true},
		{"autonuma-benchmark.numa01.seconds", DIRECTION_LOWER_IS_BETTER, true},
		{"fsmark.app_overhead", DIRECTION_LOWER_IS_BETTER, true},
		{"pigz.throughput", DIRECTION_HIGHER_IS_BETTER, true},
	};
	g_autoptr(MetricIndex) index = delivered();

	for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
		const MetricEntry *entry = metrics_find(index, table[i].key);

		ck_assert_msg(entry != NULL, "%s", table[i].key);
		ck_assert_msg(entry->direction == table[i].direction, "%s", table[i].key);
		ck_assert_msg(entry->headline == table[i].headline, "%s", table[i].key);
	}
}
END_TEST

START_TEST(metrics_of_the_delivered_index_have_no_headline_among_monitors)
{
	const char *const keys[] = {"vmstat.cpu.id", "perf-stat.i.cpi", "meminfo.Slab",
				    "proc-vmstat.pgfault", "perf-profile.self.x"};
	g_autoptr(MetricIndex) index = delivered();

	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
		const MetricEntry *entry = metrics_find(index, keys[i]);
		ck_assert_msg(entry == NULL || !entry->headline, "%s", keys[i]);
	}
}
END_TEST

static MetricIndex *parse(const char *yaml, GError **error)
{
	return metrics_parse(yaml, strlen(yaml), "index.yaml", error);
}

START_TEST(metrics_take_the_first_entry_whose_pattern_is_the_whole_key)
{
	g_autoptr(MetricIndex) index = parse("- {key: 'a\\..+', direction: lower, unit: us, "
					     "headline: yes, delta: 0.05, delta_absolute: 3}\n"
					     "- key: 'a\\.b|c'\n"
					     "  direction: higher\n",
					     NULL);

	const MetricEntry *first = metrics_find(index, "a.b");
	const MetricEntry *second = metrics_find(index, "c");

	ck_assert_int_eq(first->direction, DIRECTION_LOWER_IS_BETTER);
	ck_assert_str_eq(first->unit, "us");
	ck_assert(first->headline);
	ck_assert_double_eq(first->delta, 0.05);
	ck_assert_double_eq(first->delta_absolute, 3);
	ck_assert_int_eq(second->direction, DIRECTION_HIGHER_IS_BETTER);
	ck_assert(!second->headline);
	ck_assert_double_eq(second->delta, METRICS_DEFAULT_DELTA);
	ck_assert_ptr_null(metrics_find(index, "xa.b"));
	ck_assert_ptr_null(metrics_find(index, "cc"));
}
END_TEST

START_TEST(metrics_of_an_empty_file_know_nothing)
{
	g_autoptr(MetricIndex) index = parse("# nothing yet\n", NULL);

	ck_assert_ptr_null(metrics_find(index, "a.b"));
}
END_TEST

START_TEST(metrics_refuse_a_fault_by_its_line)
{
	static const struct {
		const char *yaml, *reason;
	} table[] = {
		{"- {key: 'a'}\n- {key: '('}\n", "index.yaml:2: \"(\" is no regular expression"},
		{"- {direction: higher}\n", "needs a key"},
		{"- {key: a, direction: up}\n", "direction is higher, lower or none, not \"up\""},
		{"- {key: a, headline: perhaps}\n", "headline is yes or no"},
		{"- {key: a, delta: 0}\n", "no number above 0"},
		{"- {key: a, delta: 2%}\n", "no number above 0"},
		{"- {key: a, delta: nan}\n", "no number above 0"},
		{"- {key: a, unit: ''}\n", "a unit is"},
		{"- {key: a, unit: \"x\\ny\"}\n", "a unit is"},
		{"- {key: a, colour: red}\n", "\"colour\" is unknown"},
		{"- {key: [a]}\n", "single words"},
		{"- a\n", "a mapping"},
		{"key: a\n", "a list of entries"},
		{"- {key: a\n", "index.yaml:2"},
		{"- {key: \"a\\0b\"}\n", "single words"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(MetricIndex) index = parse(table[i].yaml, &error);

		ck_assert_msg(index == NULL, "%s", table[i].yaml);
		ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_CONFIG));
		ck_assert_msg(strstr(error->message, table[i].reason) != NULL, "%s",
			      error->message);
	}
}
END_TEST

START_TEST(metrics_survive_every_truncation)
{
	static const char yaml[] = "- {key: 'a\\..+', direction: lower, unit: us, headline: yes}\n"
				   "- &x {key: b, delta: 0.05}\n- *x\n";

	for (size_t len = 0; len < sizeof(yaml); len++) {
		g_autofree char *copy = g_memdup2(yaml, len);
		g_autoptr(GError) error = NULL;
		g_autoptr(MetricIndex) index = metrics_parse(copy, len, "index.yaml", &error);

		ck_assert((index == NULL) == (error != NULL));
	}
}
END_TEST

START_TEST(metrics_load_says_which_file_is_missing)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(MetricIndex) index = metrics_load("/nonexistent/metrics.yaml", &error);

	ck_assert_ptr_null(index);
	ck_assert_ptr_nonnull(strstr(error->message, "/nonexistent/metrics.yaml"));
}
END_TEST

CHECK_MAIN("metrics", metrics_of_the_delivered_index_know_the_common_tests,
	   metrics_of_the_delivered_index_have_no_headline_among_monitors,
	   metrics_take_the_first_entry_whose_pattern_is_the_whole_key,
	   metrics_of_an_empty_file_know_nothing, metrics_refuse_a_fault_by_its_line,
	   metrics_survive_every_truncation, metrics_load_says_which_file_is_missing)
