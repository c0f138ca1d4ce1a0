/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * repo - the bot's bare repository: trees known to it, commits found by what a person wrote.
 *
 * A tree's refs stand under refs/trees/NAME/ as heads/BRANCH, tags/TAG and HEAD (where its HEAD
 * is); a request's under its own prefix in the same way.  A tree with a local mirror shares its
 * objects by objects/info/alternates and only refs are copied; a remote one is fetched by a child
 * process with a deadline and a size limit, redirects off, to allowed hosts only.
 */

#include "bot/base/git.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
	const char *name;   /* of the section                                                    */
	const char *url;    /* https://, git:// or file path; what mails name                    */
	const char *mirror; /* local path that holds it; NULL: fetch url                         */
	const char *branch; /* its main branch; NULL: the remote's HEAD                          */
} RepoTree;

typedef struct Repo Repo;

/** repo_open: opens or creates the bare repository at @path. */
Repo *repo_open(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void repo_close(Repo *repo);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Repo, repo_close)

/** repo_open_existing: any repository, bare or not, used as it is (the `apply` command). */
Repo *repo_open_existing(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

git_repository *repo_handle(const Repo *repo);

typedef struct {
	int64_t timeout_ms;             /* of the whole fetch                                   */
	uint64_t max_bytes;             /* received                                             */
	const char *const *allow_hosts; /* NULL-terminated; other hosts are refused             */
	bool allow_private;             /* loopback and private addresses too (tests)           */
} RepoFetchLimits;

/**
 * repo_update_tree:
 * @error: TRANSIENT (network, deadline), PERMANENT (host not allowed, too large), NOT_FOUND (no
 * such mirror)
 */
bool repo_update_tree(Repo *repo, const RepoTree *tree, const RepoFetchLimits *limits,
		      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** repo_tree_prefix: (transfer full): where the refs of the tree of that name are kept,
 * "refs/trees/linux/". */
char *repo_tree_prefix(const char *tree);

/**
 * repo_fetch_url:
 * @url: as a request names it; when it equals a tree's url its mirror is used, no network
 * @trees: (element-type RepoTree)
 * @branch: (nullable): NULL: all branches
 * @ref_prefix: where the refs go, "refs/requests/ID/"
 */
bool repo_fetch_url(Repo *repo, const char *url, const char *branch, const GPtrArray *trees,
		    const char *ref_prefix, const RepoFetchLimits *limits,
		    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * repo_find_pasted: people paste a branch behind a repository's URL, as web pages show it;
 * repo_fetch_url() tries it so.
 * @url: as a request names it
 * @trees: (element-type RepoTree)
 * @out_branch: (transfer full): what stands behind the tree's URL; NULL without a tree
 *
 * Returns: (transfer none) (nullable): the tree with the longest URL that stands before a "/" in
 *   @url; NULL also when @url is itself a tree's
 */
const RepoTree *repo_find_pasted(const char *url, const GPtrArray *trees, char **out_branch);

/**
 * repo_find_commit:
 * @spec: 7 to 40 hex digits, a branch or tag ("x", "refs/heads/x") of @ref_prefix
 * @ref_prefix: (nullable): where names are looked up, "refs/trees/linux/", and only there; without
 * one a full ref, branch or tag of the repository itself
 * @error: NOT_FOUND, or CONFLICT when an abbreviation is ambiguous
 */
bool repo_find_commit(Repo *repo, const char *spec, const char *ref_prefix, git_oid *out_commit,
		      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * repo_parse_rev:
 * @rev: an operator's revision as in gitrevisions(7), "HEAD~3"; never a stranger's text
 */
bool repo_parse_rev(Repo *repo, const char *rev, git_oid *out_commit,
		    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** repo_tree_tip: of the tree's main branch, as of its last update; NOT_FOUND when never updated.
 */
bool repo_tree_tip(Repo *repo, const RepoTree *tree, git_oid *out_tip,
		   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** repo_commit_subject: first line of its message; caller frees. */
char *repo_commit_subject(Repo *repo, const git_oid *commit, GError **error);

/** repo_commit_parent: NOT_FOUND for a root commit. */
bool repo_commit_parent(Repo *repo, const git_oid *commit, git_oid *out_parent,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** repo_commit_tree: the tree of a commit. */
bool repo_commit_tree(Repo *repo, const git_oid *commit, git_oid *out_tree,
		      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** repo_commit_patch_id: 40 hex of the stable patch-id of commit against its first parent. */
char *repo_commit_patch_id(Repo *repo, const git_oid *commit, GError **error);

/** repo_set_ref: creates or moves @name to @commit. */
bool repo_set_ref(Repo *repo, const char *name, const git_oid *commit,
		  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * repo_publish:
 * Pushes @ref to the remote @publish under refs/heads/@branch; must be done before a mail links it.
 */
bool repo_publish(Repo *repo, const char *ref, const char *publish, const char *branch,
		  int64_t timeout_ms, GError **error) G_GNUC_WARN_UNUSED_RESULT;
