/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * jobs - work to do, and where each piece of it stands.
 */

#include "bot/model/job.h"
#include "bot/store/db.h"

/**
 * jobs_insert: caller's transaction.
 * @out_row: the new row, or that of the job which has the key already (then @out_new is false)
 */
bool jobs_insert(Db *db, const Job *job, int64_t *out_row, bool *out_new,
		 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** jobs_claim: (nullable): one job in @state, oldest first, leased; NULL without error when none.
 */
Job *jobs_claim(Db *db, JobState state, GError **error);
Job *jobs_get(Db *db, int64_t row, GError **error) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *jobs_list(Db *db, bool finished_too, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * jobs_advance: writes state, family, base_how, base_reason, ref, reason, applied_us and commits of
 * @job, ends the lease; caller's transaction.
 */
bool jobs_advance(Db *db, const Job *job, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * jobs_ask_for: an unasked job that is not over is done for @request_row from now on, whoever works
 * on it: its report looks again before it is written; caller's transaction.
 * @list: section name of the list that the request came by
 * @error: CONFLICT when it is over or somebody has asked already
 */
bool jobs_ask_for(Db *db, int64_t row, int64_t request_row, const char *list,
		  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * jobs_restart: a job that failed or is poison begins anew; caller's transaction.
 *
 * Its commits, runs and conclusions are forgotten but for the events: nothing of a broken
 * measurement may count in the next.  Result folders are the caller's.
 * @who: for the event
 * @error: NOT_FOUND, CONFLICT when it is in another state or somebody works on it
 */
bool jobs_restart(Db *db, int64_t row, const char *who, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** jobs_give_back: ends the lease of a job left unfinished; claimable at once; caller's
 * transaction. */
bool jobs_give_back(Db *db, int64_t row, const char *why, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * jobs_postpone: ends the lease of a job that failed for now; caller's transaction.
 *
 * It rests as long as backoff.h says for the postponements since something else happened to it.
 * @why: for the event
 */
bool jobs_postpone(Db *db, int64_t row, const char *why, GError **error) G_GNUC_WARN_UNUSED_RESULT;
