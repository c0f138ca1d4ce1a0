/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/error.h"
#include "bot/run/resultfile.h"
#include "tests/unit/check_main.h"

#include <string.h>
#include <unistd.h>

static GPtrArray *parse(const char *text)
{
	g_autoptr(GError) error = NULL;
	GPtrArray *values = resultfile_parse_lines(text, strlen(text), "wc", &error);

	ck_assert_msg(values != NULL, "%s", error != NULL ? error->message : "");
	return values;
}

static void assert_refused(const char *text, size_t len, const char *message)
{
	g_autoptr(GError) error = NULL;
	GPtrArray *values = resultfile_parse_lines(text, len, "wc", &error);

	ck_assert_msg(values == NULL, "taken: %s", text);
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PEER));
	ck_assert_msg(strstr(error->message, message) != NULL, "%s", error->message);
}

static char *temp_path(void)
{
	return g_strdup_printf("%s/lorebot-%d-%08x.json", g_get_tmp_dir(), (int)getpid(),
			       g_random_int());
}

static GPtrArray *read_text(const char *text, gssize len, GError **error)
{
	g_autofree char *path = temp_path();
	ck_assert(g_file_set_contents(path, text, len, NULL));
	GPtrArray *values = resultfile_read(path, error);

	(void)unlink(path);
	return values;
}

START_TEST(lines_become_keys_of_the_testcase_in_order)
{
	g_autoptr(GPtrArray) values =
		parse("# a comment\nops_per_sec: 12.5\n\nns(min)/op%: -3e-2\nn: 7");

	ck_assert_uint_eq(values->len, 3);
	ck_assert_str_eq(((const ResultValue *)values->pdata[0])->key, "wc.ops_per_sec");
	ck_assert_double_eq(resultfile_find(values, "wc.ops_per_sec")->value, 12.5);
	ck_assert_double_eq(resultfile_find(values, "wc.ns(min)/op%")->value, -0.03);
	ck_assert_double_eq(resultfile_find(values, "wc.n")->value, 7);
	ck_assert_ptr_null(resultfile_find(values, "n"));
}
END_TEST

START_TEST(keys_of_time_and_dmesg_keep_their_names)
{
	g_autoptr(GPtrArray) values =
		parse("time.user_time: 1\ndmesg.boot_failures: 2\ntime.: 3\n");

	ck_assert_ptr_nonnull(resultfile_find(values, "time.user_time"));
	ck_assert_ptr_nonnull(resultfile_find(values, "dmesg.boot_failures"));
	ck_assert_ptr_nonnull(resultfile_find(values, "wc.time."));
}
END_TEST

START_TEST(several_values_of_one_key_are_averaged)
{
	g_autoptr(GPtrArray) values = parse("a: 1\nb: 1e308\na: 2\na: 6\nb: 1e308\nb: 1e308\n");

	ck_assert_uint_eq(values->len, 2);
	ck_assert_double_eq_tol(resultfile_find(values, "wc.a")->value, 3, 1e-12);
	ck_assert_double_eq_tol(resultfile_find(values, "wc.b")->value / 1e308, 1, 1e-12);
}
END_TEST

START_TEST(a_mean_of_opposite_extremes_stays_finite)
{
	g_autoptr(GPtrArray) values = parse("a: 1.7e308\na: -1.7e308\na: 1.7e308\n");

	ck_assert_double_eq_tol(resultfile_find(values, "wc.a")->value / 1.7e308, 1. / 3, 1e-12);
}
END_TEST

START_TEST(what_is_no_finite_decimal_number_is_refused)
{
	static const char *const bad[] = {"nan",   "NaN",   "inf",      "-inf",  "1e999", "-1e999",
					  "0x10",  "",      " 1",       "1 ",    "1,5",   "1.2.3",
					  "1e",    "--1",   "+-1",      "e5",    ".",     "1\r",
					  "12 13", "1_000", "infinity", "nan(1)"};

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autofree char *line = g_strdup_printf("good: 1\nkey: %s\n", bad[i]);

		assert_refused(line, strlen(line), "results:2: the value is no finite");
	}
}
END_TEST

START_TEST(a_key_with_other_bytes_is_refused)
{
	static const char *const bad[] = {": 1", "a b: 1", "a\"b: 1",     "a\\b: 1",    "a:1",
					  "a",   "a: ",    "\xc3\xa9: 1", "a\x1b[m: 1", " a: 1"};

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
		assert_refused(bad[i], strlen(bad[i]), "results:1: ");
}
END_TEST

START_TEST(a_nul_byte_is_refused_in_key_and_value)
{
	assert_refused("a\0b: 1\n", 7, "not \"key: value\"");
	assert_refused("a: 1\0\n", 6, "no finite");
	assert_refused("\0", 1, "not \"key: value\"");
}
END_TEST

