/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * url - what an URL leads to: a repository, a page of one, a mail in an archive.
 *
 * Told from the spelling alone; whether it is there is for the fetcher to find out.
 */

#include <glib.h>
#include <stdbool.h>

typedef enum {
	URL_OTHER,   /* none, or of something that is no target                              */
	URL_REPO,    /* a repository, or a page of one of its branches, tags or trees        */
	URL_COMMIT,  /* a page of one commit                                                 */
	URL_PULL,    /* a page of a pull or merge request                                    */
	URL_ARCHIVE, /* a mail, patch or bug in an archive or tracker                        */
} UrlKind;

/** url_is: "scheme://host..." of a scheme that git or a web browser takes, or "git@host:path". */
bool url_is(const char *word);

/**
 * url_read:
 * @out_repo: (out) (nullable) (transfer full): what git fetches from, of URL_REPO, URL_COMMIT and
 *   URL_PULL; NULL where @word does not tell
 * @out_ref: (out) (nullable) (transfer full): the branch, tag, hash or ref that it names there
 */
UrlKind url_read(const char *word, char **out_repo, char **out_ref);

/** url_is_link: @kind leads to a piece of work and not to a repository as a whole. */
bool url_is_link(UrlKind kind);
