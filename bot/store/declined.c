/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/doors.h"
#include "bot/store/query.h"
#include "bot/store/series.h"

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
		db, "SELECT kind, message_id, subject, reason FROM ("
		    " SELECT 'series' AS kind, title AS subject, arrived_us,"
		    "  CASE state WHEN 'complete' THEN " DOORS_WHY_WAITING
		    "  ELSE reason END AS reason,"
		    "  (SELECT message_id FROM series_mails"
		    "   JOIN messages ON messages.id = message_row"
		    "   WHERE series_row = series.id ORDER BY number LIMIT 1) AS message_id"
		    " FROM series WHERE state IN ('declined', 'complete')"
		    " UNION ALL"
		    " SELECT 'request', subject, arrived_us,"
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
		declined->message_id = query_text(query, "message_id");
		declined->subject = query_text(query, "subject");
		declined->reason = query_text(query, "reason");
		g_ptr_array_add(all, declined);
	}
	return query_finish(query, error) ? g_steal_pointer(&all) : NULL;
}
