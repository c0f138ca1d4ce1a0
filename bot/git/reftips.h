/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * reftips - the branches and tags of another repository, and our copy of them below a prefix.
 *
 * A name is "heads/BRANCH", "tags/TAG" or "HEAD", so that PREFIX + name is the ref of ours.
 */

#include "bot/base/git.h"

typedef struct {
	char *name;
	git_oid oid;
} RefTip;

/** reftips_new: an empty list with its free function. */
GPtrArray *reftips_new(void);

/**
 * reftips_add:
 * @ref: "refs/heads/x", "refs/tags/x", "HEAD"; what is none of these, or no valid name, is left out
 */
void reftips_add(GPtrArray *tips, const char *ref, const git_oid *oid);

const RefTip *reftips_find(const GPtrArray *tips, const char *name);

/** reftips_of_repository: refs/heads/, refs/tags/ and HEAD of a local repository. */
GPtrArray *reftips_of_repository(git_repository *repo, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** reftips_of_prefix: what reftips_store() has stored below @prefix of @repo. */
GPtrArray *reftips_of_prefix(git_repository *repo, const char *prefix,
			     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * reftips_choose:
 * @branch: (nullable): a branch or tag name; the result then holds it alone and as HEAD
 *
 * Returns: (transfer full) (nullable): NULL when @branch is none of @tips
 */
GPtrArray *reftips_choose(const GPtrArray *tips, const char *branch);

/** reftips_store: makes the refs below @prefix be @tips, no more and no less. */
bool reftips_store(git_repository *repo, const GPtrArray *tips, const char *prefix,
		   GError **error) G_GNUC_WARN_UNUSED_RESULT;
