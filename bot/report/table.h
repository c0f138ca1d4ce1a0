/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * table - the comparison table of the kernel test robot, from figures that are already made.
 *
 *	commit:␠
 *	  1f2e3d4c5b ("lib: the commit before")
 *	  0a1b2c3d4e ("lib: count faster")
 *
 *	1f2e3d4c5b6a7988 0a1b2c3d4e5f60718293a4b5c6d␠
 *	---------------- ---------------------------␠
 *	       fail:runs  %reproduction    fail:runs
 *	           |             |             |
 *	           :6          100%           6:6     stress-ng.fpunch.fail
 *	         %stddev     %change         %stddev
 *	             \          |                \
 *	    259551 ±  2%      +6.7%     277010        stress-ng.touch.ops_per_sec
 *
 * One change and one mean for each further commit, always against the first.  The output is UTF-8,
 * byte for byte what the robot prints otherwise, trailing blanks included.  Two differences, on
 * purpose: %reproduction divides by the runs of its own column (the robot takes the column before),
 * and a single run never has a deviation (the robot may print one where the mean is negative).
 *
 * Does not choose rows: that is its caller's.
 */

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
	double mean;   /* failure rows: number of failures                       */
	double stddev; /* population; < 0: none (fewer than two runs)            */
	size_t n;      /* runs behind it; failure rows: runs incl. incomplete    */
} TableCell;

typedef struct {
	char *key;        /* "perf-stat.i.cpi"                                     */
	bool is_failure;  /* a count of failures, printed as fail:runs             */
	bool is_headline; /* table_sort() puts it before all others                */
	size_t n_cells;
	TableCell *cells; /* one a commit, base first                              */
} TableRow;

/** table_row_new: all cells zero, without deviation. */
TableRow *table_row_new(const char *key, size_t n_commits);
void table_row_free(TableRow *row);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TableRow, table_row_free)

typedef struct {
	const char *label;   /* a sha (10 hex digits or more), or a tag or any other short name */
	const char *subject; /* first line of the commit's message; NULL: not known, or a tag   */
} TableCommit;

typedef enum {
	TABLE_ORDER_COUNT,      /* groups with few rows first, as the robot since 2024      */
	TABLE_ORDER_TEST_FIRST, /* the test's own rows first, as before                     */
} TableOrder;

/**
 * table_sort:
 * @rows: (element-type TableRow)
 *
 * Headline rows first; then groups (the key up to the first dot) by number of rows, rows by key,
 * perf-profile rows by change within their second part.
 */
void table_sort(GPtrArray *rows, TableOrder order);

/**
 * table_print:
 * @axes: (nullable): what axes_lines() gives; then a line of "=" comes before it
 * @commits: base first
 * @rows: (element-type TableRow): printed in this order, failures in their block before the others
 *
 * Returns: (transfer full): ends with the last row's newline
 */
char *table_print(const char *axes, const TableCommit *commits, size_t n_commits,
		  const GPtrArray *rows);

/**
 * table_change:
 *
 * The robot's formula, 100 * (head - base) / base of the means, whatever the sign of @base: from
 * -10 to -13 is +30 per cent.  What stats/compare.h calls a percent has the same sign.
 *
 * Returns: the number in the change cell: per cent of @base, or for a key that is a per cent itself
 *   the plain difference; a base of 0 counts as 1e-100
 */
double table_change(const char *key, double base, double head);
