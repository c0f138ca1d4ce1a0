/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * engine - where builds and runs happen, behind one small contract.
 *
 * submit by own key, poll, cancel, collect, reconcile.  The key is a hash of everything that makes
 * the task what it is, so a task submitted twice is one task.  Results land in a folder that the
 * engine makes and that is complete or absent (renamed into place at the end).  `local` runs one
 * task at a time on this machine, in the sandbox, because two benchmarks at once measure each
 * other.
 */

#include "bot/run/jobspec.h"
#include "bot/run/workload.h"

#include <glib.h>
#include <stdbool.h>

typedef enum { TASK_BUILD, TASK_RUN } TaskKind;

typedef struct {
	TaskKind kind;
	const char *key; /* hex, names the task                                        */
	const Workload *workload;
	const JobSpec *spec;
	const char *input_tar;  /* BUILD: the commit's files; RUN: build.tar of a build       */
	const char *result_dir; /* made by the engine; holds build.tar or stats.json, and log */
} Task;

typedef enum {
	TASK_STATE_UNKNOWN, /* never heard of, or lost: submit again   */
	TASK_STATE_RUNNING,
	TASK_STATE_DONE, /* collect has an outcome                  */
} TaskState;

typedef enum {
	TASK_OK,
	TASK_FAILED, /* the workload's own step failed            */
	TASK_TIMEOUT,
	TASK_LIMIT, /* memory, disk or output limit              */
	TASK_INFRA, /* our side: sandbox could not start, ...    */
} TaskOutcome;

typedef struct {
	TaskOutcome outcome;
	char *step;   /* it ended in: "unpack", "prepare", "build", "pack",      */
		      /* "run", "parse"; "" before the first                     */
	char *detail; /* one line for a person: "exit status 2"; "" when ok      */
	double elapsed_s;
	double user_s, system_s; /* CPU time of all that ran in the sandbox             */
	char *limited_by;        /* which limits were in force                              */
} TaskResult;

void task_result_clear(TaskResult *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TaskResult, task_result_clear)

typedef struct {
	unsigned uid;     /* of the sandbox                                          */
	int stop_fd;      /* -1, or readable: engine_poll() returns at once           */
	const char *root; /* (nullable) folder above all result folders: engines of  */
			  /* several processes that name the same root run one task  */
			  /* at a time, and engine_reconcile() cleans up below it    */
	const char *cpus; /* (nullable) "1" or "2-3": handed to workloads as         */
			  /* PIN_CPUS, for those that measure one thread             */
} EngineOptions;

typedef struct Engine Engine;

typedef struct {
	const char *name;
	Engine *(*open)(const EngineOptions *options, GError **error);
	bool (*submit)(Engine *engine, const Task *task, GError **error);
	bool (*poll)(Engine *engine, const char *key, int timeout_ms, TaskState *out_state,
		     GError **error);
	bool (*cancel)(Engine *engine, const char *key, GError **error);
	bool (*collect)(Engine *engine, const char *key, TaskResult *out_result, GError **error);
	bool (*reconcile)(Engine *engine, GError **error);
	void (*close)(Engine *engine);
} EngineOps;

/** engine_open: @name "local"; CONFIG for another. */
Engine *engine_open(const char *name, const EngineOptions *options,
		    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * engine_submit:
 * @task: may be freed afterwards
 * @error: TRANSIENT (another task of this engine is running, fork), CORRUPT (an unreadable result
 *   folder is in the way)
 *
 * Starts the task and returns.  A task whose result folder is complete is not run again, except
 * when it ended in TASK_INFRA.
 */
bool engine_submit(Engine *engine, const Task *task, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * engine_poll:
 *
 * Waits up to @timeout_ms (-1: for ever) for the task's end, or until stop_fd speaks: the state is
 * then RUNNING still, and the caller, who has asked for that, cancels.
 */
bool engine_poll(Engine *engine, const char *key, int timeout_ms, TaskState *out_state,
		 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** engine_cancel: kills the task, if there is one of that key; nothing of it stays. */
bool engine_cancel(Engine *engine, const char *key, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * engine_collect:
 * @out_result: set only on success
 * @error: NOT_FOUND (no such task, or not done), PEER (its outcome.json is no such thing)
 */
bool engine_collect(Engine *engine, const char *key, TaskResult *out_result,
		    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** engine_reconcile: after a restart: what is half done is removed, what is done stays. */
bool engine_reconcile(Engine *engine, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void engine_close(Engine *engine);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Engine, engine_close)

const char *task_outcome_name(TaskOutcome outcome);
