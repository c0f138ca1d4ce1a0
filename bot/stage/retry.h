/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * retry - a job that failed for a reason that is mended begins anew.
 */

#include "bot/store/db.h"

/**
 * retry_job: own transaction.
 *
 * What was measured is set aside as results/KEY.N, N from 1 on: it is evidence, and it must not
 * count in the next measurement.
 * @who: for the event
 * @error: NOT_FOUND, CONFLICT (see jobs_restart()), TRANSIENT
 */
bool retry_job(Db *db, int64_t row, const char *who, GError **error) G_GNUC_WARN_UNUSED_RESULT;
