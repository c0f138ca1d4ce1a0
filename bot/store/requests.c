/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/series.h"

#include "bot/base/error.h"
#include "bot/store/doors.h"
#include "bot/store/lease.h"
#include "bot/store/private.h"
#include "bot/store/query.h"

void stored_request_free(StoredRequest *request)
{
	if (request == NULL)
		return;
	g_free(request->state);
	g_free(request->reason);
	g_free(request->kind);
	g_free(request->facts);
	g_free(request->list);
	g_free(request);
}

bool request_save(Db *db, const StoredRequest *request, GError **error)
{
	g_autoptr(Query) query = query_new(
		db, "INSERT INTO requests (message_row, state, kind, facts, parent_job_row)"
		    " VALUES (:message, 'new', :kind, :facts, :parent)"
		    " ON CONFLICT (message_row) DO NOTHING");

	query_set_int(query, ":message", request->message_row);
	query_set_text(query, ":kind", request->kind);
	query_set_text(query, ":facts", request->facts);
	query_set_row(query, ":parent", request->parent_job_row);
	if (!query_run(query, error))
		return false;
	return query_changes(db) == 0 || event_add(db, "request.new", "request", query_last_row(db),
						   error, "%s", request->kind);
}

static StoredRequest *read_request(Query *query)
{
	StoredRequest *request = g_new0(StoredRequest, 1);

	request->row = query_int(query, "id");
	request->message_row = query_int(query, "message_row");
	request->state = query_text(query, "state");
	request->reason = query_text(query, "reason");
	request->kind = query_text(query, "kind");
	request->facts = query_text(query, "facts");
	request->parent_job_row = query_int(query, "parent_job_row");
	request->arrived_us = query_int(query, "arrived_us");
	request->list = query_text(query, "list");
	return request;
}

static StoredRequest *find(Db *db, const char *sql, int64_t row, GError **error)
{
	g_autoptr(StoredRequest) request = NULL;
	g_autoptr(Query) query = query_new(db, sql);

	query_set_int(query, ":row", row);
	if (query_next(query))
		request = read_request(query);
	return query_finish(query, error) ? g_steal_pointer(&request) : NULL;
}

#define REQUESTS_WHERE                                                                             \
	"SELECT requests.id, message_row, requests.state, requests.kind, facts, parent_job_row,"   \
	" " DOORS_AGE_US " AS arrived_us, list,"                                                   \
	" CASE requests.state WHEN 'new' THEN " DOORS_WHY_WAITING                                  \
	" ELSE requests.reason END AS reason"                                                      \
	" FROM requests JOIN messages ON messages.id = message_row WHERE "

StoredRequest *request_get(Db *db, int64_t row, GError **error)
{
	g_autoptr(GError) failed = NULL;
	StoredRequest *request = find(db, REQUESTS_WHERE "requests.id = :row", row, &failed);

	if (failed != NULL)
		g_propagate_error(error, g_steal_pointer(&failed));
	else if (request == NULL)
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
			    "there is no request %" G_GINT64_FORMAT, row);
	return request;
}

StoredRequest *request_find_by_message(Db *db, int64_t message_row, GError **error)
{
	return find(db, REQUESTS_WHERE "message_row = :row", message_row, error);
}

#define WAITING_FOR_PLAN                                                                           \
	"FROM requests JOIN messages ON messages.id = message_row"                                 \
	" WHERE requests.state = 'new' AND requests.lease_owner IS NULL"                           \
	" AND observe = 0 AND list IS NOT NULL AND " NO_BACKLOG

static GPtrArray *claim_requests(Db *db, unsigned limit, GError **error)
{
	g_autoptr(GPtrArray) all =
		g_ptr_array_new_with_free_func((GDestroyNotify)stored_request_free);
	g_autoptr(GArray) rows = lease_take(
		db, "SELECT requests.deaths " WAITING_FOR_PLAN " ORDER BY requests.id LIMIT 1",
		"UPDATE requests SET lease_owner = :owner, lease_until_us = :until"
		" WHERE id IN (SELECT requests.id " WAITING_FOR_PLAN
		"   AND (requests.deaths > 0) = :suspect ORDER BY requests.id LIMIT :limit)"
		" RETURNING id",
		limit, error);

	for (guint i = 0; rows != NULL && i < rows->len; i++) {
		StoredRequest *request = request_get(db, g_array_index(rows, int64_t, i), error);
		if (request == NULL)
			return NULL;
		g_ptr_array_add(all, request);
	}
	return rows == NULL ? NULL : g_steal_pointer(&all);
}

