/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/db.h"

#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/store/identity.h"
#include "bot/store/migrate.h"
#include "bot/store/private.h"
#include "bot/store/query.h"

#include <errno.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUSY_TIMEOUT_MS 30000

/*
 * Both files alike: what is committed survives a power cut, and SQL in a damaged or planted file
 * cannot call functions with side effects.  A checkpoint waits for the disk as long as a commit
 * does; at the default of 1,000 pages there would be one for each batch of 500 mails.  Every
 * process has two page caches and the kernel has another: larger ones cost memory and bought no
 * time.
 */
static const char setup_sql[] = "PRAGMA journal_mode = WAL;"
				"PRAGMA synchronous = FULL;"
				"PRAGMA foreign_keys = ON;"
				"PRAGMA trusted_schema = OFF;"
				"PRAGMA cell_size_check = ON;"
				"PRAGMA temp_store = MEMORY;"
				"PRAGMA cache_size = -2000;" /* 2 MB */
				"PRAGMA wal_autocheckpoint = 8000;";

static int primary_code(sqlite3 *connection)
{
	return sqlite3_errcode(connection) & 0xff;
}

static BotError code_of(sqlite3 *connection)
{
	int system = sqlite3_system_errno(connection);

	switch (primary_code(connection)) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_FULL:
	case SQLITE_NOMEM:
		return BOT_ERROR_TRANSIENT;
	case SQLITE_IOERR:
		return system == ENOSPC || system == EDQUOT || system == EINTR ? BOT_ERROR_TRANSIENT
									       : BOT_ERROR_CORRUPT;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return BOT_ERROR_CORRUPT;
	case SQLITE_CONSTRAINT:
		return BOT_ERROR_CONFLICT;
	case SQLITE_CANTOPEN:
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return system == ENOENT ? BOT_ERROR_NOT_FOUND : BOT_ERROR_PERMANENT;
	default:
		return BOT_ERROR_BUG;
	}
}

static const char *cure_of(sqlite3 *connection)
{
	int system = sqlite3_system_errno(connection);

	switch (primary_code(connection)) {
	case SQLITE_FULL:
		return "; the disk is full: nothing was stored, free some space and it goes on";
	case SQLITE_IOERR:
		return system == ENOSPC || system == EDQUOT
			       ? "; the disk is full: nothing was stored, free some space and it "
				 "goes on"
			       : "; look after the disk, then restore a backup if need be";
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return "; another lorebot process holds it, try again";
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return "; this is not a sound lorebot database: restore a backup, or move it away";
	default:
		return "";
	}
}

bool db_fail(const Db *db, const DbFile *file, const char *what, GError **error)
{
	sqlite3 *connection = file->connection;

	g_set_error(error, BOT_ERROR, (int)code_of(connection), "%s/%s: %s: %s (SQLite %d)%s",
		    db->state_dir, file->name, what, sqlite3_errmsg(connection),
		    sqlite3_extended_errcode(connection), cure_of(connection));
	return false;
}

static bool open_file(Db *db, DbFile *file, bool create, GError **error)
{
	g_autofree char *path = g_build_filename(db->state_dir, file->name, NULL);
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
		    (create ? SQLITE_OPEN_CREATE : 0);

	if (!create && !g_file_test(path, G_FILE_TEST_EXISTS)) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
			    "there is no database %s yet; `lorebot serve` makes it", path);
		return false;
	}
	if (sqlite3_open_v2(path, &file->connection, flags, NULL) != SQLITE_OK)
		return db_fail(db, file, "cannot open", error);
	return true;
}

/*
 * Turning a new file to WAL needs it alone, and SQLite does not wait for that as it does for other
 * locks: of several processes that start at once all but one are told "locked" right away.
 */
static bool setup(Db *db, bool raw, GError **error)
{
	const DbFile *file = raw ? &db->raw : &db->facts;

	sqlite3_busy_timeout(file->connection, BUSY_TIMEOUT_MS);
	sqlite3_db_config(file->connection, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	for (int waited_ms = 0;; waited_ms += 10) {
		g_autoptr(GError) failed = NULL;

		if (query_script(db, raw, setup_sql, &failed))
			return true;
		if (waited_ms >= BUSY_TIMEOUT_MS ||
		    !g_error_matches(failed, BOT_ERROR, BOT_ERROR_TRANSIENT) ||
		    primary_code(file->connection) != SQLITE_BUSY) {
			g_propagate_error(error, g_steal_pointer(&failed));
			return false;
		}
		g_usleep(10000);
	}
}

static char *user_name(uid_t uid)
{
	const struct passwd *user = getpwuid(uid);

	return user == NULL ? g_strdup_printf("user %u", (unsigned)uid) : g_strdup(user->pw_name);
}

/* What is not there yet is no obstacle here. */
static bool may_use(const char *path, GError **error)
{
	struct stat st;

	if (access(path, R_OK | W_OK) == 0 || errno != EACCES || stat(path, &st) != 0)
		return true;
	g_autofree char *owner = user_name(st.st_uid);
	g_autofree char *me = user_name(geteuid());
	g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT,
		    "%s belongs to %s and you are %s: run lorebot as its owner (sudo -u %s "
		    "lorebot ...), or set bot.stateDir to a folder of yours",
		    path, owner, me, owner);
	return false;
}

