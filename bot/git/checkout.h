/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * checkout - a commit's files as a tar stream.
 *
 * A stranger's tree is never laid out on the host's file system: the tar goes to a file of ours and
 * is unpacked inside the sandbox, in memory.  Attributes (export-subst, filters) are not followed:
 * the tar holds exactly the blobs.  All files carry the commit's time.
 */

#include "bot/git/repo.h"

/**
 * checkout_write_tar:
 * @fd: written from its current position
 * @max_bytes: a larger tree is refused (PERMANENT)
 */
bool checkout_write_tar(Repo *repo, const git_oid *commit, int fd, uint64_t max_bytes,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;
