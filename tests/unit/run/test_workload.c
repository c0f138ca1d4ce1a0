/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/run/workload.h"
#include "tests/unit/check_main.h"

#include <string.h>
#include <sys/stat.h>

/* A folder "probe" with scripts, and @yaml as its workload.yaml. */
static char *make_folder(const char *yaml)
{
	static const char *const scripts[] = {"build", "run", "parse"};
	g_autofree char *top = g_dir_make_tmp("lorebot-XXXXXX", NULL);
	g_autofree char *dir = g_build_filename(top, "probe", NULL);
	g_autofree char *file = g_build_filename(dir, "workload.yaml", NULL);

	ck_assert_int_eq(mkdir(dir, 0755), 0);
	ck_assert(g_file_set_contents(file, yaml, -1, NULL));
	for (size_t i = 0; i < G_N_ELEMENTS(scripts); i++) {
		g_autofree char *path = g_build_filename(dir, scripts[i], NULL);

		ck_assert(g_file_set_contents(path, "#!/bin/sh\n", -1, NULL));
		ck_assert_int_eq(chmod(path, 0755), 0);
	}
	return g_steal_pointer(&dir);
}

static void remove_folder(const char *dir)
{
	g_autofree char *top = g_path_get_dirname(dir);

	ck_assert(fs_remove_tree(top, NULL));
}

static Workload *load(const char *dir)
{
	g_autoptr(GError) error = NULL;
	Workload *workload = workload_load(dir, &error);

	ck_assert_msg(workload != NULL, "%s", error != NULL ? error->message : "");
	return workload;
}

static void assert_refused(const char *yaml, const char *message)
{
	g_autofree char *dir = make_folder(yaml);
	g_autoptr(GError) error = NULL;

	Workload *workload = workload_load(dir, &error);

	ck_assert_msg(workload == NULL, "taken: %s", yaml);
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_CONFIG));
	ck_assert_msg(strstr(error->message, message) != NULL, "%s", error->message);
	remove_folder(dir);
}

#define METRIC "metrics:\n  - {key: speed, unit: m/s, direction: higher}\n"

START_TEST(a_workload_has_what_its_file_says)
{
	g_autofree char *dir =
		make_folder("description: how fast\nmetrics:\n"
			    "  - {key: speed, unit: m/s, direction: higher, delta: 0.1}\n"
			    "  - {key: errors, direction: lower, delta_absolute: 3}\n"
			    "limits: {memory: 64M, disk: 1G, processes: 9, build_seconds: 7, "
			    "run_seconds: 8}\n");

	g_autoptr(Workload) workload = load(dir);

	ck_assert_str_eq(workload->testcase, "probe");
	ck_assert_str_eq(workload->dir, dir);
	ck_assert_str_eq(workload->description, "how fast");
	ck_assert_uint_eq(workload->headline->len, 2);
	const WorkloadMetric *speed = workload->headline->pdata[0];
	const WorkloadMetric *errors = workload->headline->pdata[1];
	ck_assert_str_eq(speed->key, "speed");
	ck_assert_str_eq(speed->unit, "m/s");
	ck_assert_int_eq(speed->direction, DIRECTION_HIGHER_IS_BETTER);
	ck_assert_double_eq(speed->delta, 0.1);
	ck_assert_str_eq(errors->unit, "");
	ck_assert_int_eq(errors->direction, DIRECTION_LOWER_IS_BETTER);
	ck_assert_double_eq(errors->delta, 0.02);
	ck_assert_double_eq(errors->delta_absolute, 3);
	ck_assert_uint_eq(workload->memory_bytes, 64 << 20);
	ck_assert_uint_eq(workload->disk_bytes, 1 << 30);
	ck_assert_uint_eq(workload->n_processes, 9);
	ck_assert_int_eq(workload->build_timeout_ms, 7000);
	ck_assert_int_eq(workload->run_timeout_ms, 8000);
	remove_folder(dir);
}
END_TEST

