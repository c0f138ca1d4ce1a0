/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/run/lkp.h"
#include "bot/base/error.h"
#include "tests/unit/check_main.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static Matrix *parse(const char *json)
{
	g_autoptr(GError) error = NULL;
	Matrix *matrix = matrix_parse(json, strlen(json), "m.json", &error);

	ck_assert_msg(matrix != NULL, "%s", error != NULL ? error->message : "");
	return matrix;
}

static void check_refused(const char *json, const char *reason)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Matrix) matrix = matrix_parse(json, strlen(json), "m.json", &error);

	ck_assert_ptr_null(matrix);
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PERMANENT));
	ck_assert_msg(strstr(error->message, "m.json") != NULL, "%s", error->message);
	ck_assert_msg(strstr(error->message, reason) != NULL, "%s", error->message);
}

static const char three_runs[] =
	"{\"a.ops\": [1, 2.5, 3], \"b.late\": [0, 7], \"c.text\": [\"x\", \"y\", \"z\"],"
	" \"d.gap\": [1, null, 3], \"a.fail\": [1, 0, 1],"
	" \"last_state.is_incomplete_run\": [0, 0, 1],"
	" \"stats_source\": [\"0/stats.json\", \"1/stats.json\", \"2/stats.json\"]}";

START_TEST(matrix_has_a_column_a_run_and_keeps_the_order_of_keys)
{
	g_autoptr(Matrix) matrix = parse(three_runs);

	ck_assert_uint_eq(matrix->n_runs, 3);
	ck_assert_uint_eq(matrix->rows->len, 5);
	ck_assert_str_eq(((MatrixRow *)matrix->rows->pdata[0])->key, "a.ops");
	ck_assert_str_eq(((MatrixRow *)matrix->rows->pdata[1])->key, "b.late");
	ck_assert_str_eq(matrix->sources->pdata[2], "2/stats.json");
	ck_assert_ptr_null(matrix_find(matrix, "c.text"));
	ck_assert_ptr_null(matrix_find(matrix, "stats_source"));
}
END_TEST

START_TEST(matrix_leaves_incomplete_runs_out_of_all_but_failures)
{
	g_autoptr(Matrix) matrix = parse(three_runs);

	g_autoptr(Sample) ops = matrix_sample(matrix, "a.ops");

	ck_assert_uint_eq(matrix_n_complete(matrix), 2);
	ck_assert_uint_eq(ops->n, 2);
	ck_assert_double_eq(ops->values[1], 2.5);
	ck_assert_double_eq(matrix_sum(matrix, "a.fail"), 2);
	ck_assert_double_eq(matrix_sum(matrix, "absent"), 0);
}
END_TEST

START_TEST(matrix_takes_what_is_missing_as_missing_or_as_zero)
{
	g_autoptr(Matrix) matrix = parse("{\"a.b\": [1, null], \"c.d\": [1, 2, 3]}");

	g_autoptr(Sample) sample = matrix_sample(matrix, "a.b");
	g_autoptr(Sample) padded = matrix_padded(matrix, "a.b");
	g_autoptr(Sample) absent = matrix_sample(matrix, "x.y");

	ck_assert_uint_eq(sample->n, 1);
	ck_assert_uint_eq(sample->n_missing, 2);
	ck_assert_uint_eq(padded->n, 3);
	ck_assert_double_eq(padded->values[2], 0);
	ck_assert_uint_eq(absent->n + absent->n_missing, 0);
}
END_TEST

START_TEST(matrix_of_a_stats_file_has_one_run)
{
	g_autoptr(Matrix) matrix = parse("{\"a.b\": 1.5, \"c.d\": 2, \"host\": \"box\"}");

	ck_assert_uint_eq(matrix->n_runs, 1);
	ck_assert_uint_eq(matrix->rows->len, 2);
	ck_assert_double_eq(matrix_find(matrix, "a.b")->values[0], 1.5);
}
END_TEST

START_TEST(matrix_may_be_empty)
{
	g_autoptr(Matrix) nothing = parse("{}");
	g_autoptr(Matrix) unfilled = parse("{\"stats_source\": [\"a\", \"b\"]}");

	ck_assert_uint_eq(nothing->n_runs, 0);
	ck_assert_uint_eq(unfilled->n_runs, 2);
}
END_TEST

