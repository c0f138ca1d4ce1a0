/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * target - is this word a ref, a commit?
 *
 * Told from the spelling alone; whether it exists is for the fetcher to find out.
 */

#include <glib.h>
#include <stdbool.h>

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
