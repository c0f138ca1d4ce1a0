/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * imap_cursor - how far a mailbox has been read, as the text that is stored with each batch.
 *
 *	uidvalidity=3 uid=120 start=1700000000000000 horizon=100 withheld=17@1700000000000000,19@...
 */

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define IMAP_WITHHELD_MOST 32u

typedef struct {
	uint32_t uid;
	int64_t since_us;
} ImapWithheld;

typedef struct {
	uint32_t uid_validity;
	uint32_t uid;     /* all mails up to this UID are done, but for the withheld ones        */
	int64_t start_us; /* where reading began at first contact                                */
	uint32_t horizon; /* mails below it were there before us: only those that arrived since  */
			  /* start_us are wanted.  From it on every mail is, whatever its date.  */
	ImapWithheld withheld[IMAP_WITHHELD_MOST]; /* see imap_withheld.h; rising by time */
	unsigned n_withheld;
} ImapCursor;

/** imap_cursor_parse: @error: BOT_ERROR_CORRUPT */
bool imap_cursor_parse(const char *text, ImapCursor *out_cursor,
		       GError **error) G_GNUC_WARN_UNUSED_RESULT;
bool imap_cursor_equal(const ImapCursor *a, const ImapCursor *b);
char *imap_cursor_format(const ImapCursor *cursor);