START_TEST(matrix_refuses_what_it_does_not_understand)
{
	check_refused("[]", "no JSON object");
	check_refused("{\"a\": [1}", "no JSON");
	check_refused("{\"a\": [1, [2]]}", "something else than numbers");
	check_refused("{\"a\": {\"b\": 1}}", "something else than numbers");
	check_refused("{\"a\": [true]}", "something else than numbers");
	check_refused("{\"a\": [1], \"a\": [2]}", "duplicate");
	check_refused("{\"a\": 1, \"b\": [1, 2]}", "mixes");
	check_refused("{\"a\": [1, 2], \"stats_source\": [\"x\"]}", "2 values for 1 runs");
	check_refused("{\"stats_source\": \"x\"}", "no list");
	check_refused("{\"stats_source\": [1]}", "else than text");
	check_refused("{\"a\": [1e200]}", "no measurement");
	check_refused("{\"a\": [1e999]}", "no JSON");
}
END_TEST

START_TEST(matrix_refuses_keys_that_would_break_a_table)
{
	check_refused("{\"a b\": [1]}", "blanks or control");
	check_refused("{\"a\\nb\": [1]}", "blanks or control");
	check_refused("{\"\": [1]}", "empty");
	check_refused("{\"a\\u202eb\": [1]}", "blanks or control");
	check_refused("{\"a\\u001b[2Jb\": [1]}", "blanks or control");
	g_autofree char *name = g_strnfill(LKP_MAX_KEY_BYTES + 1, 'k');
	g_autofree char *json = g_strdup_printf("{\"%s\": [1]}", name);
	check_refused(json, "more than 1024 bytes");
}
END_TEST

START_TEST(matrix_refuses_too_many_runs)
{
	g_autoptr(GString) json = g_string_new("{\"a\": [0");
	for (unsigned i = 0; i < LKP_MAX_RUNS; i++)
		g_string_append(json, ",1");
	g_string_append(json, "]}");

	check_refused(json->str, "1001 runs");
}
END_TEST

START_TEST(matrix_refuses_few_bytes_that_would_fill_much_memory)
{
	g_autoptr(GString) json = g_string_new("{\"long\": [0");
	for (unsigned i = 1; i < LKP_MAX_RUNS; i++)
		g_string_append(json, ",1");
	g_string_append(json, "]");
	for (unsigned i = 0; i < 17000; i++)
		g_string_append_printf(json, ",\"k%u\":[]", i);
	g_string_append(json, "}");

	check_refused(json->str, "too many keys");
}
END_TEST

START_TEST(matrix_refuses_every_truncation)
{
	for (size_t len = 0; len + 1 < sizeof(three_runs) - 1; len++) {
		/* A copy of that size, so that a read over the end is seen. */
		g_autofree char *copy = g_memdup2(three_runs, len);
		g_autoptr(GError) error = NULL;
		g_autoptr(Matrix) matrix = matrix_parse(copy, len, "m.json", &error);

		ck_assert_ptr_null(matrix);
		ck_assert_ptr_nonnull(error);
	}
}
END_TEST

START_TEST(matrix_load_reads_a_file)
{
	g_autofree char *dir = g_dir_make_tmp("lorebot-lkp-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "matrix.json", NULL);
	ck_assert(g_file_set_contents(path, three_runs, -1, NULL));

	g_autoptr(Matrix) matrix = matrix_load(path, NULL);
	g_unlink(path);
	g_autoptr(GError) error = NULL;
	g_autoptr(Matrix) absent = matrix_load(path, &error);
	g_rmdir(dir);

	ck_assert_ptr_nonnull(matrix);
	ck_assert_uint_eq(matrix->n_runs, 3);
	ck_assert_ptr_null(absent);
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_NOT_FOUND));
}
END_TEST

static void add(Matrix *matrix, const char *source, const char *key, double value,
		const char *other_key, double other_value)
{
	const char *const keys[] = {key, other_key};
	const double values[] = {value, other_value};
	g_autoptr(GError) error = NULL;

	ck_assert(matrix_add_run(matrix, source, keys, values, other_key != NULL ? 2 : 1, &error));
}

