/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * imap_withheld - mails that the server lists but does not hand out: asked for again, for an hour.
 *
 * A bare NO, an OK without the mail, a mail of 0 bytes that was listed with more: servers answer so
 * while an index is mended or a disk is away.  The cursor moves on and keeps their UIDs.  When so
 * many are withheld that no more can be kept, it is the server that ails and not the mails: then
 * reading stops, and none is given up.  Private to imap_source.
 */

#include "bot/intake/imap_cursor.h"
#include "bot/intake/imap_fetch.h"

/** imap_withheld_keep: false when there is no room for one more. */
bool imap_withheld_keep(ImapCursor *cursor, uint32_t uid);

/**
 * imap_withheld_retry: asks for those kept that the mailbox may have; what is settled leaves the
 *   cursor.
 * @first, @last: the UIDs of this mailbox
 * @max_mails, @max_bytes: of what is handed out; the rest is asked for the next time
 * @out_mails: (transfer full) (element-type ImapMail): TAKEN, and REFUSED where one is given up
 * @error: as imap_fetch_bodies()
 */
bool imap_withheld_retry(ImapCursor *cursor, ImapSession *session, uint32_t first, uint32_t last,
			 size_t max_mails, size_t max_bytes, GArray **out_mails,
			 GError **error) G_GNUC_WARN_UNUSED_RESULT;
