/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * target - is this word a repository, a link to a patch, a ref, a commit?
 *
 * Told from the spelling alone; whether it exists is for the fetcher to find out.
 */

#include <glib.h>
#include <stdbool.h>

/** target_is_url: "scheme://host..." of a scheme that git or a web browser takes, or
 * "git@host:path". */
bool target_is_url(const char *word);

/** target_is_link: an URL that leads to a mail, a patch or one commit, not to a repository. */
bool target_is_link(const char *word);

/** target_is_repo: an URL that a repository, or a branch page of one, may answer at. */
bool target_is_repo(const char *word);

/** target_is_ref: may be a branch, tag or hash (git-check-ref-format(1)); not an option or URL. */
bool target_is_ref(const char *word);

/** target_is_hash: 7 to 40 hex digits with at least one digit, so that "defaced" is a word. */
bool target_is_hash(const char *word);

/**
 * target_trim: @word without the brackets, quotes and full stops that talk puts around it.
 *
 * Returns: (transfer full)
 */
char *target_trim(const char *word);

/** target_commit_of_link: the hash in ".../commit/HASH" or "?id=HASH"; NULL when none. */
char *target_commit_of_link(const char *link);
