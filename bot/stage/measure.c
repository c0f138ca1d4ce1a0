/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/measure.h"

#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/model/statkey.h"
#include "bot/run/resultfile.h"
#include "bot/stage/layout.h"

#include <math.h>
#include <string.h>

#define MAX_STATS_BYTES (1024 * 1024)

void measured_free(Measured *measured)
{
	if (measured == NULL)
		return;
	g_clear_pointer(&measured->matrices, g_ptr_array_unref);
	g_clear_pointer(&measured->samples, g_ptr_array_unref);
	for (size_t i = 0; i < measured->n_metrics; i++)
		g_free(measured->keys[i]);
	g_free(measured->keys);
	g_free(measured->results);
	g_free(measured);
}

const Sample *measured_sample(const Measured *measured, unsigned position, size_t metric)
{
	return measured->samples->pdata[position * measured->n_metrics + metric];
}

const Comparison *measured_comparison(const Measured *measured, unsigned position, size_t metric)
{
	return &measured->results[(position - 1) * measured->n_metrics + metric];
}

static bool check_hash(const StoredRun *run, const char *path, GError **error)
{
	g_autoptr(GBytes) bytes = fs_read(path, MAX_STATS_BYTES, error);
	if (bytes == NULL)
		return false;
	g_autofree char *now = g_compute_checksum_for_bytes(G_CHECKSUM_SHA256, bytes);
	if (g_strcmp0(now, run->stats_sha256) == 0)
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_CORRUPT,
		    "%s is not what the run wrote: its hash is %.16s..., stored is %.16s...", path,
		    now, run->stats_sha256 == NULL ? "none" : run->stats_sha256);
	return false;
}

static bool add_values(Matrix *matrix, const char *source, const GPtrArray *all, GError **error)
{
	g_autofree const char **keys = g_new(const char *, all->len + 1);
	g_autofree double *values = g_new(double, all->len + 1);

	for (guint i = 0; i < all->len; i++) {
		const ResultValue *value = all->pdata[i];
		keys[i] = value->key;
		values[i] = value->value;
	}
	return matrix_add_run(matrix, source, keys, values, all->len, error);
}

/* A failed run is a column without values: missing, not zero. */
static bool add_run(StageContext *context, Matrix *matrix, const StoredRun *run, GError **error)
{
	g_autofree char *source = g_strdup_printf("%u/stats.json", run->round);

	if (run->stats_sha256 == NULL)
		return true;
	g_autofree char *path =
		g_build_filename(db_state_dir(context->db), run->result_dir, "stats.json", NULL);
	if (!check_hash(run, path, error))
		return false;
	g_autoptr(GPtrArray) all = resultfile_read(path, error);
	return all != NULL && add_values(matrix, source, all, error);
}

static bool write_matrix(StageContext *context, const Job *job, unsigned family, unsigned position,
			 const Matrix *matrix, GError **error)
{
	g_autofree char *path =
		layout_matrix_path(db_state_dir(context->db), job, family, position);
	g_autofree char *json = matrix_to_json(matrix);
	g_autofree char *dir = g_path_get_dirname(path);

	return fs_make_dir(dir, 0700, error) &&
	       fs_write_durable(path, json, strlen(json), 0600, error);
}

static bool load_matrices(StageContext *context, const Job *job, Measured *measured, GError **error)
{
	g_autoptr(GPtrArray) runs = runs_list(context->db, job->row, measured->family, error);
	if (runs == NULL)
		return false;

	for (guint position = 0; position < job->commits->len; position++)
		g_ptr_array_add(measured->matrices, matrix_new());
	for (guint i = 0; i < runs->len; i++) {
		const StoredRun *run = runs->pdata[i];
		if (run->position < measured->matrices->len &&
		    !add_run(context, measured->matrices->pdata[run->position], run, error))
			return false;
	}
	for (guint position = 0; position < job->commits->len; position++) {
		if (!write_matrix(context, job, measured->family, position,
				  measured->matrices->pdata[position], error))
			return false;
	}
	return true;
}

/* Runs that failed are counted as missing, so that a one-sided loss is seen. */
static Sample *sample_of(const Matrix *matrix, const char *key, unsigned runs)
{
	Sample *sample = matrix_sample(matrix, key);

	sample->n_missing = runs > sample->n ? runs - sample->n : 0;
	return sample;
}

