/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/report/table.h"

#include "bot/model/statkey.h"
#include "bot/report/clean.h"

#include <math.h>
#include <string.h>

#define AXES_RULE_WIDTH 89u
#define FIRST_WIDTH 16u   /* mean and deviation             */
#define FURTHER_WIDTH 27u /* a change, a mean and deviation */
#define SHORT_SHA 10u
/* A group with failures comes before all others. */
#define FAILURES_FIRST (-10000)
/* Stands for a base of zero, so that its change is a number. */
#define NEARLY_ZERO 1e-100

TableRow *table_row_new(const char *key, size_t n_commits)
{
	TableRow *row = g_new0(TableRow, 1);

	row->key = g_strdup(key);
	row->n_cells = n_commits;
	row->cells = g_new0(TableCell, n_commits);
	for (size_t i = 0; i < n_commits; i++)
		row->cells[i].stddev = -1;
	return row;
}

void table_row_free(TableRow *row)
{
	if (row == NULL)
		return;
	g_free(row->key);
	g_free(row->cells);
	g_free(row);
}

double table_change(const char *key, double base, double head)
{
	if (statkey_is_difference(key))
		return head - base;
	if (base == 0)
		base = NEARLY_ZERO;
	return 100 * (head - base) / base;
}

/* What the order of a row is decided by, in this order of fields. */
typedef struct {
	bool is_headline;
	int group_rank;
	size_t key_len; /* of the part of the key that counts */
	TableRow *row;
} SortItem;

static int order_keys(const SortItem *a, const SortItem *b)
{
	int order = memcmp(a->row->key, b->row->key, MIN(a->key_len, b->key_len));

	return order != 0 ? order : (a->key_len > b->key_len) - (a->key_len < b->key_len);
}

static int order_changes(const TableRow *a, const TableRow *b)
{
	for (size_t i = 1; i < a->n_cells && i < b->n_cells; i++) {
		double x = table_change(a->key, a->cells[0].mean, a->cells[i].mean);
		double y = table_change(b->key, b->cells[0].mean, b->cells[i].mean);

		if (x != y)
			return x < y ? -1 : 1;
	}
	return strcmp(a->key, b->key);
}

static int order_items(const void *x, const void *y)
{
	const SortItem *a = x;
	const SortItem *b = y;

	if (a->is_headline != b->is_headline)
		return a->is_headline ? -1 : 1;
	if (a->group_rank != b->group_rank)
		return a->group_rank < b->group_rank ? -1 : 1;
	int order = order_keys(a, b);
	return order != 0 ? order : order_changes(a->row, b->row);
}

/* Of a profile only "perf-profile.children" counts, the change decides within. */
static size_t sort_key_len(const char *key)
{
	const char *second = g_str_has_prefix(key, "perf-profile.") ? strchr(key, '.') : NULL;
	const char *third = second != NULL ? strchr(second + 1, '.') : NULL;

	return third != NULL ? (size_t)(third - key) : strlen(key);
}

/* Rows of each group, less FAILURES_FIRST where one is a failure: group name -> number. */
static GHashTable *rank_groups(const GPtrArray *rows, TableOrder order)
{
	GHashTable *ranks = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < rows->len; i++) {
		const TableRow *row = g_ptr_array_index(rows, i);
		char *group = g_strndup(row->key, statkey_group_len(row->key));
		int rank = GPOINTER_TO_INT(g_hash_table_lookup(ranks, group));

		if (row->is_failure && rank >= 0)
			rank += FAILURES_FIRST;
		rank++;
		if (order == TABLE_ORDER_TEST_FIRST && statkey_is_of_test(row->key))
			rank = 0;
		g_hash_table_replace(ranks, group, GINT_TO_POINTER(rank));
	}
	return ranks;
}

void table_sort(GPtrArray *rows, TableOrder order)
{
	g_autoptr(GHashTable) ranks = rank_groups(rows, order);
	g_autofree SortItem *items = g_new(SortItem, rows->len);

	for (guint i = 0; i < rows->len; i++) {
		TableRow *row = g_ptr_array_index(rows, i);
		g_autofree char *group = g_strndup(row->key, statkey_group_len(row->key));

		items[i] = (SortItem){
			.is_headline = row->is_headline,
			.group_rank = GPOINTER_TO_INT(g_hash_table_lookup(ranks, group)),
			.key_len = sort_key_len(row->key),
			.row = row,
		};
	}
	if (rows->len > 1)
		qsort(items, rows->len, sizeof(SortItem), order_items);
	for (guint i = 0; i < rows->len; i++)
		rows->pdata[i] = items[i].row;
}

static bool is_sha(const char *label)
{
	return strlen(label) >= SHORT_SHA && strspn(label, "0123456789abcdef") == strlen(label);
}

static void print_commits(GString *out, const TableCommit *commits, size_t n_commits)
{
	g_string_append(out, "commit: \n");
	for (size_t i = 0; i < n_commits; i++) {
		const char *label = commits[i].label;
		g_autofree char *subject = clean_short(commits[i].subject);

		g_string_append(out, "  ");
		g_string_append_len(out, label,
				    is_sha(label) ? (gssize)SHORT_SHA : (gssize)strlen(label));
		if (subject != NULL)
			g_string_append_printf(out, " (\"%s\")", subject);
		g_string_append_c(out, '\n');
	}
	g_string_append_c(out, '\n');
}

