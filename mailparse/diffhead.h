/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * diffhead - what stands above the hunks of one file: names, modes, blobs, rename and copy.
 *
 * Private to the diff reader.  Two dialects: the "diff --git" line with its extended lines
 * (git-diff(1), "Generating patch text with -p") and the bare "---", "+++" pair of `diff -u`.
 *
 * One leading directory is taken off the names as `git apply -p1` does, save where both sides have
 * the same one: then the diff was made without a prefix.
 */

#include "mailparse/diff.h"

#include <glib.h>
#include <stdbool.h>

/**
 * diffhead_read:
 * @pos: (inout): start of a line; on success behind the last header line
 * @file: (out caller-allocates): zeroed; its names, modes, blobs, status, git and binary are filled
 *   in, start and len cover the header
 * @error: LIMIT for a name over DIFF_MAX_PATH_BYTES; not set when no file starts here
 *
 * A "diff --git" line that no extended line and no "---" follows is talk, no header.
 *
 * Returns: false when no file starts at @pos (unmoved) or with @error set
 */
bool diffhead_read(const char *bytes, gsize len, gsize *pos, DiffFile *file, GError **error);

/** diffhead_take_hunk: reads "@@ -1,2 +3,4 @@"; LIMIT over DIFF_MAX_LINE_NUMBER. */
bool diffhead_take_hunk(const char *text, gsize len, DiffHunk *hunk, GError **error);
