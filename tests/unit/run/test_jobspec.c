/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/error.h"
#include "bot/run/jobspec.h"
#include "tests/unit/check_main.h"

#include <string.h>

static GPtrArray *parse(const char *yaml)
{
	g_autoptr(GError) error = NULL;
	GPtrArray *jobs = jobspec_parse(yaml, strlen(yaml), "job.yaml", &error);

	ck_assert_msg(jobs != NULL, "%s", error != NULL ? error->message : "");
	return jobs;
}

static void assert_refused(const char *yaml, const char *message)
{
	g_autoptr(GError) error = NULL;
	GPtrArray *jobs = jobspec_parse(yaml, strlen(yaml), "job.yaml", &error);

	ck_assert_msg(jobs == NULL, "taken: %s", yaml);
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_CONFIG));
	ck_assert_msg(strstr(error->message, message) != NULL, "%s", error->message);
}

static const char *value(const GPtrArray *jobs, guint job, guint param)
{
	const JobSpec *spec = g_ptr_array_index(jobs, job);

	return ((const JobParam *)g_ptr_array_index(spec->params, param))->value;
}

START_TEST(a_plain_job_is_one_spec_with_its_parameters_in_order)
{
	g_autoptr(GPtrArray) jobs = parse("suite: words\ntestcase: wordcount\ncategory: benchmark\n"
					  "nr_words: 400000\nmode: hash # comment\n");

	ck_assert_uint_eq(jobs->len, 1);
	const JobSpec *spec = g_ptr_array_index(jobs, 0);
	ck_assert_str_eq(spec->suite, "words");
	ck_assert_str_eq(spec->testcase, "wordcount");
	ck_assert_str_eq(spec->category, "benchmark");
	ck_assert_uint_eq(spec->params->len, 2);
	ck_assert_str_eq(value(jobs, 0, 0), "400000");
	ck_assert_str_eq(value(jobs, 0, 1), "hash");
}
END_TEST

START_TEST(suite_and_category_have_defaults)
{
	g_autoptr(GPtrArray) jobs = parse("testcase: wordcount\n");

	const JobSpec *spec = g_ptr_array_index(jobs, 0);
	ck_assert_str_eq(spec->suite, "wordcount");
	ck_assert_str_eq(spec->category, "benchmark");
}
END_TEST

START_TEST(lists_multiply_and_the_first_varies_slowest)
{
	g_autoptr(GPtrArray) jobs = parse("testcase: w\na: [1, 2]\nb: x\nc:\n - y\n - z\n");

	ck_assert_uint_eq(jobs->len, 4);
	ck_assert_str_eq(value(jobs, 0, 0), "1");
	ck_assert_str_eq(value(jobs, 0, 2), "y");
	ck_assert_str_eq(value(jobs, 1, 2), "z");
	ck_assert_str_eq(value(jobs, 2, 0), "2");
}
END_TEST

START_TEST(a_spec_survives_being_written_and_read_again)
{
	const char *values[] = {"400000", "two words",   "it's",  "~",      "",      "- a", "a: b",
				"#no",    "caf\xc3\xa9", "'",     "\"x\"",  "a\\nb", "*p",  "&p",
				"1e3",    "!x",          " lead", "trail ", "{a}",   "[b]", "%d",
				"@",      "`",           "?",     "|",      ">"};
	for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
		JobParam param = {g_strdup("key"), g_strdup(values[i])};
		g_autoptr(GPtrArray) params = g_ptr_array_new();
		g_ptr_array_add(params, &param);
		JobSpec spec = {g_strdup("s"), g_strdup("t"), g_strdup("c"), params};
		g_autofree char *yaml = jobspec_to_yaml(&spec);

		g_autoptr(GPtrArray) jobs = parse(yaml);

		ck_assert_str_eq(value(jobs, 0, 0), values[i]);
		g_autofree char *again = jobspec_to_yaml(g_ptr_array_index(jobs, 0));
		ck_assert_str_eq(again, yaml);
		g_free(param.key);
		g_free(param.value);
		g_free(spec.suite);
		g_free(spec.testcase);
		g_free(spec.category);
	}
}
END_TEST

START_TEST(path_params_are_sorted_cut_and_made_safe)
{
	g_autoptr(GPtrArray) jobs = parse(
		"testcase: t\nz: a/b c\nb: 0123456789012345678901234567890123456789\na: 50%\n");

	g_autofree char *text = jobspec_path_params(g_ptr_array_index(jobs, 0));

	ck_assert_str_eq(text, "50%-0123456789012345678901234567890-a_b_c");
}
END_TEST

START_TEST(a_job_without_parameters_has_the_path_defaults)
{
	g_autoptr(GPtrArray) jobs = parse("testcase: t\n");

	g_autofree char *text = jobspec_path_params(g_ptr_array_index(jobs, 0));

	ck_assert_str_eq(text, "defaults");
}
END_TEST

