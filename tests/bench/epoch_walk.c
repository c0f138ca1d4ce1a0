/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * epoch_walk GIT_DIR - what reading an epoch costs at least: each commit from the first on, its
 * tree, its blob `m`; nothing is done with the bytes.  Prints one line: "MAILS BYTES SECONDS".
 */

#include "bot/base/git.h"

#include <stdio.h>

static bool read_commit(git_repository *repo, const git_oid *id, guint *n_mails, gsize *n_bytes)
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
	++*n_mails;
	*n_bytes += (gsize)git_blob_rawsize(blob);
	return true;
}

int main(int argc, char **argv)
{
	g_autoptr(git_repository) repo = NULL;
	g_autoptr(git_revwalk) walk = NULL;
	guint n_mails = 0;
	gsize n_bytes = 0;
	git_oid id;

	if (argc != 2) {
		fprintf(stderr, "usage: %s GIT_DIR\n", argv[0]);
		return 2;
	}
	git_start();
	int64_t start_us = g_get_monotonic_time();
	bool ok = git_repository_open_bare(&repo, argv[1]) == 0 &&
		  git_revwalk_new(&walk, repo) == 0 &&
		  git_revwalk_sorting(walk, GIT_SORT_TOPOLOGICAL | GIT_SORT_REVERSE) == 0 &&
		  git_revwalk_push_head(walk) == 0;
	while (ok && git_revwalk_next(&id, walk) == 0)
		ok = read_commit(repo, &id, &n_mails, &n_bytes);
	if (!ok) {
		fprintf(stderr, "%s\n", git_error_last() ? git_error_last()->message : "failed");
		return 1;
	}
	printf("%u %zu %.3f\n", n_mails, n_bytes,
	       (double)(g_get_monotonic_time() - start_us) / 1e6);
	return 0;
}
