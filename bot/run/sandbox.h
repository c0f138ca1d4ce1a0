/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * sandbox - run a stranger's code so that it can harm nothing: bubblewrap under a dedicated uid.
 *
 * Sees /usr (read-only), the declared paths (read-only), a sized tmpfs as its working place; no
 * network, no secrets, no capabilities, new PID, IPC, UTS, user and mount namespaces.  Memory,
 * processes, time and disk are bounded by cgroup v1 or v2 where writable, else by rlimits, the PID
 * namespace and the tmpfs size; SandboxResult.limited_by says which.  With a cgroup memory_bytes
 * and disk_bytes share one pool (the tmpfs is memory); with rlimits memory_bytes bounds each
 * process. Kill rule: the whole PID namespace dies, no grandchild outlives it, and sandbox_run()
 * returns only when the last of them is gone; it also dies with us.
 *
 * stdin_fd is handed in as it is: give a pipe or let a script of ours close it before a stranger's
 * code starts, because who has an open file can open it once more through /proc.
 */

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
	const char *outside;
	const char *inside;
} SandboxBind;

typedef struct {
	const char *const *argv;  /* inside                                               */
	const char *const *env;   /* NAME=VALUE; nothing is inherited                     */
	const SandboxBind *binds; /* read-only                                            */
	size_t n_binds;
	const char *work_dir;      /* mount point of the tmpfs, the current folder inside  */
	int stdin_fd;              /* -1: /dev/null                                        */
	int stdout_fd;             /* -1: /dev/null; e.g. a tar to keep                    */
	uint64_t max_stdout_bytes; /* then killed                                          */
	int log_fd;                /* standard error; -1: /dev/null                        */
	int status_fd;             /* -1: none; file descriptor 3 inside, where a script   */
				   /* of ours says how far it is; see max_status_bytes     */
	uint64_t max_log_bytes;    /* what is over is dropped and counted                  */
	uint64_t max_status_bytes; /* what is over is dropped                              */
	uint64_t memory_bytes;
	uint64_t disk_bytes; /* 3/4 for work_dir, 1/8 each for /tmp and /dev/shm     */
	unsigned n_processes;
	int64_t timeout_ms;
	unsigned uid; /* non-root, used when we are root                      */
	int stop_fd;  /* -1, or readable: kill and return                     */
} SandboxOptions;

typedef struct {
	int exit_code; /* -1 when we killed it; 128 + N when signal N ended it          */
	int signal;    /* SIGKILL when we killed it                                     */
	bool timed_out;
	bool stopped;           /* by stop_fd                                                    */
	bool output_limit;      /* max_stdout_bytes                                              */
	bool memory_limit;      /* where the kernel tells (cgroup)                               */
	const char *limited_by; /* "cgroup2", "cgroup1" or "rlimit"; static                   */
	double user_s, system_s, elapsed_s;
	uint64_t log_dropped;
} SandboxResult;

/**
 * sandbox_run:
 * @error: TRANSIENT (fork, no memory), PERMANENT (bwrap missing or refused to start)
 */
bool sandbox_run(const SandboxOptions *options, SandboxResult *out_result,
		 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** sandbox_probe: can a sandbox start here? @out_limited_by is static. */
bool sandbox_probe(unsigned uid, const char **out_limited_by,
		   GError **error) G_GNUC_WARN_UNUSED_RESULT;
