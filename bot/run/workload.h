/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * workload - a folder that knows how to build and measure: config/share/workloads/TESTCASE/.
 *
 *	workload.yaml   description, headline metrics (key, unit, direction, delta), limits
 *	prepare         (optional) once a commit, before build; no network there either
 *	build           the commit's files are in the current folder; leaves what run needs in $OUT
 *	run             $OUT of build is the current folder; measures, prints what it likes
 *	parse           reads run's output on standard input, prints "key: value" lines
 *
 * All four are executables, run in the sandbox with the job's parameters in the environment.
 * metrics are fixed here, before the first run: that is what makes the error rates true.
 */

#include "bot/stats/verdict.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
	char *key;  /* without the testcase prefix: "ops_per_sec"                  */
	char *unit; /* "words/s"                                                   */
	Direction direction;
	double delta;          /* 0.02 unless the file says otherwise                         */
	double delta_absolute; /* 0: none                                                    */
} WorkloadMetric;

typedef struct {
	char *testcase;
	char *dir;             /* absolute                                                   */
	char *description;     /* one line for the mail                                      */
	GPtrArray *headline;   /* (element-type WorkloadMetric), 1..20                       */
	uint64_t memory_bytes; /* limits of one sandbox                                      */
	uint64_t disk_bytes;
	unsigned n_processes;
	int64_t build_timeout_ms;
	int64_t run_timeout_ms;
} Workload;

/**
 * workload_load:
 * @dir: the folder; its last part must equal the testcase
 * @error: CONFIG naming file, line, key and cure
 */
Workload *workload_load(const char *dir, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void workload_free(Workload *workload);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Workload, workload_free)

/** workload_hash: SHA-256 hex over names and bytes of the folder's files; same hash = same test. */
char *workload_hash(const Workload *workload, GError **error);
