/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * refusal - says why a patch does not apply, to the person (ApplyFailure) and to the caller
 * (GError).
 */

#include "bot/git/apply.h"

/**
 * refuse:
 * @failure: (out): patch and damage are left at 0
 * @error: CONFLICT, "PATH: hunk N: REASON"
 * @path: (nullable): file it is about
 * @hunk: 1 first; 0 when it is not about a hunk
 *
 * Returns: always false, so that a caller can `return refuse(...)`
 */
bool refuse(ApplyFailure *failure, GError **error, const char *path, unsigned hunk,
	    const char *format, ...) G_GNUC_PRINTF(5, 6);

/** refusal_quote: bytes of a stranger as a short quoted text for a reason. */
char *refusal_quote(const char *bytes, gsize len);
