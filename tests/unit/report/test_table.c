/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/report/table.h"
#include "tests/unit/check_main.h"

#include <string.h>

/* Six runs each; a deviation in per cent of the mean, 0 for none worth showing. */
static TableRow *make_row(const char *key, double base, double base_percent, double head,
			  double head_percent)
{
	TableRow *row = table_row_new(key, 2);

	row->cells[0] = (TableCell){base, base * base_percent / 100, 6};
	row->cells[1] = (TableCell){head, head * head_percent / 100, 6};
	return row;
}

static TableRow *make_failure_row(const char *key, double base, size_t base_runs, double head,
				  size_t head_runs)
{
	TableRow *row = table_row_new(key, 2);

	row->is_failure = true;
	row->cells[0] = (TableCell){base, -1, base_runs};
	row->cells[1] = (TableCell){head, -1, head_runs};
	return row;
}

static GPtrArray *rows_new(void)
{
	return g_ptr_array_new_with_free_func((GDestroyNotify)table_row_free);
}

static const TableCommit two_commits[] = {
	{"1f2e3d4c5b6a798801234567890abcdef0123456", "lib: the commit before"},
	{"0a1b2c3d4e5f60718293a4b5c6d7e8f901234567", "lib: count faster"},
};

#define HEADER                                                                                     \
	"commit: \n"                                                                               \
	"  1f2e3d4c5b (\"lib: the commit before\")\n"                                              \
	"  0a1b2c3d4e (\"lib: count faster\")\n"                                                   \
	"\n"                                                                                       \
	"1f2e3d4c5b6a7988 0a1b2c3d4e5f60718293a4b5c6d \n"                                          \
	"---------------- --------------------------- \n"
#define VALUE_TITLES                                                                               \
	"         %stddev     %change         %stddev\n"                                           \
	"             \\          |                \\  \n"
#define FAILURE_TITLES                                                                             \
	"       fail:runs  %reproduction    fail:runs\n"                                           \
	"           |             |             |    \n"

/* The one row that a table of two commits has. */
static char *print_one(TableRow *row)
{
	g_autoptr(GPtrArray) rows = rows_new();
	const char *titles = row->is_failure ? FAILURE_TITLES : VALUE_TITLES;

	g_ptr_array_add(rows, row);
	g_autofree char *table = table_print(NULL, two_commits, 2, rows);
	ck_assert(g_str_has_prefix(table, HEADER));
	ck_assert(g_str_has_prefix(table + strlen(HEADER), titles));
	return g_strdup(table + strlen(HEADER) + strlen(titles));
}

START_TEST(table_has_commits_failures_and_values_in_this_order)
{
	g_autoptr(GPtrArray) rows = rows_new();
	g_ptr_array_add(rows, make_row("stress-ng.touch.ops_per_sec", 259551, 2.4, 277010, 0));
	g_ptr_array_add(rows, make_failure_row("stress-ng.fpunch.fail", 0, 6, 6, 6));
	g_ptr_array_add(rows, make_row("mpstat.cpu.all.idle%", 21.30, 2.1, 11.76, 7.9));

	g_autofree char *table =
		table_print("disk/fs/test:\n  1HDD/ext4/touch\n", two_commits, 2, rows);

	ck_assert_str_eq(
		table,
		"======================================================================"
		"===================\n"
		"disk/fs/test:\n"
		"  1HDD/ext4/touch\n"
		"\n" HEADER FAILURE_TITLES
		"           :6          100%           6:6     stress-ng.fpunch.fail\n" VALUE_TITLES
		"    259551 ±  2%      +6.7%     277010        stress-ng.touch.ops_per_sec\n"
		"     21.30 ±  2%      -9.5       11.76 ±  7%  mpstat.cpu.all.idle%\n");
}
END_TEST

