/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/git/repo.h"

#include "bot/base/error.h"
#include "bot/git/alternates.h"
#include "bot/git/fetch.h"
#include "bot/git/reftips.h"
#include "bot/git/remoteurl.h"

#include <string.h>

char *repo_tree_prefix(const char *tree)
{
	return g_strdup_printf("refs/trees/%s/", tree);
}

/* A tree whose url is a path needs no mirror key. */
static const char *mirror_of(const RepoTree *tree)
{
	if (tree->mirror)
		return tree->mirror;
	if (!remoteurl_is_local(tree->url))
		return NULL;
	return g_str_has_prefix(tree->url, "file://") ? tree->url + strlen("file://") : tree->url;
}

static git_repository *open_mirror(const char *path, GError **error)
{
	git_repository *mirror = NULL;
	int rc = git_open(&mirror, path);

	if (rc < 0)
		(void)git_fail(error, rc, "cannot open the mirror %s", path);
	return mirror;
}

/* @branch: (nullable); NOT_FOUND when the mirror has it not */
static bool copy_from_mirror(Repo *repo, const char *path, const char *branch, const char *prefix,
			     GError **error)
{
	g_autoptr(git_repository) mirror = open_mirror(path, error);
	g_autoptr(GPtrArray) all = NULL;
	g_autoptr(GPtrArray) chosen = NULL;

	if (!mirror || !alternates_add(repo_handle(repo), mirror, error))
		return false;
	all = reftips_of_repository(mirror, error);
	if (!all)
		return false;
	chosen = reftips_choose(all, branch);
	if (!chosen) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND, "%s has no branch or tag %s",
			    path, branch);
		return false;
	}
	return reftips_store(repo_handle(repo), chosen, prefix, error);
}

static bool copy_from_tree(Repo *repo, const RepoTree *tree, const char *branch, const char *prefix,
			   GError **error)
{
	g_autofree char *from = repo_tree_prefix(tree->name);
	g_autoptr(GPtrArray) all = reftips_of_prefix(repo_handle(repo), from, error);
	g_autoptr(GPtrArray) chosen = all ? reftips_choose(all, branch) : NULL;

	if (!all)
		return false;
	if (!chosen || chosen->len == 0) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
			    "tree %s has no branch or tag %s", tree->name,
			    branch ? branch : "at all; it was never fetched");
		return false;
	}
	return reftips_store(repo_handle(repo), chosen, prefix, error);
}

bool repo_update_tree(Repo *repo, const RepoTree *tree, const RepoFetchLimits *limits,
		      GError **error)
{
	g_return_val_if_fail(repo != NULL && tree != NULL, false);

	g_autofree char *prefix = repo_tree_prefix(tree->name);
	const char *mirror = mirror_of(tree);

	if (mirror)
		return copy_from_mirror(repo, mirror, NULL, prefix, error);
	return remoteurl_check(tree->url, limits->allow_hosts, limits->allow_private, error) &&
	       fetch_remote(repo, tree->url, NULL, prefix, limits, error);
}

bool repo_tree_tip(Repo *repo, const RepoTree *tree, git_oid *out_tip, GError **error)
{
	g_return_val_if_fail(repo != NULL && tree != NULL, false);

	g_autofree char *prefix = repo_tree_prefix(tree->name);
	g_autofree char *ref = tree->branch ? g_strconcat(prefix, "heads/", tree->branch, NULL)
					    : g_strconcat(prefix, "HEAD", NULL);

	return repo_find_commit(repo, ref, prefix, out_tip, error);
}

static const RepoTree *find_tree(const GPtrArray *trees, const char *key)
{
	for (guint i = 0; i < trees->len; i++) {
		const RepoTree *tree = trees->pdata[i];
		g_autofree char *tree_key = remoteurl_normalise(tree->url);
		if (strcmp(tree_key, key) == 0)
			return tree;
	}
	return NULL;
}

/*
 * "https://host/tree/branch/name": people paste a branch behind the URL.  The longest URL of a tree
 * that stands in front of it wins.
 */
static const RepoTree *find_tree_above(const GPtrArray *trees, const char *key,
				       const char **out_branch)
{
	const RepoTree *best = NULL;
	size_t best_len = 0;

	for (guint i = 0; i < trees->len; i++) {
		const RepoTree *tree = trees->pdata[i];
		g_autofree char *tree_key = remoteurl_normalise(tree->url);
		g_autofree char *dotted = g_strconcat(tree_key, ".git", NULL);
		const char *const spellings[] = {tree_key, dotted};

		for (size_t k = 0; k < G_N_ELEMENTS(spellings); k++) {
			size_t len = strlen(spellings[k]);
			if (len > best_len && g_str_has_prefix(key, spellings[k]) &&
			    key[len] == '/') {
				best = tree;
				best_len = len;
				*out_branch = key + len + 1;
			}
		}
	}
	return best;
}

const RepoTree *repo_find_pasted(const char *url, const GPtrArray *trees, char **out_branch)
{
	g_autofree char *key = remoteurl_normalise(url);
	const char *branch = NULL;
	const RepoTree *tree = find_tree(trees, key) ? NULL : find_tree_above(trees, key, &branch);

	*out_branch = tree ? g_strdup(branch) : NULL;
	return tree;
}

static bool is_id(const char *text)
{
	size_t len = strlen(text);

	return len >= 7 && len <= GIT_OID_HEXSZ && strspn(text, "0123456789abcdef") == len;
}

static bool copy_tree(Repo *repo, const RepoTree *tree, const char *branch, const char *prefix,
		      GError **error)
{
	const char *mirror = mirror_of(tree);

	return mirror ? copy_from_mirror(repo, mirror, branch, prefix, error)
		      : copy_from_tree(repo, tree, branch, prefix, error);
}

/* @branch may be a commit's id: then all branches are taken and the commit must be there. */
static bool take_url(Repo *repo, const RepoTree *tree, const char *url, const char *branch,
		     const char *prefix, const RepoFetchLimits *limits, GError **error)
{
	if (tree)
		return copy_tree(repo, tree, branch, prefix, error);
	return remoteurl_check(url, limits->allow_hosts, limits->allow_private, error) &&
	       fetch_remote(repo, url, branch, prefix, limits, error);
}

bool repo_fetch_url(Repo *repo, const char *url, const char *branch, const GPtrArray *trees,
		    const char *ref_prefix, const RepoFetchLimits *limits, GError **error)
{
	g_return_val_if_fail(repo != NULL && url != NULL && trees != NULL, false);

	g_autofree char *key = remoteurl_normalise(url);
	g_autoptr(GError) local = NULL;
	const RepoTree *tree = find_tree(trees, key);
	g_autofree char *pasted = NULL;
	const RepoTree *above = repo_find_pasted(url, trees, &pasted);
	git_oid oid;

	if (above && copy_tree(repo, above, pasted, ref_prefix, NULL))
		return true;
	if (take_url(repo, tree, url, branch, ref_prefix, limits, &local))
		return true;
	if (!branch || !is_id(branch) || !g_error_matches(local, BOT_ERROR, BOT_ERROR_NOT_FOUND)) {
		g_propagate_error(error, g_steal_pointer(&local));
		return false;
	}
	return take_url(repo, tree, url, NULL, ref_prefix, limits, error) &&
	       repo_find_commit(repo, branch, ref_prefix, &oid, error);
}
