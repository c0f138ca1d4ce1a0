/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * stage - the steps of the pipeline, shared by serve, run-once and the stage commands.
 *
 *	intake -> understand -> plan -> build -> run -> report -> send
 *
 * A stage claims rows, works, commits, and wakes the next by a datagram.  Stages never call each
 * other and share no memory: what one commits, the next claims.  This is the only place where the
 * modules of level 3 meet.
 */

#include "bot/store/db.h"
#include "config/config.h"

#include <glib.h>
#include <stdbool.h>

typedef struct {
	const Config *config;
	Db *db;
	const Clock *clock;
	int stop_fd; /* readable: finish the row at hand and return; -1: never           */
	const SourceSection *source; /* intake reads only this one; NULL: all                    */
} StageContext;

typedef struct {
	unsigned done;       /* rows worked on                                                   */
	unsigned failed;     /* sources that could not be read                                   */
	int64_t again_at_us; /* when there may be more to do without a wake-up; 0: none known    */
} StageProgress;

typedef struct {
	const char *name; /* command, lease owner and socket name                             */
	const char *next; /* stage to wake after work; NULL                                   */
	/*
	 * One round: works on at most @limit rows (0: until nothing is left).
	 * Returns false only for faults that no row is to blame for: the stage then stops.
	 */
	bool (*round)(StageContext *context, unsigned limit, StageProgress *progress,
		      GError **error);
	bool while_paused; /* goes on reading and understanding while the bot is paused        */
	const char *summary;
} Stage;

/** stage_all: the seven in pipeline order; ends with a NULL name. */
const Stage *stage_all(void);

/** stage_find: NULL when there is no such stage. */
const Stage *stage_find(const char *name);

/**
 * stage_once: rounds until nothing is left or @limit rows are done.
 * @progress: (out): summed up
 */
bool stage_once(const Stage *stage, StageContext *context, unsigned limit, StageProgress *progress,
		GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * stage_follow: rounds for ever: waits for a wake-up on stateDir/run/NAME.sock, a few seconds at
 * most, until stop_fd is readable.
 */
bool stage_follow(const Stage *stage, StageContext *context,
		  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** stage_wake: tells @name that there is work; nobody listening is fine. */
void stage_wake(const char *state_dir, const char *name);

/** stage_stop_asked: stop_fd is readable. */
bool stage_stop_asked(const StageContext *context);

/** stage_may_work: false when `pause` or `stop-all` forbids @stage; @out_reason is for the log. */
bool stage_may_work(const Stage *stage, Db *db, char **out_reason);

/* ---- the rounds, one file each ---- */
bool intake_round(StageContext *context, unsigned limit, StageProgress *progress, GError **error);
bool understand_round(StageContext *context, unsigned limit, StageProgress *progress,
		      GError **error);
bool plan_round(StageContext *context, unsigned limit, StageProgress *progress, GError **error);
bool build_round(StageContext *context, unsigned limit, StageProgress *progress, GError **error);
bool run_round(StageContext *context, unsigned limit, StageProgress *progress, GError **error);
bool report_round(StageContext *context, unsigned limit, StageProgress *progress, GError **error);
bool send_round(StageContext *context, unsigned limit, StageProgress *progress, GError **error);

/**
 * intake_follow: reads one source for ever: connects, drains, waits for its notice, reconnects with
 * backoff; until stop_fd is readable.
 */
bool intake_follow(StageContext *context, const SourceSection *section,
		   GError **error) G_GNUC_WARN_UNUSED_RESULT;
