/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/query.h"

#include "bot/base/error.h"
#include "bot/store/private.h"

#include <math.h>
#include <string.h>

struct Query {
	Db *db;
	DbFile *file;
	Statement *statement; /* owned when it is not from the cache */
	bool cached;
	GError *latched;
};

void statement_free(Statement *statement)
{
	sqlite3_finalize(statement->stmt);
	g_free(statement);
}

static Statement *prepare(sqlite3 *connection, const char *sql)
{
	sqlite3_stmt *stmt = NULL;

	if (sqlite3_prepare_v3(connection, sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt, NULL) !=
	    SQLITE_OK)
		return NULL;
	Statement *statement = g_new0(Statement, 1);
	statement->stmt = stmt;
	return statement;
}

static Query *query_over(Db *db, DbFile *file, const char *sql)
{
	Query *query = g_new0(Query, 1);
	Statement *known = g_hash_table_lookup(file->statements, sql);

	query->db = db;
	query->file = file;
	if (known != NULL && !known->busy) {
		query->statement = known;
		query->cached = true;
	} else {
		query->statement = prepare(file->connection, sql);
		query->cached = known == NULL && query->statement != NULL;
		if (query->cached)
			g_hash_table_insert(file->statements, g_strdup(sql), query->statement);
	}
	if (query->statement == NULL)
		db_fail(db, file, "cannot prepare a statement", &query->latched);
	else
		query->statement->busy = true;
	return query;
}

Query *query_new(Db *db, const char *sql)
{
	return query_over(db, &db->facts, sql);
}

Query *query_new_raw(Db *db, const char *sql)
{
	return query_over(db, &db->raw, sql);
}

void query_free(Query *query)
{
	if (query == NULL)
		return;
	if (query->statement != NULL && query->cached) {
		query_restart(query);
		query->statement->busy = false;
	} else if (query->statement != NULL) {
		statement_free(query->statement);
	}
	g_clear_error(&query->latched);
	g_free(query);
}

void query_restart(Query *query)
{
	if (query->statement == NULL)
		return;
	sqlite3_reset(query->statement->stmt); /* reports the old error again: latched already */
	sqlite3_clear_bindings(query->statement->stmt);
}

static void latch_bug(Query *query, const char *kind, const char *name)
{
	if (query->latched == NULL)
		g_set_error(&query->latched, BOT_ERROR, BOT_ERROR_BUG, "no %s \"%s\" in: %s", kind,
			    name, sqlite3_sql(query->statement->stmt));
}

/* 0 when nothing is to be bound, because an error has latched. */
static int parameter_index(Query *query, const char *parameter)
{
	if (query->latched != NULL)
		return 0;
	int index = sqlite3_bind_parameter_index(query->statement->stmt, parameter);
	if (index == 0)
		latch_bug(query, "parameter", parameter);
	return index;
}

static void check_bind(Query *query, int rc)
{
	if (rc != SQLITE_OK)
		db_fail(query->db, query->file, "cannot bind a value", &query->latched);
}

void query_set_int(Query *query, const char *parameter, int64_t value)
{
	int index = parameter_index(query, parameter);
	if (index > 0)
		check_bind(query, sqlite3_bind_int64(query->statement->stmt, index, value));
}

void query_set_row(Query *query, const char *parameter, int64_t row)
{
	if (row != 0)
		query_set_int(query, parameter, row);
	else
		query_set_text(query, parameter, NULL);
}

void query_set_real(Query *query, const char *parameter, double value)
{
	int index = parameter_index(query, parameter);
	if (index > 0) /* SQLite itself turns NaN into NULL */
		check_bind(query, sqlite3_bind_double(query->statement->stmt, index, value));
}

void query_set_text(Query *query, const char *parameter, const char *text)
{
	int index = parameter_index(query, parameter);
	if (index > 0)
		check_bind(query, sqlite3_bind_text(query->statement->stmt, index, text, -1,
						    SQLITE_STATIC));
}

void query_set_blob(Query *query, const char *parameter, const void *bytes, size_t len)
{
	int index = parameter_index(query, parameter);
	if (index > 0)
		check_bind(query,
			   sqlite3_bind_blob64(query->statement->stmt, index,
					       bytes == NULL ? "" : bytes, len, SQLITE_STATIC));
}

bool query_next(Query *query)
{
	if (query->latched != NULL)
		return false;
	int rc = sqlite3_step(query->statement->stmt);
	if (rc == SQLITE_ROW)
		return true;
	if (rc != SQLITE_DONE)
		db_fail(query->db, query->file, "statement failed", &query->latched);
	return false;
}

bool query_finish(Query *query, GError **error)
{
	if (query->latched == NULL)
		return true;
	g_propagate_error(error, g_steal_pointer(&query->latched));
	return false;
}

bool query_run(Query *query, GError **error)
{
	while (query_next(query))
		continue;
	return query_finish(query, error);
}

static int column_index(Query *query, const char *column)
{
	sqlite3_stmt *stmt = query->statement->stmt;

	for (int i = 0; i < sqlite3_column_count(stmt); i++) {
		if (strcmp(sqlite3_column_name(stmt, i), column) == 0)
			return i;
	}
	latch_bug(query, "column", column);
	return -1;
}

int64_t query_int(Query *query, const char *column)
{
	int index = column_index(query, column);
	return index < 0 ? 0 : sqlite3_column_int64(query->statement->stmt, index);
}

double query_real(Query *query, const char *column)
{
	int index = column_index(query, column);
	if (index < 0 || sqlite3_column_type(query->statement->stmt, index) == SQLITE_NULL)
		return NAN;
	return sqlite3_column_double(query->statement->stmt, index);
}

const char *query_peek_text(Query *query, const char *column)
{
	int index = column_index(query, column);
	return index < 0 ? NULL : (const char *)sqlite3_column_text(query->statement->stmt, index);
}

char *query_text(Query *query, const char *column)
{
	return g_strdup(query_peek_text(query, column));
}

GBytes *query_blob(Query *query, const char *column)
{
	int index = column_index(query, column);
	if (index < 0)
		return g_bytes_new(NULL, 0);
	const void *bytes = sqlite3_column_blob(query->statement->stmt, index);
	return g_bytes_new(bytes, (gsize)sqlite3_column_bytes(query->statement->stmt, index));
}

int64_t query_changes(Db *db)
{
	return sqlite3_changes64(db->facts.connection);
}

int64_t query_last_row(Db *db)
{
	return sqlite3_last_insert_rowid(db->facts.connection);
}

bool query_script(Db *db, bool raw, const char *sql, GError **error)
{
	const DbFile *file = raw ? &db->raw : &db->facts;

	if (sqlite3_exec(file->connection, sql, NULL, NULL, NULL) == SQLITE_OK)
		return true;
	return db_fail(db, file, "statement failed", error);
}
