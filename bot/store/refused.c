/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/messages.h"
#include "bot/store/query.h"

static void refused_free(gpointer data)
{
	RefusedMail *refused = data;

	g_free(refused->source);
	g_free(refused->locator);
	g_free(refused->message_id);
	g_free(refused->reason);
	g_free(refused);
}

GPtrArray *refused_list(Db *db, unsigned limit, GError **error)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(refused_free);
	g_autoptr(Query) query = query_new(
		db, "SELECT source, locator, NULL AS message_id, seen_us, refused AS reason"
		    " FROM sightings WHERE message_row IS NULL"
		    " UNION ALL SELECT NULL, NULL, message_id, arrived_us, reason"
		    " FROM messages WHERE state = 'refused'"
		    " ORDER BY seen_us DESC LIMIT :limit");

	query_set_int(query, ":limit", limit);
	while (query_next(query)) {
		RefusedMail *refused = g_new0(RefusedMail, 1);
		refused->source = query_text(query, "source");
		refused->locator = query_text(query, "locator");
		refused->message_id = query_text(query, "message_id");
		refused->arrived_us = query_int(query, "seen_us");
		refused->reason = query_text(query, "reason");
		g_ptr_array_add(all, refused);
	}
	return query_finish(query, error) ? g_steal_pointer(&all) : NULL;
}
