/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * flaw - what is wrong with a text, a name or a place, as the end of a sentence.
 *
 * Private to config.  Texts become mail headers, names become file names, and places are only
 * looked at: what may still be made is no flaw.
 */

#include <glib.h>
#include <stdbool.h>

/** flaw_of_text: (transfer full) (nullable): control bytes, or bytes that are no UTF-8. */
char *flaw_of_text(const char *text);

/** flaw_of_name: (transfer full) (nullable): not one plain part of a path. */
char *flaw_of_name(const char *name);

/** flaw_of_branch: (transfer full) (nullable): nothing git takes for a branch or part of a ref. */
char *flaw_of_branch(const char *name);

/**
 * flaw_of_place:
 * @path: absolute
 * @folder: it must be a folder if it is there; else it may be anything but one
 *
 * Returns: (transfer full) (nullable)
 */
char *flaw_of_place(const char *path, bool folder);
