/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * imap_fetch - mails by UID: which there are, and their bytes.
 *
 * Mails are never fetched in part (some servers get that wrong) and always by BODY.PEEK, which
 * leaves no mark at the server.
 */

#include "bot/intake/imap_session.h"

/* UIDs of one search; a full answer of ten digits each stays within IMAP_MAX_TEXT. */
#define IMAP_SEARCH_MOST (128u * 1024)

typedef enum {
	IMAP_MAIL_LISTED,   /* known by UID, size and date                                        */
	IMAP_MAIL_SKIPPED,  /* not wanted, by the caller's choice                                 */
	IMAP_MAIL_TAKEN,    /* bytes are there                                                    */
	IMAP_MAIL_REFUSED,  /* will not be had; the reason is there                               */
	IMAP_MAIL_DEFERRED, /* there was no room for it this time                                 */
	IMAP_MAIL_WITHHELD, /* listed, but not handed out this time; the reason is in `refused`   */
	IMAP_MAIL_GONE,     /* expunged since it was listed                                       */
} ImapMailState;

typedef struct {
	uint32_t uid;
	uint32_t seq;
	int64_t size_bytes;
	int64_t arrived_us;
	ImapMailState state;
	GBytes *bytes;
	char *refused;
} ImapMail;

/** imap_mails_new: (element-type ImapMail): empty; owns what its elements hold */
GArray *imap_mails_new(void);

/** imap_mails_sort: by rising UID, each once. */
void imap_mails_sort(GArray *mails);

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

/** imap_mail_refuse_size: REFUSED, for more than MAIL_MAX_BYTES. */
void imap_mail_refuse_size(ImapMail *mail, int64_t size_bytes);

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
