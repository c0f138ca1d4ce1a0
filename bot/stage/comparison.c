/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/comparison.h"

#include "bot/base/error.h"
#include "bot/base/json.h"
#include "bot/base/log.h"
#include "bot/model/statkey.h"
#include "bot/run/lkpselect.h"

#include <math.h>

static void comparison_metric_free(ComparisonMetric *metric)
{
	table_row_free(metric->row);
	g_free(metric->results);
	g_free(metric);
}

void comparison_free(ComparisonReport *report)
{
	if (report == NULL)
		return;
	g_ptr_array_unref(report->metrics);
	g_free(report);
}

static bool is_in_any(const Matrix *const *matrices, size_t n_matrices, const char *key)
{
	for (size_t i = 0; i < n_matrices; i++) {
		if (matrix_find(matrices[i], key) != NULL)
			return true;
	}
	return false;
}

static bool check_headline(const Matrix *const *matrices, size_t n_matrices,
			   const char *const *headline, GError **error)
{
	for (size_t i = 0; headline != NULL && headline[i] != NULL; i++) {
		if (is_in_any(matrices, n_matrices, headline[i]))
			continue;
		g_autofree char *shown = log_escape(headline[i], -1);
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
			    "no result has the headline metric \"%s\"", shown);
		return false;
	}
	return true;
}

static bool is_headline(const char *key, const MetricEntry *entry, const char *const *headline)
{
	if (headline != NULL)
		return g_strv_contains(headline, key);
	return entry != NULL && entry->headline && !statkey_is_failure(key);
}

static bool is_shown(const Matrix *const *matrices, size_t n_matrices, const char *key,
		     bool headline, ComparisonSelect select)
{
	switch (select) {
	case COMPARISON_SELECT_ALL:
		return true;
	case COMPARISON_SELECT_DEFAULT:
		if (headline)
			return true;
		break;
	case COMPARISON_SELECT_LKP:
		break;
	}
	for (size_t i = 1; i < n_matrices; i++) {
		if (lkpselect_is_shown(matrices[0], matrices[i], key))
			return true;
	}
	return false;
}

static void fill_cell(TableCell *cell, const Matrix *matrix, const char *key, bool is_failure)
{
	if (is_failure) {
		cell->mean = matrix_sum(matrix, key);
		cell->n = matrix->n_runs;
		return;
	}
	g_autoptr(Sample) sample = matrix_padded(matrix, key);
	cell->mean = sample_mean(sample);
	cell->stddev = sample_stddev(sample);
	cell->n = sample->n;
}

static ComparisonMetric *make_metric(const Matrix *const *matrices, size_t n_matrices,
				     const char *key, const MetricEntry *entry, bool headline,
				     ComparisonSelect select)
{
	ComparisonMetric *metric = g_new0(ComparisonMetric, 1);

	metric->row = table_row_new(key, n_matrices);
	metric->row->is_failure = statkey_is_failure(key);
	metric->row->is_headline = headline && select == COMPARISON_SELECT_DEFAULT;
	metric->entry = entry;
	metric->is_headline = headline;
	if (headline)
		metric->results = g_new0(Comparison, n_matrices - 1);
	for (size_t i = 0; i < n_matrices; i++)
		fill_cell(&metric->row->cells[i], matrices[i], key, metric->row->is_failure);
	return metric;
}

/*
 * All keys once, those of the base first, each as a metric: the headline ones, judged in any case,
 * and what @options->select shows.
 */
static GPtrArray *collect_metrics(const Matrix *const *matrices, size_t n_matrices,
				  const MetricIndex *index, const ComparisonOptions *options,
				  GPtrArray *headlines)
{
	GPtrArray *shown = g_ptr_array_new_with_free_func((GDestroyNotify)comparison_metric_free);
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (size_t m = 0; m < n_matrices; m++) {
		for (guint i = 0; i < matrices[m]->rows->len; i++) {
			const MatrixRow *row = g_ptr_array_index(matrices[m]->rows, i);

			if (!g_hash_table_add(seen, row->key))
				continue;
			const MetricEntry *entry = metrics_find(index, row->key);
			bool headline = is_headline(row->key, entry, options->headline);
			bool show =
				is_shown(matrices, n_matrices, row->key, headline, options->select);
			if (!headline && !show)
				continue;
			ComparisonMetric *metric = make_metric(matrices, n_matrices, row->key,
							       entry, headline, options->select);
			if (headline)
				g_ptr_array_add(headlines, metric);
			if (show)
				g_ptr_array_add(shown, metric);
		}
	}
	return shown;
}

