/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * verdict - what a report may claim of a metric, and the words for it.
 */

typedef enum {
	VERDICT_REGRESSION,
	VERDICT_IMPROVEMENT,
	VERDICT_CHANGE,    /* significant, but the metric has no direction */
	VERDICT_NO_CHANGE, /* the interval lies inside +-delta             */
	VERDICT_UNCLEAR,
} Verdict;

typedef enum {
	DIRECTION_NONE = 0,
	DIRECTION_HIGHER_IS_BETTER = 1,
	DIRECTION_LOWER_IS_BETTER = -1
} Direction;

/** verdict_name: "regression", "improvement", "change", "no-change", "unclear". */
const char *verdict_name(Verdict verdict);

/** verdict_from_name: VERDICT_UNCLEAR for an unknown name. */
Verdict verdict_from_name(const char *name);

/** direction_name: "higher", "lower", "none". */
const char *direction_name(Direction direction);
/** direction_from_name: DIRECTION_NONE for an unknown name. */
Direction direction_from_name(const char *name);
