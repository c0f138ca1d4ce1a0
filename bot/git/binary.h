/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * binary - "GIT binary patch": base 85, zlib, and the copy/insert language of git's deltas.
 *
 * Formats: git's diff.c emit_binary_diff_body() and gitformat-pack(5), "Deltified representation".
 * Only the first block, which leads to the new content, is read.  Pure; sizes are bounded before
 * anything is allocated for them.
 */

#include "mailparse/diff.h"

#include <glib.h>

/**
 * binary_apply:
 * @old: content before, what a delta refers to
 * @file: with binary_has_data
 * @error: CONFLICT with a sentence why the data cannot be used
 *
 * Whether @old and the result have the blob ids of the index line is the caller's to check.
 *
 * Returns: (transfer full): content after
 */
GBytes *binary_apply(GBytes *old, const DiffFile *file, GError **error) G_GNUC_WARN_UNUSED_RESULT;
