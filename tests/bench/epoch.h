/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * epoch - the mails of one epoch of a public-inbox v2 archive, the first one first, by libgit2
 * alone.
 */

#include <glib.h>
#include <stdbool.h>

/* One mail; its bytes are gone when it returns.  Returns: false to stop */
typedef bool (*EpochFunc)(const void *bytes, gsize len, gpointer data);

/** epoch_walk: each blob `m`; false, with a word on standard error, when git could not read it. */
bool epoch_walk(const char *git_dir, EpochFunc take, gpointer data);
