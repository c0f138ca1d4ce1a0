/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * lkp - results as lkp-tests keeps them: stats.json of a run, matrix.json of many.
 *
 *	stats.json    {"vmstat.cpu.id": 23.4, ...}
 *	matrix.json   {"vmstat.cpu.id": [23.4, 23.1, ...], ..., "stats_source": ["0/stats.json",
 *...]}
 *
 * One column a run; the number of runs is the length of stats_source, else that of the longest row.
 * A row that is shorter misses its last runs (lkp takes 0 for them).  Both are hostile input: at
 *most 64 MiB, 200,000 keys of up to 1024 bytes without blanks and controls, 1,000 runs, numbers up
 *to 1e150.  Text values are not statistics: their keys are skipped, as lkp does.
 */

#include "bot/stats/sample.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#define LKP_MAX_BYTES ((size_t)64 * 1024 * 1024)
#define LKP_MAX_KEYS 200000u
#define LKP_MAX_KEY_BYTES 1024u
#define LKP_MAX_RUNS 1000u

typedef struct {
	char *key;      /* owned                                     */
	double *values; /* owned; one a run, NaN where it is missing */
} MatrixRow;

typedef struct {
	GPtrArray *rows;    /* (element-type MatrixRow) in the order of the file           */
	GHashTable *by_key; /* key -> MatrixRow                                            */
	GPtrArray *sources; /* (element-type utf8) one a run: where it came from           */
	size_t n_runs;
	bool *incomplete; /* one a run: last_state.is_incomplete_run; kept for failures, */
			  /* left out of all other statistics                            */
} Matrix;

Matrix *matrix_new(void);
void matrix_free(Matrix *matrix);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Matrix, matrix_free)

/**
 * matrix_parse:
 * @what: named in errors
 * @error: PERMANENT: no JSON of this shape, or a limit is passed
 *
 * A stats.json is a matrix of one run.
 */
Matrix *matrix_parse(const char *json, size_t len, const char *what,
		     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** matrix_load: @error as above, and as of fs_read(). */
Matrix *matrix_load(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * matrix_add_run:
 * @source: names the run; a run of that name is replaced
 * @keys: @n of them, as matrix_parse() wants them, each once
 * @error: PERMANENT: a key or value that matrix_parse() would refuse, too many runs
 *
 * A key that is new gets 0 for the runs before, as in lkp.
 */
bool matrix_add_run(Matrix *matrix, const char *source, const char *const *keys,
		    const double *values, size_t n, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * matrix_to_json:
 *
 * Returns: (transfer full): matrix.json; rows that are all zero and the sched_debug rows of single
 *   CPUs are left out, as lkp does, missing values are 0
 */
char *matrix_to_json(const Matrix *matrix);

/** matrix_find: NULL when there is no such row. */
const MatrixRow *matrix_find(const Matrix *matrix, const char *key);

/** matrix_n_complete: number of runs that count for statistics. */
size_t matrix_n_complete(const Matrix *matrix);

/**
 * matrix_sample:
 *
 * Returns: (transfer full): @key's values in the complete runs, missing ones as missing; empty when
 *   there is no such row
 */
Sample *matrix_sample(const Matrix *matrix, const char *key);

/** matrix_padded: the same with 0 for what is missing: what lkp's tables are made of. */
Sample *matrix_padded(const Matrix *matrix, const char *key);

/** matrix_sum: of all runs, incomplete ones too; what a failure row counts. */
double matrix_sum(const Matrix *matrix, const char *key);
