/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * purpose - what jobs are made for, and how two wishes for the same work meet.
 *
 * A job is found again by its kind, origin (origin.h) and specification.  A posting has one origin
 * whether it is tested unasked or because somebody asks for it as it stands, so both meet, in any
 * order, and no reader gets the same numbers twice:
 *
 * - Unasked, and the job is there: nothing more is done; who asked first gets the answer.
 * - Asked, and the job is not over: an unasked one becomes the asker's, with one report, whatever
 * it says, in answer to him.  An asked one has its answer coming.
 * - Asked, and it was mailed: nothing more is done, the reason names that mail.
 * - Asked, and nothing was mailed, for it was quiet, failed or rejected: done once more, for the
 * asker.
 *
 * What is not a posting as it stands (a branch moves, a base was named), and what somebody asks in
 * answer to a report of ours, is done once more as soon as it is over: he has seen the numbers.
 */

#include "bot/model/job.h"
#include "bot/stage/stage.h"

typedef struct {
	JobKind kind;
	const char *origin; /* see origin.h                                               */
	int64_t series_row;
	int64_t request_row; /* 0: unasked                                                 */
	int64_t parent_job_row;
	const char *list;
	const char *tree;
	bool as_posted;  /* a posting as it stands, and no report of it is answered     */
	unsigned n_here; /* out: jobs that are made, or taken over, for this            */
	char *mailed;    /* out: Message-ID of the mail that told it already; NULL      */
} Purpose;

void purpose_clear(Purpose *purpose);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Purpose, purpose_clear)

/** purpose_add_job: the job of @spec_yaml for this; caller's transaction. */
bool purpose_add_job(StageContext *context, Purpose *purpose, const char *testcase,
		     const char *spec_yaml, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * purpose_add_suites: one job for each atomic job of each suite of @list; caller's transaction.
 * @out_no: (transfer full): why there is none; unchanged otherwise
 */
bool purpose_add_suites(StageContext *context, Purpose *purpose, const ListSection *list,
			char **out_no, GError **error) G_GNUC_WARN_UNUSED_RESULT;
