/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * query - one statement in use: bound by name, read by name, checked once at the end.
 *
 *	g_autoptr(Query) query = query_new(db, "SELECT id, name FROM sources WHERE name = :name");
 *	query_set_text(query, ":name", name);
 *	while (query_next(query))
 *		... query_int(query, "id") ...
 *	return query_finish(query, error);
 *
 * Private to bot/store.  Prepared statements are kept by the Db and used again.  The first error
 * latches: later calls do nothing and query_finish() reports it.  A parameter or column that the
 * statement does not have is a bug and latches, too.
 */

#include "bot/store/db.h"

typedef struct Query Query;

/** query_new: (transfer full): over lorebot.db; never NULL. @sql: a literal, kept by content. */
Query *query_new(Db *db, const char *sql);

/** query_new_raw: the same over raw.db. */
Query *query_new_raw(Db *db, const char *sql);
void query_free(Query *query);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Query, query_free)

void query_set_int(Query *query, const char *parameter, int64_t value);

/** query_set_row: 0 becomes NULL. */
void query_set_row(Query *query, const char *parameter, int64_t row);

/** query_set_real: NaN becomes NULL. */
void query_set_real(Query *query, const char *parameter, double value);

/** query_set_text, query_set_blob: not copied: must live until the query is freed; NULL is NULL. */
void query_set_text(Query *query, const char *parameter, const char *text);
void query_set_blob(Query *query, const char *parameter, const void *bytes, size_t len);

/** query_next: true on a row; false at the end and on an error. */
bool query_next(Query *query);

/** query_finish: false when an error latched. */
bool query_finish(Query *query, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** query_run: steps to the end, for statements whose rows nobody wants. */
bool query_run(Query *query, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** query_restart: the same statement for the next set of parameters; all are NULL again. */
void query_restart(Query *query);

int64_t query_int(Query *query, const char *column); /* NULL reads as 0   */
double query_real(Query *query, const char *column); /* NULL reads as NaN */

/** query_text: (transfer full) (nullable). */
char *query_text(Query *query, const char *column);

/** query_peek_text: (transfer none) (nullable): until the next step. */
const char *query_peek_text(Query *query, const char *column);

/** query_blob: (transfer full): empty for NULL. */
GBytes *query_blob(Query *query, const char *column);

/** query_changes: rows the last statement of this Db's lorebot.db changed. */
int64_t query_changes(Db *db);

/** query_last_row: rowid of the last INSERT into lorebot.db. */
int64_t query_last_row(Db *db);

/** query_script: @sql of several statements without parameters. */
bool query_script(Db *db, bool raw, const char *sql, GError **error) G_GNUC_WARN_UNUSED_RESULT;