/* Right-aligned, or cut to the width: a sha fills it. */
static void print_label(GString *out, const char *label, size_t width)
{
	size_t n_chars = (size_t)g_utf8_strlen(label, -1);
	const char *end = g_utf8_offset_to_pointer(label, (glong)MIN(n_chars, width));

	for (size_t i = n_chars; i < width; i++)
		g_string_append_c(out, ' ');
	g_string_append_len(out, label, end - label);
	g_string_append_c(out, ' ');
}

static void print_repeated(GString *out, char c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		g_string_append_c(out, c);
}

static void print_labels(GString *out, const TableCommit *commits, size_t n_commits)
{
	for (size_t i = 0; i < n_commits; i++)
		print_label(out, commits[i].label, i == 0 ? FIRST_WIDTH : FURTHER_WIDTH);
	g_string_append_c(out, '\n');
	for (size_t i = 0; i < n_commits; i++) {
		print_repeated(out, '-', i == 0 ? FIRST_WIDTH : FURTHER_WIDTH);
		g_string_append_c(out, ' ');
	}
	g_string_append_c(out, '\n');
}

/* Two lines of column titles: @first once, @further for each later commit. */
typedef struct {
	const char *first[2];
	const char *further[2];
} Titles;

static const Titles failure_titles = {
	{"       fail:runs", "           |    "},
	{"  %reproduction    fail:runs", "         |             |    "},
};
static const Titles value_titles = {
	{"         %stddev", "             \\  "},
	{"     %change         %stddev", "        |                \\  "},
};

static void print_titles(GString *out, const Titles *titles, size_t n_commits)
{
	for (size_t line = 0; line < 2; line++) {
		g_string_append(out, titles->first[line]);
		for (size_t i = 1; i < n_commits; i++)
			g_string_append(out, titles->further[line]);
		g_string_append_c(out, '\n');
	}
}

static void print_mean(GString *out, double mean)
{
	double size = fabs(mean);

	if (size < 1000)
		g_string_append_printf(out, "%10.2f", mean);
	else if (size > 100000000)
		g_string_append_printf(out, "%10.4g", mean);
	else
		g_string_append_printf(out, "%10.0f", trunc(mean));
}

static void print_deviation(GString *out, const TableCell *cell)
{
	double percent = cell->mean > 0 && cell->stddev > 0 ? 100 * cell->stddev / cell->mean : 0;

	if (percent > 1e9)
		g_string_append_printf(out, " ±%3.0e%%", percent);
	else if (percent > 2)
		g_string_append_printf(out, " ±%3.0f%%", trunc(percent));
	else
		g_string_append(out, "      ");
}

static void print_change(GString *out, const TableRow *row, size_t i)
{
	double change = table_change(row->key, row->cells[0].mean, row->cells[i].mean);

	g_string_append_printf(out, fabs(change) >= 100000 ? "%+10.2g" : "%+10.1f", change);
	g_string_append(out, statkey_is_difference(row->key) ? "  " : "% ");
}

static void print_value_row(GString *out, const TableRow *row)
{
	for (size_t i = 0; i < row->n_cells; i++) {
		if (i > 0)
			print_change(out, row, i);
		print_mean(out, row->cells[i].mean);
		print_deviation(out, &row->cells[i]);
	}
	g_string_append_printf(out, "  %s\n", row->key);
}

static double failure_rate(const TableCell *cell)
{
	return cell->n > 0 ? cell->mean / (double)cell->n : 0;
}

static void print_failure_row(GString *out, const TableRow *row)
{
	for (size_t i = 0; i < row->n_cells; i++) {
		const TableCell *cell = &row->cells[i];

		if (i > 0) {
			double more = failure_rate(cell) - failure_rate(&row->cells[0]);
			g_string_append_printf(out, "%10.0f%% ", 100 * more);
		}
		if (cell->mean != 0)
			g_string_append_printf(out, "%11.0f", trunc(cell->mean));
		else
			print_repeated(out, ' ', 11);
		g_string_append_printf(out, ":%-4zu", cell->n);
	}
	g_string_append_printf(out, "  %s\n", row->key);
}

static size_t count_failures(const GPtrArray *rows)
{
	size_t n = 0;

	for (guint i = 0; i < rows->len; i++) {
		const TableRow *row = g_ptr_array_index(rows, i);
		n += row->is_failure;
	}
	return n;
}

static void print_block(GString *out, const GPtrArray *rows, bool failures)
{
	for (guint i = 0; i < rows->len; i++) {
		const TableRow *row = g_ptr_array_index(rows, i);

		if (row->is_failure != failures)
			continue;
		if (failures)
			print_failure_row(out, row);
		else
			print_value_row(out, row);
	}
}

char *table_print(const char *axes, const TableCommit *commits, size_t n_commits,
		  const GPtrArray *rows)
{
	GString *out = g_string_new(NULL);
	size_t n_failures = count_failures(rows);

	if (axes != NULL) {
		print_repeated(out, '=', AXES_RULE_WIDTH);
		g_string_append_printf(out, "\n%s\n", axes);
	}
	print_commits(out, commits, n_commits);
	print_labels(out, commits, n_commits);
	if (n_failures > 0) {
		print_titles(out, &failure_titles, n_commits);
		print_block(out, rows, true);
	}
	if (n_failures < rows->len || rows->len == 0) {
		print_titles(out, &value_titles, n_commits);
		print_block(out, rows, false);
	}
	return g_string_free(out, FALSE);
}
