/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * outbox - mails of ours as rows; see bot/model/outgoing.h for the states.
 */

#include "bot/model/outgoing.h"
#include "bot/store/db.h"

/**
 * outbox_insert: caller's transaction.  A mail whose purpose is there already is not inserted again
 * (@out_new false): one result a purpose, whatever crashed in between.
 */
bool outbox_insert(Db *db, const OutgoingMail *mail, int64_t *out_row, bool *out_new,
		   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * outbox_claim: (nullable): a mail that is due, leased; NULL without error when none.
 *
 * Either queued, or taken by the server but not yet for all: sent or confirmed with a time to ask
 * again.  Then `recipients` are only those who were told to come back (4xx, RFC 5321
 * section 4.2.1).
 */
OutgoingMail *outbox_claim(Db *db, GError **error);
OutgoingMail *outbox_get(Db *db, int64_t row, GError **error) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *outbox_list(Db *db, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** outbox_list_unknown: (transfer full) (element-type OutgoingMail): those in state `unknown`. */
GPtrArray *outbox_list_unknown(Db *db, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** outbox_find_message: (nullable): ours by Message-ID; NULL without error when it is not ours. */
OutgoingMail *outbox_find_message(Db *db, const char *message_id, GError **error);

/**
 * outbox_find_job: (nullable): the newest mail of a job that was not rejected and did not fail;
 * NULL without error when there is none.
 */
OutgoingMail *outbox_find_job(Db *db, int64_t job_row, GError **error);

/**
 * outbox_begin_attempt: state `sending`, one more attempt, attempted_us; committed before the first
 * byte goes out (own transaction).  CONFLICT when the mail is not due any more.
 *
 * A mail that was taken for some keeps its state and loses the time to ask again: if this process
 * dies now the others are not asked once more, for a mail is rather missed than doubled.
 */
bool outbox_begin_attempt(Db *db, int64_t row, GError **error) G_GNUC_WARN_UNUSED_RESULT;

typedef struct {
	const Mailbox *recipient;
	int code;   /* SMTP reply code to RCPT; 0: not asked, what is kept of earlier stays */
	char *text; /* owned by the maker                                                   */
} RecipientReply;

/**
 * outbox_settle: what an attempt came to; writes attempt, recipients' replies, event, ends the
 * lease; own transaction.
 * @state: SENT, UNKNOWN, QUEUED (again at @not_before_us), FAILED, DRY_RUN; of a mail that the
 *   server took already only the replies count, it stays what it is
 * @not_before_us: with SENT or a mail that was taken: when those with a 4xx code are asked again;
 * 0: never
 */
bool outbox_settle(Db *db, int64_t row, OutgoingState state, const char *reply,
		   const RecipientReply *replies, size_t n_replies, int64_t not_before_us,
		   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * outbox_recover: every `sending` mail whose process is dead, or is this one, becomes `unknown`
 * (own transaction).  To be called when this process is not sending.
 */
bool outbox_recover(Db *db, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * outbox_confirm: own mail seen at a confirming source: sent, unknown, sending become confirmed;
 * caller's transaction (intake's).  Not ours: nothing happens, *out_ours is false.
 */
bool outbox_confirm(Db *db, const char *message_id, bool *out_ours,
		    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* What may show whether a lost mail was delivered after all. */
typedef struct {
	const char *source; /* one that confirms               */
	const char *list;   /* section of one the mail goes to */
} UnknownDoor;

typedef struct {
	const GArray *doors; /* (element-type UnknownDoor) */
	int64_t after_us;    /* T                          */
} UnknownRule;

/**
 * outbox_settle_unknown: the rule for `unknown` mails, own transaction; others stay as they are.
 *
 * Only a confirming source that has shown mail of the list is evidence: what another one does not
 * show proves nothing.  Not seen although each such source has since delivered mail of
 * that list, dated more than T after the attempt: queued again with the same bytes.  No such
 * source, T after the attempt: held for the operator.  Else it waits.  Linear in the sightings of
 * the sources.
 */
bool outbox_settle_unknown(Db *db, int64_t row, const UnknownRule *rule,
			   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * outbox_decide: approve (held to queued) or reject (held or queued to rejected), own transaction,
 * with an event who and why.
 * @error: NOT_FOUND, CONFLICT in any other state: an attempt that has begun cannot be called back
 */
bool outbox_decide(Db *db, int64_t row, bool approve, const char *who,
		   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * outbox_revive: a mail that a dry run showed is held, to be sent after all when it is approved;
 * own transaction, with an event.
 * @error: NOT_FOUND, CONFLICT in any other state
 */
bool outbox_revive(Db *db, int64_t row, const char *who, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** outbox_count_since: mails whose first attempt is not older than @since_us. */
int64_t outbox_count_since(Db *db, int64_t since_us);

/* ---- counts for status ---- */

typedef struct {
	int64_t messages, sightings, refused, new_messages;
	int64_t series, requests;
	GHashTable *jobs;     /* state name -> GINT_TO_POINTER count */
	GHashTable *outgoing; /* state name -> count */
} StoreCounts;

bool store_counts(Db *db, StoreCounts *out_counts, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void store_counts_clear(StoreCounts *counts);
