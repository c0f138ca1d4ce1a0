/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/epoch.h"

#include "bot/base/git.h"

static bool take_commit(git_repository *repo, const git_oid *id, EpochFunc take, gpointer data,
			bool *out_more)
{
	g_autoptr(git_commit) commit = NULL;
	g_autoptr(git_tree) tree = NULL;
	g_autoptr(git_blob) blob = NULL;

	if (git_commit_lookup(&commit, repo, id) < 0 || git_commit_tree(&tree, commit) < 0)
		return false;
	const git_tree_entry *entry = git_tree_entry_byname(tree, "m");
	if (!entry)
		return true;
	if (git_blob_lookup(&blob, repo, git_tree_entry_id(entry)) < 0)
		return false;
	*out_more = take(git_blob_rawcontent(blob), (gsize)git_blob_rawsize(blob), data);
	return true;
}

bool epoch_walk(const char *git_dir, EpochFunc take, gpointer data)
{
	g_autoptr(git_repository) repo = NULL;
	g_autoptr(git_revwalk) walk = NULL;
	bool more = true;
	git_oid id;

	git_start();
	bool ok = git_repository_open_bare(&repo, git_dir) == 0 &&
		  git_revwalk_new(&walk, repo) == 0 &&
		  git_revwalk_sorting(walk, GIT_SORT_TOPOLOGICAL | GIT_SORT_REVERSE) == 0 &&
		  git_revwalk_push_head(walk) == 0;
	while (ok && more && git_revwalk_next(&id, walk) == 0)
		ok = take_commit(repo, &id, take, data, &more);
	if (!ok)
		g_printerr("%s: %s\n", git_dir,
			   git_error_last() ? git_error_last()->message : "failed");
	return ok;
}
