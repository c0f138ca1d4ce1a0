/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * migrate - the schema's numbered steps, schema/NNNN.sql, built into the program.
 *
 * PRAGMA user_version holds the number of steps a file has seen.  Each step is one transaction with
 * its new version, so a crash leaves a whole version.  A newer version than ours is refused and
 * never touched.  Nothing is ever deleted to make a migration pass.
 */

#include "bot/store/db.h"

/**
 * migrate_check:
 * @error: CORRUPT when a file is newer than this program or not one of ours, NOT_FOUND when it has
 *   no schema yet, PERMANENT when it is older; the two last name the cure
 */
bool migrate_check(Db *db, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** migrate_run: brings both files to this program's version; harmless when they are. */
bool migrate_run(Db *db, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** migrate_version: the version of lorebot.db that this program writes. */
int64_t migrate_version(void);
