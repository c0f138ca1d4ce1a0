/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* suggest - the word that was meant where one is wrong. */

/**
 * suggest:
 * @words: NULL-terminated
 *
 * Returns: (nullable): the word nearest to @wrong, when it is near enough to be meant
 */
const char *suggest(const char *wrong, const char *const *words);
