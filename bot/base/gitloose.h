/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * gitloose - loose objects read by us before libgit2 does.
 *
 * What a crash leaves of a loose object may end in the middle, and libgit2 1.5 inflates such a file
 * for ever.  A read-only backend that stands before libgit2's own answers for each object which has
 * a file: with its bytes, or with an error that names object and file.  An object without a file is
 * left to the others.  Private to git.c.
 */

#include <git2.h>

/* libgit2's own: loose objects 1 */
#define GITLOOSE_PRIORITY 2
#define GITLOOSE_PACKED_PRIORITY 3
#define GITLOOSE_MAX_BYTES ((size_t)512 * 1024 * 1024)

/**
 * gitloose_add:
 * @objects: an objects folder, of the repository itself or of one it borrows from
 *
 * Returns: 0, or a code of libgit2
 */
int gitloose_add(git_odb *odb, const char *objects);
