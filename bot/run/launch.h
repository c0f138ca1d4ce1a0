/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * launch - starts bubblewrap for sandbox.c: its argument vector, the child's limits, the drop of
 * privileges.  Private to bot/run.
 *
 * As root the declared folders are first bound to places below /mnt in a mount namespace of the
 * child's own: the sandbox's uid need not be able to walk to them (a source tree in /root).
 */

#include "bot/run/cgroup.h"
#include "bot/run/sandbox.h"

#include <sys/types.h>

typedef struct {
	pid_t pid;  /* of bubblewrap's outer process, our child                             */
	int pidfd;  /* of the same                                                          */
	int out_fd; /* read ends of its pipes; -1 where the caller wants none               */
	int log_fd;
	int status_fd;
	int json_fd;  /* what bubblewrap says of itself: --json-status-fd                     */
	int error_fd; /* a LaunchFailure when the child failed before bubblewrap; else EOF    */
	int go_fd;    /* write one byte: the sandbox, set up, runs argv (--block-fd)          */
} Launch;

typedef struct {
	int step; /* index of the sentence                                                   */
	int errnum;
} LaunchFailure;

/**
 * launch_start:
 * @cgroup: (nullable): the child joins it before it does anything
 * @error: TRANSIENT (fork, pipes), PERMANENT (no bubblewrap, uid 0)
 */
bool launch_start(const SandboxOptions *options, const Cgroup *cgroup, Launch *out_launch,
		  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** launch_failure_text: what the child was doing. */
const char *launch_failure_text(const LaunchFailure *failure);

/** launch_clear: closes the descriptors; the child is the caller's. */
void launch_clear(Launch *launch);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Launch, launch_clear)
