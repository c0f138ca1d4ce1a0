/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * job - one piece of work: these commits, this workload, this way of asking.
 */

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum {
	JOB_PLANNED, /* build makes its commits                                                */
	JOB_BUILT,   /* commits are known, run measures them                                   */
	JOB_RAN,     /* the current family of samples is whole, report judges it               */
	JOB_DONE,
	JOB_FAILED, /* does not apply, base broken, ...: reason says it                       */
	JOB_CANCELLED,
	JOB_POISON, /* its stage died three times over it: kept, shown, alarmed               */
} JobState;

typedef enum {
	JOB_SERIES, /* unasked, or a formal request: base and patched                           */
	JOB_RETEST, /* base, bad, fix...                                                        */
} JobKind;

/* What a commit is in the comparison; the base is always position 0. */
typedef enum { COMMIT_BASE, COMMIT_PATCHED, COMMIT_BAD, COMMIT_FIX } CommitRole;

typedef struct {
	unsigned position;
	CommitRole role;
	char *sha;     /* 40 hex                                                                */
	char *tree;    /* 40 hex                                                                */
	char *subject; /* first line of its message                                             */
} JobCommit;

void job_commit_free(JobCommit *commit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(JobCommit, job_commit_free)

typedef struct {
	int64_t row;
	char *key; /* SHA-256 hex of what makes it this job                           */
	JobKind kind;
	JobState state;
	int64_t series_row;  /* 0: none                                                         */
	int64_t request_row; /* 0: unasked                                                      */
	int64_t parent_job_row; /* RETEST: the job of the report that was answered; 0            */
	char *list; /* section name of the list it came by; NULL                       */
	char *tree; /* section name; NULL                                              */
	char *testcase;
	char *spec_yaml;     /* atomic job, jobspec_to_yaml()                                   */
	unsigned runs;       /* runs a commit in each family                                    */
	unsigned family;     /* current family of samples, 1 first                              */
	unsigned n_families; /* how many families an unasked change needs                       */
	char *base_how;      /* BaseChoice.how; NULL before build                               */
	char *base_reason;   /* BaseChoice.reason and what was refused; NULL                    */
	char *ref;           /* branch name without refs/heads/; NULL                           */
	char *reason;        /* why it failed or was cancelled; NULL                            */
	int64_t created_us;
	int64_t applied_us; /* when build applied it; 0                                        */
	GPtrArray *commits; /* (element-type JobCommit) by position                            */
} Job;

void job_free(Job *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Job, job_free)

const char *job_state_name(JobState state);
JobState job_state_from_name(const char *name);
/** job_is_over: nothing more comes of it. */
bool job_is_over(JobState state);
const char *job_kind_name(JobKind kind);
JobKind job_kind_from_name(const char *name);
const char *commit_role_name(CommitRole role);
CommitRole commit_role_from_name(const char *name);

/** job_key: SHA-256 hex over @parts, NULL-terminated, each with its length. */
char *job_key(const char *const *parts);
