/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/outbox.h"

#include "bot/store/private.h"
#include "bot/store/query.h"

static bool count_by_state(Db *db, const char *sql, GHashTable **out_counts, GError **error)
{
	g_autoptr(GHashTable) counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(Query) query = query_new(db, sql);

	while (query_next(query))
		g_hash_table_insert(counts, query_text(query, "state"),
				    GINT_TO_POINTER((int)query_int(query, "n")));
	if (!query_finish(query, error))
		return false;
	*out_counts = g_steal_pointer(&counts);
	return true;
}

static bool count_mail(Db *db, StoreCounts *counts, GError **error)
{
	g_autoptr(Query) query = query_new(
		db, "SELECT (SELECT count(*) FROM messages) AS messages,"
		    " (SELECT count(*) FROM sightings WHERE message_row IS NOT NULL) AS sightings,"
		    " (SELECT count(*) FROM sightings WHERE message_row IS NULL)"
		    "   + (SELECT count(*) FROM messages WHERE state = 'refused') AS refused,"
		    " (SELECT count(*) FROM messages WHERE state = 'new') AS new_messages,"
		    " (SELECT count(*) FROM series) AS series,"
		    " (SELECT count(*) FROM requests) AS requests");

	if (query_next(query)) {
		counts->messages = query_int(query, "messages");
		counts->sightings = query_int(query, "sightings");
		counts->refused = query_int(query, "refused");
		counts->new_messages = query_int(query, "new_messages");
		counts->series = query_int(query, "series");
		counts->requests = query_int(query, "requests");
	}
	return query_finish(query, error);
}

bool store_counts(Db *db, StoreCounts *out_counts, GError **error)
{
	StoreCounts counts = {0};

	if (count_mail(db, &counts, error) &&
	    count_by_state(db, "SELECT state, count(*) AS n FROM jobs GROUP BY state", &counts.jobs,
			   error) &&
	    count_by_state(db, "SELECT state, count(*) AS n FROM outgoing GROUP BY state",
			   &counts.outgoing, error)) {
		*out_counts = counts;
		return true;
	}
	store_counts_clear(&counts);
	return false;
}

void store_counts_clear(StoreCounts *counts)
{
	g_clear_pointer(&counts->jobs, g_hash_table_unref);
	g_clear_pointer(&counts->outgoing, g_hash_table_unref);
}
