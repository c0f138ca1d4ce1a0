/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * layout - where a job's results stand below stateDir.
 *
 *	results/KEY/build-P/            build.tar of commit P (0 is the base), until the job is done
 *	results/KEY/fF-pP/matrix.json   one column a run, as lkp keeps them
 *	results/KEY/fF-pP/R/stats.json  run R of family F: flat numbers, and the log
 *
 * KEY is the job's hash: nothing on disk is named by a mail.
 */

#include "bot/model/job.h"

char *layout_job_dir(const char *state_dir, const Job *job);
char *layout_build_dir(const char *state_dir, const Job *job, unsigned position);

/** layout_run_dir: relative to @state_dir, as it is kept in the store. */
char *layout_run_dir(const Job *job, unsigned family, unsigned position, unsigned round);
char *layout_matrix_path(const char *state_dir, const Job *job, unsigned family, unsigned position);
