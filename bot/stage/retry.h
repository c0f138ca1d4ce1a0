/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * retry - what failed or was declined for a reason that is mended begins anew.
 */

#include "bot/stage/stage.h"

/**
 * retry_job: own transaction.
 *
 * What was measured is set aside as results/KEY.N, N from 1 on: it is evidence, and it must not
 * count in the next measurement.
 * @who: for the event
 * @error: NOT_FOUND, CONFLICT (see jobs_restart()), TRANSIENT
 */
bool retry_job(Db *db, int64_t row, const char *who, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * retry_declined: own transaction.
 *
 * A series or request that was declined, is poison, or waits for a list: its mails are looked up in
 * today's lists and plan decides anew, by age limits and all its other rules.
 * @kind: "series" or "request"
 * @who: for the event
 * @out_waits: (transfer full): why plan cannot have it yet; NULL: it is plan's
 * @error: NOT_FOUND, CONFLICT (see declined_renew())
 */
bool retry_declined(StageContext *context, const char *kind, int64_t row, const char *who,
		    char **out_waits, GError **error) G_GNUC_WARN_UNUSED_RESULT;
