/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * links - which rows came of which, from a mail to the jobs and on to our mails, for who looks.
 */

#include "bot/store/db.h"

/**
 * links_jobs:
 * @kind: "series" or "request"
 *
 * Returns: (transfer full) (element-type int64_t): jobs that were made for the row, oldest first
 */
GArray *links_jobs(Db *db, const char *kind, int64_t row, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** links_mails: (transfer full) (element-type int64_t): our mails about a job, oldest first. */
GArray *links_mails(Db *db, int64_t job_row, GError **error) G_GNUC_WARN_UNUSED_RESULT;
