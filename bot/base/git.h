/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * git - libgit2's life cycle, its errors as ours, and autoptr for its handles.
 */

#include <git2.h>
#include <glib.h>
#include <stdbool.h>

/** git_start: idempotent; sets owner validation off for our own bare repositories. */
void git_start(void);

/*
 * Repositories are opened here and nowhere else: libgit2 1.5 reads a loose object that is cut off
 * for ever.  In a repository of ours such an object is an error that names it and its file, also
 * where the file belongs to a folder that the repository borrows from.
 *
 * Returns: 0, or what libgit2 returned, for git_fail()
 */

/** git_open: as git_repository_open_ext() without a search in folders above */
int git_open(git_repository **out, const char *path) G_GNUC_WARN_UNUSED_RESULT;

/** git_open_bare: as git_repository_open_bare() */
int git_open_bare(git_repository **out, const char *path) G_GNUC_WARN_UNUSED_RESULT;

/** git_create_bare: makes @path with the folders above it; HEAD names the branch @head. */
int git_create_bare(git_repository **out, const char *path,
		    const char *head) G_GNUC_WARN_UNUSED_RESULT;

/** git_borrow: @objects, an objects folder, is read too as long as @repo is open. */
int git_borrow(git_repository *repo, const char *objects) G_GNUC_WARN_UNUSED_RESULT;

/**
 * git_alternates:
 *
 * Returns: (transfer full): the lines of @objects/info/alternates; empty when there is no file
 */
char **git_alternates(const char *objects, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** git_alternate_path: (transfer full): what a line of that file names; NULL for a comment */
char *git_alternate_path(const char *objects, const char *line);

/**
 * git_fail:
 * @rc: what a libgit2 call returned, < 0
 * @format: what was being done, without a full stop
 *
 * GIT_ENOTFOUND and GIT_EINVALIDSPEC become NOT_FOUND, GIT_ELOCKED TRANSIENT, GIT_ECONFLICT and
 * GIT_EAPPLYFAIL CONFLICT, network classes TRANSIENT, all others PERMANENT.
 *
 * Returns: always false, so that a caller can `return git_fail(...)`
 */
bool git_fail(GError **error, int rc, const char *format, ...) G_GNUC_PRINTF(3, 4);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(git_repository, git_repository_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(git_config, git_config_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(git_commit, git_commit_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(git_tree, git_tree_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(git_tree_entry, git_tree_entry_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(git_blob, git_blob_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(git_object, git_object_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(git_reference, git_reference_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(git_remote, git_remote_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(git_revwalk, git_revwalk_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(git_signature, git_signature_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(git_diff, git_diff_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(git_odb, git_odb_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(git_config_iterator, git_config_iterator_free)