START_TEST(limits_hold_at_their_edges)
{
	g_autofree char *key = g_strnfill(256, 'k');
	g_autofree char *fits = g_strdup_printf("%s: 1\n", key);
	g_autofree char *over = g_strdup_printf("k%s: 1\n", key);
	g_autoptr(GPtrArray) values = parse(fits);
	ck_assert_uint_eq(values->len, 1);
	assert_refused(over, strlen(over), "not \"key: value\"");

	g_autoptr(GString) many = g_string_new(NULL);
	for (unsigned i = 0; i < 20000; i++)
		g_string_append_printf(many, "k%u: 1\n", i);
	g_autoptr(GPtrArray) full = parse(many->str);
	ck_assert_uint_eq(full->len, 20000);
	g_string_append(many, "one_more: 1\n");
	assert_refused(many->str, many->len, "results:20001: more than 20,000 keys");

	g_autofree char *big = g_strnfill(RESULTFILE_MAX_BYTES + 1, '\n');
	assert_refused(big, RESULTFILE_MAX_BYTES + 1, "more than 1 MiB");
	g_autoptr(GPtrArray) blank = resultfile_parse_lines(big, RESULTFILE_MAX_BYTES, "wc", NULL);
	ck_assert_ptr_nonnull(blank);
}
END_TEST

START_TEST(a_stats_file_reads_back_to_the_same_doubles)
{
	g_autofree char *path = temp_path();
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) values =
		parse("a: 0.1\nb: 1234567890123456789\nc: -1e-300\nd: 0\ne: 3\nf: 1e300\n"
		      "g: 0.30000000000000004\nh: -0.0\ni: 4.9e-324\n");

	bool ok = resultfile_write(path, values, &error);

	ck_assert_msg(ok, "%s", error != NULL ? error->message : "");
	g_autoptr(GPtrArray) again = resultfile_read(path, &error);
	ck_assert_msg(again != NULL, "%s", error != NULL ? error->message : "");
	ck_assert_uint_eq(again->len, values->len);
	for (guint i = 0; i < values->len; i++) {
		const ResultValue *left = values->pdata[i];
		const ResultValue *right = again->pdata[i];
		ck_assert_str_eq(left->key, right->key);
		ck_assert(left->value == right->value);
	}
	(void)unlink(path);
}
END_TEST

START_TEST(a_stats_file_is_one_number_a_line)
{
	g_autofree char *path = temp_path();
	g_autofree char *text = NULL;
	g_autoptr(GPtrArray) values = parse("words_per_sec: 9500000\nshare: 0.1\n");

	ck_assert(resultfile_write(path, values, NULL));

	ck_assert(g_file_get_contents(path, &text, NULL, NULL));
	ck_assert_str_eq(text, "{\n  \"wc.words_per_sec\": 9500000,\n  \"wc.share\": 0.1\n}\n");
	(void)unlink(path);
}
END_TEST

START_TEST(a_stats_file_cut_anywhere_is_refused)
{
	static const char text[] = "{\n  \"wc.a\": 12.5,\n  \"wc.b\": -3e2\n}";

	for (size_t i = 0; i < strlen(text); i++) {
		g_autoptr(GError) error = NULL;

		GPtrArray *values = read_text(text, (gssize)i, &error);

		ck_assert_msg(values == NULL, "%zu bytes are taken", i);
		ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PEER));
	}
}
END_TEST

START_TEST(a_stats_file_with_other_things_is_refused)
{
	static const char *const bad[] = {"[]",
					  "{\"a\": \"1\"}",
					  "{\"a\": null}",
					  "{\"a\": [1]}",
					  "{\"a\": {}}",
					  "{\"a\": NaN}",
					  "{\"a\": 1e999}",
					  "{\"a\": Infinity}",
					  "{\"a b\": 1}",
					  "{\"\": 1}",
					  "{\"a\": 1, \"a\": 2}",
					  "{\"a\": 1} x",
					  "{\"\\u001b\": 1}",
					  "{\"a\\u0000\": 1}",
					  "{\"a\": true}",
					  "{\"a\": 99999999999999999999}"};

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autoptr(GError) error = NULL;

		GPtrArray *values = read_text(bad[i], -1, &error);

		ck_assert_msg(values == NULL, "taken: %s", bad[i]);
		ck_assert_msg(g_error_matches(error, BOT_ERROR, BOT_ERROR_PEER), "%s: %s", bad[i],
			      error->message);
	}
}
END_TEST

START_TEST(a_stats_file_over_its_limit_is_refused)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *blanks = g_strnfill(RESULTFILE_MAX_BYTES, ' ');
	g_autofree char *text = g_strconcat("{}", blanks, NULL);

	GPtrArray *values = read_text(text, -1, &error);

	ck_assert_ptr_null(values);
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PEER));
}
END_TEST

START_TEST(a_missing_stats_file_is_not_found)
{
	g_autoptr(GError) error = NULL;

	GPtrArray *values = resultfile_read("/nonexistent/stats.json", &error);

	ck_assert_ptr_null(values);
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_NOT_FOUND));
}
END_TEST

CHECK_MAIN("resultfile", lines_become_keys_of_the_testcase_in_order,
	   keys_of_time_and_dmesg_keep_their_names, several_values_of_one_key_are_averaged,
	   a_mean_of_opposite_extremes_stays_finite, what_is_no_finite_decimal_number_is_refused,
	   a_key_with_other_bytes_is_refused, a_nul_byte_is_refused_in_key_and_value,
	   limits_hold_at_their_edges, a_stats_file_reads_back_to_the_same_doubles,
	   a_stats_file_is_one_number_a_line, a_stats_file_cut_anywhere_is_refused,
	   a_stats_file_with_other_things_is_refused, a_stats_file_over_its_limit_is_refused,
	   a_missing_stats_file_is_not_found)
