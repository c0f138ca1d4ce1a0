/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * fetch - a remote repository's branches and tags into ours, by a child process.
 */

#include "bot/git/repo.h"

/**
 * fetch_remote:
 * @url: passed remoteurl_check()
 * @branch: (nullable): a branch or tag; NULL: all
 * @ref_prefix: refs below it become those of the remote, others go
 * @error: TRANSIENT (network, deadline), PERMANENT (too large), NOT_FOUND (no such branch)
 *
 * Redirects off, certificates checked by libgit2 and never waved through.
 */
bool fetch_remote(Repo *repo, const char *url, const char *branch, const char *ref_prefix,
		  const RepoFetchLimits *limits, GError **error) G_GNUC_WARN_UNUSED_RESULT;
