/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * lease - who works on a row, and what becomes of it when that process dies.
 *
 * Private to bot/store; the public half stands in db.h.
 */

#include "bot/store/db.h"

/** lease_until: end of a lease that is taken now. */
int64_t lease_until(const Db *db);

/**
 * lease_take:
 * @claim_sql: UPDATE ... RETURNING id, with :owner, :until and :limit, of rows without a lease that
 *   have (deaths > 0) = :suspect
 * @first_sql: SELECT deaths of the row that is next; both are over the same rows
 *
 * A row over which a process died is claimed alone: when it kills again, no innocent row of the
 * same batch is counted dead with it.
 *
 * Returns: (transfer full) (element-type int64_t): rows in ascending order
 */
GArray *lease_take(Db *db, const char *first_sql, const char *claim_sql, unsigned limit,
		   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * lease_ended: after an UPDATE of one row that asked for `lease_owner IS NULL OR lease_owner =
 * :owner`.
 * @error: CONFLICT when it changed nothing: the row does not exist or is another process's
 */
bool lease_ended(Db *db, const char *kind, int64_t row, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** lease_owner_is_dead: @owner as db_set_owner() names it. */
bool lease_owner_is_dead(const char *owner);
