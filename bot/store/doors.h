/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * doors - what it means for a mail, its series and its request that one more door shows it.
 *
 * The same in any order of the doors: a mail is as old as its earliest sighting, and it is live
 * (not `observe`) when a door that may be acted upon shows it and looked at such mail when it first
 * came anywhere.  So an archive's old mail does not come alive because a door that was opened since
 * shows it late, and the limits of age and the backlog hold for it as for any other.  It is of the
 * list that it is addressed to, else of the first by name that a door vouches for.
 *
 * A series is observed while one of its mails is, and came when its last patch did.  For the limits
 * of age it is as old as its youngest patch (DOORS_AGE_US).  Private to bot/store.
 */

#include "bot/store/messages.h"
#include "bot/store/series.h"

/** doors_first: the only sighting of @row so far. */
bool doors_first(Db *db, int64_t row, const Incoming *in, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** doors_again: one more sighting of @row; what is undecided about it follows, with an event. */
bool doors_again(Db *db, int64_t row, const Incoming *in, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** doors_settle_series: observe, arrived_us and list of a series from those of its mails. */
bool doors_settle_series(Db *db, int64_t series_row, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/*
 * When a mail is from, over its columns: it came, or it was written, whichever is longer ago.  A
 * door's time is that of a copy, an import or a new index as well, and old mail must not come alive
 * by it.
 */
#define DOORS_AGE_US                                                                               \
	"CASE WHEN messages.date_us > 0 THEN min(messages.date_us, messages.arrived_us)"           \
	" ELSE messages.arrived_us END"

/* What a row that is not claimed waits for; over its columns observe and list. */
#define DOORS_WHY_WAITING                                                                          \
	"CASE WHEN observe = 1 THEN 'it was seen only at a source that is observed'"               \
	" WHEN list IS NULL THEN '" WAITS_FOR_LIST "' END"