START_TEST(what_is_no_job_is_refused_with_its_line)
{
	static const struct {
		const char *yaml;
		const char *message;
	} bad[] = {
		{"", "empty"},
		{"just words", "must be a map"},
		{"- a\n- b\n", "must be a map"},
		{"suite: x\n", "testcase: is missing"},
		{"testcase: ../../etc\n", "job.yaml:1: testcase"},
		{"testcase: [a, b]\n", "testcase: must be one name"},
		{"testcase: a\ntestcase: b\n", "job.yaml:2: this key stands here twice"},
		{"testcase: t\n9x: 1\n", "job.yaml:2: key: must be a letter"},
		{"testcase: t\n\"a b\": 1\n", "must be a letter"},
		{"testcase: t\nPATH: /evil\n", "PATH: the sandbox sets"},
		{"testcase: t\nLD_PRELOAD: x\n", "LD_PRELOAD: the sandbox sets"},
		{"testcase: t\nLD-PRELOAD: x\n", "the sandbox sets"},
		{"testcase: t\na.b: 1\na-b: 2\n", "same variable name"},
		{"testcase: t\na: {b: c}\n", "must be a word or a list"},
		{"testcase: t\na: [[1], [2]]\n", "must be a word or a list"},
		{"testcase: t\na: []\n", "the list is empty"},
		{"testcase: t\na: \"x\\ny\"\n", "control character"},
		{"testcase: t\na: \"x\\0y\"\n", "NUL"},
		{"testcase: t\na: \"x\\u2028y\"\n", "control character"},
		{"testcase: t\na: &x 1\nb: *x\n", "anchors"},
		{"testcase: t\na: !!int 1\n", "anchors"},
		{"testcase: t\n---\ntestcase: u\n", "only one document"},
		{"testcase: t\na: [[[[[[[[1]]]]]]]]\n", "nested too deep"},
		{"testcase: t\n? [a]\n: b\n", "a key must be a plain word"},
		{"testcase: t\n\ta: b\n", "job.yaml:2"},
		{"testcase: t\na: \xff\n", "job.yaml:"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
		assert_refused(bad[i].yaml, bad[i].message);
}
END_TEST

START_TEST(limits_hold_at_their_edges)
{
	g_autoptr(GString) params = g_string_new("testcase: t\n");
	for (unsigned i = 0; i < 64; i++)
		g_string_append_printf(params, "p%u: x\n", i);
	g_autoptr(GPtrArray) taken = parse(params->str);
	ck_assert_uint_eq(taken->len, 1);
	g_string_append(params, "p64: x\n");
	assert_refused(params->str, "more than 64 parameters");

	g_autoptr(GString) list = g_string_new("testcase: t\na: [");
	for (unsigned i = 0; i < 64; i++)
		g_string_append_printf(list, "%s%u", i > 0 ? ", " : "", i);
	g_string_append(list, "]\nb: [1, 2, 3, 4]\n");
	g_autoptr(GPtrArray) full = parse(list->str);
	ck_assert_uint_eq(full->len, 256);
	g_string_append(list, "c: [1, 2]\n");
	assert_refused(list->str, "more than 256 combinations");

	g_autofree char *long_value = g_strnfill(1024, 'x');
	g_autofree char *fits = g_strdup_printf("testcase: t\na: %s\n", long_value);
	g_autoptr(GPtrArray) long_job = parse(fits);
	ck_assert_uint_eq(long_job->len, 1);
	g_autofree char *over = g_strdup_printf("testcase: t\na: %sx\n", long_value);
	assert_refused(over, "longer than 1024");

	g_autofree char *huge = g_strnfill(70000, '#');
	assert_refused(huge, "more than 65536");
}
END_TEST

START_TEST(a_job_cut_anywhere_does_no_harm)
{
	static const char job[] = "suite: 's'\ntestcase: t\na: [1, \"2\\x41\", {}]\nb: |\n  text\n";
	for (size_t i = 0; i <= strlen(job); i++) {
		g_autofree char *exact = g_memdup2(job, i + 1); /* the end is the end for ASan */
		g_autoptr(GPtrArray) jobs = jobspec_parse(exact, i, "job", NULL);

		ck_assert(jobs == NULL || jobs->len == 1);
	}
}
END_TEST

CHECK_MAIN("jobspec", a_plain_job_is_one_spec_with_its_parameters_in_order,
	   suite_and_category_have_defaults, lists_multiply_and_the_first_varies_slowest,
	   a_spec_survives_being_written_and_read_again, path_params_are_sorted_cut_and_made_safe,
	   a_job_without_parameters_has_the_path_defaults, what_is_no_job_is_refused_with_its_line,
	   limits_hold_at_their_edges, a_job_cut_anywhere_does_no_harm)
