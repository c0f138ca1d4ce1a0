/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * applytree - the tree a diff is applied to, read path by path, and the tree that comes of it.
 *
 * Nothing is written to the repository before apply_tree_write(), so a diff that is refused leaves
 * no objects behind.
 */

#include "bot/git/apply.h"

/** Bytes that one diff may read and make; a delta or a path named 20,000 times must not fill the
 * disk. */
#define APPLY_MAX_TOTAL_BYTES (256u * 1024 * 1024)

typedef struct {
	unsigned mode; /* 0100644, 0100755, 0120000 or 0160000                                  */
	git_oid oid;   /* object in the repository; unused when bytes is set                    */
	GBytes *bytes; /* new content that is not written yet; NULL: oid has it                 */
} FileState;

FileState *file_state_copy(const FileState *state);
void file_state_free(FileState *state);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FileState, file_state_free)

typedef struct ApplyTree ApplyTree;

ApplyTree *apply_tree_new(Repo *repo, const git_oid *tree,
			  GError **error) G_GNUC_WARN_UNUSED_RESULT;
void apply_tree_free(ApplyTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ApplyTree, apply_tree_free)

/**
 * apply_tree_find:
 * @out_state: (out) (transfer full): NULL when there is no such file (a folder is none)
 */
bool apply_tree_find(ApplyTree *tree, const char *path, FileState **out_state,
		     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * apply_tree_read:
 * @error: PERMANENT when the file or all that was read so far is too large
 *
 * Returns: (transfer full): the content; of a submodule "Subproject commit HEX\n", as git shows it
 */
GBytes *apply_tree_read(ApplyTree *tree, const char *path, const FileState *state,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * apply_tree_write:
 * @changes: (element-type utf8 FileState): path to its new state, NULL value: removed
 * @out_tree: (out): id of the new tree, its objects written
 * @out_failure: (out): filled on CONFLICT: a path would be both a file and a folder
 */
bool apply_tree_write(ApplyTree *tree, GHashTable *changes, git_oid *out_tree,
		      ApplyFailure *out_failure, GError **error) G_GNUC_WARN_UNUSED_RESULT;
