/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/migrate.h"

#include "bot/base/error.h"
#include "bot/store/query.h"
#include "schema.h"

/* "lore" in ASCII: tells our files from any other SQLite database (PRAGMA application_id). */
#define APPLICATION_ID 0x6c6f7265

typedef struct {
	const char *file;
	bool raw;
	const char *const *steps;
	int64_t n_steps;
} Schema;

static const Schema schemas[] = {
	{"raw.db", true, raw_schema_steps, G_N_ELEMENTS(raw_schema_steps)},
	{"lorebot.db", false, schema_steps, G_N_ELEMENTS(schema_steps)},
};

int64_t migrate_version(void)
{
	return G_N_ELEMENTS(schema_steps);
}

static bool read_pragma(Db *db, bool raw, const char *sql, const char *column, int64_t *out_value,
			GError **error)
{
	g_autoptr(Query) query = raw ? query_new_raw(db, sql) : query_new(db, sql);

	if (query_next(query))
		*out_value = query_int(query, column);
	return query_finish(query, error);
}

static bool read_version(Db *db, const Schema *schema, int64_t *out_version, GError **error)
{
	int64_t id = 0;

	if (!read_pragma(db, schema->raw, "PRAGMA application_id", "application_id", &id, error) ||
	    !read_pragma(db, schema->raw, "PRAGMA user_version", "user_version", out_version,
			 error))
		return false;
	if (*out_version > 0 && id != APPLICATION_ID) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CORRUPT,
			    "%s/%s is a database of another program; point bot.stateDir elsewhere",
			    db_state_dir(db), schema->file);
		return false;
	}
	if (*out_version > schema->n_steps) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CORRUPT,
			    "%s/%s has version %" G_GINT64_FORMAT
			    ", newer than the %" G_GINT64_FORMAT
			    " this lorebot knows; install the newer lorebot, or restore the backup "
			    "made before the upgrade",
			    db_state_dir(db), schema->file, *out_version, schema->n_steps);
		return false;
	}
	return true;
}

bool migrate_check(Db *db, GError **error)
{
	for (size_t i = 0; i < G_N_ELEMENTS(schemas); i++) {
		int64_t version = 0;

		if (!read_version(db, &schemas[i], &version, error))
			return false;
		if (version == schemas[i].n_steps)
			continue;
		g_set_error(error, BOT_ERROR,
			    version == 0 ? BOT_ERROR_NOT_FOUND : BOT_ERROR_PERMANENT,
			    "%s/%s has version %" G_GINT64_FORMAT
			    ", this lorebot needs %" G_GINT64_FORMAT
			    "; `lorebot serve` brings it up to date",
			    db_state_dir(db), schemas[i].file, version, schemas[i].n_steps);
		return false;
	}
	return true;
}

static bool run_step(Db *db, const Schema *schema, int64_t number, GError **error)
{
	g_autofree char *sql = g_strdup_printf("%s\nPRAGMA application_id = %d;\n"
					       "PRAGMA user_version = %" G_GINT64_FORMAT ";\n",
					       schema->steps[number - 1], APPLICATION_ID, number);

	if (query_script(db, schema->raw, sql, error))
		return true;
	g_prefix_error(error, "migration of %s to version %" G_GINT64_FORMAT ": ", schema->file,
		       number);
	return false;
}

/* In one transaction; another process may have made the step while we waited for the lock. */
static bool step_up(Db *db, const Schema *schema, bool *out_done, GError **error)
{
	int64_t version = 0;

	if (!query_script(db, schema->raw, "BEGIN IMMEDIATE", error))
		return false;
	bool ok = read_version(db, schema, &version, error);
	*out_done = version == schema->n_steps;
	if (ok && !*out_done)
		ok = run_step(db, schema, version + 1, error);
	if (ok && query_script(db, schema->raw, "COMMIT", error))
		return true;
	/* The first error is the one to tell; a failed rollback says nothing new. */
	(void)!query_script(db, schema->raw, "ROLLBACK", NULL);
	return false;
}

bool migrate_run(Db *db, GError **error)
{
	for (size_t i = 0; i < G_N_ELEMENTS(schemas); i++) {
		bool done = false;

		while (!done) {
			if (!step_up(db, &schemas[i], &done, error))
				return false;
		}
	}
	return true;
}
