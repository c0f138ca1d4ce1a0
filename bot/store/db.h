/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * db - the one queue: SQLite in WAL mode, two files under stateDir.
 *
 * lorebot.db holds queue and facts, raw.db the raw mails by SHA-256; db_commit() commits raw.db
 * first, so a crash leaves at most bytes that no message names.  synchronous=FULL: what is
 * committed survives a power cut.  Every stage is a process of its own with its own Db; a stage
 * claims rows by a lease, works, and commits results, next state and events in one transaction.
 * Each change of state writes its event here, "job.built", "series.planned", "outgoing.sent", ...
 * with the reason; a stage adds events for what only it knows.  Ending a lease that another process
 * has by now is CONFLICT: roll back, the row is no longer ours. This is the only module that
 * includes sqlite3.h.
 */

#include "bot/base/clock.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Db Db;

/**
 * db_open:
 * @state_dir: made (0700) when @create
 * @clock: kept by reference
 * @create: make and migrate; else a missing or older database is an error that names the cure
 * @error: PERMANENT (a folder or file of another user: names the owner), NOT_FOUND, TRANSIENT
 *   (locked, disk full), CORRUPT (no SQLite file, newer schema, one of the two files lost or of
 *   another pair: says so and how to go on)
 */
Db *db_open(const char *state_dir, bool create, const Clock *clock,
	    GError **error) G_GNUC_WARN_UNUSED_RESULT;
void db_close(Db *db);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Db, db_close)

const Clock *db_clock(const Db *db);
const char *db_state_dir(const Db *db);

/** db_set_patience: how long a call waits for another writer from now on; 30 s unless set. */
void db_set_patience(Db *db, int wait_ms);

/** db_begin: BEGIN IMMEDIATE, waiting for another writer (then TRANSIENT). */
bool db_begin(Db *db, GError **error) G_GNUC_WARN_UNUSED_RESULT;
bool db_commit(Db *db, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** db_rollback: harmless outside a transaction. */
void db_rollback(Db *db);

/**
 * db_set_owner:
 * @stage: "understand"
 *
 * Names this process as lease holder: "BOOT-ID/PID/START-TIME/STAGE".
 */
void db_set_owner(Db *db, const char *stage);

/**
 * db_release_dead:
 *
 * Gives back every lease whose process no longer lives (same boot, /proc/PID start time) or that
 * ran out, counts a death for its row, and turns a row with three deaths into poison with an event.
 * Every stage calls it when it starts and every minute.
 */
bool db_release_dead(Db *db, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * db_give_back:
 *
 * Ends every lease of this process and counts no death: for a stage that could not go on for a
 * reason no row is to blame for, like a full disk.  A `sending` mail keeps its lease; see
 * outbox_recover().
 */
bool db_give_back(Db *db, GError **error) G_GNUC_WARN_UNUSED_RESULT;

#define DB_LEASE_US ((int64_t)15 * 60 * 1000000)

/** db_extend_leases: of this process, by DB_LEASE_US from now; long work calls it every minute. */
bool db_extend_leases(Db *db, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* ---- events: what happened, in the transaction in which it happened ---- */

/**
 * event_add:
 * @name: "understand.read", see log.h
 * @subject_kind: "message", "series", "request", "job", "outgoing", "source"
 * @subject_row: its row; 0 for none
 */
bool event_add(Db *db, const char *name, const char *subject_kind, int64_t subject_row,
	       GError **error, const char *format, ...)
	G_GNUC_PRINTF(6, 7) G_GNUC_WARN_UNUSED_RESULT;

typedef struct {
	int64_t row;
	int64_t at_us;
	char *name;
	char *subject_kind;
	int64_t subject_row;
	char *text;
} StoredEvent;

void stored_event_free(StoredEvent *event);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StoredEvent, stored_event_free)

/** event_list: (transfer full) (element-type StoredEvent): of one subject, oldest first. */
GPtrArray *event_list(Db *db, const char *subject_kind, int64_t subject_row, GError **error);

/* ---- controls: switches that survive a restart ---- */

/** control_set: @name "pause" or "stop-all"; @reason NULL takes it away. */
bool control_set(Db *db, const char *name, const char *reason,
		 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * control_get:
 *
 * Returns: (transfer full) (nullable): the reason, NULL when not set.  A switch that cannot be read
 *   counts as set: the reason is then the error's text.
 */
char *control_get(Db *db, const char *name);
