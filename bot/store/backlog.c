/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/backlog.h"

#include "bot/base/error.h"
#include "bot/store/private.h"
#include "bot/store/query.h"

#define CONTROL "backlog"

void backlog_free(Backlog *backlog)
{
	if (backlog == NULL)
		return;
	g_free(backlog->reason);
	g_free(backlog);
}

bool backlog_open(Db *db, const char *reason, GError **error)
{
	if (!db_begin(db, error))
		return false;
	if (control_set(db, CONTROL, reason, error) &&
	    event_add(db, "backlog.opened", "source", 0, error, "%s", reason))
		return db_commit(db, error);
	db_rollback(db);
	return false;
}

Backlog *backlog_get(Db *db, GError **error)
{
	g_autoptr(Backlog) backlog = NULL;
	g_autoptr(Query) query =
		query_new(db, "SELECT reason, set_us,"
			      " (SELECT count(*) FROM series"
			      "   WHERE state = 'complete' AND observe = 0 AND list IS NOT NULL"
			      "   AND arrived_us < set_us) AS n_series,"
			      " (SELECT count(*) FROM requests"
			      "   JOIN messages ON messages.id = message_row"
			      "   WHERE requests.state = 'new' AND observe = 0"
			      "   AND list IS NOT NULL AND arrived_us < set_us) AS n_requests"
			      " FROM controls WHERE name = '" CONTROL "'");

	if (query_next(query)) {
		backlog = g_new0(Backlog, 1);
		backlog->reason = query_text(query, "reason");
		backlog->until_us = query_int(query, "set_us");
		backlog->n_series = query_int(query, "n_series");
		backlog->n_requests = query_int(query, "n_requests");
	}
	return query_finish(query, error) ? g_steal_pointer(&backlog) : NULL;
}

static void entry_free(gpointer data)
{
	BacklogEntry *entry = data;

	g_free(entry->kind);
	g_free(entry->message_id);
	g_free(entry->subject);
	g_free(entry->list);
	g_free(entry);
}

GPtrArray *backlog_list(Db *db, unsigned limit, GError **error)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(entry_free);
	g_autoptr(Query) query = query_new(
		db, "SELECT kind, row, message_id, subject, list, arrived_us FROM ("
		    " SELECT 'series' AS kind, id AS row, title AS subject, list, arrived_us,"
		    "  (SELECT message_id FROM series_mails"
		    "   JOIN messages ON messages.id = message_row"
		    "   WHERE series_row = series.id ORDER BY number LIMIT 1) AS message_id"
		    " FROM series WHERE state = 'complete' AND observe = 0 AND list IS NOT NULL"
		    " UNION ALL"
		    " SELECT 'request', requests.id, subject, list, arrived_us, message_id"
		    " FROM requests JOIN messages ON messages.id = message_row"
		    " WHERE requests.state = 'new' AND observe = 0 AND list IS NOT NULL)"
		    " WHERE arrived_us < (SELECT set_us FROM controls WHERE name = '" CONTROL "')"
		    " ORDER BY arrived_us LIMIT :limit");

	query_set_int(query, ":limit", limit);
	while (query_next(query)) {
		BacklogEntry *entry = g_new0(BacklogEntry, 1);
		entry->kind = query_text(query, "kind");
		entry->row = query_int(query, "row");
		entry->message_id = query_text(query, "message_id");
		entry->subject = query_text(query, "subject");
		entry->list = query_text(query, "list");
		entry->arrived_us = query_int(query, "arrived_us");
		g_ptr_array_add(all, entry);
	}
	return query_finish(query, error) ? g_steal_pointer(&all) : NULL;
}

/* @sql declines the rows and returns their ids. */
static bool decline(Db *db, const char *sql, const char *kind, const Backlog *backlog,
		    const char *who, GError **error)
{
	g_autofree char *reason =
		g_strdup_printf("backlog dropped by %s: %s", who, backlog->reason);
	g_autofree char *name = g_strconcat(kind, ".declined", NULL);
	g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(int64_t));
	g_autoptr(Query) query = query_new(db, sql);

	query_set_text(query, ":reason", reason);
	query_set_int(query, ":until", backlog->until_us);
	while (query_next(query)) {
		int64_t row = query_int(query, "id");
		g_array_append_val(rows, row);
	}
	bool ok = query_finish(query, error);
	for (guint i = 0; ok && i < rows->len; i++)
		ok = event_add(db, name, kind, g_array_index(rows, int64_t, i), error, "%s",
			       reason);
	return ok;
}

/* What waits for a live door, too: a door that shows it late must not bring it back. */
static bool decline_all(Db *db, const Backlog *backlog, const char *who, GError **error)
{
	return decline(db,
		       "UPDATE series SET state = 'declined', reason = :reason"
		       " WHERE state = 'complete' AND arrived_us < :until RETURNING id",
		       "series", backlog, who, error) &&
	       decline(db,
		       "UPDATE requests SET state = 'declined', reason = :reason"
		       " WHERE state = 'new' AND (SELECT arrived_us FROM messages"
		       "   WHERE messages.id = message_row) < :until RETURNING id",
		       "request", backlog, who, error);
}

static bool close_it(Db *db, bool run, const char *who, GError **error)
{
	g_autoptr(GError) failed = NULL;
	g_autoptr(Backlog) backlog = backlog_get(db, &failed);

	if (failed != NULL) {
		g_propagate_error(error, g_steal_pointer(&failed));
		return false;
	}
	if (backlog == NULL) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
			    "there is no backlog to decide about");
		return false;
	}
	return (run || decline_all(db, backlog, who, error)) &&
	       control_set(db, CONTROL, NULL, error) &&
	       event_add(db, run ? "backlog.run" : "backlog.dropped", "source", 0, error,
			 "%s: %" G_GINT64_FORMAT " series and %" G_GINT64_FORMAT " requests, by %s",
			 backlog->reason, backlog->n_series, backlog->n_requests, who);
}

bool backlog_close(Db *db, bool run, const char *who, GError **error)
{
	if (!db_begin(db, error))
		return false;
	if (close_it(db, run, who, error))
		return db_commit(db, error);
	db_rollback(db);
	return false;
}
