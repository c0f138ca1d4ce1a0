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