GPtrArray *request_claim(Db *db, unsigned limit, GError **error)
{
	if (!db_begin(db, error))
		return NULL;
	g_autoptr(GPtrArray) requests = claim_requests(db, limit, error);
	if (requests != NULL && db_commit(db, error))
		return g_steal_pointer(&requests);
	db_rollback(db);
	return NULL;
}

bool request_decide(Db *db, int64_t row, const char *state, const char *reason, GError **error)
{
	g_autofree char *name = g_strconcat("request.", state, NULL);
	g_autoptr(Query) query =
		query_new(db, "UPDATE requests SET state = :state, reason = :reason,"
			      " lease_owner = NULL, lease_until_us = NULL, deaths = 0"
			      " WHERE id = :row AND (lease_owner IS NULL OR lease_owner = :owner)");

	query_set_text(query, ":state", state);
	query_set_text(query, ":reason", reason);
	query_set_int(query, ":row", row);
	query_set_text(query, ":owner", db->owner);
	return query_run(query, error) && lease_ended(db, "request", row, error) &&
	       event_add(db, name, "request", row, error, "%s", reason == NULL ? "" : reason);
}

bool request_count(Db *db, const char *from_addr, int64_t since_us, unsigned *out_n, GError **error)
{
	g_autoptr(Query) query = query_new(
		db, "SELECT count(*) AS n FROM requests JOIN messages ON messages.id = message_row"
		    " WHERE requests.state = 'planned' AND arrived_us >= :since"
		    " AND (:addr IS NULL OR from_addr = :addr COLLATE NOCASE)");

	query_set_int(query, ":since", since_us);
	query_set_text(query, ":addr", from_addr);
	*out_n = query_next(query) ? (unsigned)query_int(query, "n") : 0;
	return query_finish(query, error);
}

static bool await(Db *db, int64_t row, const char *const *message_ids, GError **error)
{
	g_autoptr(Query) query =
		query_new(db, "INSERT OR IGNORE INTO awaited (message_id, request_row)"
			      " VALUES (:message_id, :row)");

	for (size_t i = 0; message_ids[i] != NULL; i++) {
		query_restart(query);
		query_set_text(query, ":message_id", message_ids[i]);
		query_set_int(query, ":row", row);
		if (!query_run(query, error))
			return false;
	}
	return true;
}

bool request_await(Db *db, int64_t row, const char *reason, const char *const *message_ids,
		   GError **error)
{
	return request_decide(db, row, "declined", reason, error) &&
	       await(db, row, message_ids, error);
}

static GArray *list_awaiting(Db *db, int64_t message_row, GError **error)
{
	g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(int64_t));
	g_autoptr(Query) query = query_new(
		db, "SELECT request_row AS id FROM awaited"
		    " WHERE message_id = (SELECT message_id FROM messages WHERE id = :row)"
		    " OR message_id IN (SELECT messages.message_id FROM series_mails AS own"
		    "   JOIN series ON series.id = own.series_row AND series.state <> 'incomplete'"
		    "   JOIN series_mails AS part ON part.series_row = own.series_row"
		    "   JOIN messages ON messages.id = part.message_row"
		    "   WHERE own.message_row = :row)"
		    " GROUP BY request_row");

	query_set_int(query, ":row", message_row);
	while (query_next(query)) {
		int64_t row = query_int(query, "id");
		g_array_append_val(rows, row);
	}
	return query_finish(query, error) ? g_steal_pointer(&rows) : NULL;
}

static bool reopen(Db *db, int64_t row, GError **error)
{
	g_autoptr(Query) forget = query_new(db, "DELETE FROM awaited WHERE request_row = :row");
	g_autoptr(Query) renew = query_new(db, "UPDATE requests SET state = 'new', reason = NULL"
					       " WHERE id = :row AND state = 'declined'");

	query_set_int(forget, ":row", row);
	query_set_int(renew, ":row", row);
	if (!query_run(forget, error) || !query_run(renew, error))
		return false;
	return query_changes(db) == 0 ||
	       event_add(db, "request.new", "request", row, error, "what it waited for has come");
}

bool request_reopen(Db *db, int64_t message_row, GError **error)
{
	g_autoptr(GArray) rows = list_awaiting(db, message_row, error);

	for (guint i = 0; rows != NULL && i < rows->len; i++) {
		if (!reopen(db, g_array_index(rows, int64_t, i), error))
			return false;
	}
	return rows != NULL;
}
