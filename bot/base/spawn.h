/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * spawn - run a child by argument vector (never a shell), with a deadline and output limits.
 */

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
	const char *const *argv; /* [0] is looked up in PATH                                    */
	const char *const *env;  /* NULL: inherit                                               */
	const char *cwd;         /* NULL: inherit                                               */
	int64_t timeout_ms;      /* 0: none; then SIGKILL to the child's process group          */
	size_t max_output;       /* bytes kept of standard output, and of standard error; what  */
				 /* is over is read, counted and dropped                        */
	GBytes *input;           /* (nullable) standard input; else /dev/null                   */
} SpawnOptions;

typedef struct {
	int exit_code;  /* -1 when killed by a signal                                          */
	int signal;     /* 0 when it exited                                                    */
	bool timed_out; /* we killed it                                                        */
	char *out;      /* NUL-terminated, owned                                               */
	size_t out_len;
	bool out_truncated;
	char *err;
} SpawnResult;

/**
 * spawn_run:
 * @error: PERMANENT when it cannot be started; a child that fails is no error
 */
bool spawn_run(const SpawnOptions *options, SpawnResult *out_result,
	       GError **error) G_GNUC_WARN_UNUSED_RESULT;
void spawn_result_clear(SpawnResult *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SpawnResult, spawn_result_clear)
