/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/lease.h"

#include "bot/base/error.h"
#include "bot/store/private.h"
#include "bot/store/processes.h"
#include "bot/store/query.h"

#include <string.h>
#include <unistd.h>

#define DEATHS_TO_POISON 3

/*
 * The tables that have leases.  A `sending` mail is not among the released: its process may have
 * died after the server took it, and outbox_recover() must find it as it was left.
 */
static const struct {
	const char *kind;    /* of events */
	const char *owners;  /* all lease holders                                              */
	const char *release; /* :owner NULL: all leases that ran out                           */
	const char *poison;
	const char *extend;
	const char *give_back; /* :owner                                                       */
} tables[] = {
#define LEASED(kind, table, also, working, poisoned)                                               \
	{                                                                                          \
		kind, "SELECT DISTINCT lease_owner FROM " table " WHERE lease_owner IS NOT NULL",  \
			"UPDATE " table                                                            \
			" SET lease_owner = NULL, lease_until_us = NULL, deaths = deaths + 1"      \
			" WHERE lease_owner IS NOT NULL" also                                      \
			" AND (lease_owner = :owner OR (:owner IS NULL AND lease_until_us < "      \
			":now))",                                                                  \
			"UPDATE " table " SET " poisoned                                           \
			" WHERE lease_owner IS NULL AND deaths >= 3 AND state IN (" working        \
			") RETURNING id",                                                          \
			"UPDATE " table " SET lease_until_us = :until WHERE lease_owner = :owner", \
			"UPDATE " table " SET lease_owner = NULL, lease_until_us = NULL"           \
			" WHERE lease_owner = :owner" also,                                        \
	}
	LEASED("message", "messages", "", "'new'", "state = 'poison'"),
	LEASED("series", "series", "", "'complete'", "state = 'poison'"),
	LEASED("request", "requests", "", "'new'", "state = 'poison'"),
	LEASED("job", "jobs", "", "'planned', 'built', 'ran'", "state = 'poison'"),
	LEASED("outgoing", "outgoing", " AND state <> 'sending'", "'queued'",
	       "state = 'held', deaths = 0, "
	       "hold_reason = 'the sender died three times over this mail'"),
#undef LEASED
};

/*
 * Field 22 of /proc/PID/stat; the name in field 2 may hold blanks and brackets, so count from the
 * last one.  A killed process that nobody has waited for yet is dead all the same.
 */
static char *start_time_of(const char *pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%s/stat", pid);
	g_autofree char *text = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return NULL;
	const char *rest = strrchr(text, ')');
	if (rest == NULL || strlen(rest) < 3 || rest[2] == 'Z' || rest[2] == 'X')
		return NULL;
	g_auto(GStrv) fields = g_strsplit(rest + 2, " ", -1);
	return g_strv_length(fields) > 19 ? g_strdup(fields[19]) : NULL;
}

static char *boot_id(void)
{
	g_autofree char *text = NULL;

	if (!g_file_get_contents("/proc/sys/kernel/random/boot_id", &text, NULL, NULL))
		return g_strdup("unknown-boot");
	return g_strdup(g_strstrip(text));
}

void db_set_owner(Db *db, const char *stage)
{
	g_autofree char *boot = boot_id();
	g_autofree char *pid = g_strdup_printf("%d", (int)getpid());
	g_autofree char *start = start_time_of(pid);

	g_free(db->owner);
	db->owner = g_strdup_printf("%s/%s/%s/%s", boot, pid, start == NULL ? "0" : start, stage);
}

bool lease_owner_is_dead(const char *owner)
{
	g_autofree char *boot = boot_id();
	g_auto(GStrv) parts = g_strsplit(owner, "/", 4);

	if (g_strv_length(parts) != 4 || strcmp(parts[0], boot) != 0)
		return true;
	/* The number is from our own table, but it becomes a path: nothing but digits. */
	if (parts[1][0] == '\0' || strspn(parts[1], "0123456789") != strlen(parts[1]))
		return true;
	g_autofree char *start = start_time_of(parts[1]);
	return g_strcmp0(start, parts[2]) != 0;
}

int64_t lease_until(const Db *db)
{
	return clock_now_us(db->clock) + DB_LEASE_US;
}

static bool collect_owners(Db *db, const char *sql, GHashTable *owners, GError **error)
{
	g_autoptr(Query) query = query_new(db, sql);

	while (query_next(query))
		g_hash_table_add(owners, query_text(query, "lease_owner"));
	return query_finish(query, error);
}

static bool release(Db *db, const char *sql, const char *owner, GError **error)
{
	g_autoptr(Query) query = query_new(db, sql);

	query_set_text(query, ":owner", owner);
	query_set_int(query, ":now", clock_now_us(db->clock));
	return query_run(query, error);
}

