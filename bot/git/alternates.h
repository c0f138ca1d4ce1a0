/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * alternates - another repository's objects as if they were ours (gitrepository-layout(5)).
 *
 * A mirror may borrow in its turn, by absolute or relative paths; libgit2 follows relative ones
 * only from the first repository, so the whole chain is resolved here and written as absolute
 * paths.
 */

#include "bot/base/git.h"

/**
 * alternates_add:
 * @mirror: opened from a local path, bare or not
 * @error: PERMANENT when the chain of alternates comes back to a folder it has passed, or to
 * @repo's own objects
 *
 * Idempotent.  @repo sees the objects at once.
 */
bool alternates_add(git_repository *repo, git_repository *mirror,
		    GError **error) G_GNUC_WARN_UNUSED_RESULT;
