/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/model/job.h"

#include <string.h>

static const char *const state_names[] = {
	[JOB_PLANNED] = "planned", [JOB_BUILT] = "built",   [JOB_RAN] = "ran",
	[JOB_DONE] = "done",       [JOB_FAILED] = "failed", [JOB_CANCELLED] = "cancelled",
	[JOB_POISON] = "poison",
};
static const char *const kind_names[] = {[JOB_SERIES] = "series", [JOB_RETEST] = "retest"};
static const char *const role_names[] = {
	[COMMIT_BASE] = "base",
	[COMMIT_PATCHED] = "patched",
	[COMMIT_BAD] = "bad",
	[COMMIT_FIX] = "fix",
};

static unsigned index_of(const char *const *names, size_t n, const char *name, unsigned otherwise)
{
	for (unsigned i = 0; i < n; i++) {
		if (g_strcmp0(names[i], name) == 0)
			return i;
	}
	return otherwise;
}

const char *job_state_name(JobState state)
{
	return state_names[state];
}

JobState job_state_from_name(const char *name)
{
	return (JobState)index_of(state_names, G_N_ELEMENTS(state_names), name, JOB_POISON);
}

bool job_is_over(JobState state)
{
	return state != JOB_PLANNED && state != JOB_BUILT && state != JOB_RAN;
}

const char *job_kind_name(JobKind kind)
{
	return kind_names[kind];
}

JobKind job_kind_from_name(const char *name)
{
	return (JobKind)index_of(kind_names, G_N_ELEMENTS(kind_names), name, JOB_SERIES);
}

const char *commit_role_name(CommitRole role)
{
	return role_names[role];
}

CommitRole commit_role_from_name(const char *name)
{
	return (CommitRole)index_of(role_names, G_N_ELEMENTS(role_names), name, COMMIT_PATCHED);
}

void job_commit_free(JobCommit *commit)
{
	if (commit == NULL)
		return;
	g_free(commit->sha);
	g_free(commit->tree);
	g_free(commit->subject);
	g_free(commit);
}

void job_free(Job *job)
{
	if (job == NULL)
		return;
	g_free(job->key);
	g_free(job->list);
	g_free(job->tree);
	g_free(job->testcase);
	g_free(job->spec_yaml);
	g_free(job->base_how);
	g_free(job->base_reason);
	g_free(job->ref);
	g_free(job->reason);
	g_clear_pointer(&job->commits, g_ptr_array_unref);
	g_free(job);
}

char *job_key(const char *const *parts)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);

	for (; *parts != NULL; parts++) {
		g_autofree char *head = g_strdup_printf("%zu:", strlen(*parts));
		g_checksum_update(sum, (const guchar *)head, -1);
		g_checksum_update(sum, (const guchar *)*parts, -1);
	}
	return g_strdup(g_checksum_get_string(sum));
}
