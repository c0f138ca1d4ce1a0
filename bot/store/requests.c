/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/series.h"

#include "bot/base/error.h"
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
		db, "INSERT INTO requests"
		    " (message_row, state, kind, facts, parent_job_row, observe, arrived_us, list)"
		    " VALUES (:message, 'new', :kind, :facts, :parent, :observe, :arrived, :list)"
		    " ON CONFLICT (message_row) DO NOTHING");

	query_set_int(query, ":message", request->message_row);
	query_set_text(query, ":kind", request->kind);
	query_set_text(query, ":facts", request->facts);
	query_set_row(query, ":parent", request->parent_job_row);
	query_set_int(query, ":observe", request->observe);
	query_set_int(query, ":arrived", request->arrived_us);
	query_set_text(query, ":list", request->list);
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
	request->observe = query_int(query, "observe") != 0;
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
	"SELECT id, message_row, state, reason, kind, facts, parent_job_row, observe, arrived_us," \
	" list FROM requests WHERE "

StoredRequest *request_get(Db *db, int64_t row, GError **error)
{
	g_autoptr(GError) failed = NULL;
	StoredRequest *request = find(db, REQUESTS_WHERE "id = :row", row, &failed);

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

static GPtrArray *claim_requests(Db *db, unsigned limit, GError **error)
{
	g_autoptr(GPtrArray) all =
		g_ptr_array_new_with_free_func((GDestroyNotify)stored_request_free);
	g_autoptr(GArray) rows = lease_take(
		db,
		"SELECT deaths FROM requests"
		" WHERE state = 'new' AND lease_owner IS NULL"
		" AND " NO_BACKLOG " ORDER BY id LIMIT 1",
		"UPDATE requests SET lease_owner = :owner, lease_until_us = :until"
		" WHERE id IN (SELECT id FROM requests"
		"   WHERE state = 'new' AND lease_owner IS NULL"
		"   AND " NO_BACKLOG "   AND (deaths > 0) = :suspect ORDER BY id LIMIT :limit)"
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
		    " WHERE requests.state = 'planned' AND requests.arrived_us >= :since"
		    " AND (:addr IS NULL OR from_addr = :addr COLLATE NOCASE)");

	query_set_int(query, ":since", since_us);
	query_set_text(query, ":addr", from_addr);
	*out_n = query_next(query) ? (unsigned)query_int(query, "n") : 0;
	return query_finish(query, error);
}

bool request_reopen(Db *db, int64_t series_row, GError **error)
{
	g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(int64_t));
	g_autoptr(Query) query = query_new(
		db, "UPDATE requests SET state = 'new', reason = NULL"
		    " WHERE state = 'declined' AND reason IN ('" REQUEST_NOT_FOUND
		    "', '" REQUEST_NOT_COMPLETE "') AND (message_row IN"
		    "   (SELECT message_row FROM series_mails WHERE series_row = :series)"
		    " OR message_row IN (SELECT refs.message_row FROM message_refs AS refs"
		    "   JOIN messages ON messages.message_id = refs.ancestor"
		    "   JOIN series_mails ON series_mails.message_row = messages.id"
		    "   WHERE series_row = :series)) RETURNING id");

	query_set_int(query, ":series", series_row);
	while (query_next(query)) {
		int64_t row = query_int(query, "id");
		g_array_append_val(rows, row);
	}
	if (!query_finish(query, error))
		return false;
	for (guint i = 0; i < rows->len; i++) {
		if (!event_add(db, "request.new", "request", g_array_index(rows, int64_t, i), error,
			       "the series it means is whole now"))
			return false;
	}
	return true;
}
