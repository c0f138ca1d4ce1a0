/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * comparison - from the matrices of some commits to rows, verdicts and the printed table.
 *
 * Pure: the same matrices and index give the same answer.  The headline metrics of all later
 * commits are one family, so that the verdicts hold for the report as a whole.
 */

#include "bot/report/table.h"
#include "bot/run/lkp.h"
#include "bot/stats/compare.h"
#include "config/metrics.h"

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

typedef enum {
	COMPARISON_SELECT_DEFAULT, /* the headline, then what lkp would show */
	COMPARISON_SELECT_LKP,
	COMPARISON_SELECT_ALL,
} ComparisonSelect;

/* What is known of one key over all commits. */
typedef struct {
	TableRow *row;            /* owned                                                   */
	const MetricEntry *entry; /* NULL: not in the index                                  */
	bool is_headline;
	Comparison *results; /* owned; one a later commit when is_headline, else NULL   */
} ComparisonMetric;

typedef struct {
	size_t n_commits;
	GPtrArray *metrics; /* (element-type ComparisonMetric) in the order of the table */
} ComparisonReport;

typedef struct {
	ComparisonSelect select;
	TableOrder order;
	const char *const *headline; /* (nullable): these keys instead of the index's     */
	CompareOptions compare;
} ComparisonOptions;

/**
 * comparison_make:
 * @matrices: base first
 * @index: stays in use as long as the result
 * @error: NOT_FOUND: a key of options->headline is in no matrix
 */
ComparisonReport *comparison_make(const Matrix *const *matrices, size_t n_matrices,
				  const MetricIndex *index, const ComparisonOptions *options,
				  GError **error) G_GNUC_WARN_UNUSED_RESULT;
void comparison_free(ComparisonReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ComparisonReport, comparison_free)

/** comparison_print: the table of all rows; @axes and @commits as table_print(). */
char *comparison_print(const ComparisonReport *report, const char *axes,
		       const TableCommit *commits);

/** comparison_metric_json: the line of `lorebot compare --json`; a new reference. */
json_t *comparison_metric_json(const ComparisonMetric *metric, const ComparisonReport *report);