static bool may_use_all(const Db *db, GError **error)
{
	g_autofree char *facts = g_build_filename(db->state_dir, db->facts.name, NULL);
	g_autofree char *raw = g_build_filename(db->state_dir, db->raw.name, NULL);

	return may_use(db->state_dir, error) && may_use(facts, error) && may_use(raw, error);
}

static bool make_folder(const char *path, GError **error)
{
	g_autoptr(GError) failed = NULL;

	if (fs_make_dir(path, 0700, &failed))
		return true;
	g_autofree char *me = user_name(geteuid());
	g_set_error(error, failed->domain, failed->code,
		    "bot.stateDir: %s; root can make it for you: install -d -m 700 -o %s %s",
		    failed->message, me, path);
	return false;
}

static bool has_bytes(const Db *db, const DbFile *file)
{
	g_autofree char *path = g_build_filename(db->state_dir, file->name, NULL);
	struct stat st;

	return stat(path, &st) == 0 && st.st_size > 0;
}

/* Another process may have made both files, and stored mail, since we looked. */
static bool may_begin(Db *db, GError **error)
{
	g_autoptr(GError) lost = NULL;

	if (identity_may_begin(db, &lost) || has_bytes(db, &db->facts))
		return true;
	g_propagate_error(error, g_steal_pointer(&lost));
	return false;
}

static bool open_both(Db *db, bool create, GError **error)
{
	if ((create && !make_folder(db->state_dir, error)) || !may_use_all(db, error))
		return false;
	/* raw.db is made first, so it is looked at last. */
	bool has_facts = has_bytes(db, &db->facts);
	if (has_facts && !has_bytes(db, &db->raw))
		return identity_raw_is_lost(db, error);
	if (!open_file(db, &db->raw, create, error) || !setup(db, true, error))
		return false;
	if (!has_facts && !may_begin(db, error))
		return false;
	return open_file(db, &db->facts, create, error) && setup(db, false, error) &&
	       (create ? migrate_run(db, error) : migrate_check(db, error)) &&
	       identity_check(db, create, error);
}

static void init_file(DbFile *file, const char *name)
{
	file->name = name;
	file->statements = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						 (GDestroyNotify)statement_free);
}

static void close_file(DbFile *file)
{
	g_clear_pointer(&file->statements, g_hash_table_unref);
	sqlite3_close(file->connection);
}

Db *db_open(const char *state_dir, bool create, const Clock *clock, GError **error)
{
	g_return_val_if_fail(state_dir != NULL && clock != NULL, NULL);

	g_autoptr(Db) db = g_new0(Db, 1);
	db->clock = clock;
	db->state_dir = g_strdup(state_dir);
	init_file(&db->facts, "lorebot.db");
	init_file(&db->raw, "raw.db");
	db_set_owner(db, "lorebot");
	return open_both(db, create, error) ? g_steal_pointer(&db) : NULL;
}

void db_close(Db *db)
{
	if (db == NULL)
		return;
	db_rollback(db);
	close_file(&db->facts);
	close_file(&db->raw);
	g_free(db->state_dir);
	g_free(db->owner);
	g_free(db);
}

const Clock *db_clock(const Db *db)
{
	return db->clock;
}

const char *db_state_dir(const Db *db)
{
	return db->state_dir;
}

void db_set_patience(Db *db, int wait_ms)
{
	sqlite3_busy_timeout(db->facts.connection, wait_ms);
	sqlite3_busy_timeout(db->raw.connection, wait_ms);
}

bool db_begin(Db *db, GError **error)
{
	if (!sqlite3_get_autocommit(db->facts.connection)) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_BUG, "db_begin() inside a transaction");
		return false;
	}
	g_autoptr(Query) query = query_new(db, "BEGIN IMMEDIATE");
	return query_run(query, error);
}

/* Raw bytes first: see private.h. */
static bool commit_raw(Db *db, GError **error)
{
	if (sqlite3_get_autocommit(db->raw.connection))
		return true;
	g_autoptr(Query) query = query_new_raw(db, "COMMIT");
	return query_run(query, error);
}

bool db_commit(Db *db, GError **error)
{
	if (commit_raw(db, error)) {
		g_autoptr(Query) query = query_new(db, "COMMIT");

		if (query_run(query, error))
			return true;
	}
	db_rollback(db);
	return false;
}

/* SQLite may have rolled back by itself (disk full); asking again is an error nobody needs. */
void db_rollback(Db *db)
{
	DbFile *files[] = {&db->raw, &db->facts};

	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		sqlite3 *connection = files[i]->connection;
		if (connection != NULL && !sqlite3_get_autocommit(connection))
			sqlite3_exec(connection, "ROLLBACK", NULL, NULL, NULL);
	}
}
