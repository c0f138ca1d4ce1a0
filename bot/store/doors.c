/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/doors.h"

#include "bot/store/query.h"

static bool find_start(Db *db, const char *source, int64_t *out_us, GError **error)
{
	g_autoptr(Query) query = query_new(db, "SELECT start_us FROM sources WHERE name = :name");

	query_set_text(query, ":name", source);
	if (query_next(query))
		*out_us = query_int(query, "start_us");
	return query_finish(query, error);
}

/*
 * A door is open for what came anywhere since it was opened, and for what it showed itself: the
 * clock of a server is not ours, so its first mail may be dated a little earlier.
 */
static bool open_since(Db *db, const Incoming *in, int64_t *out_us, GError **error)
{
	*out_us = in->arrived_us;
	if (!find_start(db, in->source, out_us, error))
		return false;
	*out_us = MIN(*out_us, in->arrived_us);
	return true;
}

static bool add_door(Db *db, int64_t row, const Incoming *in, GError **error)
{
	int64_t since_us = 0;

	if (!open_since(db, in, &since_us, error))
		return false;
	g_autoptr(Query) query = query_new(
		db, "UPDATE messages SET arrived_us = min(arrived_us, :arrived), live_from_us ="
		    " CASE WHEN :observe THEN live_from_us"
		    "   ELSE min(coalesce(live_from_us, :since), :since) END,"
		    " door_list = CASE WHEN :list IS NULL THEN door_list"
		    "   ELSE min(coalesce(door_list, :list), :list) END"
		    " WHERE id = :row");
	query_set_int(query, ":arrived", in->arrived_us);
	query_set_int(query, ":observe", in->observe);
	query_set_int(query, ":since", since_us);
	query_set_text(query, ":list", in->list);
	query_set_int(query, ":row", row);
	return query_run(query, error);
}

bool doors_first(Db *db, int64_t row, const Incoming *in, GError **error)
{
	return (in->observe && in->list == NULL) || add_door(db, row, in, error);
}

static bool is_observed(Db *db, int64_t row, bool *out_observed, GError **error)
{
	g_autoptr(Query) query = query_new(db, "SELECT observe FROM messages WHERE id = :row");

	query_set_int(query, ":row", row);
	*out_observed = query_next(query) && query_int(query, "observe") != 0;
	return query_finish(query, error);
}

#define SETTLE_SERIES                                                                              \
	"UPDATE series SET"                                                                        \
	" observe = EXISTS (SELECT 1 FROM series_mails AS part"                                    \
	"   JOIN messages ON messages.id = part.message_row"                                       \
	"   WHERE part.series_row = series.id AND messages.observe = 1),"                          \
	" arrived_us = coalesce((SELECT max(messages.arrived_us) FROM series_mails AS part"        \
	"   JOIN messages ON messages.id = part.message_row"                                       \
	"   WHERE part.series_row = series.id AND part.number > 0), 0),"                           \
	" list = (SELECT messages.list FROM series_mails AS part"                                  \
	"   JOIN messages ON messages.id = part.message_row"                                       \
	"   WHERE part.series_row = series.id AND messages.list IS NOT NULL"                       \
	"   ORDER BY part.number LIMIT 1)"

bool doors_settle_series(Db *db, int64_t series_row, GError **error)
{
	g_autoptr(Query) query = query_new(db, SETTLE_SERIES " WHERE id = :row");

	query_set_int(query, ":row", series_row);
	return query_run(query, error);
}

static bool settle_series_of(Db *db, int64_t message_row, GError **error)
{
	g_autoptr(Query) query = query_new(
		db, SETTLE_SERIES " WHERE state IN ('incomplete', 'complete', 'superseded')"
				  " AND id IN (SELECT series_row FROM series_mails"
				  "   WHERE message_row = :row)");

	query_set_int(query, ":row", message_row);
	return query_run(query, error);
}

bool doors_again(Db *db, int64_t row, const Incoming *in, GError **error)
{
	bool before = false, after = false;

	if (!is_observed(db, row, &before, error) || !add_door(db, row, in, error) ||
	    !is_observed(db, row, &after, error) || !settle_series_of(db, row, error))
		return false;
	if (before == after)
		return true;
	return event_add(db, after ? "message.observed" : "message.live", "message", row, error,
			 "seen at source %s, where %s", in->source,
			 after ? "it came before any door was open that may be acted upon"
			       : "it may be acted upon");
}

bool messages_set_list(Db *db, int64_t row, const char *list, GError **error)
{
	g_autoptr(Query) query =
		query_new(db, "UPDATE messages SET header_list = :list WHERE id = :row"
			      " AND header_list IS NOT :list");

	query_set_text(query, ":list", list);
	query_set_int(query, ":row", row);
	if (!query_run(query, error))
		return false;
	if (query_changes(db) == 0)
		return true;
	return settle_series_of(db, row, error) &&
	       event_add(db, "message.listed", "message", row, error, "%s",
			 list == NULL ? "addressed to no configured list" : list);
}
