/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * mbox_cursor - how far an mbox has been read, as the text that is stored with each batch.
 *
 *	offset=8211 before=9f86d081... start=1700000000000000 horizon=8211
 */

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define MBOX_HASH_LEN 64 /* hex digits of a SHA-256 */

typedef struct {
	int64_t offset; /* all mails that begin before it are done                              */
	char before[MBOX_HASH_LEN + 1]; /* SHA-256 of up to 4 KiB before it                     */
	int64_t start_us; /* where reading began at first contact                                */
	int64_t horizon;  /* mails that begin below it were there before us: only those that      */
			  /* arrived since start_us are wanted.  From it on every mail is.        */
} MboxCursor;

/** mbox_cursor_parse: @error: BOT_ERROR_CORRUPT */
bool mbox_cursor_parse(const char *text, MboxCursor *out_cursor,
		       GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *mbox_cursor_format(const MboxCursor *cursor);
