/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * page - which repository, and which branch, tag, commit or pull request of it, a web page shows.
 *
 * People give the address that their browser shows.  Read here are those of cgit, gitweb, GitHub,
 * Gitea and Forgejo (Codeberg), GitLab, sourcehut and Gitiles, from the spelling alone; what git
 * makes of it is for the fetcher to find out.
 */

#include <glib.h>
#include <stdbool.h>

typedef enum {
	PAGE_NONE,   /* not a page of a repository browser, or of nothing that can be fetched */
	PAGE_TREE,   /* of a branch, tag or state of the files                                */
	PAGE_COMMIT, /* of one commit                                                         */
	PAGE_PULL,   /* of a pull or merge request                                            */
} PageKind;

/**
 * page_read:
 * @url: an URL (target.h)
 * @out_repo: (out) (nullable) (transfer full): what git fetches from; NULL where the page does not
 *   tell
 * @out_ref: (out) (nullable) (transfer full): as git-check-ref-format(1) has it ("refs/pull/7/head"
 *   for a pull request); NULL where the page shows the default branch
 *
 * Returns: PAGE_NONE also sets both to NULL
 */
PageKind page_read(const char *url, char **out_repo, char **out_ref);
