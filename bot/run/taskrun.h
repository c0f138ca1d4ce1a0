/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * taskrun - one task from its input tar to its complete result folder, in this process.
 *
 * BUILD: input_tar is unpacked in the sandbox's memory, prepare and build run, $OUT comes back as
 * build.tar.  RUN: build.tar is unpacked the same way, run measures, parse's lines become
 * stats.json.  log holds what the steps print, outcome.json how it ended.  All is written to
 * RESULT_DIR.part and renamed at the end: a folder is complete or absent.  Private to bot/run.
 */

#include "bot/run/engine.h"

#define TASKRUN_BUILD_TAR "build.tar"
#define TASKRUN_STATS "stats.json"
#define TASKRUN_LOG "log"
#define TASKRUN_PART_SUFFIX ".part"

typedef struct {
	unsigned uid;
	const char *cpus; /* (nullable) */
	int stop_fd;      /* -1, or readable: give up */
} TaskRunOptions;

/**
 * taskrun_execute:
 * @out_stopped: stop_fd spoke: nothing is left of the task
 * @error: the result folder could not be written; all else becomes a TaskOutcome in it
 */
bool taskrun_execute(const Task *task, const TaskRunOptions *options, bool *out_stopped,
		     GError **error) G_GNUC_WARN_UNUSED_RESULT;
