/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * maildir_file - one file of a Maildir: is it there, is it whole, may it be read.
 *
 * A delivery is moved to its place whole; what a person saves or copies there is not.  So a file
 * that somebody has open for writing waits, and an empty one does for a minute.  Links are not
 * followed, and what is no file is never waited for.
 */

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum {
	MAILDIR_FILE_READ,
	MAILDIR_FILE_MOVED,      /* no longer there under that name, or no file any more */
	MAILDIR_FILE_UNFINISHED, /* somebody writes it                                   */
	MAILDIR_FILE_UNREADABLE, /* for now                                              */
} MaildirFileState;

/**
 * maildir_file_read:
 * @out_bytes: (transfer full): all of it when it was READ; NULL when it has more than
 * MAIL_MAX_BYTES
 * @out_size: when it was READ
 * @out_errnum: why, when it was UNREADABLE
 */
MaildirFileState maildir_file_read(int folder_fd, const char *name, GBytes **out_bytes,
				   int64_t *out_size, int *out_errnum);