static void take_samples(const Job *job, const Workload *workload, Measured *measured)
{
	measured->keys = g_new0(char *, measured->n_metrics + 1);
	for (size_t m = 0; m < measured->n_metrics; m++) {
		const WorkloadMetric *metric = workload->headline->pdata[m];
		measured->keys[m] = g_strconcat(workload->testcase, ".", metric->key, NULL);
	}
	for (guint position = 0; position < measured->matrices->len; position++) {
		for (size_t m = 0; m < measured->n_metrics; m++)
			g_ptr_array_add(measured->samples,
					sample_of(measured->matrices->pdata[position],
						  measured->keys[m], job->runs));
	}
}

static void compare_all(const Workload *workload, Measured *measured)
{
	CompareOptions options = COMPARE_OPTIONS_DEFAULT;
	g_autofree CompareInput *inputs = g_new0(CompareInput, measured->n_metrics);

	measured->results = g_new0(Comparison, measured->n_heads * measured->n_metrics + 1);
	for (unsigned position = 1; position <= measured->n_heads; position++) {
		for (size_t m = 0; m < measured->n_metrics; m++) {
			const WorkloadMetric *metric = workload->headline->pdata[m];
			inputs[m] = (CompareInput){
				.key = measured->keys[m],
				.base = measured_sample(measured, 0, m),
				.head = measured_sample(measured, position, m),
				.direction = metric->direction,
				.delta = metric->delta,
				.delta_absolute = metric->delta_absolute,
				.is_share = statkey_is_difference(measured->keys[m]),
			};
		}
		compare_family(inputs, measured->n_metrics, &options,
			       &measured->results[(position - 1) * measured->n_metrics]);
	}
}

Measured *measure_family(StageContext *context, const Job *job, unsigned family,
			 const Workload *workload, GError **error)
{
	g_autoptr(Measured) measured = g_new0(Measured, 1);

	measured->family = family;
	measured->matrices = g_ptr_array_new_with_free_func((GDestroyNotify)matrix_free);
	measured->samples = g_ptr_array_new_with_free_func((GDestroyNotify)sample_free);
	measured->n_heads = job->commits->len - 1;
	if (!load_matrices(context, job, measured, error))
		return NULL;
	measured->n_metrics = workload->headline->len;
	take_samples(job, workload, measured);
	compare_all(workload, measured);
	return g_steal_pointer(&measured);
}

static const char *note_of(const Comparison *c)
{
	if (c->identical)
		return "identical";
	if (c->runs_missing)
		return "runs missing";
	if (c->below_threshold)
		return "real but below the threshold";
	return NULL;
}

/* "No change" may rest on the 90 % interval (two one-sided tests): then that is the one to show. */
static bool rests_on_equivalence(const Comparison *c, const WorkloadMetric *metric)
{
	double percent = 100 * metric->delta;
	bool inside = c->has_interval && c->low > -percent && c->high < percent;

	return c->verdict == VERDICT_NO_CHANGE && !c->identical && !inside && c->has_equivalence;
}

static StoredComparison *to_store(const Measured *measured, const Workload *workload,
				  unsigned position, size_t m)
{
	const Comparison *c = measured_comparison(measured, position, m);
	const WorkloadMetric *metric = workload->headline->pdata[m];
	StoredComparison *stored = g_new0(StoredComparison, 1);

	stored->family = measured->family;
	stored->position = position;
	stored->key = g_strdup(measured->keys[m]);
	stored->unit = g_strdup(metric->unit);
	stored->direction = g_strdup(direction_name(metric->direction));
	stored->verdict = g_strdup(verdict_name(c->verdict));
	stored->p = c->p;
	stored->has_percent = c->has_percent;
	stored->has_interval = c->has_interval;
	stored->shift = c->shift;
	stored->low = c->low;
	stored->high = c->high;
	if (rests_on_equivalence(c, metric)) {
		stored->has_interval = true;
		stored->low = c->equivalence_low;
		stored->high = c->equivalence_high;
	}
	stored->smallest_effect = c->smallest_effect;
	stored->n_base = (unsigned)c->n_base;
	stored->n_head = (unsigned)c->n_head;
	stored->n_plan = (unsigned)c->n_plan;
	stored->note = g_strdup(rests_on_equivalence(c, metric) ? "90% interval" : note_of(c));
	return stored;
}

GPtrArray *measured_to_store(const Measured *measured, const Workload *workload)
{
	GPtrArray *list = g_ptr_array_new_with_free_func((GDestroyNotify)stored_comparison_free);

	for (unsigned position = 1; position <= measured->n_heads; position++) {
		for (size_t m = 0; m < measured->n_metrics; m++)
			g_ptr_array_add(list, to_store(measured, workload, position, m));
	}
	return list;
}