START_TEST(matrix_add_run_fills_new_keys_with_zero_before)
{
	g_autoptr(Matrix) matrix = matrix_new();

	add(matrix, "0", "a.b", 1, NULL, 0);
	add(matrix, "1", "a.b", 2, "c.new", 5);
	add(matrix, "2", "c.new", 6, NULL, 0);

	g_autoptr(Sample) late = matrix_sample(matrix, "c.new");
	g_autoptr(Sample) gone = matrix_sample(matrix, "a.b");
	ck_assert_uint_eq(matrix->n_runs, 3);
	ck_assert_uint_eq(late->n, 3);
	ck_assert_double_eq(late->values[0], 0);
	ck_assert_double_eq(late->values[2], 6);
	ck_assert_uint_eq(gone->n, 2);
	ck_assert_uint_eq(gone->n_missing, 1);
}
END_TEST

START_TEST(matrix_add_run_replaces_the_run_of_the_same_source)
{
	g_autoptr(Matrix) matrix = matrix_new();
	add(matrix, "0", "a.b", 1, "last_state.is_incomplete_run", 1);
	add(matrix, "1", "a.b", 2, NULL, 0);
	ck_assert_uint_eq(matrix_n_complete(matrix), 1);

	add(matrix, "0", "a.b", 9, NULL, 0);

	ck_assert_uint_eq(matrix->n_runs, 2);
	ck_assert_uint_eq(matrix_n_complete(matrix), 2);
	ck_assert_double_eq(matrix_find(matrix, "a.b")->values[0], 9);
	ck_assert_double_eq(matrix_find(matrix, "a.b")->values[1], 2);
}
END_TEST

START_TEST(matrix_add_run_refuses_what_could_not_be_read_back)
{
	g_autoptr(Matrix) matrix = matrix_new();
	const char *const bad_key[] = {"a b"};
	const char *const good_key[] = {"a.b"};
	g_autoptr(GError) error = NULL;

	ck_assert(!matrix_add_run(matrix, "0", bad_key, (const double[]){1}, 1, &error));
	ck_assert(!matrix_add_run(matrix, "0", good_key, (const double[]){1e200}, 1, NULL));

	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PERMANENT));
	ck_assert_uint_eq(matrix->n_runs, 0);
}
END_TEST

START_TEST(matrix_to_json_reads_back_as_itself_without_what_lkp_leaves_out)
{
	g_autoptr(Matrix) matrix = matrix_new();
	add(matrix, "0/stats.json", "a.b", 0.1, "a.zero", 0);
	add(matrix, "1/stats.json", "a.b", 123456789012, "sched_debug.cpu.nr_running.12", 3);
	add(matrix, "2/stats.json", "sched_debug.cpu.nr_running.avg", 3, NULL, 0);

	g_autofree char *json = matrix_to_json(matrix);
	g_autoptr(Matrix) back = parse(json);

	ck_assert_uint_eq(back->n_runs, 3);
	ck_assert_uint_eq(back->rows->len, 2);
	ck_assert_double_eq(matrix_find(back, "a.b")->values[0], 0.1);
	ck_assert_double_eq(matrix_find(back, "a.b")->values[1], 123456789012);
	ck_assert_double_eq(matrix_find(back, "a.b")->values[2], 0);
	ck_assert_ptr_nonnull(matrix_find(back, "sched_debug.cpu.nr_running.avg"));
	ck_assert_str_eq(back->sources->pdata[1], "1/stats.json");
}
END_TEST

CHECK_MAIN("lkp", matrix_has_a_column_a_run_and_keeps_the_order_of_keys,
	   matrix_leaves_incomplete_runs_out_of_all_but_failures,
	   matrix_takes_what_is_missing_as_missing_or_as_zero, matrix_of_a_stats_file_has_one_run,
	   matrix_may_be_empty, matrix_refuses_what_it_does_not_understand,
	   matrix_refuses_keys_that_would_break_a_table, matrix_refuses_too_many_runs,
	   matrix_refuses_few_bytes_that_would_fill_much_memory, matrix_refuses_every_truncation,
	   matrix_load_reads_a_file, matrix_add_run_fills_new_keys_with_zero_before,
	   matrix_add_run_replaces_the_run_of_the_same_source,
	   matrix_add_run_refuses_what_could_not_be_read_back,
	   matrix_to_json_reads_back_as_itself_without_what_lkp_leaves_out)
