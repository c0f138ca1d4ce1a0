/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/error.h"
#include "bot/store/doors.h"
#include "bot/store/query.h"
#include "bot/store/series.h"

#include <string.h>

static void declined_free(gpointer data)
{
	Declined *declined = data;

	g_free(declined->kind);
	g_free(declined->message_id);
	g_free(declined->subject);
	g_free(declined->reason);
	g_free(declined);
}

GPtrArray *declined_list(Db *db, unsigned limit, GError **error)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(declined_free);
	g_autoptr(Query) query = query_new(
		db, "SELECT kind, row, message_id, subject, reason FROM ("
		    " SELECT 'series' AS kind, id AS row, title AS subject, arrived_us,"
		    "  CASE state WHEN 'complete' THEN " DOORS_WHY_WAITING
		    "  ELSE reason END AS reason,"
		    "  (SELECT message_id FROM series_mails"
		    "   JOIN messages ON messages.id = message_row"
		    "   WHERE series_row = series.id ORDER BY number LIMIT 1) AS message_id"
		    " FROM series WHERE state IN ('declined', 'complete')"
		    " UNION ALL"
		    " SELECT 'request', requests.id, subject, arrived_us,"
		    "  CASE requests.state WHEN 'new' THEN " DOORS_WHY_WAITING
		    "  ELSE requests.reason END, message_id"
		    " FROM requests JOIN messages ON messages.id = message_row"
		    " WHERE requests.state IN ('declined', 'new'))"
		    " WHERE reason IS NOT NULL"
		    " ORDER BY arrived_us DESC LIMIT :limit");

	query_set_int(query, ":limit", limit);
	while (query_next(query)) {
		Declined *declined = g_new0(Declined, 1);
		declined->kind = query_text(query, "kind");
		declined->row = query_int(query, "row");
		declined->message_id = query_text(query, "message_id");
		declined->subject = query_text(query, "subject");
		declined->reason = query_text(query, "reason");
		g_ptr_array_add(all, declined);
	}
	return query_finish(query, error) ? g_steal_pointer(&all) : NULL;
}

static bool is_series(const char *kind)
{
	return strcmp(kind, "series") == 0;
}

/* *@out_state is NULL when there is no such row. */
static bool find_state(Db *db, const char *kind, int64_t row, char **out_state, bool *out_busy,
		       GError **error)
{
	g_autoptr(Query) query =
		query_new(db, is_series(kind) ? "SELECT state, lease_owner IS NOT NULL AS busy"
						" FROM series WHERE id = :row"
					      : "SELECT state, lease_owner IS NOT NULL AS busy"
						" FROM requests WHERE id = :row");

	*out_state = NULL;
	query_set_int(query, ":row", row);
	if (query_next(query)) {
		*out_state = query_text(query, "state");
		*out_busy = query_int(query, "busy") != 0;
	}
	return query_finish(query, error);
}

static bool renew(Db *db, const char *kind, int64_t row, GError **error)
{
	g_autoptr(Query) update = query_new(
		db, is_series(kind) ? "UPDATE series SET state = 'complete', reason = NULL,"
				      " deaths = 0 WHERE id = :row"
				    : "UPDATE requests SET state = 'new', reason = NULL,"
				      " deaths = 0 WHERE id = :row");
	g_autoptr(Query) forget = query_new(db, "DELETE FROM awaited WHERE request_row = :row");

	query_set_int(update, ":row", row);
	query_set_int(forget, ":row", row);
	return query_run(update, error) && (is_series(kind) || query_run(forget, error));
}

bool declined_renew(Db *db, const char *kind, int64_t row, const char *who, GError **error)
{
	const char *waiting = is_series(kind) ? "complete" : "new";
	g_autofree char *state = NULL;
	g_autofree char *event = g_strconcat(kind, ".", waiting, NULL);
	bool busy = false;

	if (!find_state(db, kind, row, &state, &busy, error))
		return false;
	if (state == NULL) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
			    "there is no %s %" G_GINT64_FORMAT, kind, row);
		return false;
	}
	if (busy) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFLICT,
			    "%s %" G_GINT64_FORMAT " is being decided at this moment", kind, row);
		return false;
	}
	if (strcmp(state, waiting) == 0)
		return true;
	if (strcmp(state, "declined") != 0 && strcmp(state, "poison") != 0) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFLICT,
			    "%s %" G_GINT64_FORMAT " is %s; only what was declined, or is poison, "
			    "can be decided anew",
			    kind, row, state);
		return false;
	}
	return renew(db, kind, row, error) &&
	       event_add(db, event, kind, row, error, "to be decided anew, by %s", who);
}
