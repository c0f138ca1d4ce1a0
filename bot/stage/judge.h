/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * judge - what a whole set of measured families means for a job, and whether it is worth a mail.
 *
 * Pure.  A change that nobody asked about is mailed only when a second family on fresh samples
 * finds it again with the same sign.
 */

#include "bot/model/job.h"
#include "bot/stage/measure.h"
#include "bot/stats/retest.h"
#include "config/config.h"

typedef enum {
	JUDGE_QUIET,   /* done, no mail                                                        */
	JUDGE_MEASURE, /* one more family                                                      */
	JUDGE_MAIL,
} JudgeNext;

typedef struct {
	JudgeNext next;
	const char *outcome; /* "no-change", "unclear", "regression", "resolved", ...; static  */
	unsigned position;   /* commit and ...                                                 */
	size_t metric;       /* ... metric the mail is about; only with a change               */
	bool has_headline;
	RetestOutcome retest; /* retests only                                                   */
} Judgement;

/**
 * judge_job:
 * @families: (element-type Measured): 1..job->family
 * @list: (nullable)
 */
Judgement judge_job(const Job *job, const Workload *workload, const GPtrArray *families,
		    const ListSection *list);

/** judge_is_change: regression, improvement or change. */
bool judge_is_change(Verdict verdict);
