/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/processes.h"

#include "bot/store/private.h"
#include "bot/store/query.h"

void stored_process_free(StoredProcess *process)
{
	if (process == NULL)
		return;
	g_free(process->name);
	g_free(process->reason);
	g_free(process);
}

bool processes_clear(Db *db, GError **error)
{
	g_autoptr(Query) query = query_new(db, "DELETE FROM processes");

	return query_run(query, error);
}

bool processes_save(Db *db, const StoredProcess *process, GError **error)
{
	g_autoptr(Query) query = query_new(
		db, "INSERT INTO processes (name, pid, since_us, failures, reason, next_try_us)"
		    " VALUES (:name, :pid, :now, :failures, :reason, :next)"
		    " ON CONFLICT (name) DO UPDATE"
		    " SET pid = excluded.pid, since_us = excluded.since_us,"
		    "     failures = excluded.failures, reason = excluded.reason,"
		    "     next_try_us = excluded.next_try_us");

	query_set_text(query, ":name", process->name);
	query_set_int(query, ":pid", process->pid);
	query_set_int(query, ":now", clock_now_us(db->clock));
	query_set_int(query, ":failures", process->failures);
	query_set_text(query, ":reason", process->reason);
	query_set_int(query, ":next", process->next_try_us);
	return query_run(query, error);
}

static StoredProcess *read_process(Query *query)
{
	StoredProcess *process = g_new0(StoredProcess, 1);

	process->name = query_text(query, "name");
	process->pid = query_int(query, "pid");
	process->since_us = query_int(query, "since_us");
	process->failures = (unsigned)query_int(query, "failures");
	process->reason = query_text(query, "reason");
	process->next_try_us = query_int(query, "next_try_us");
	return process;
}

GPtrArray *processes_list(Db *db, GError **error)
{
	g_autoptr(GPtrArray) list =
		g_ptr_array_new_with_free_func((GDestroyNotify)stored_process_free);
	g_autoptr(Query) query =
		query_new(db, "SELECT name, pid, since_us, failures, reason, next_try_us"
			      " FROM processes ORDER BY rowid");

	while (query_next(query))
		g_ptr_array_add(list, read_process(query));
	return query_finish(query, error) ? g_steal_pointer(&list) : NULL;
}
