/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * threadwalk - the stored mails of one thread, nearest first.
 *
 * By Message-ID, both ways, through mails that are no patches and through ids of mails that nobody
 * has seen: the answers to such a one are still one thread.  A stranger's References may tie any
 * number of threads together, so a walk ends after THREAD_WALK_MAX_READS rows; a real thread of a
 * thousand mails needs a few thousand.  Private to bot/store.
 */

#include "bot/store/db.h"

#define THREAD_WALK_MAX_READS 50000u

typedef struct {
	int64_t row;
	GPtrArray *references; /* (element-type utf8) as stored, nearest first */
} ThreadMail;

/**
 * thread_walk: from the stored message @row outward.
 *
 * Returns: (transfer full) (element-type ThreadMail): @row's first
 */
GPtrArray *thread_walk(Db *db, int64_t row, GError **error) G_GNUC_WARN_UNUSED_RESULT;
