/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * base - which commit a series is meant for, and how that was found.
 *
 * The rungs: what the request says, base-commit:, the tree's tip at the mail's date (first-parent,
 * by committer date), the tip.  Each rung that was tried and refused is kept with its reason.
 */

#include "bot/git/repo.h"

typedef struct {
	const char *requested; /* (nullable) sha, tag or branch of a request or --base            */
	const char *base_commit; /* (nullable) 40 hex of the series */
	int64_t date_us;      /* of the mail; 0: unknown                                         */
	const RepoTree *tree; /* (nullable): no tree rungs, unless tip_ref stands in             */
	const char *tip_ref;  /* (nullable): without a tree, whose tip counts: "HEAD"            */
} BaseHints;

typedef struct {
	git_oid commit;
	char *how; /* "requested", "base-commit", "tip-at-date", "tip"                          */
	char *reason;  /* a sentence for the mail: "base-commit: names it"  */
	char *refused; /* (nullable) what was tried before and why it failed, "; " between */
} BaseChoice;

void base_choice_clear(BaseChoice *choice);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(BaseChoice, base_choice_clear)

/** base_choose: @error NOT_FOUND with every rung's reason when none holds. */
bool base_choose(Repo *repo, const BaseHints *hints, BaseChoice *out_choice,
		 GError **error) G_GNUC_WARN_UNUSED_RESULT;
