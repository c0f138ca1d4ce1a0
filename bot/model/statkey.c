/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/model/statkey.h"

#include <glib.h>
#include <string.h>

/* Groups that watch the machine while a test runs; any other group is a test. */
static const char *const monitors[] = {
	"buddyinfo",     "cpuidle",       "diskstats",   "dmesg",        "energy",    "ethtool",
	"ftrace",        "interrupts",    "iostat",      "kmemleak",     "kmsg",      "last_state",
	"latency_stats", "lock_stat",     "meminfo",     "mpstat",       "nfsiostat", "nfsstat",
	"numa-meminfo",  "numa-numastat", "numa-vmstat", "pagetypeinfo", "perf-c2c",  "perf-node",
	"perf-profile",  "perf-sched",    "perf-stat",   "pmeter",       "pmu-tools", "proc-vmstat",
	"sched_debug",   "slabinfo",      "softirqs",    "stderr",       "syscalls",  "time",
	"turbostat",     "uptime",        "vmstat",
};

/* Groups of which every value counts a failure. */
static const char *const failure_groups[] = {"dmesg.", "kmsg.", "last_state.", "stderr."};
static const char *const never_failures[] = {".time.", ".timestamp:", ".bootstage:"};
static const char *const failure_words[] = {".error", ".warn", ".fail"};

size_t statkey_group_len(const char *key)
{
	return strcspn(key, ".");
}

/* ".fail" and its like with no "_" behind: "ltp.x.fail", but not "net.x.fail_count". */
static bool has_failure_word(const char *key)
{
	for (size_t i = 0; i < G_N_ELEMENTS(failure_words); i++) {
		for (const char *at = strstr(key, failure_words[i]); at != NULL;
		     at = strstr(at + 1, failure_words[i])) {
			if (at > key && strchr(at, '_') == NULL)
				return true;
		}
	}
	return false;
}

bool statkey_is_failure(const char *key)
{
	for (size_t i = 0; i < G_N_ELEMENTS(never_failures); i++) {
		if (strstr(key, never_failures[i]) != NULL)
			return false;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(failure_groups); i++) {
		if (g_str_has_prefix(key, failure_groups[i]))
			return true;
	}
	if (g_str_has_prefix(key, "kmemleak.") && strstr(key, "unreferenced_object") != NULL)
		return true;
	if (g_str_has_prefix(key, "xfstests.") && g_str_has_suffix(key, "fail"))
		return true;
	const char *killed = strstr(key, "killed_by");
	return (killed != NULL && killed > key) || g_str_has_suffix(key, ".pass") ||
	       has_failure_word(key);
}

bool statkey_is_difference(const char *key)
{
	return g_str_has_prefix(key, "perf-profile") || g_str_has_suffix(key, "%");
}

bool statkey_is_of_test(const char *key)
{
	size_t len = statkey_group_len(key);

	if (g_str_has_prefix(key, "boot-"))
		return false;
	for (size_t i = 0; i < G_N_ELEMENTS(monitors); i++) {
		if (strlen(monitors[i]) == len && strncmp(key, monitors[i], len) == 0)
			return false;
	}
	return true;
}
