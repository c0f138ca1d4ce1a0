/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * cgroup - one control group a sandbox, where this process may make one.
 *
 * Version 1: a child of our own group in the memory and the pids hierarchy.  Version 2: a child of
 * our own group or, where that one may not hand controllers down because it holds processes itself,
 * a sibling of it.  Nothing of the groups that were there before is changed, except that version 2
 * may need "+memory +pids" in the parent's cgroup.subtree_control.  Private to bot/run.
 */

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct Cgroup Cgroup;

typedef struct {
	uint64_t memory_bytes;
	unsigned n_processes;
} CgroupLimits;

/**
 * cgroup_new:
 *
 * Makes an empty group with the limits set.
 *
 * Returns: (transfer full): NULL when no hierarchy is writable here; rlimits must then do
 */
Cgroup *cgroup_new(const CgroupLimits *limits);

/** cgroup_kind: "cgroup1" or "cgroup2", static. */
const char *cgroup_kind(const Cgroup *cgroup);

/** cgroup_add: moves process @pid, with all that it will fork, into the group. */
bool cgroup_add(const Cgroup *cgroup, pid_t pid) G_GNUC_WARN_UNUSED_RESULT;

/** cgroup_hit_memory: did the kernel kill a process of the group for want of memory? */
bool cgroup_hit_memory(const Cgroup *cgroup);

/** cgroup_free: removes the group; its processes must have ended. */
void cgroup_free(Cgroup *cgroup);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Cgroup, cgroup_free)

/**
 * cgroup_sweep:
 *
 * After a crash: kills what is left in groups of sandboxes whose maker is gone, and removes them.
 *
 * Returns: how many groups were removed
 */
unsigned cgroup_sweep(void);
