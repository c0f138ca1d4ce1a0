/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/comparison.h"
#include "bot/base/error.h"
#include "bot/base/json.h"
#include "tests/unit/check_main.h"

#include <string.h>

static const char index_yaml[] =
	"- {key: 'test\\..+_per_sec', direction: higher, unit: ops/s, headline: yes}\n"
	"- {key: 'test\\.latency', direction: lower, unit: us, headline: yes}\n"
	"- {key: 'meminfo\\..+', direction: none, unit: kB}\n";

/* Six runs, and the last one was cut short. */
static const char base_json[] = "{\"meminfo.Slab\": [2000, 2001, 2002, 2003, 2004, 2005, 2006],"
				" \"test.a_per_sec\": [100, 101, 99.5, 100.5, 99, 100.2, 1],"
				" \"mpstat.cpu.all.idle%\": [20, 20.1, 19.9, 20.2, 19.8, 20, 1],"
				" \"test.zero\": [0, 0, 0, 0, 0, 0, 0],"
				" \"test.x.pass\": [1, 1, 1, 1, 1, 1, 0],"
				" \"last_state.is_incomplete_run\": [0, 0, 0, 0, 0, 0, 1]}";
static const char head_json[] =
	"{\"test.a_per_sec\": [105, 106.05, 104.475, 105.525, 103.95, 105.18],"
	" \"meminfo.Slab\": [3000, 3001, 3002, 3003, 3004, 3005],"
	" \"mpstat.cpu.all.idle%\": [10, 10.1, 9.9, 10.2, 9.8, 10],"
	" \"test.zero\": [5, 5, 5, 5, 5, 5],"
	" \"test.x.fail\": [1, 0, 1, 1, 1, 1]}";

typedef struct {
	MetricIndex *index;
	GPtrArray *matrices; /* (element-type Matrix) */
	ComparisonReport *report;
} Fixture;

static void fixture_clear(Fixture *fixture)
{
	g_clear_pointer(&fixture->report, comparison_free);
	g_ptr_array_unref(fixture->matrices);
	metrics_free(fixture->index);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Fixture, fixture_clear)

static const ComparisonOptions defaults = {.compare = {0.01, 0.05, 0}};

static Fixture compare(const char *const *jsons, const ComparisonOptions *options, GError **error)
{
	Fixture fixture = {
		.index = metrics_parse(index_yaml, strlen(index_yaml), "index", NULL),
		.matrices = g_ptr_array_new_with_free_func((GDestroyNotify)matrix_free),
	};

	for (size_t i = 0; jsons[i] != NULL; i++) {
		Matrix *matrix = matrix_parse(jsons[i], strlen(jsons[i]), "m", NULL);
		ck_assert_ptr_nonnull(matrix);
		g_ptr_array_add(fixture.matrices, matrix);
	}
	fixture.report = comparison_make((const Matrix *const *)fixture.matrices->pdata,
					 fixture.matrices->len, fixture.index, options, error);
	return fixture;
}

static Fixture compare_two(const ComparisonOptions *options)
{
	return compare((const char *const[]){base_json, head_json, NULL}, options, NULL);
}

static char *keys_of(const ComparisonReport *report)
{
	g_autoptr(GString) keys = g_string_new(NULL);

	for (guint i = 0; i < report->metrics->len; i++) {
		const ComparisonMetric *metric = g_ptr_array_index(report->metrics, i);
		g_string_append_printf(keys, "%s ", metric->row->key);
	}
	return g_strdup(keys->str);
}

static const ComparisonMetric *find(const ComparisonReport *report, const char *key)
{
	for (guint i = 0; i < report->metrics->len; i++) {
		const ComparisonMetric *metric = g_ptr_array_index(report->metrics, i);
		if (strcmp(metric->row->key, key) == 0)
			return metric;
	}
	ck_abort_msg("no metric %s", key);
	return NULL;
}

START_TEST(comparison_prints_the_table_of_complete_runs)
{
	g_auto(Fixture) fixture = compare_two(&defaults);
	const TableCommit commits[] = {{"v1", NULL}, {"v2", NULL}};

	g_autofree char *table = comparison_print(fixture.report, NULL, commits);

	ck_assert_str_eq(
		table,
		"commit: \n"
		"  v1\n"
		"  v2\n"
		"\n"
		"              v1                          v2 \n"
		"---------------- --------------------------- \n"
		"       fail:runs  %reproduction    fail:runs\n"
		"           |             |             |    \n"
		"          1:7          -14%            :6     last_state.is_incomplete_run\n"
		"           :7           83%           5:6     test.x.fail\n"
		"         %stddev     %change         %stddev\n"
		"             \\          |                \\  \n"
		"    100.03            +5.0%     105.03        test.a_per_sec\n"
		"      0.00         +5e+102%       5.00        test.zero\n"
		"      2002           +49.9%       3002        meminfo.Slab\n"
		"     20.00           -10.0       10.00        mpstat.cpu.all.idle%\n");
}
END_TEST