START_TEST(table_has_a_change_and_a_mean_for_each_further_commit)
{
	const TableCommit commits[] = {
		{"v6.9-rc5", NULL},
		{"0a1b2c3d4e5f60718293a4b5c6d7e8f901234567", "bad"},
		{"my-fix", NULL},
	};
	g_autoptr(GPtrArray) rows = rows_new();
	TableRow *row = table_row_new("fxmark.ssd_xfs_MRPL_1_bufferedio.works", 3);
	row->cells[0] = (TableCell){2.51, 2.51 * 0.04, 4};
	row->cells[1] = (TableCell){2.206, 2.2 * 0.03, 4};
	row->cells[2] = (TableCell){2.527, 2.52 * 0.025, 4};
	g_ptr_array_add(rows, row);
	row = table_row_new("x.fail", 3);
	row->is_failure = true;
	row->cells[0] = (TableCell){1, -1, 25};
	row->cells[1] = (TableCell){6, -1, 25};
	row->cells[2] = (TableCell){0, -1, 25};
	g_ptr_array_add(rows, row);

	g_autofree char *table = table_print(NULL, commits, 3, rows);

	ck_assert_str_eq(
		table,
		"commit: \n"
		"  v6.9-rc5\n"
		"  0a1b2c3d4e (\"bad\")\n"
		"  my-fix\n"
		"\n"
		"        v6.9-rc5 0a1b2c3d4e5f60718293a4b5c6d                      my-fix \n"
		"---------------- --------------------------- --------------------------- \n"
		"       fail:runs  %reproduction    fail:runs  %reproduction    fail:runs\n"
		"           |             |             |             |             |    \n"
		"          1:25          20%           6:25          -4%            :25    x.fail\n"
		"         %stddev     %change         %stddev     %change         %stddev\n"
		"             \\          |                \\          |                \\  \n"
		"      2.51 ±  4%     -12.1%       2.21 ±  2%      +0.7%       2.53 ±  2%  "
		"fxmark.ssd_xfs_MRPL_1_bufferedio.works\n");
}
END_TEST

