/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/identity.h"

#include "bot/base/error.h"
#include "bot/store/private.h"
#include "bot/store/query.h"
#include "bot/store/raw.h"

#define CURE "restore lorebot.db and raw.db from one backup"

static bool facts_are_lost(const Db *db, GError **error)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_CORRUPT,
		    "%s: lorebot.db is missing or empty, but raw.db holds mails; " CURE
		    ", or move raw.db away to begin anew",
		    db->state_dir);
	return false;
}

bool identity_raw_is_lost(const Db *db, GError **error)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_CORRUPT,
		    "%s: raw.db is missing or empty, but lorebot.db is there; " CURE
		    ", or move lorebot.db away to begin anew",
		    db->state_dir);
	return false;
}

static bool are_strangers(const Db *db, GError **error)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_CORRUPT,
		    "%s: lorebot.db and raw.db do not belong together; " CURE, db->state_dir);
	return false;
}

/* One column "found". */
static bool ask(Db *db, bool raw, const char *sql, bool *out_found, GError **error)
{
	g_autoptr(Query) query = raw ? query_new_raw(db, sql) : query_new(db, sql);

	if (query_next(query))
		*out_found = query_int(query, "found") != 0;
	return query_finish(query, error);
}

static bool holds_mails(Db *db, bool *out_holds, GError **error)
{
	bool has_table = false;

	*out_holds = false;
	if (!ask(db, true, "SELECT count(*) AS found FROM sqlite_schema WHERE name = 'raw'",
		 &has_table, error))
		return false;
	return !has_table ||
	       ask(db, true, "SELECT EXISTS (SELECT 1 FROM raw) AS found", out_holds, error);
}

bool identity_may_begin(Db *db, GError **error)
{
	bool holds = false;

	return holds_mails(db, &holds, error) && (!holds || facts_are_lost(db, error));
}

/* ---- ids ---- */

typedef struct {
	char *facts; /* NULL: none yet */
	char *raw;
} Ids;

static void ids_clear(Ids *ids)
{
	g_clear_pointer(&ids->facts, g_free);
	g_clear_pointer(&ids->raw, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Ids, ids_clear)

static bool read_id(Db *db, bool raw, char **out_id, GError **error)
{
	static const char sql[] = "SELECT id FROM identity";
	g_autoptr(Query) query = raw ? query_new_raw(db, sql) : query_new(db, sql);

	if (query_next(query))
		*out_id = query_text(query, "id");
	return query_finish(query, error);
}

static bool read_ids(Db *db, Ids *ids, GError **error)
{
	ids_clear(ids);
	return read_id(db, false, &ids->facts, error) && read_id(db, true, &ids->raw, error);
}

static bool write_id(Db *db, bool raw, const char *id, GError **error)
{
	static const char sql[] = "INSERT INTO identity (only, id) VALUES (1, :id)";

	if (raw && !raw_begin(db, error))
		return false;
	g_autoptr(Query) query = raw ? query_new_raw(db, sql) : query_new(db, sql);
	query_set_text(query, ":id", id);
	return query_run(query, error);
}

static bool newest_mail_is_stored(Db *db, bool *out_stored, GError **error)
{
	g_autoptr(GBytes) hash = NULL;
	g_autoptr(Query) query =
		query_new(db, "SELECT raw_sha256 FROM messages ORDER BY id DESC LIMIT 1");

	if (query_next(query))
		hash = query_blob(query, "raw_sha256");
	if (!query_finish(query, error))
		return false;
	*out_stored = hash == NULL;
	return hash == NULL || raw_has(db, hash, out_stored, error);
}

/*
 * A pair of before there were ids, or one whose making was cut short.  Only raw.db may hold more
 * than the other names (see private.h), and never beside a lorebot.db in which nothing happened.
 */
static bool is_pair(Db *db, GError **error)
{
	bool used = false, holds = false, stored = false;

	if (!ask(db, false,
		 "SELECT EXISTS (SELECT 1 FROM sources) OR EXISTS (SELECT 1 FROM messages)"
		 " OR EXISTS (SELECT 1 FROM events) AS found",
		 &used, error) ||
	    !holds_mails(db, &holds, error) || !newest_mail_is_stored(db, &stored, error))
		return false;
	if (holds && !used)
		return facts_are_lost(db, error);
	if (!stored)
		return holds ? are_strangers(db, error) : identity_raw_is_lost(db, error);
	return true;
}

/* In a transaction. */
static bool make_pair(Db *db, GError **error)
{
	g_auto(Ids) ids = {0};

	if (!read_ids(db, &ids, error))
		return false;
	if (ids.facts != NULL && ids.raw != NULL)
		return true; /* another process was first; the caller compares */
	if (!is_pair(db, error))
		return false;
	g_autofree char *fresh = g_uuid_string_random();
	const char *id = ids.facts != NULL ? ids.facts : ids.raw != NULL ? ids.raw : fresh;
	return (ids.raw != NULL || write_id(db, true, id, error)) &&
	       (ids.facts != NULL || write_id(db, false, id, error));
}

static bool commit_pair(Db *db, GError **error)
{
	if (!db_begin(db, error))
		return false;
	if (make_pair(db, error))
		return db_commit(db, error);
	db_rollback(db);
	return false;
}

bool identity_check(Db *db, bool create, GError **error)
{
	g_auto(Ids) ids = {0};

	if (!read_ids(db, &ids, error))
		return false;
	if (ids.facts == NULL || ids.raw == NULL) {
		if (!create) {
			g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
				    "%s: the databases have no id yet; `lorebot serve` gives them "
				    "one",
				    db->state_dir);
			return false;
		}
		if (!commit_pair(db, error) || !read_ids(db, &ids, error))
			return false;
	}
	return g_strcmp0(ids.facts, ids.raw) == 0 || are_strangers(db, error);
}
