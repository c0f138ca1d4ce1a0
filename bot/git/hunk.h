/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * hunk - the text hunks of one file onto its old content, exactly where they say.
 *
 * The rules are those of git-apply(1) without its search: a hunk stands at the line its @@ line
 * names for the new side, one that begins at line 1 stands at the start, one without context after
 * its change stands at the end.  So a hunk without any context is taken only for a whole file or at
 * its end.  Hunks come in order and do not overlap.  Pure, linear in the size of both.
 */

#include "bot/git/apply.h"

/** A result may not grow over this; no text or binary file of a list patch comes near. */
#define APPLY_MAX_FILE_BYTES (64u * 1024 * 1024)

/**
 * hunk_apply:
 * @old: content before
 * @strip_cr: the mail's transport put a CR at the end of every line: take it off
 * @out_failure: (out): filled with hunk and reason when NULL is returned
 * @error: CONFLICT
 *
 * Returns: (transfer full): content after
 */
GBytes *hunk_apply(GBytes *old, const DiffFile *file, bool strip_cr, ApplyFailure *out_failure,
		   GError **error) G_GNUC_WARN_UNUSED_RESULT;
