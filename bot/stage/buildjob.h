/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * buildjob - private to the build stage: one job's commits while they are being made.
 *
 * build.c makes them of posted patches, buildrequest.c of what a request names.
 */

#include "bot/git/apply.h"
#include "bot/git/repo.h"
#include "bot/stage/stage.h"
#include "bot/store/jobs.h"
#include "mailparse/mail.h"

/* Everything one job's build needs; lives as long as that. */
typedef struct {
	StageContext *context;
	Repo *repo;
	Job *job;
	const TreeSection *tree;
	RepoTree repo_tree;
	RepoFetchLimits limits;
	GPtrArray *mails;   /* (element-type Mail) own the patches below                */
	GPtrArray *patches; /* (element-type ApplyPatch) in order                       */
	GPtrArray *links;   /* (element-type utf8) own ApplyPatch.link                  */
	int64_t date_us;    /* of the first mail                                        */
	const Mail *first;  /* into mails                                               */
	char *base_commit;  /* of the series; NULL                                      */
	char *note;         /* series_note() of it; NULL                                */
} Build;

RepoTree build_repo_tree(const TreeSection *tree);

/** build_repo_trees: (transfer full) (element-type RepoTree): of all tree sections, borrowed
 * strings. */
GPtrArray *build_repo_trees(const Config *config);

/** build_add_patch: the patch of a stored mail, behind those that are there. */
bool build_add_patch(Build *build, int64_t message_row, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** build_add_series: the patches of the job's series, and its base-commit. */
bool build_add_series(Build *build, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** build_add_commit: @id is the job's next commit. */
bool build_add_commit(Build *build, CommitRole role, const git_oid *id,
		      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** build_apply_on: all patches on @base; CONFLICT with patch, file, hunk and reason. */
bool build_apply_on(Build *build, const git_oid *base, git_oid *out_tip,
		    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** build_name_branch: a branch for @tip; published before any mail can link it. */
bool build_name_branch(Build *build, const git_oid *tip, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** build_on_base: chooses the base (@requested: nullable), applies, names: base and patched. */
bool build_on_base(Build *build, const char *requested, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * build_tree_tip: of the main branch of the job's tree.
 * @error: CONFIG naming the key that is wrong, and how the job is tried again
 */
bool build_tree_tip(Build *build, git_oid *out_tip, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** build_request: what the job's request means; in buildrequest.c. */
bool build_request(Build *build, GError **error) G_GNUC_WARN_UNUSED_RESULT;