START_TEST(what_is_no_workload_is_refused_with_line_and_cure)
{
	static const struct {
		const char *yaml;
		const char *message;
	} bad[] = {
		{"", "empty"},
		{"- a\n", "must be a map"},
		{METRIC, "description: is missing"},
		{"description: x\n", "metrics: is missing"},
		{"description: x\nmetrics: []\n", "list of 1 to 20"},
		{"description: x\nmetrics: [a]\n", "each entry must be a map"},
		{"description: x\nmetrics:\n  - {unit: s}\n",
		 "workload.yaml:3: metrics: this metric"},
		{"description: x\nmetrics:\n  - {key: a b}\n", "key: must be letters"},
		{"description: x\nmetrics:\n  - {key: a, direction: up}\n", "higher, lower"},
		{"description: x\nmetrics:\n  - {key: a, delta: 2}\n", "from 0 to 1"},
		{"description: x\nmetrics:\n  - {key: a, delta: nan}\n", "from 0 to 1"},
		{"description: x\nmetrics:\n  - {key: a, color: red}\n", "color: unknown"},
		{METRIC "description: x\ncolour: red\n", "workload.yaml:4: colour: unknown"},
		{METRIC "description: x\nlimits: none\n", "limits: must be a map"},
		{METRIC "description: x\nlimits: {memory: 1}\n", "memory: must be a whole number"},
		{METRIC "description: x\nlimits: {memory: 99999999999G}\n", "memory: must be"},
		{METRIC "description: x\nlimits: {memory: 64X}\n", "memory: must be"},
		{METRIC "description: x\nlimits: {memory: -1M}\n", "memory: must be"},
		{METRIC "description: x\nlimits: {processes: 8K}\n", "processes: must be"},
		{METRIC "description: x\nlimits: {time: 8}\n", "time: unknown"},
		{METRIC "description: \"two\\nlines\"\n", "one line"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
		assert_refused(bad[i].yaml, bad[i].message);
}
END_TEST

START_TEST(a_workload_without_an_executable_script_is_refused)
{
	g_autofree char *dir = make_folder("description: x\n" METRIC);
	g_autofree char *run = g_build_filename(dir, "run", NULL);
	g_autoptr(GError) error = NULL;
	ck_assert_int_eq(chmod(run, 0644), 0);

	Workload *workload = workload_load(dir, &error);

	ck_assert_ptr_null(workload);
	ck_assert_ptr_nonnull(strstr(error->message, "run is missing or not executable"));
	remove_folder(dir);
}
END_TEST

START_TEST(the_hash_changes_with_a_byte_and_with_a_name)
{
	g_autofree char *dir = make_folder("description: x\n" METRIC);
	g_autofree char *extra = g_build_filename(dir, "extra", NULL);
	g_autofree char *other = g_build_filename(dir, "other", NULL);
	g_autoptr(Workload) workload = load(dir);
	g_autofree char *first = workload_hash(workload, NULL);
	g_autofree char *same = workload_hash(workload, NULL);
	ck_assert(g_file_set_contents(extra, "a", 1, NULL));
	g_autofree char *added = workload_hash(workload, NULL);
	ck_assert(g_file_set_contents(extra, "b", 1, NULL));
	g_autofree char *changed = workload_hash(workload, NULL);
	ck_assert(g_file_set_contents(other, "b", 1, NULL));
	ck_assert(fs_remove_tree(extra, NULL));
	g_autofree char *renamed = workload_hash(workload, NULL);

	ck_assert_uint_eq(strlen(first), 64);
	ck_assert_str_eq(first, same);
	ck_assert_str_ne(first, added);
	ck_assert_str_ne(added, changed);
	ck_assert_str_ne(changed, renamed);
	remove_folder(dir);
}
END_TEST

START_TEST(the_workloads_that_are_installed_load)
{
	static const char *const names[] = {"wordcount", "make-check"};

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *dir = fs_share_path("workloads", names[i]);
		g_autoptr(Workload) workload = load(dir);

		ck_assert_str_eq(workload->testcase, names[i]);
	}
}
END_TEST

/* What parse of workload make-check prints for what run printed. */
static char *parse_make_check(const char *printed)
{
	g_autofree char *folder = fs_share_path("workloads", "make-check");
	g_autofree char *parse = g_build_filename(folder, "parse", NULL);
	g_autofree char *top = g_dir_make_tmp("lorebot-XXXXXX", NULL);
	g_autofree char *log = g_build_filename(top, "log", NULL);
	char *argv[] = {parse, log, NULL};
	char *out = NULL;
	int status = -1;

	ck_assert(g_file_set_contents(log, printed, -1, NULL));
	ck_assert(g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL, &status,
			       NULL));
	ck_assert_int_eq(status, 0);
	ck_assert(fs_remove_tree(top, NULL));
	return out;
}

START_TEST(make_check_counts_tests_as_test_suites_tell_them)
{
	static const struct {
		const char *printed;
		const char *counted; /* NULL: nothing */
	} cases[] = {
		{"ok 1 - it works\nnot ok 2 - it does not\nok 3\n",
		 "tests_passed: 2\ntests_failed: 1\n"},
		{"# TOTAL: 5\n# PASS:  3\n# FAIL:  1\n# ERROR: 1\n",
		 "tests_passed: 3\ntests_failed: 2\n"},
		{"98%: Checks: 71, Failures: 1, Errors: 0\n",
		 "tests_passed: 70\ntests_failed: 1\n"},
		{"OK: out of 61 tests, 60 passed, 1 failed\n\t1 of them are known to fail\n",
		 "tests_passed: 60\ntests_failed: 1\n"},
		{"out of 9 tests, nobody knows\n  TEST    passed 3 (x.c)\n", NULL},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *out = parse_make_check(cases[i].printed);

		if (cases[i].counted == NULL)
			ck_assert_ptr_null(strstr(out, "tests_"));
		else
			ck_assert_msg(g_str_has_prefix(out, cases[i].counted), "%zu: %s", i, out);
	}
}
END_TEST

START_TEST(make_check_tells_times_of_each_step_and_of_all)
{
	g_autofree char *out = parse_make_check("@ build 10.5 1.25 20\n@ check 2 0.5 3.75\n");

	ck_assert_str_eq(out, "build_cpu_seconds: 11.750\nbuild_seconds: 20\n"
			      "check_cpu_seconds: 2.500\ncheck_seconds: 3.75\n"
			      "time.user_time: 12.500\ntime.system_time: 1.750\n"
			      "time.elapsed_time: 23.750\n");
}
END_TEST

CHECK_MAIN("workload", a_workload_has_what_its_file_says,
	   what_is_no_workload_is_refused_with_line_and_cure,
	   a_workload_without_an_executable_script_is_refused,
	   the_hash_changes_with_a_byte_and_with_a_name, the_workloads_that_are_installed_load,
	   make_check_counts_tests_as_test_suites_tell_them,
	   make_check_tells_times_of_each_step_and_of_all)