START_TEST(comparison_selects_what_is_asked_for)
{
	ComparisonOptions options = defaults;
	options.select = COMPARISON_SELECT_ALL;
	g_auto(Fixture) all = compare_two(&options);
	options.select = COMPARISON_SELECT_LKP;
	options.headline = (const char *const[]){"mpstat.cpu.all.idle%", NULL};
	g_auto(Fixture) lkp = compare_two(&options);
	options.select = COMPARISON_SELECT_DEFAULT;
	options.headline = (const char *const[]){"test.zero", NULL};
	g_auto(Fixture) chosen = compare_two(&options);

	g_autofree char *of_all = keys_of(all.report);
	g_autofree char *of_lkp = keys_of(lkp.report);
	g_autofree char *of_chosen = keys_of(chosen.report);

	/* A group with failures is first, then groups by size. */
	ck_assert_str_eq(of_all, "last_state.is_incomplete_run test.a_per_sec test.x.fail "
				 "test.x.pass test.zero meminfo.Slab mpstat.cpu.all.idle% ");
	ck_assert_str_eq(
		of_lkp,
		"last_state.is_incomplete_run test.a_per_sec test.x.fail test.zero meminfo.Slab "
		"mpstat.cpu.all.idle% ");
	ck_assert_str_eq(
		of_chosen,
		"test.zero last_state.is_incomplete_run test.a_per_sec test.x.fail meminfo.Slab "
		"mpstat.cpu.all.idle% ");
}
END_TEST

START_TEST(comparison_gives_one_json_line_a_metric)
{
	g_auto(Fixture) fixture = compare_two(&defaults);

	autojson *line =
		comparison_metric_json(find(fixture.report, "test.a_per_sec"), fixture.report);
	g_autofree char *text = json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(6));

	ck_assert_str_eq(
		text, "{\"key\":\"test.a_per_sec\",\"unit\":\"ops/s\",\"direction\":\"higher\","
		      "\"n\":[6,6],\"mean\":[100.033,105.03],\"stddev_percent\":[0.64957,0.648466],"
		      "\"change\":[4.995],\"interval\":[[3.44059,6.58291]],"
		      "\"smallest_effect\":[2.26603],\"headline\":true,"
		      "\"verdict\":\"improvement\",\"verdicts\":[\"improvement\"]}");
}
END_TEST

START_TEST(comparison_gives_change_and_interval_one_sign)
{
	static const char *const keys[] = {"test.n_per_sec", "test.n_per_sec%", NULL};
	static const char *const verdicts[] = {"regression", "change"};
	static const char below[] =
		"{\"test.n_per_sec\": [-10, -10.1, -10.2, -10.3, -10.4, -10.5],"
		" \"test.n_per_sec%\": [-10, -10.1, -10.2, -10.3, -10.4, -10.5]}";
	static const char lower[] =
		"{\"test.n_per_sec\": [-13, -13.1, -13.2, -13.3, -13.4, -13.5],"
		" \"test.n_per_sec%\": [-13, -13.1, -13.2, -13.3, -13.4, -13.5]}";
	ComparisonOptions options = defaults;
	options.headline = keys;
	g_auto(Fixture) fixture =
		compare((const char *const[]){below, lower, NULL}, &options, NULL);

	for (size_t i = 0; i < G_N_ELEMENTS(verdicts); i++) {
		autojson *line =
			comparison_metric_json(find(fixture.report, keys[i]), fixture.report);
		const json_t *ends = json_array_get(json_object_get(line, "interval"), 0);
		double change = json_real_value(json_array_get(json_object_get(line, "change"), 0));
		double low = json_real_value(json_array_get(ends, 0));
		double high = json_real_value(json_array_get(ends, 1));

		ck_assert_str_eq(json_string_value(json_object_get(line, "verdict")), verdicts[i]);
		ck_assert_double_ne(change, 0);
		ck_assert(low < high && (change < 0) == (low < 0) && (change < 0) == (high < 0));
	}
}
END_TEST

