/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * gitremote - another repository, connected to for fetching, within a limit of size.
 *
 * Redirects are off; what libgit2 finds out about a certificate stands.  All of it blocks without a
 * deadline, so it belongs into a child (child.h).
 */

#include "bot/base/git.h"

#include <stdint.h>

/* Beside a pack of the size allowed: its index and bookkeeping.  For ChildOptions. */
#define GITREMOTE_SLACK_BYTES (UINT64_C(64) * 1024 * 1024)

typedef struct GitRemote GitRemote;

/**
 * gitremote_connect:
 * @repo: (nullable): what is downloaded goes there; NULL for a look only
 * @max_bytes: of each download
 * @error: NOT_FOUND when the server answers that it has no such repository, else as git_fail()
 */
GitRemote *gitremote_connect(git_repository *repo, const char *url, uint64_t max_bytes,
			     GError **error) G_GNUC_WARN_UNUSED_RESULT;
void gitremote_free(GitRemote *remote);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GitRemote, gitremote_free)

/**
 * gitremote_list:
 * @out_heads: (transfer none): the remote's refs, valid as long as @remote
 */
bool gitremote_list(GitRemote *remote, const git_remote_head ***out_heads, size_t *out_n_heads,
		    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * gitremote_download:
 * @refs: (element-type utf8): names of the remote whose objects are wanted; no ref of ours changes
 * @error: PERMANENT when it is larger than allowed
 */
bool gitremote_download(GitRemote *remote, const GPtrArray *refs,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** gitremote_keep_verdict: a git_transport_certificate_check_cb that waves nothing through. */
int gitremote_keep_verdict(git_cert *cert, int valid, const char *host, void *payload);
