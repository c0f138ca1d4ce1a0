/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * fuzz_apply - any diff on a small tree that holds one of each kind of file.
 *
 * Whatever comes, only paths that the diff names may change, all of them safe, and a refusal has a
 * reason.
 */

#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/git/apply.h"
#include "mailparse/diffpath.h"

#include <git2/sys/mempack.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
	char *dir;
	Repo *repo;
	git_odb_backend *memory; /* new objects stay here and go after each input */
	git_oid tree;
} World;

static World world;

static void remove_world(void)
{
	repo_close(world.repo);
	if (!fs_remove_tree(world.dir, NULL))
		g_printerr("cannot remove %s\n", world.dir);
	g_free(world.dir);
}

static git_tree_update file(git_filemode_t mode, const char *path, const char *content)
{
	git_tree_update update = {.action = GIT_TREE_UPDATE_UPSERT, .filemode = mode, .path = path};
	git_repository *repo = repo_handle(world.repo);
	int rc = mode == GIT_FILEMODE_COMMIT
			 ? git_oid_fromstr(&update.id, content)
			 : git_blob_create_from_buffer(&update.id, repo, content, strlen(content));

	g_assert_cmpint(rc, ==, 0);
	return update;
}

static void make_tree(void)
{
	const git_tree_update updates[] = {
		file(GIT_FILEMODE_BLOB, "bin", "a\001b\002c\003d"),
		file(GIT_FILEMODE_BLOB, "d/g", "g\n"),
		file(GIT_FILEMODE_BLOB, "dos", "1\r\n2\r\n"),
		file(GIT_FILEMODE_BLOB, "empty", ""),
		file(GIT_FILEMODE_BLOB, "f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"),
		file(GIT_FILEMODE_LINK, "l", "d"),
		file(GIT_FILEMODE_BLOB, "no-eol", "1\n2"),
		file(GIT_FILEMODE_COMMIT, "s", "1111111111111111111111111111111111111111"),
		file(GIT_FILEMODE_BLOB_EXECUTABLE, "x", "#!\n"),
	};
	git_treebuilder *builder = NULL;
	g_autoptr(git_tree) empty = NULL;
	git_repository *repo = repo_handle(world.repo);
	git_oid oid;
	bool ok = git_treebuilder_new(&builder, repo, NULL) == 0 &&
		  git_treebuilder_write(&oid, builder) == 0 &&
		  git_tree_lookup(&empty, repo, &oid) == 0 &&
		  git_tree_create_updated(&world.tree, repo, empty, G_N_ELEMENTS(updates),
					  updates) == 0;

	g_assert_true(ok);
	git_treebuilder_free(builder);
}

static void make_world(void)
{
	g_autoptr(git_odb) odb = NULL;
	g_autofree char *path = NULL;

	world.dir = g_dir_make_tmp("lorebot-fuzz-XXXXXX", NULL);
	path = g_build_filename(world.dir, "repo.git", NULL);
	world.repo = repo_open(path, NULL);
	g_assert_nonnull(world.repo);
	make_tree();
	g_assert_cmpint(git_repository_odb(&odb, repo_handle(world.repo)), ==, 0);
	g_assert_cmpint(git_mempack_new(&world.memory), ==, 0);
	g_assert_cmpint(git_odb_add_backend(odb, world.memory, 1000), ==, 0);
	atexit(remove_world);
}

static bool names_path(const Diff *diff, const char *path)
{
	for (guint i = 0; i < diff->files->len; i++) {
		const DiffFile *named = diff->files->pdata[i];
		const char *rest = named->bare ? strchr(named->path, '/') : NULL;
		if (strcmp(named->path, path) == 0 || g_strcmp0(named->old_path, path) == 0 ||
		    (rest && strcmp(rest + 1, path) == 0))
			return true;
	}
	return false;
}

static void check_result(const Diff *diff, const git_oid *made)
{
	git_repository *repo = repo_handle(world.repo);
	g_autoptr(git_tree) before = NULL;
	g_autoptr(git_tree) after = NULL;
	g_autoptr(git_diff) change = NULL;

	g_assert_cmpint(git_tree_lookup(&before, repo, &world.tree), ==, 0);
	g_assert_cmpint(git_tree_lookup(&after, repo, made), ==, 0);
	g_assert_cmpint(git_diff_tree_to_tree(&change, repo, before, after, NULL), ==, 0);
	for (size_t i = 0; i < git_diff_num_deltas(change); i++) {
		const git_diff_delta *delta = git_diff_get_delta(change, i);
		g_assert_true(names_path(diff, delta->new_file.path));
		g_assert_true(diffpath_check(delta->new_file.path, NULL));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GBytes) bytes = g_bytes_new(data, size);
	g_autoptr(Diff) diff = diff_parse(bytes, NULL);
	g_auto(ApplyFailure) failure = {0};
	g_autoptr(GError) error = NULL;
	git_oid made;

	if (!world.repo)
		make_world();
	if (!diff)
		return 0;
	if (apply_diff(world.repo, &world.tree, diff, &made, &failure, &error))
		check_result(diff, &made);
	else
		g_assert_true(!g_error_matches(error, BOT_ERROR, BOT_ERROR_CONFLICT) ||
			      failure.reason != NULL);
	g_assert_cmpint(git_mempack_reset(world.memory), ==, 0);
	return 0;
}
