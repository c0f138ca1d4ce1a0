/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * imap_mails - the mails of a mailbox as a server tells them, one FETCH at a time.  Private to
 * intake.
 */

#include "bot/intake/imap_response.h"
#include "bot/intake/imap_session.h"

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

/**
 * imap_mails_add: lists what a FETCH tells, unless it is about another mail than @first <= UID <=
 * @last or only about flags.
 * @out_mail: (nullable): (transfer none) (out): NULL where nothing was added; until the next one is
 * @error: BOT_ERROR_PEER: size or date is not there, or there are more mails than UIDs
 */
bool imap_mails_add(GArray *mails, uint32_t first, uint32_t last, const ImapFetch *fetch,
		    ImapMail **out_mail, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** imap_mails_find: (nullable): by UID, among mails that are sorted */
ImapMail *imap_mails_find(const GArray *mails, uint32_t uid);

/** imap_mails_sort: by rising UID, each once. */
void imap_mails_sort(GArray *mails);

/** imap_mail_refuse_size: REFUSED, for more than MAIL_MAX_BYTES. */
void imap_mail_refuse_size(ImapMail *mail, int64_t size_bytes);

/* How many bytes of mail there is room for; the session's reader keeps no larger one. */
typedef struct {
	ImapSession *session;
	size_t bytes;
} ImapRoom;

void imap_room_set(ImapRoom *room, size_t bytes);

/** imap_mail_take: @mail is TAKEN, DEFERRED or REFUSED; @fetch has its body, not an empty one. */
void imap_mail_take(ImapMail *mail, const ImapFetch *fetch, ImapRoom *room);
