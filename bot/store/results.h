/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * results - runs of a job and what was concluded from them.
 *
 * A run is one sample of one commit: job, family, position (0 base), round.  Its numbers stand in
 * stats.json in the result folder; the hash of that file is here, and so are the headline values.
 */

#include "bot/model/job.h"
#include "bot/store/db.h"

typedef struct {
	int64_t row;
	int64_t job_row;
	unsigned family;
	unsigned position;
	unsigned round;     /* 0 first                                                            */
	unsigned slot;      /* place in the round: the coin-flip order                            */
	char *state;        /* "planned", "done", "failed"                                        */
	char *outcome;      /* task_outcome_name(); NULL before                                   */
	char *detail;       /* step and reason of a failure; NULL                                 */
	char *result_dir;   /* relative to stateDir; NULL before                                  */
	char *stats_sha256; /* of stats.json; NULL when there is none                             */
	char *machine;      /* tbox_group                                                         */
	char *workload_hash; /* workload_hash() */
	char *config_hash;
	int64_t started_us, ended_us;
} StoredRun;

void stored_run_free(StoredRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StoredRun, stored_run_free)

/**
 * runs_plan: all runs of @family, one row each; a second call is harmless.  Each round holds every
 * position once, in an order drawn from @seed (kept in the row's slot); caller's transaction.
 */
bool runs_plan(Db *db, const Job *job, unsigned family, uint32_t seed,
	       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** runs_list: (element-type StoredRun) of a family by round and slot. */
GPtrArray *runs_list(Db *db, int64_t job_row, unsigned family,
		     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * runs_finish: outcome of one run, with its headline values; caller's transaction.
 * @keys, @values: @n headline values; n may be 0
 */
bool runs_finish(Db *db, const StoredRun *run, const char *const *keys, const double *values,
		 size_t n, GError **error) G_GNUC_WARN_UNUSED_RESULT;

typedef struct {
	unsigned family;
	unsigned position; /* the later commit that is compared with the base                    */
	char *key;
	char *unit;
	char *direction; /* direction_name()                                                   */
	char *verdict;   /* verdict_name()                                                     */
	double p;
	bool has_percent, has_interval;
	double shift, low, high; /* percent, see bot/stats/compare.h                        */
	double smallest_effect;  /* NaN: none                                               */
	unsigned n_base, n_head, n_plan;
	char *note; /* NULL; "identical", "runs missing", ...                             */
} StoredComparison;

void stored_comparison_free(StoredComparison *comparison);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StoredComparison, stored_comparison_free)

/** comparisons_save: replaces that family's; caller's transaction. */
bool comparisons_save(Db *db, int64_t job_row, unsigned family, const GPtrArray *comparisons,
		      GError **error) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *comparisons_list(Db *db, int64_t job_row, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** reports_save: the facts (JSON) a mail was made of, one a job; caller's transaction. */
bool reports_save(Db *db, int64_t job_row, const char *outcome, const char *facts_json,
		  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** reports_get: (transfer full) (nullable): facts JSON; @out_outcome (optional). */
char *reports_get(Db *db, int64_t job_row, char **out_outcome, GError **error);
