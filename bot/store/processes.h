/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * processes - how the children of `lorebot serve` are, and who else works, for `lorebot status`.
 *
 * The supervisor is the only writer.  Whether one runs at all is told by its lock (see
 * bot/daemon/serve.h): rows of a supervisor that was killed stay as they were.
 */

#include "bot/store/db.h"

typedef struct {
	char *name;        /* "understand", "intake lab"                                          */
	int64_t pid;       /* 0: not running                                             */
	int64_t since_us;  /* in this state                                              */
	unsigned failures; /* ends in a row that came too early                          */
	char *reason;      /* how it ended last; NULL                                    */
	int64_t next_try_us; /* when it is started again; 0 while it runs                  */
} StoredProcess;

void stored_process_free(StoredProcess *process);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StoredProcess, stored_process_free)

/** processes_clear: a new supervisor begins (own transaction). */
bool processes_clear(Db *db, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** processes_save: the row of @process, since now; its since_us is not read (own transaction). */
bool processes_save(Db *db, const StoredProcess *process, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * processes_at_work: (transfer full) (element-type utf8): who holds rows at this moment, of
 * `serve`, `run-once` or a stage started by hand: "run (process 4711)".
 */
GPtrArray *processes_at_work(Db *db, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** processes_list: (transfer full) (element-type StoredProcess): in the order of their start. */
GPtrArray *processes_list(Db *db, GError **error) G_GNUC_WARN_UNUSED_RESULT;
