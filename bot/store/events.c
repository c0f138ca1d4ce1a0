/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/db.h"

#include "bot/store/private.h"
#include "bot/store/query.h"

bool event_add(Db *db, const char *name, const char *subject_kind, int64_t subject_row,
	       GError **error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);

	g_autoptr(Query) query =
		query_new(db, "INSERT INTO events (at_us, name, subject_kind, subject_row, text)"
			      " VALUES (:at, :name, :kind, :row, :text)");
	query_set_int(query, ":at", clock_now_us(db->clock));
	query_set_text(query, ":name", name);
	query_set_text(query, ":kind", subject_kind);
	query_set_int(query, ":row", subject_row);
	query_set_text(query, ":text", text);
	return query_run(query, error);
}

void stored_event_free(StoredEvent *event)
{
	if (event == NULL)
		return;
	g_free(event->name);
	g_free(event->subject_kind);
	g_free(event->text);
	g_free(event);
}

static StoredEvent *read_event(Query *query)
{
	StoredEvent *event = g_new0(StoredEvent, 1);

	event->row = query_int(query, "id");
	event->at_us = query_int(query, "at_us");
	event->name = query_text(query, "name");
	event->subject_kind = query_text(query, "subject_kind");
	event->subject_row = query_int(query, "subject_row");
	event->text = query_text(query, "text");
	return event;
}

GPtrArray *event_list(Db *db, const char *subject_kind, int64_t subject_row, GError **error)
{
	g_autoptr(GPtrArray) events =
		g_ptr_array_new_with_free_func((GDestroyNotify)stored_event_free);
	g_autoptr(Query) query =
		query_new(db, "SELECT id, at_us, name, subject_kind, subject_row, text"
			      " FROM events"
			      " WHERE subject_kind = :kind AND subject_row = :row"
			      " ORDER BY id");

	query_set_text(query, ":kind", subject_kind);
	query_set_int(query, ":row", subject_row);
	while (query_next(query))
		g_ptr_array_add(events, read_event(query));
	return query_finish(query, error) ? g_steal_pointer(&events) : NULL;
}

bool control_set(Db *db, const char *name, const char *reason, GError **error)
{
	g_autoptr(Query) query =
		reason == NULL
			? query_new(db, "DELETE FROM controls WHERE name = :name")
			: query_new(db, "INSERT INTO controls (name, reason, set_us)"
					" VALUES (:name, :reason, :now)"
					" ON CONFLICT (name) DO UPDATE"
					" SET reason = excluded.reason, set_us = excluded.set_us");

	query_set_text(query, ":name", name);
	if (reason != NULL) {
		query_set_text(query, ":reason", reason);
		query_set_int(query, ":now", clock_now_us(db->clock));
	}
	return query_run(query, error);
}

char *control_get(Db *db, const char *name)
{
	g_autoptr(Query) query = query_new(db, "SELECT reason FROM controls WHERE name = :name");

	g_autoptr(GError) failed = NULL;

	query_set_text(query, ":name", name);
	if (query_next(query))
		return query_text(query, "reason");
	return query_finish(query, &failed) ? NULL : g_strdup(failed->message);
}
