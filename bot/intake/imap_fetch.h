/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * imap_fetch - mails by UID: which there are, and their bytes.
 *
 * Mails are never fetched in part (some servers get that wrong) and always by BODY.PEEK, which
 * leaves no mark at the server.
 */

#include "bot/intake/imap_mails.h"
#include "bot/intake/imap_session.h"

/* UIDs of one search; a full answer of ten digits each stays within IMAP_MAX_TEXT. */
#define IMAP_SEARCH_MOST (128u * 1024)

/**
 * imap_fetch_list:
 *
 * Returns: (element-type ImapMail): the mails with @first <= UID <= @last by rising UID
 */
GArray *imap_fetch_list(ImapSession *session, uint32_t first, uint32_t last,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * imap_fetch_bodies:
 * @mails: (element-type ImapMail): as listed; each that is LISTED is taken, refused, deferred,
 *   withheld or found gone
 * @max_bytes: of all together
 * @error: as imap_session_run()
 */
bool imap_fetch_bodies(ImapSession *session, GArray *mails, size_t max_bytes,
		       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** imap_fetch_find_next: raises @io_uid_next above every mail that is there. */
bool imap_fetch_find_next(ImapSession *session, uint32_t *io_uid_next,
			  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * imap_fetch_find_first:
 * @since_us: 0, or only mails that may have arrived since (up to two days before it as well)
 * @out_uid: the lowest with @first <= UID <= @last, or 0 for none
 *
 * Costs a command for each IMAP_SEARCH_MOST UIDs that nobody has.
 */
bool imap_fetch_find_first(ImapSession *session, uint32_t first, uint32_t last, int64_t since_us,
			   uint32_t *out_uid, GError **error) G_GNUC_WARN_UNUSED_RESULT;
