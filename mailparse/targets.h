/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * targets - what is to be tested, as the writer of a request names it: repositories with their
 * branches, pages of them, links to archives, Message-IDs, commits, tags, footnotes.
 *
 * All of these add to a request what it does not hold yet, up to 50 of each kind.  The first
 * repository and its branch are kept as written; `sources` says where git finds each of them.
 */

#include "mailparse/asktext.h"
#include "mailparse/request.h"

void targets_add_commit(Request *request, const char *sha, const char *subject);
void targets_add_link(Request *request, const char *link);
void targets_add_wish(Request *request, const char *wish);

/** targets_add_url: a repository, or a page of one, or a link, told by its spelling (url.h). */
void targets_add_url(Request *request, const char *url, const char *branch);

/** targets_add_repo: whatever its spelling: the name of a tree, or an URL, also of a page. */
void targets_add_repo(Request *request, const char *repo, const char *branch);

/**
 * targets_take_lines: URLs, and indented lines of `sha ("subject")`, save those of trailers.
 */
void targets_take_lines(Request *request, const AskText *text, gsize from, gsize to);

/** targets_take_pull: the repository, tag and commit of a pull request that stands in the talk. */
void targets_take_pull(Request *request, const AskText *text);

/** targets_take_footnotes: of @sentence's marks "[1]", the URLs behind the same marks. */
void targets_take_footnotes(Request *request, const AskText *text, const char *sentence);

/** targets_take_hashes: every hash that @sentence names. */
void targets_take_hashes(Request *request, const char *sentence);

/** targets_take_commits: what @sentence says to test by hash: "try commit 0123456789ab". */
void targets_take_commits(Request *request, const char *sentence);

/** targets_take_ids: the Message-IDs that @sentence names. */
void targets_take_ids(Request *request, const char *sentence);

/** targets_take_branch: for a repository without one, the branch that @text names. */
void targets_take_branch(Request *request, const char *text);

/** targets_take_tag: a release that @sentence says to test ("v6.9-rc3", "next-20240506"). */
bool targets_take_tag(Request *request, const char *sentence);