static CompareInput make_input(const ComparisonMetric *metric, const Sample *base,
			       const Sample *head)
{
	const MetricEntry *entry = metric->entry;

	return (CompareInput){
		.key = metric->row->key,
		.base = base,
		.head = head,
		.direction = entry != NULL ? entry->direction : DIRECTION_NONE,
		.delta = entry != NULL ? entry->delta : METRICS_DEFAULT_DELTA,
		.delta_absolute = entry != NULL ? entry->delta_absolute : 0,
		.is_share = statkey_is_difference(metric->row->key),
	};
}

/* One family: every headline metric of every later commit. */
static void judge_headlines(const GPtrArray *headlines, const Matrix *const *matrices,
			    size_t n_matrices, const CompareOptions *options)
{
	size_t n_later = n_matrices - 1;
	size_t n_inputs = headlines->len * n_later;
	g_autofree CompareInput *inputs = g_new0(CompareInput, n_inputs);
	g_autofree Comparison *results = g_new0(Comparison, n_inputs);
	g_autoptr(GPtrArray) samples = g_ptr_array_new_with_free_func((GDestroyNotify)sample_free);

	for (size_t i = 0; i < n_inputs; i++) {
		const ComparisonMetric *metric = g_ptr_array_index(headlines, i / n_later);
		Sample *base = matrix_sample(matrices[0], metric->row->key);
		Sample *head = matrix_sample(matrices[1 + i % n_later], metric->row->key);

		g_ptr_array_add(samples, base);
		g_ptr_array_add(samples, head);
		inputs[i] = make_input(metric, base, head);
	}
	compare_family(inputs, n_inputs, options, results);
	for (size_t i = 0; i < n_inputs; i++) {
		ComparisonMetric *metric = g_ptr_array_index(headlines, i / n_later);
		metric->results[i % n_later] = results[i];
	}
}

/* @metrics in the order that table_sort() gives their rows. */
static void sort_metrics(GPtrArray *metrics, TableOrder order)
{
	g_autoptr(GPtrArray) rows = g_ptr_array_new();
	g_autoptr(GHashTable) by_row = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < metrics->len; i++) {
		ComparisonMetric *metric = g_ptr_array_index(metrics, i);
		g_ptr_array_add(rows, metric->row);
		g_hash_table_insert(by_row, metric->row, metric);
	}
	table_sort(rows, order);
	for (guint i = 0; i < metrics->len; i++)
		metrics->pdata[i] = g_hash_table_lookup(by_row, rows->pdata[i]);
}

static void free_hidden(const GPtrArray *headlines, GPtrArray *shown)
{
	for (guint i = 0; i < headlines->len; i++) {
		ComparisonMetric *metric = g_ptr_array_index(headlines, i);
		if (!g_ptr_array_find(shown, metric, NULL))
			comparison_metric_free(metric);
	}
}

ComparisonReport *comparison_make(const Matrix *const *matrices, size_t n_matrices,
				  const MetricIndex *index, const ComparisonOptions *options,
				  GError **error)
{
	g_return_val_if_fail(n_matrices >= 2, NULL);
	g_autoptr(GPtrArray) headlines = g_ptr_array_new();

	if (!check_headline(matrices, n_matrices, options->headline, error))
		return NULL;

	ComparisonReport *report = g_new0(ComparisonReport, 1);
	report->n_commits = n_matrices;
	report->metrics = collect_metrics(matrices, n_matrices, index, options, headlines);
	judge_headlines(headlines, matrices, n_matrices, &options->compare);
	free_hidden(headlines, report->metrics);
	sort_metrics(report->metrics, options->order);
	return report;
}