START_TEST(table_prints_means_by_their_size)
{
	static const struct {
		double mean;
		const char *text;
	} table[] = {
		{0, "      0.00"},           {999.994, "    999.99"},   {1000, "      1000"},
		{101819.5, "    101819"},    {-577443.9, "   -577443"}, {100000000, " 100000000"},
		{112000000.4, "  1.12e+08"}, {9.884e8, " 9.884e+08"},   {5.6e9, "   5.6e+09"},
		{2.9e11, "   2.9e+11"},      {-0.25, "     -0.25"},     {-1.5e9, "  -1.5e+09"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
		g_autofree char *text = print_one(make_row("a.b", table[i].mean, 0, 1, 0));
		g_autofree char *mean = g_strndup(text, 10);
		ck_assert_str_eq(mean, table[i].text);
	}
}
END_TEST

START_TEST(table_prints_deviations_above_two_per_cent_cut_to_whole_ones)
{
	static const struct {
		double percent;
		const char *text;
	} table[] = {
		{0, "      "},    {2, "      "},   {2.0001, " ±  2%"}, {2.999, " ±  2%"},
		{12.5, " ± 12%"}, {100, " ±100%"}, {223.6, " ±223%"},  {1234, " ±1234%"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
		g_autofree char *text = print_one(make_row("a.b", 50, table[i].percent, 50, 0));
		g_autofree char *want = g_strdup_printf(
			"     50.00%s      +0.0%%      50.00        a.b\n", table[i].text);
		ck_assert_str_eq(text, want);
	}
}
END_TEST

START_TEST(table_prints_no_deviation_of_one_run_of_zero_or_of_a_negative_mean)
{
	TableRow *one = make_row("a.b", -5, 0, 10, 0);
	one->cells[0].stddev = -1;
	one->cells[1].stddev = -1;
	TableRow *negative = make_row("a.b", -5, 0, 0, 0);
	negative->cells[0].stddev = 3;
	negative->cells[1].stddev = 3;

	g_autofree char *of_one = print_one(one);
	g_autofree char *of_negative = print_one(negative);

	ck_assert_str_eq(of_one, "     -5.00          -300.0%      10.00        a.b\n");
	ck_assert_str_eq(of_negative, "     -5.00          -100.0%       0.00        a.b\n");
}
END_TEST

START_TEST(table_prints_changes_relative_to_the_base_or_as_plain_difference)
{
	static const struct {
		const char *key;
		double base, head;
		const char *text;
	} table[] = {
		{"a.b", 100, 111.7, "     +11.7% "},
		{"a.b", 100, 100, "      +0.0% "},
		{"a.b", 100, 99.96, "      -0.0% "},
		{"a.b", 0, 0, "    -100.0% "},
		{"a.b", 0, 1.23, " +1.2e+102% "},
		{"a.b", -577443, -193080, "     -66.6% "},
		{"a.b", 1, 1000, "  +99900.0% "},
		{"a.b", 1, 2101, "  +2.1e+05% "},
		{"mpstat.cpu.all.usr%", 0.81, 0.92, "      +0.1  "},
		{"mpstat.cpu.all.soft%", 0.14, 0.11, "      -0.0  "},
		{"vm-scalability.stddev%", 10, 2258.9, "   +2248.9  "},
		{"perf-profile.self.x", 0, 0.2, "      +0.2  "},
		{"vmstat.cpu.id", 20, 10, "     -50.0% "},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
		g_autofree char *text =
			print_one(make_row(table[i].key, table[i].base, 0, table[i].head, 0));
		g_autofree char *change = g_strndup(text + 16, 12);
		ck_assert_str_eq(change, table[i].text);
	}
}
END_TEST

START_TEST(table_divides_failures_by_the_runs_of_their_own_commit)
{
	g_autofree char *all = print_one(make_failure_row("ltp.a.fail", 16, 60, 0, 111));
	g_autofree char *more = print_one(make_failure_row("ltp.b.fail", 0, 60, 63, 111));
	g_autofree char *none = print_one(make_failure_row("ltp.c.fail", 0, 0, 0, 0));

	ck_assert_str_eq(all, "         16:60         -27%            :111   ltp.a.fail\n");
	ck_assert_str_eq(more, "           :60          57%          63:111   ltp.b.fail\n");
	ck_assert_str_eq(none, "           :0            0%            :0     ltp.c.fail\n");
}
END_TEST

START_TEST(table_without_rows_still_has_its_titles)
{
	g_autoptr(GPtrArray) rows = rows_new();

	g_autofree char *table = table_print(NULL, two_commits, 2, rows);

	ck_assert_str_eq(table, HEADER VALUE_TITLES);
}
END_TEST

START_TEST(table_aligns_names_to_the_right_and_cuts_long_ones_between_characters)
{
	const TableCommit commits[] = {{"ärger", NULL},
				       {"a-name-that-is-longer-thän-the-column", NULL}};
	g_autoptr(GPtrArray) rows = rows_new();

	g_autofree char *table = table_print(NULL, commits, 2, rows);

	ck_assert_ptr_nonnull(strstr(table, "\n           ärger a-name-that-is-longer-thän- \n"));
}
END_TEST

static char *keys_of(const GPtrArray *rows)
{
	g_autoptr(GString) keys = g_string_new(NULL);

	for (guint i = 0; i < rows->len; i++) {
		const TableRow *row = g_ptr_array_index(rows, i);
		g_string_append_printf(keys, "%s\n", row->key);
	}
	return g_strdup(keys->str);
}

static GPtrArray *rows_to_sort(void)
{
	static const struct {
		const char *key;
		double head;
	} table[] = {
		{"perf-profile.self.cycles-pp.b", 3},
		{"perf-profile.children.cycles-pp.z", 1},
		{"perf-profile.children.cycles-pp.a", 9},
		{"meminfo.Active(anon)", 9},
		{"meminfo.Active", 9},
		{"meminfo.Slab", 9},
		{"stress-ng.b.ops_per_sec", 9},
		{"stress-ng.a.ops_per_sec", 9},
		{"stress-ng.c.ops_per_sec", 9},
		{"stress-ng.time.user_time", 9},
		{"cpuidle..time", 9},
		{"iostat.cpu.idle", 9},
	};
	GPtrArray *rows = rows_new();

	for (size_t i = 0; i < G_N_ELEMENTS(table); i++)
		g_ptr_array_add(rows, make_row(table[i].key, 2, 0, table[i].head, 0));
	return rows;
}

START_TEST(table_sort_puts_small_groups_first)
{
	g_autoptr(GPtrArray) rows = rows_to_sort();

	table_sort(rows, TABLE_ORDER_COUNT);

	g_autofree char *keys = keys_of(rows);
	ck_assert_str_eq(keys, "cpuidle..time\n"
			       "iostat.cpu.idle\n"
			       "meminfo.Active\n"
			       "meminfo.Active(anon)\n"
			       "meminfo.Slab\n"
			       "perf-profile.children.cycles-pp.z\n"
			       "perf-profile.children.cycles-pp.a\n"
			       "perf-profile.self.cycles-pp.b\n"
			       "stress-ng.a.ops_per_sec\n"
			       "stress-ng.b.ops_per_sec\n"
			       "stress-ng.c.ops_per_sec\n"
			       "stress-ng.time.user_time\n");
}
END_TEST

START_TEST(table_sort_can_put_the_tests_own_rows_first)
{
	g_autoptr(GPtrArray) rows = rows_to_sort();

	table_sort(rows, TABLE_ORDER_TEST_FIRST);

	g_autofree char *keys = keys_of(rows);
	ck_assert(g_str_has_prefix(keys, "stress-ng.a.ops_per_sec\n"
					 "stress-ng.b.ops_per_sec\n"
					 "stress-ng.c.ops_per_sec\n"
					 "stress-ng.time.user_time\n"
					 "cpuidle..time\n"));
}
END_TEST

START_TEST(table_sort_puts_groups_with_failures_before_the_others)
{
	g_autoptr(GPtrArray) rows = rows_to_sort();
	g_ptr_array_add(rows, make_failure_row("stress-ng.x.fail", 0, 6, 6, 6));

	table_sort(rows, TABLE_ORDER_COUNT);

	g_autofree char *keys = keys_of(rows);
	ck_assert(g_str_has_prefix(keys, "stress-ng.a.ops_per_sec\n"));
}
END_TEST

START_TEST(table_sort_puts_headline_rows_before_all_others)
{
	g_autoptr(GPtrArray) rows = rows_to_sort();
	((TableRow *)g_ptr_array_index(rows, 6))->is_headline = true;

	table_sort(rows, TABLE_ORDER_COUNT);

	g_autofree char *keys = keys_of(rows);
	ck_assert(g_str_has_prefix(keys, "stress-ng.b.ops_per_sec\ncpuidle..time\n"));
}
END_TEST

START_TEST(table_sort_takes_no_rows)
{
	g_autoptr(GPtrArray) rows = rows_new();

	table_sort(rows, TABLE_ORDER_COUNT);

	ck_assert_uint_eq(rows->len, 0);
}
END_TEST

CHECK_MAIN("table", table_has_commits_failures_and_values_in_this_order,
	   table_has_a_change_and_a_mean_for_each_further_commit, table_prints_means_by_their_size,
	   table_prints_deviations_above_two_per_cent_cut_to_whole_ones,
	   table_prints_no_deviation_of_one_run_of_zero_or_of_a_negative_mean,
	   table_prints_changes_relative_to_the_base_or_as_plain_difference,
	   table_divides_failures_by_the_runs_of_their_own_commit,
	   table_without_rows_still_has_its_titles,
	   table_aligns_names_to_the_right_and_cuts_long_ones_between_characters,
	   table_sort_puts_small_groups_first, table_sort_can_put_the_tests_own_rows_first,
	   table_sort_puts_groups_with_failures_before_the_others,
	   table_sort_puts_headline_rows_before_all_others, table_sort_takes_no_rows)
