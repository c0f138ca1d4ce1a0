/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * facts - everything a mail says, as typed facts without prose.
 *
 * The report stage fills a ReportFacts from the store; report_facts_to_json() is what is kept, what
 * `lorebot render` reads and what the templates see.  Prose lives in templates/ only.
 */

#include "bot/report/table.h"
#include "bot/stats/compare.h"
#include "bot/stats/retest.h"
#include "mailparse/mailbox.h"

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum {
	REPORT_CHANGE, /* unasked or asked: base against patched, in reply to a patch or cover    */
	REPORT_RETEST, /* reply to "please run this on ...": base, bad, fixes                     */
} ReportKind;

/* What was asked to be run, or what was run unasked. */
typedef enum {
	REPORT_TARGET_SERIES,  /* posted patches                                             */
	REPORT_TARGET_PATCH,   /* the patch in the mail that is answered                     */
	REPORT_TARGET_BRANCH,  /* branch_url                                                 */
	REPORT_TARGET_COMMITS, /* n_named commits, named by their hashes                     */
} ReportTarget;

/* A mail that a commit was made of. */
typedef struct {
	char *mail;        /* public URL, or Message-ID where there is none                      */
	bool is_series;    /* b4 am finds all that was applied at this URL                       */
	unsigned revision; /* of the posting, 1 first                                            */
} ReportPatch;

typedef struct {
	char *sha;          /* 40 hex                                                            */
	char *subject;      /* first line of its message                                         */
	char *role;         /* commit_role_name(): "base", "patched", "bad", "fix"               */
	char *tree;         /* 40 hex: what is in it; NULL: not known                            */
	GPtrArray *patches; /* (element-type ReportPatch) no reader can fetch it: it was made of */
			    /* these, in this order; empty: ReportFacts.fetches give it          */
	char *on;           /* they go on this commit; NULL: on the one before in the list       */
} ReportCommit;

/* One headline metric of one later commit. */
typedef struct {
	unsigned position; /* of the commit, 1 first                                            */
	char *key;         /* "wordcount.words_per_sec"                                         */
	char *unit;        /* "words/s"; NULL                                                   */
	Direction direction;
	double delta;      /* relative threshold, 0.02                                          */
	Comparison first;  /* the family that decided                                           */
	bool confirmed;    /* a second family on fresh samples agrees                           */
	Comparison second; /* set when confirmed                                                */
} ReportMetric;

typedef struct {
	char *key;
	char *value;
} ReportParam;

/* The mail that is answered.  All of it is what a stranger wrote. */
typedef struct {
	char *message_id;      /* canonical                                                      */
	GPtrArray *references; /* (element-type utf8) its ancestors, OLDEST first                */
	char *subject;         /* as it stands                                                   */
	Mailbox *from;
	int64_t date_us;
	int date_offset_min;
	GPtrArray *to, *cc; /* (element-type Mailbox)                                         */
	char *body;         /* for quoting; NULL                                              */
} AnsweredMail;

typedef struct {
	ReportKind kind;
	char *bot_name;
	Mailbox *bot_address;
	char *footer;
	char *message_id; /* of the mail to be composed, canonical                       */
	int64_t date_us;  /* of the mail to be composed                                  */
	AnsweredMail answered;
	Mailbox *patch_author; /* added to To; NULL                                           */
	Mailbox *list_address; /* of the list it came by; NULL: private, no tag is given      */
	GPtrArray *commits;    /* (element-type ReportCommit), base first                     */
	GPtrArray *metrics;    /* (element-type ReportMetric) headline metrics                */
	char *headline;        /* key of the metric the mail is about; NULL when none         */
	RetestOutcome retest;  /* RETEST only                                                 */
	bool asked;            /* a person asked for this run                                 */
	char *patch_subject;   /* with its prefix; NULL                                       */
	char *patch_link;      /* public URL of the patch mail; NULL                          */
	char *closes;          /* public URL of the mail to be composed; NULL                 */
	ReportTarget target;   /* what was run                                                */
	unsigned n_named;      /* commits in the request                                      */
	char *branch_url;      /* "URL BRANCH" as git fetch takes it, ours when published,    */
			       /* else the asker's; NULL                                      */
	GPtrArray *fetches;    /* (element-type utf8) "URL BRANCH" or "URL SHA", in order     */
	char *base_url;        /* tree's url; NULL                                            */
	char *base_reason;     /* how the base was chosen                                     */
	bool tested_exactly;   /* the nearest patch or cover above is just what was built     */
	char *testcase;
	char *description; /* of the workload                                             */
	bool is_shipped;   /* the workload is one that comes with lorebot                 */
	char *machine;     /* "2 threads ... CPU with 24G memory"                         */
	char *tbox_group;
	char *compiler;    /* NULL                                                        */
	GPtrArray *params; /* (element-type ReportParam)                                  */
	char *job_yaml;    /* to reproduce                                                */
	char *limits;      /* what held each run: "cgroup2", "rlimits"; NULL */
	char *version;     /* of lorebot                                                  */
	char *table;       /* the comparison table, printed                               */
	unsigned runs;     /* a commit and family                                         */
	unsigned n_families;
	double alpha; /* CompareOptions.alpha; 0: that of COMPARE_OPTIONS_DEFAULT    */
} ReportFacts;

/** report_commit_new: all NULL, but for an empty list of patches. */
ReportCommit *report_commit_new(void);
void report_patch_free(ReportPatch *patch);
void report_commit_free(ReportCommit *commit);
void report_metric_free(ReportMetric *metric);
void report_param_free(ReportParam *param);

/** report_facts_new: all lists empty, with their free functions; all else 0 or NULL. */
ReportFacts *report_facts_new(void);
void report_facts_free(ReportFacts *facts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ReportFacts, report_facts_free)

/**
 * report_facts_to_json:
 *
 * The fields under their own names ("kind" and "retest" as words), and what templates need and is
 * pure form of a fact: percents as printed, short shas, the quoted body, words of the verdict and a
 * flag for each ("is_regression").  What has no value is null, so that every name is known.  Texts
 * of one line have no line breaks, whoever wrote them.
 *
 *	bot {name, addr, text}  answered {..., hello, quote}  commits [{sha, short, subject, role}]
 *	base, head              the first and the last commit, or null
 *	head_title              the last one's subject, with "[PATCH ...]" when its patch is
 *answered metrics [...]           as facts_metric.h about                   the headline's metric
 *of the first later commit, or null fixes [...]             RETEST: the headline's metric of each
 *fix others_changed [...]    significant metrics that are not the headline others_unchanged [...]
 *the other ones is_of_series, is_of_patch, is_of_branch, is_of_commits      flags of the target
 *	branch {url, name}      branch_url in two, or null
 *	tag {text, bare}        RETEST, resolved, on a list; else null
 *	reproduce {...}         facts_reproduce.h
 *
 * Returns: (transfer full)
 */
json_t *report_facts_to_json(const ReportFacts *facts);
