/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * measure - from a job's result files to matrices and comparisons.
 *
 * Result files are hostile: each is read with limits and must still have the hash that was stored
 * when the run ended; one that has not is a corrupt store, never a number.
 */

#include "bot/run/lkp.h"
#include "bot/run/workload.h"
#include "bot/stage/stage.h"
#include "bot/stats/compare.h"
#include "bot/store/results.h"

typedef struct {
	unsigned family;
	GPtrArray *matrices; /* (element-type Matrix) by position, base first                   */
	GPtrArray *samples;  /* owns the samples of inputs below                                */
	size_t n_metrics;    /* headline metrics of the workload                                */
	size_t n_heads;      /* later commits                                                   */
	char **keys;         /* n_metrics and a NULL, with the testcase in front                */
	Comparison *results; /* n_heads x n_metrics, by head then metric                        */
} Measured;

void measured_free(Measured *measured);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Measured, measured_free)

/**
 * measure_family: reads the runs of one family, writes each commit's matrix.json, compares.
 * @error: CORRUPT when a result file has changed since its run
 */
Measured *measure_family(StageContext *context, const Job *job, unsigned family,
			 const Workload *workload, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** measured_sample: headline metric @metric at commit @position (0: base). */
const Sample *measured_sample(const Measured *measured, unsigned position, size_t metric);

/** measured_comparison: of the commit at @position (1 first). */
const Comparison *measured_comparison(const Measured *measured, unsigned position, size_t metric);

/** measured_to_store: (element-type StoredComparison). */
GPtrArray *measured_to_store(const Measured *measured, const Workload *workload);
