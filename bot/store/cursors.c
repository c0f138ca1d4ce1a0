/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/cursors.h"

#include "bot/base/error.h"
#include "bot/store/private.h"
#include "bot/store/query.h"

#define SOURCE_COLUMNS                                                                             \
	"id, name, place, places, cursor, start_us, connected, behind, last_mail_us, last_ok_us, " \
	"last_error,"                                                                              \
	" next_try_us, failures"

#define DAY_US (INT64_C(24) * 60 * 60 * CLOCK_US_PER_S)
#define ALIVE_EVERY_US (INT64_C(10) * 60 * CLOCK_US_PER_S)

void source_state_free(SourceState *state)
{
	if (state == NULL)
		return;
	g_free(state->name);
	g_free(state->place);
	g_free(state->cursor);
	g_free(state->last_error);
	g_free(state);
}

static SourceState *read_source(Query *query)
{
	SourceState *state = g_new0(SourceState, 1);

	state->name = query_text(query, "name");
	state->place = query_text(query, "place");
	state->places = (unsigned)query_int(query, "places");
	state->cursor = query_text(query, "cursor");
	state->start_us = query_int(query, "start_us");
	state->connected = query_int(query, "connected") != 0;
	state->behind = query_int(query, "behind");
	state->last_mail_us = query_int(query, "last_mail_us");
	state->last_ok_us = query_int(query, "last_ok_us");
	state->last_error = query_text(query, "last_error");
	state->next_try_us = query_int(query, "next_try_us");
	state->failures = (unsigned)query_int(query, "failures");
	return state;
}

static SourceState *find_source(Db *db, const char *name, int64_t *out_row, GError **error)
{
	g_autoptr(SourceState) state = NULL;
	g_autoptr(Query) query =
		query_new(db, "SELECT " SOURCE_COLUMNS " FROM sources WHERE name = :name");

	query_set_text(query, ":name", name);
	if (query_next(query)) {
		state = read_source(query);
		*out_row = query_int(query, "id");
	}
	return query_finish(query, error) ? g_steal_pointer(&state) : NULL;
}

static SourceState *get_source(Db *db, const char *name, int64_t *out_row, GError **error)
{
	g_autoptr(GError) failed = NULL;
	SourceState *state = find_source(db, name, out_row, &failed);

	if (state == NULL && failed == NULL)
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
			    "source %s was never attached to this database", name);
	else if (state == NULL)
		g_propagate_error(error, g_steal_pointer(&failed));
	return state;
}

static bool insert_source(Db *db, const char *name, const char *place, int64_t start_us,
			  GError **error)
{
	g_autoptr(Query) query = query_new(
		db, "INSERT INTO sources (name, place, start_us, connected, behind, last_mail_us,"
		    " last_ok_us, next_try_us, failures)"
		    " VALUES (:name, :place, :start, 0, -1, 0, 0, 0, 0)"
		    " ON CONFLICT (name) DO NOTHING");

	query_set_text(query, ":name", name);
	query_set_text(query, ":place", place);
	query_set_int(query, ":start", start_us);
	if (!query_run(query, error))
		return false;
	if (query_changes(db) == 0)
		return true;
	g_autofree char *since = clock_format_iso(start_us);
	return event_add(db, "source.attached", "source", query_last_row(db), error,
			 "%s: first contact, mail from %s on counts", name, since);
}

/* Nothing that was noted of the old place says anything of the new one. */
static bool move_source(Db *db, const SourceState *before, int64_t row, const char *place,
			int64_t since_us, GError **error)
{
	int64_t start_us = since_us == 0 ? MAX(before->last_mail_us, before->start_us) : since_us;
	g_autofree char *start = clock_format_iso(start_us);
	g_autoptr(Query) query =
		query_new(db, "UPDATE sources SET place = :place, places = places + 1,"
			      " cursor = NULL, start_us = :start, connected = 0, behind = -1"
			      " WHERE id = :row");

	query_set_text(query, ":place", place);
	query_set_int(query, ":start", start_us);
	query_set_int(query, ":row", row);
	return query_run(query, error) &&
	       event_add(db, "source.moved", "source", row, error,
			 "%s: was %s and is %s now: first contact, mail from %s on counts",
			 before->name, before->place, place, start);
}

/* A database of before places were kept: the place is taken for the one it always was. */
static bool name_place(Db *db, int64_t row, const char *place, GError **error)
{
	g_autoptr(Query) query = query_new(db, "UPDATE sources SET place = :place WHERE id = :row");

	query_set_text(query, ":place", place);
	query_set_int(query, ":row", row);
	return query_run(query, error);
}

static SourceState *attach(Db *db, const char *name, const char *place, int64_t since_us,
			   GError **error)
{
	int64_t start_us = since_us == 0 ? clock_now_us(db->clock) : since_us;
	int64_t row = 0;

	if (!insert_source(db, name, place, start_us, error))
		return NULL;
	g_autoptr(SourceState) state = get_source(db, name, &row, error);
	if (state == NULL || g_strcmp0(state->place, place) == 0)
		return g_steal_pointer(&state);
	bool fine = state->place == NULL ? name_place(db, row, place, error)
					 : move_source(db, state, row, place, since_us, error);
	return fine ? get_source(db, name, &row, error) : NULL;
}

