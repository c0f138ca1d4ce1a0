/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * identity - lorebot.db and raw.db belong together, and neither is begun anew beside the other.
 *
 * Both carry the same random id from their first opening on.  A lost or foreign file would look
 * like a robot that never sent anything: it would answer old mail again.  So a pair that does not
 * match is refused before any stage can work on it.  Private to bot/store.
 */

#include "bot/store/db.h"

/**
 * identity_may_begin: before lorebot.db is made beside a raw.db that is open.
 * @error: CORRUPT when raw.db holds mails: then lorebot.db was lost
 */
bool identity_may_begin(Db *db, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** identity_raw_is_lost: @error CORRUPT; always false. */
bool identity_raw_is_lost(const Db *db, GError **error);

/**
 * identity_check: after the migration; gives a new or old pair its id.
 * @create: false: a pair without id is an error that names the cure
 * @error: CORRUPT when the files are not of one pair
 */
bool identity_check(Db *db, bool create, GError **error) G_GNUC_WARN_UNUSED_RESULT;
