/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * retest - base, bad, fix: did the fix mend what the report blamed? (statistics 3.7)
 */

#include "bot/stats/compare.h"

typedef enum {
	RETEST_NOT_REPRODUCED, /* bad is not significantly worse than base: decided first      */
	RETEST_WORSE,          /* fix is worse than bad                                        */
	RETEST_RESOLVED,       /* better than bad and back within delta of base                */
	RETEST_PARTLY,         /* better than bad, still worse than base                       */
	RETEST_NOT_RESOLVED,
	RETEST_UNCLEAR,
} RetestOutcome;

/**
 * retest_judge:
 * @direction: which way is better; DIRECTION_NONE: the way bad went from base is the worse one
 * @n_fixes: how many fixes are judged in this report, >= 1; each pays alpha / n_fixes
 *
 * Unclear, whatever the values, with fewer than 3 runs on a side, with base and bad too few to
 * differ at alpha, or when more than a quarter of the runs are missing on some sides only.
 */
RetestOutcome retest_judge(const Sample *base, const Sample *bad, const Sample *fix,
			   Direction direction, double delta, const CompareOptions *options,
			   size_t n_fixes);

/** retest_outcome_name: "not-reproduced", "worse", "resolved", "partly", "not-resolved", "unclear".
 */
const char *retest_outcome_name(RetestOutcome outcome);
