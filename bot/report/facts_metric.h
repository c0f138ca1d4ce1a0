/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * facts_metric - one headline metric as JSON, its numbers also as they are printed.  Private to
 * this folder.
 */

#include "bot/report/facts.h"

#include <jansson.h>

/**
 * facts_metric_to_json:
 * @headline: (nullable): key of the metric the mail is about
 *
 * Numbers are whole or fractions as they are; NaN is null.  For templates stand beside them, as
 * text: "size" ("52.9%"), "change" ("-52.9%"), "interval" ("-54.1% to -51.2%"), "p_text",
 * "smallest_effect_text", "verdict_text" ("no change"), and a flag for
 * each verdict.
 */
json_t *facts_metric_to_json(const ReportMetric *metric, const char *headline);

/** facts_json_short: (nullable): a name or subject as clean_short(), or null. */
json_t *facts_json_short(const char *text);

/** facts_json_line: (nullable): a JSON text in one line without control characters, or null. */
json_t *facts_json_line(const char *text);
