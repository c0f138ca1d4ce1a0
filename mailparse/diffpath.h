/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * diffpath - may a path of a stranger's diff be written to a tree?
 *
 * Pure name rules, as git's verify_path() and more: no empty, ".", ".." part, not absolute, no NUL,
 * no ".git" in any spelling that a file system folds to it (case, "git~1", HFS+ ignorable
 * characters, NTFS stream and trailing dots), no part over 255 bytes.  What a tree already holds
 * (symbolic links in the way) is bot/git/apply's to check.
 */

#include <glib.h>
#include <stdbool.h>

/**
 * diffpath_check:
 * @path: bytes after unquoting
 * @error: UNSAFE naming the path and the rule
 */
bool diffpath_check(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * diffpath_unquote:
 * @text: from the opening '"' of a C-style quoted path, as git writes it (quote.c)
 * @out_len: how many bytes of @text it took, quotes included
 *
 * Returns: (transfer full) (nullable): NULL when the quoting is broken or holds a NUL
 */
char *diffpath_unquote(const char *text, gsize len, gsize *out_len);
