/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * apply - patches onto a tree, in memory, exactly, with no way to write where they should not.
 *
 * Every path of the patch passes diffpath_check() and is checked against symbolic links, the
 * pre-image is compared (deletes, creates over existing files, zero-context hunks and copies too:
 * libgit2's own git_apply_to_tree gets these wrong), hunks stand where they say.  Only the touched
 * paths are read: the new tree comes from git_tree_create_updated.  Result trees equal `git am`'s.
 */

#include "bot/git/repo.h"
#include "mailparse/patch.h"

typedef struct {
	size_t patch;       /* index into the series, 0 first                              */
	char *path;         /* file it stopped at; NULL when none                          */
	unsigned hunk;      /* 1 first; 0 when it is not about a hunk                      */
	char *reason;       /* a sentence                                                  */
	PatchDamage damage; /* when the mail was damaged on its way                     */
} ApplyFailure;

void apply_failure_clear(ApplyFailure *failure);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ApplyFailure, apply_failure_clear)

/**
 * apply_diff:
 * @tree: to apply on; unchanged
 * @out_failure: (out): filled when false is returned with BOT_ERROR_CONFLICT; patch is 0
 * @error: CONFLICT when it does not apply, others for the repository
 */
bool apply_diff(Repo *repo, const git_oid *tree, const Diff *diff, git_oid *out_tree,
		ApplyFailure *out_failure, GError **error) G_GNUC_WARN_UNUSED_RESULT;

typedef struct {
	const Patch *patch;
	const char *link; /* (nullable) value of the Link: trailer to add                 */
	int64_t committer_date_us; /* already clamped by the caller */
} ApplyPatch;

typedef struct {
	git_oid commit;
	git_oid tree;
	const char *method; /* "exact" */
} AppliedCommit;

/**
 * apply_series:
 * @base: commit to start from
 * @patches: (element-type ApplyPatch) in order
 * @committer_name, @committer_addr: the bot
 * @out_commits: (out) (element-type AppliedCommit): one a patch
 * @out_failure: as apply_diff(), with the patch's index
 *
 * Author, date and message are the patch's, `Link:` is added to the trailers; so the ids are the
 * same whenever it is done again.  Writes objects, moves no ref.
 */
bool apply_series(Repo *repo, const git_oid *base, const GPtrArray *patches,
		  const char *committer_name, const char *committer_addr, GArray **out_commits,
		  ApplyFailure *out_failure, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * apply_ref_name:
 * @author: display name, @title: first patch's title, @stamp_us: time of applying
 *
 * Returns: (transfer full): "lorebot-review/Ann-Author/lib-foo-fix-it/20260131-120000" (UTC): runs
 * of characters outside [A-Za-z0-9_] become one "-", ends trimmed, parts cut at 100 bytes
 */
char *apply_ref_name(const char *author, const char *title, int64_t stamp_us);