static bool poison(Db *db, const char *kind, const char *sql, GError **error)
{
	g_autoptr(Query) query = query_new(db, sql);
	g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(int64_t));
	g_autofree char *name = g_strconcat(kind, ".poisoned", NULL);

	while (query_next(query)) {
		int64_t row = query_int(query, "id");
		g_array_append_val(rows, row);
	}
	if (!query_finish(query, error))
		return false;
	for (guint i = 0; i < rows->len; i++) {
		if (!event_add(db, name, kind, g_array_index(rows, int64_t, i), error,
			       "%d processes died over it; it is kept and not tried again",
			       DEATHS_TO_POISON))
			return false;
	}
	return true;
}

static bool release_table(Db *db, size_t table, GHashTable *dead, GError **error)
{
	GHashTableIter iter;
	gpointer owner = NULL;

	g_hash_table_iter_init(&iter, dead);
	while (g_hash_table_iter_next(&iter, &owner, NULL)) {
		if (!release(db, tables[table].release, owner, error))
			return false;
	}
	return release(db, tables[table].release, NULL, error) &&
	       poison(db, tables[table].kind, tables[table].poison, error);
}

static bool release_all(Db *db, GHashTable *dead, GError **error)
{
	for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
		if (!release_table(db, i, dead, error))
			return false;
	}
	return true;
}

static gboolean is_alive(gpointer owner, gpointer value, gpointer unused)
{
	(void)value;
	(void)unused;
	return !lease_owner_is_dead(owner);
}

static bool collect_all_owners(Db *db, GHashTable *owners, GError **error)
{
	for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
		if (!collect_owners(db, tables[i].owners, owners, error))
			return false;
	}
	return true;
}

GPtrArray *processes_at_work(Db *db, GError **error)
{
	g_autoptr(GHashTable) owners = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	GHashTableIter iter;
	gpointer owner = NULL;

	if (!collect_all_owners(db, owners, error))
		return NULL;
	g_hash_table_iter_init(&iter, owners);
	while (g_hash_table_iter_next(&iter, &owner, NULL)) {
		g_auto(GStrv) parts = g_strsplit(owner, "/", 4);
		if (g_strv_length(parts) == 4 && !lease_owner_is_dead(owner))
			g_ptr_array_add(names,
					g_strdup_printf("%s (process %s)", parts[3], parts[1]));
	}
	return g_steal_pointer(&names);
}

bool db_release_dead(Db *db, GError **error)
{
	g_autoptr(GHashTable) owners = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	if (!db_begin(db, error))
		return false;
	if (!collect_all_owners(db, owners, error)) {
		db_rollback(db);
		return false;
	}
	g_hash_table_foreach_remove(owners, is_alive, NULL);
	if (!release_all(db, owners, error)) {
		db_rollback(db);
		return false;
	}
	return db_commit(db, error);
}

static bool give_back_all(Db *db, GError **error)
{
	for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
		g_autoptr(Query) query = query_new(db, tables[i].give_back);

		query_set_text(query, ":owner", db->owner);
		if (!query_run(query, error))
			return false;
	}
	return true;
}

bool db_give_back(Db *db, GError **error)
{
	if (!db_begin(db, error))
		return false;
	if (give_back_all(db, error))
		return db_commit(db, error);
	db_rollback(db);
	return false;
}

static bool extend_all(Db *db, GError **error)
{
	for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
		g_autoptr(Query) query = query_new(db, tables[i].extend);

		query_set_int(query, ":until", lease_until(db));
		query_set_text(query, ":owner", db->owner);
		if (!query_run(query, error))
			return false;
	}
	return true;
}

bool db_extend_leases(Db *db, GError **error)
{
	if (!db_begin(db, error))
		return false;
	if (extend_all(db, error))
		return db_commit(db, error);
	db_rollback(db);
	return false;
}

bool lease_ended(Db *db, const char *kind, int64_t row, GError **error)
{
	if (query_changes(db) > 0)
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_CONFLICT,
		    "%s %" G_GINT64_FORMAT " does not exist or is another process's by now", kind,
		    row);
	return false;
}

static gint compare_rows(gconstpointer a, gconstpointer b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

static bool next_is_suspect(Db *db, const char *first_sql, bool *out_suspect, GError **error)
{
	g_autoptr(Query) query = query_new(db, first_sql);

	if (query_next(query))
		*out_suspect = query_int(query, "deaths") > 0;
	return query_finish(query, error);
}

GArray *lease_take(Db *db, const char *first_sql, const char *claim_sql, unsigned limit,
		   GError **error)
{
	g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(int64_t));
	bool suspect = false;

	if (!next_is_suspect(db, first_sql, &suspect, error))
		return NULL;
	g_autoptr(Query) query = query_new(db, claim_sql);
	query_set_text(query, ":owner", db->owner);
	query_set_int(query, ":until", lease_until(db));
	query_set_int(query, ":suspect", suspect);
	query_set_int(query, ":limit", suspect ? 1 : limit);
	while (query_next(query)) {
		int64_t row = query_int(query, "id");
		g_array_append_val(rows, row);
	}
	if (!query_finish(query, error))
		return NULL;
	g_array_sort(rows, compare_rows);
	return g_steal_pointer(&rows);
}