SourceState *cursor_attach(Db *db, const char *name, const char *place, int64_t since_us,
			   GError **error)
{
	if (!db_begin(db, error))
		return NULL;
	g_autoptr(SourceState) state = attach(db, name, place, since_us, error);
	if (state != NULL && db_commit(db, error))
		return g_steal_pointer(&state);
	db_rollback(db);
	return NULL;
}

bool cursor_advance(Db *db, const char *name, const char *cursor, int64_t behind,
		    int64_t last_mail_us, GError **error)
{
	int64_t now = clock_now_us(db->clock);
	g_autoptr(Query) query =
		query_new(db, "UPDATE sources SET cursor = coalesce(:cursor, cursor),"
			      " behind = :behind, last_mail_us = max(last_mail_us, :last_mail),"
			      " last_ok_us = :now WHERE name = :name");

	query_set_text(query, ":cursor", cursor);
	query_set_int(query, ":behind", behind);
	/* A Date in the future says only that the mail is here now; kept as written it would vouch
	 * for mail that has not come yet. */
	query_set_int(query, ":last_mail", MIN(last_mail_us, now));
	query_set_int(query, ":now", now);
	query_set_text(query, ":name", name);
	if (!query_run(query, error))
		return false;
	if (query_changes(db) > 0)
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
		    "source %s was never attached to this database", name);
	return false;
}

static bool set_connected(Db *db, const char *name, GError **error)
{
	int64_t row = 0;
	g_autoptr(SourceState) before = get_source(db, name, &row, error);

	if (before == NULL)
		return false;
	g_autoptr(Query) query =
		query_new(db, "UPDATE sources SET connected = 1, last_error = NULL, failures = 0,"
			      " next_try_us = 0, last_ok_us = :now WHERE id = :row");
	query_set_int(query, ":now", clock_now_us(db->clock));
	query_set_int(query, ":row", row);
	if (!query_run(query, error))
		return false;
	return before->connected ||
	       event_add(db, "source.connected", "source", row, error,
			 "%s: connected after %u failures", name, before->failures);
}

static bool set_failed(Db *db, const char *name, const char *reason, int64_t next_try_us,
		       GError **error)
{
	int64_t row = 0;
	g_autoptr(SourceState) before = get_source(db, name, &row, error);

	if (before == NULL)
		return false;
	g_autoptr(Query) query =
		query_new(db, "UPDATE sources SET connected = 0, last_error = :reason,"
			      " failures = failures + 1, next_try_us = :next WHERE id = :row");
	query_set_text(query, ":reason", reason);
	query_set_int(query, ":next", next_try_us);
	query_set_int(query, ":row", row);
	if (!query_run(query, error))
		return false;
	return g_strcmp0(before->last_error, reason) == 0 ||
	       event_add(db, "source.failed", "source", row, error, "%s: %s", name, reason);
}

bool cursor_connected(Db *db, const char *name, GError **error)
{
	if (!db_begin(db, error))
		return false;
	if (set_connected(db, name, error))
		return db_commit(db, error);
	db_rollback(db);
	return false;
}

bool cursor_failed(Db *db, const char *name, const char *reason, int64_t next_try_us,
		   GError **error)
{
	if (!db_begin(db, error))
		return false;
	if (set_failed(db, name, reason, next_try_us, error))
		return db_commit(db, error);
	db_rollback(db);
	return false;
}

bool cursor_alive(Db *db, const char *name, GError **error)
{
	int64_t now = clock_now_us(db->clock);
	g_autoptr(Query) query = query_new(
		db,
		"UPDATE sources SET last_ok_us = :now WHERE name = :name AND last_ok_us < :old");

	query_set_int(query, ":now", now);
	query_set_int(query, ":old", now - ALIVE_EVERY_US);
	query_set_text(query, ":name", name);
	return query_run(query, error);
}

static bool was_said(Db *db, int64_t row, int64_t since_us, bool *out_said, GError **error)
{
	g_autoptr(Query) query = query_new(
		db, "SELECT 1 FROM events WHERE subject_kind = 'source' AND subject_row = :row"
		    " AND name = 'source.silent' AND at_us > :since LIMIT 1");

	query_set_int(query, ":row", row);
	query_set_int(query, ":since", since_us);
	*out_said = query_next(query);
	return query_finish(query, error);
}

bool cursor_silent(Db *db, const char *name, int64_t last_mail_us, bool *out_new, GError **error)
{
	int64_t row = 0;
	bool said = false;
	g_autoptr(SourceState) state = get_source(db, name, &row, error);

	if (state == NULL || !was_said(db, row, last_mail_us, &said, error))
		return false;
	*out_new = !said;
	return said ||
	       event_add(db, "source.silent", "source", row, error, "%s: no mail for %.1f days",
			 name, (double)(clock_now_us(db->clock) - last_mail_us) / (double)DAY_US);
}

GPtrArray *cursor_list(Db *db, GError **error)
{
	g_autoptr(GPtrArray) states =
		g_ptr_array_new_with_free_func((GDestroyNotify)source_state_free);
	g_autoptr(Query) query =
		query_new(db, "SELECT " SOURCE_COLUMNS " FROM sources ORDER BY id");

	while (query_next(query))
		g_ptr_array_add(states, read_source(query));
	return query_finish(query, error) ? g_steal_pointer(&states) : NULL;
}
