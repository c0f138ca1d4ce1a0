/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * applyfile - one diff's files, each checked against the tree and the files before it.
 *
 * The order is git-apply(1)'s: renames and copies start from the tree as it was, an edit of a path
 * that an earlier file of the diff has touched goes on from that result; first everything old is
 * taken away, then everything new is put, so a swap of two names and "delete x, create x" work.
 */

#include "bot/git/applytree.h"

/**
 * apply_files:
 * @out_changes: (out) (transfer full): for apply_tree_write()
 * @out_failure: (out): filled on CONFLICT
 */
bool apply_files(ApplyTree *tree, const Diff *diff, GHashTable **out_changes,
		 ApplyFailure *out_failure, GError **error) G_GNUC_WARN_UNUSED_RESULT;
