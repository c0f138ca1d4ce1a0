/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/links.h"

#include "bot/store/query.h"

#include <string.h>

static GArray *list_rows(Db *db, const char *sql, int64_t row, GError **error)
{
	g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(int64_t));
	g_autoptr(Query) query = query_new(db, sql);

	query_set_int(query, ":row", row);
	while (query_next(query)) {
		int64_t id = query_int(query, "id");
		g_array_append_val(rows, id);
	}
	return query_finish(query, error) ? g_steal_pointer(&rows) : NULL;
}

GArray *links_jobs(Db *db, const char *kind, int64_t row, GError **error)
{
	return list_rows(db,
			 strcmp(kind, "series") == 0
				 ? "SELECT id FROM jobs WHERE series_row = :row ORDER BY id"
				 : "SELECT id FROM jobs WHERE request_row = :row ORDER BY id",
			 row, error);
}

GArray *links_mails(Db *db, int64_t job_row, GError **error)
{
	return list_rows(db, "SELECT id FROM outgoing WHERE job_row = :row ORDER BY id", job_row,
			 error);
}
