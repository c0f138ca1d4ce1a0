/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * fs - files that survive a crash, and reading with a limit.
 */

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * fs_write_durable:
 * @path: replaced whole or not at all: written to a temporary name in the same folder, fsync,
 *   rename, fsync of the folder
 * @mode: permission bits, 0600 for anything private
 * @error: TRANSIENT when the disk is full; @path is then unchanged and no temporary file stays
 */
bool fs_write_durable(const char *path, const void *bytes, size_t len, unsigned mode,
		      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * fs_read:
 * @max_len: a longer file is an error (PERMANENT), nothing of it is returned
 * @error: NOT_FOUND, PERMANENT (not a regular file, too long, a symbolic link), TRANSIENT
 *
 * Opens with O_NOFOLLOW and O_NONBLOCK, so a planted link or pipe cannot lead or hang us.
 */
GBytes *fs_read(const char *path, size_t max_len, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * fs_open_regular:
 *
 * Returns: a descriptor for reading, opened as fs_read() does and with its errors; -1 on error
 */
int fs_open_regular(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** fs_make_dir: like mkdir -p; an existing folder is fine. */
bool fs_make_dir(const char *path, unsigned mode, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** fs_remove_tree: rm -rf that never follows a link; a missing @path is fine. */
bool fs_remove_tree(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * fs_share_path:
 * @rest: path below the data folder, like "workloads/wordcount"
 *
 * The data folder is that of the source tree when the program runs from a build folder at most two
 * below it (the folder holds meson.build and config/share), else the installed one.  @kind
 * "templates" and "schema" have their own places in the source tree; see the table in fs.c.
 *
 * Returns: (transfer full): an absolute path, which may not exist
 */
char *fs_share_path(const char *kind, const char *rest);