START_TEST(comparison_gives_no_verdict_of_what_is_no_headline)
{
	ComparisonOptions options = defaults;
	options.select = COMPARISON_SELECT_ALL;
	g_auto(Fixture) fixture = compare_two(&options);

	autojson *slab =
		comparison_metric_json(find(fixture.report, "meminfo.Slab"), fixture.report);
	autojson *zero = comparison_metric_json(find(fixture.report, "test.zero"), fixture.report);
	autojson *share = comparison_metric_json(find(fixture.report, "mpstat.cpu.all.idle%"),
						 fixture.report);

	ck_assert(json_is_null(json_object_get(slab, "verdict")));
	ck_assert(json_is_null(json_array_get(json_object_get(slab, "verdicts"), 0)));
	ck_assert(json_is_null(json_array_get(json_object_get(slab, "interval"), 0)));
	ck_assert_str_eq(json_string_value(json_object_get(slab, "unit")), "kB");
	ck_assert(json_is_null(json_array_get(json_object_get(zero, "change"), 0)));
	ck_assert(json_is_null(json_array_get(json_object_get(zero, "stddev_percent"), 0)));
	ck_assert_double_eq_tol(
		json_real_value(json_array_get(json_object_get(share, "change"), 0)), -10, 1e-9);
}
END_TEST

START_TEST(comparison_judges_all_later_commits_as_one_family)
{
	/* 6 v 6 rejects at 0.01 / 4 but not at 0.01 / 5. */
	const char *const five[] = {base_json, head_json, head_json, head_json, head_json, NULL};
	const char *const six[] = {base_json, head_json, head_json, head_json,
				   head_json, head_json, NULL};
	g_auto(Fixture) four_later = compare(five, &defaults, NULL);
	g_auto(Fixture) five_later = compare(six, &defaults, NULL);

	ck_assert_int_eq(find(four_later.report, "test.a_per_sec")->results[3].verdict,
			 VERDICT_IMPROVEMENT);
	ck_assert_int_eq(find(five_later.report, "test.a_per_sec")->results[4].verdict,
			 VERDICT_UNCLEAR);
}
END_TEST

START_TEST(comparison_judges_headlines_that_the_table_does_not_show)
{
	/* Selection must not change the family: a hidden headline still counts. */
	const char base[] = "{\"test.a_per_sec\": [100, 101, 102, 103, 104],"
			    " \"test.b_per_sec\": [100, 101, 102, 103, 104]}";
	const char head[] = "{\"test.a_per_sec\": [200, 201, 202, 203, 204],"
			    " \"test.b_per_sec\": [100.5, 101.5, 102.5, 99.5, 103.5]}";
	ComparisonOptions options = defaults;
	options.select = COMPARISON_SELECT_LKP;
	g_auto(Fixture) fixture = compare((const char *const[]){base, head, NULL}, &options, NULL);

	ck_assert_uint_eq(fixture.report->metrics->len, 1);
	/* 5 v 5 is enough for one metric, not for two. */
	ck_assert_int_eq(find(fixture.report, "test.a_per_sec")->results[0].verdict,
			 VERDICT_UNCLEAR);
}
END_TEST

START_TEST(comparison_refuses_a_headline_that_is_in_no_result)
{
	ComparisonOptions options = defaults;
	options.headline = (const char *const[]){"test.absent", NULL};
	g_autoptr(GError) error = NULL;

	g_auto(Fixture) fixture =
		compare((const char *const[]){base_json, head_json, NULL}, &options, &error);

	ck_assert_ptr_null(fixture.report);
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_NOT_FOUND));
	ck_assert_ptr_nonnull(strstr(error->message, "test.absent"));
}
END_TEST

START_TEST(comparison_of_results_without_runs_says_nothing)
{
	const char none[] = "{\"test.a_per_sec\": []}";
	g_auto(Fixture) fixture = compare((const char *const[]){none, none, NULL}, &defaults, NULL);

	autojson *line =
		comparison_metric_json(find(fixture.report, "test.a_per_sec"), fixture.report);

	ck_assert_str_eq(json_string_value(json_object_get(line, "verdict")), "unclear");
	ck_assert(json_is_null(json_array_get(json_object_get(line, "interval"), 0)));
}
END_TEST

CHECK_MAIN("comparison", comparison_prints_the_table_of_complete_runs,
	   comparison_selects_what_is_asked_for, comparison_gives_one_json_line_a_metric,
	   comparison_gives_change_and_interval_one_sign,
	   comparison_gives_no_verdict_of_what_is_no_headline,
	   comparison_judges_all_later_commits_as_one_family,
	   comparison_judges_headlines_that_the_table_does_not_show,
	   comparison_refuses_a_headline_that_is_in_no_result,
	   comparison_of_results_without_runs_says_nothing)
