/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * backlog - what came in while the robot was away, held for one decision of the operator.
 *
 * Mail that waited through a long outage is old news to the people who wrote it.  While a backlog
 * is open, series and requests that arrived before its end are not claimed by plan; newer ones are.
 */

#include "bot/store/db.h"

typedef struct {
	char *reason;     /* why it was opened, for people                                       */
	int64_t until_us; /* what arrived before waits                                           */
	int64_t n_series; /* complete ones that would be planned                                 */
	int64_t n_requests;
} Backlog;

void backlog_free(Backlog *backlog);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Backlog, backlog_free)

/** backlog_open: all that arrived before now waits; one that is open already is extended. */
bool backlog_open(Db *db, const char *reason, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** backlog_get: (nullable): the open one; NULL without error when there is none. */
Backlog *backlog_get(Db *db, GError **error);

typedef struct {
	char *kind; /* "series" or "request" */
	int64_t row;
	char *message_id; /* of its first mail */
	char *subject;
	char *list; /* section */
	int64_t arrived_us;
} BacklogEntry;

/** backlog_list: (transfer full) (element-type BacklogEntry): what waits, oldest first. */
GPtrArray *backlog_list(Db *db, unsigned limit, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * backlog_close: own transaction, with an event for each row that is declined.
 * @run: what waited is planned as usual; else all that arrived before is declined, also what was
 *   seen only at observed sources so far
 * @who: who decided
 * @error: NOT_FOUND when none is open
 */
bool backlog_close(Db *db, bool run, const char *who, GError **error) G_GNUC_WARN_UNUSED_RESULT;
