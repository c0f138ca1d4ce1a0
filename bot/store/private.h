/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * private - what the files of bot/store share about an open Db.
 *
 * raw.db has a connection of its own and is not attached: in WAL mode SQLite commits each file for
 * itself, first the main one, so a crash between the two would leave a message without its bytes.
 * With two connections we choose the order: raw bytes are committed first, and a crash leaves at
 * most bytes that no message names.
 */

#include "bot/store/db.h"

#include <sqlite3.h>

typedef struct {
	const char *name; /* in stateDir                                                    */
	sqlite3 *connection;
	GHashTable *statements; /* (element-type utf8 Statement) by SQL                           */
} DbFile;

struct Db {
	DbFile facts;       /* lorebot.db                                                         */
	DbFile raw;         /* raw.db; in a transaction only inside one of facts                  */
	const Clock *clock; /* not owned                                                          */
	char *state_dir;
	char *owner; /* of leases, "BOOT-ID/PID/START-TIME/STAGE"                          */
};

/* Of a row with arrived_us: no backlog holds it, see backlog.h. */
#define NO_BACKLOG "arrived_us >= coalesce((SELECT set_us FROM controls WHERE name = 'backlog'), 0)"

typedef struct {
	sqlite3_stmt *stmt;
	bool busy; /* a Query has it */
} Statement;

void statement_free(Statement *statement);

/** db_fail: @file's last error as ours; always false. */
bool db_fail(const Db *db, const DbFile *file, const char *what, GError **error);
