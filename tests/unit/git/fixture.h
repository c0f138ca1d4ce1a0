/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * fixture - a folder of its own with a repository in it, and commits made from literal files.
 */

#include "bot/base/clock.h"
#include "bot/base/fs.h"
#include "bot/git/apply.h"
#include "mailparse/mailparse.h"

#include <check.h>
#include <string.h>

#define FIXTURE_TIME ((git_time_t)1700000000)

typedef struct {
	char *dir;
	Repo *repo;
} Fixture;

typedef struct {
	const char *path;
	const char *content; /* of a submodule: 40 hex */
	unsigned mode;       /* 0: 0100644              */
} FixtureFile;

static inline Fixture fixture_new(void)
{
	Fixture fixture = {.dir = g_dir_make_tmp("lorebot-git-XXXXXX", NULL)};
	g_autofree char *path = g_build_filename(fixture.dir, "repo.git", NULL);
	g_autoptr(GError) error = NULL;

	fixture.repo = repo_open(path, &error);
	ck_assert_msg(fixture.repo != NULL, "%s", error ? error->message : "");
	return fixture;
}

static inline void fixture_clear(Fixture *fixture)
{
	repo_close(fixture->repo);
	ck_assert(fs_remove_tree(fixture->dir, NULL));
	g_free(fixture->dir);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Fixture, fixture_clear)

/* A tree of @files, which end with a NULL path. */
static inline git_oid fixture_tree(Repo *repo, const FixtureFile *files)
{
	git_repository *handle = repo_handle(repo);
	g_autoptr(GArray) updates = g_array_new(FALSE, TRUE, sizeof(git_tree_update));
	g_autoptr(git_tree) empty = NULL;
	git_treebuilder *builder = NULL;
	git_oid oid;

	ck_assert_int_eq(git_treebuilder_new(&builder, handle, NULL), 0);
	ck_assert_int_eq(git_treebuilder_write(&oid, builder), 0);
	git_treebuilder_free(builder);
	ck_assert_int_eq(git_tree_lookup(&empty, handle, &oid), 0);
	for (; files->path; files++) {
		git_tree_update update = {.action = GIT_TREE_UPDATE_UPSERT, .path = files->path};

		update.filemode = (git_filemode_t)(files->mode ? files->mode : 0100644);
		if (update.filemode == GIT_FILEMODE_COMMIT)
			ck_assert_int_eq(git_oid_fromstr(&update.id, files->content), 0);
		else
			ck_assert_int_eq(git_blob_create_from_buffer(&update.id, handle,
								     files->content,
								     strlen(files->content)),
					 0);
		g_array_append_val(updates, update);
	}
	ck_assert_int_eq(git_tree_create_updated(&oid, handle, empty, updates->len,
						 (const git_tree_update *)(void *)updates->data),
			 0);
	return oid;
}

/* A commit of @tree at @time, on @parent when not NULL. */
static inline git_oid fixture_commit_tree(Repo *repo, const git_oid *tree, const git_oid *parent,
					  git_time_t time, const char *message)
{
	git_repository *handle = repo_handle(repo);
	g_autoptr(git_signature) who = NULL;
	g_autoptr(git_tree) root = NULL;
	g_autoptr(git_commit) base = NULL;
	const git_commit *parents[1] = {NULL};
	git_oid oid;

	ck_assert_int_eq(git_signature_new(&who, "Ann Author", "ann@example.org", time, 0), 0);
	ck_assert_int_eq(git_tree_lookup(&root, handle, tree), 0);
	if (parent)
		ck_assert_int_eq(git_commit_lookup(&base, handle, parent), 0);
	parents[0] = base;
	ck_assert_int_eq(git_commit_create(&oid, handle, NULL, who, who, NULL, message, root,
					   parent ? 1 : 0, parents),
			 0);
	return oid;
}

static inline git_oid fixture_commit(Repo *repo, const FixtureFile *files, const git_oid *parent)
{
	git_oid tree = fixture_tree(repo, files);

	return fixture_commit_tree(repo, &tree, parent, FIXTURE_TIME, "a commit\n");
}

static inline Diff *fixture_diff(const char *text)
{
	g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
	Diff *diff = diff_parse(bytes, NULL);

	ck_assert_ptr_nonnull(diff);
	return diff;
}