char *comparison_print(const ComparisonReport *report, const char *axes, const TableCommit *commits)
{
	g_autoptr(GPtrArray) rows = g_ptr_array_new();

	for (guint i = 0; i < report->metrics->len; i++) {
		const ComparisonMetric *metric = g_ptr_array_index(report->metrics, i);
		g_ptr_array_add(rows, metric->row);
	}
	return table_print(axes, commits, report->n_commits, rows);
}

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *integer(size_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *deviation_percent(const TableCell *cell)
{
	if (cell->stddev < 0 || cell->mean == 0)
		return json_null();
	return number(100 * cell->stddev / fabs(cell->mean));
}

static json_t *change_percent(const TableRow *row, size_t i)
{
	if (row->cells[0].mean == 0 && !statkey_is_difference(row->key))
		return json_null();
	return number(table_change(row->key, row->cells[0].mean, row->cells[i].mean));
}

static json_t *interval(const Comparison *result)
{
	if (result == NULL || !result->has_interval || !result->has_percent)
		return json_null();
	return json_pack("[ff]", result->low, result->high);
}

static json_t *smallest_effect(const Comparison *result)
{
	if (result == NULL || !result->has_percent)
		return json_null();
	return number(result->smallest_effect);
}

static json_t *verdict(const Comparison *result)
{
	return result == NULL ? json_null() : json_string(verdict_name(result->verdict));
}

/* Of failures the number a run, so that it can be compared; of anything else the row itself. */
static TableRow *row_per_run(const TableRow *row)
{
	TableRow *copy = table_row_new(row->key, row->n_cells);

	for (size_t i = 0; i < row->n_cells; i++) {
		copy->cells[i] = row->cells[i];
		if (row->is_failure && row->cells[i].n > 0)
			copy->cells[i].mean /= (double)row->cells[i].n;
	}
	return copy;
}

static void add_cells(json_t *line, const TableRow *row)
{
	json_t *n = json_array();
	json_t *means = json_array();
	json_t *deviations = json_array();

	for (size_t i = 0; i < row->n_cells; i++) {
		json_array_append_new(n, integer(row->cells[i].n));
		json_array_append_new(means, number(row->cells[i].mean));
		json_array_append_new(deviations, deviation_percent(&row->cells[i]));
	}
	json_object_set_new(line, "n", n);
	json_object_set_new(line, "mean", means);
	json_object_set_new(line, "stddev_percent", deviations);
}

json_t *comparison_metric_json(const ComparisonMetric *metric, const ComparisonReport *report)
{
	json_t *line = json_object();
	json_t *changes = json_array();
	json_t *intervals = json_array();
	json_t *effects = json_array();
	json_t *verdicts = json_array();
	const Comparison *last = NULL;
	const MetricEntry *entry = metric->entry;
	g_autoptr(TableRow) row = row_per_run(metric->row);

	json_object_set_new(line, "key", json_text(metric->row->key));
	json_object_set_new(line, "unit", json_text(entry != NULL ? entry->unit : NULL));
	json_object_set_new(
		line, "direction",
		json_string(direction_name(entry != NULL ? entry->direction : DIRECTION_NONE)));
	add_cells(line, row);
	for (size_t i = 1; i < report->n_commits; i++) {
		last = metric->is_headline ? &metric->results[i - 1] : NULL;
		json_array_append_new(changes, change_percent(row, i));
		json_array_append_new(intervals, interval(last));
		json_array_append_new(effects, smallest_effect(last));
		json_array_append_new(verdicts, verdict(last));
	}
	json_object_set_new(line, "change", changes);
	json_object_set_new(line, "interval", intervals);
	json_object_set_new(line, "smallest_effect", effects);
	json_object_set_new(line, "headline", json_boolean(metric->is_headline));
	json_object_set_new(line, "verdict", verdict(last));
	json_object_set_new(line, "verdicts", verdicts);
	return line;
}
