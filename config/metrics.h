/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * metrics - the metric index: which values matter, which way is better, how much is a change.
 *
 * A YAML list, config/share/metrics.yaml as delivered; the first entry whose pattern matches the
 * whole key is the one that counts:
 *
 *	- key: 'stress-ng\..+\.ops_per_sec'
 *	  direction: higher      # higher | lower | none
 *	  unit: ops/s
 *	  headline: yes          # default no
 *	  delta: 0.02            # default; relative, what is called a change
 *
 * It stands before any run is made: a headline chosen after looking at the values would make the
 * error rates of the verdicts untrue.
 */

#include "bot/stats/verdict.h"

#include <glib.h>
#include <stdbool.h>

#define METRICS_DEFAULT_DELTA 0.02

typedef struct {
	GRegex *pattern;
	Direction direction;
	char *unit; /* NULL: none is known                           */
	bool headline;
	double delta;          /* > 0                                           */
	double delta_absolute; /* in the unit, for a base of 0; 0: none */
} MetricEntry;

typedef struct {
	GPtrArray *entries; /* (element-type MetricEntry) file order */
} MetricIndex;

/**
 * metrics_load:
 * @path: (nullable): NULL for the delivered index
 * @error: CONFIG naming file, line and cure
 */
MetricIndex *metrics_load(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** metrics_parse: @what is named in errors. */
MetricIndex *metrics_parse(const char *yaml, gsize len, const char *what,
			   GError **error) G_GNUC_WARN_UNUSED_RESULT;
void metrics_free(MetricIndex *index);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MetricIndex, metrics_free)

/** metrics_find: (nullable) (transfer none): NULL when the index says nothing of @key. */
const MetricEntry *metrics_find(const MetricIndex *index, const char *key);
