/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * pattern - regular expressions of ours, compiled once a process and not once a sentence.
 */

#include <glib.h>
#include <stdbool.h>

/**
 * pattern_get:
 * @pattern: a string literal (its address is the key), correct, without regard to case
 *
 * Returns: (transfer none): valid for ever, may be used by several threads
 */
GRegex *pattern_get(const char *pattern);

/** pattern_matches: anywhere in @text, which is UTF-8. */
bool pattern_matches(const char *pattern, const char *text);

/** pattern_matches_any: one of @patterns, string literals, which a NULL ends. */
bool pattern_matches_any(const char *const *patterns, const char *text);
