/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * messages - mails as they were seen: raw bytes once, one logical message, every sighting.
 *
 * A message is its canonical Message-ID.  The first copy is kept and read until one comes that is
 * the same mail and nearer to what its writer sent (mailparse/copy.h); all others are sightings,
 * and those that differ are noted as such.
 */

#include "bot/model/series.h"
#include "bot/store/db.h"

typedef struct {
	const char *source;  /* section name                                                    */
	const char *locator; /* unique in its source                                            */
	GBytes *bytes;       /* NULL when refused                                               */
	const char *refused; /* why; NULL                                                       */
	const char *message_id; /* canonical; NULL when refused */
	int64_t date_us;
	int64_t arrived_us;
	bool observe;     /* never acted upon                                                */
	const char *list; /* section of the list this door vouches for; NULL: it does not    */
} Incoming;

typedef enum { INCOMING_NEW, INCOMING_SIGHTED, INCOMING_KNOWN, INCOMING_REFUSED } IncomingOutcome;

/**
 * messages_record: in the caller's transaction.
 *
 * NEW: first sighting of this Message-ID.  SIGHTED: another door; a copy that differs is an event
 * and its bytes stay. KNOWN: this source and locator are stored already; nothing changes.  REFUSED:
 * recorded, counted, event.
 */
bool messages_record(Db *db, const Incoming *incoming, IncomingOutcome *out_outcome,
		     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** messages_locator_known: false on an error, too: the unique keys still hold. */
bool messages_locator_known(Db *db, const char *source, const char *locator);

typedef struct {
	int64_t row;
	char *message_id;
	int64_t date_us;
	int64_t arrived_us; /* at the earliest sighting                                           */
	bool observe;       /* no door that may be acted upon has shown it                        */
	char *state;        /* "new", "understood", "refused", "poison"                           */
	char *kind;         /* mail_kind_name(); NULL before it is understood                     */
	char *list;         /* section: of MessageFacts, else the first by name that a door
			       vouches for; NULL                                                  */
	char *subject;      /* NULL before it is understood                                       */
	char *from_addr;    /* NULL                                                               */
	char *from_name;
} StoredMessage;

void stored_message_free(StoredMessage *message);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StoredMessage, stored_message_free)

/** messages_claim: up to @limit "new" ones, oldest first; leased to this process (own transaction).
 */
GPtrArray *messages_claim(Db *db, unsigned limit, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** messages_raw: (transfer full): bytes of the copy that is kept; CORRUPT when their hash is wrong.
 */
GBytes *messages_raw(Db *db, int64_t row, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** messages_find: (transfer full) (nullable): NULL without error when unknown. */
StoredMessage *messages_find(Db *db, const char *message_id, GError **error);
StoredMessage *messages_get(Db *db, int64_t row, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** messages_sources: (transfer full): names of the sources it was seen at. */
GStrv messages_sources(Db *db, int64_t row, GError **error) G_GNUC_WARN_UNUSED_RESULT;

typedef struct {
	const char *kind;
	const char *list; /* section of the list it is addressed to; NULL */
	const char *subject;
	const Mailbox *from;         /* NULL */
	const GPtrArray *references; /* (element-type utf8) nearest first */
	const PatchMail *patch_mail; /* NULL unless patch or cover (or a reply that carries one) */
} MessageFacts;

/** messages_understood: stores the facts, ends the lease; in the caller's transaction. */
bool messages_understood(Db *db, int64_t row, const MessageFacts *facts,
			 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * messages_set_list: addressed to another list section than when it was understood, NULL for none:
 * an event, and what is undecided about it follows; caller's transaction.
 */
bool messages_set_list(Db *db, int64_t row, const char *list,
		       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** messages_refused: it cannot be read: @why is kept, raw bytes stay; in the caller's transaction.
 */
bool messages_refused(Db *db, int64_t row, const char *why,
		      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* A mail that was not taken in (source and locator), or taken in and not read (message_id). */
typedef struct {
	char *source;
	char *locator;
	char *message_id;
	char *reason;
	int64_t arrived_us;
} RefusedMail;

/** refused_list: (transfer full) (element-type RefusedMail): the newest @limit, newest first. */
GPtrArray *refused_list(Db *db, unsigned limit, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * messages_related:
 * @rows: (element-type int64_t): stored mails that are to be placed, at least one
 * @out_reached: (element-type int64_t): those of @rows that the answer holds for are added: the
 *   first and all in its thread, so that a thread is read once and not once a mail
 *
 * The mails of the first one's thread (by references, both ways; who is no patch is in it for its
 * place in the thread only), and for each reached one the patch mails of its poster within 14 days
 * with its revision and total.  Bounded, what is nearest first.
 *
 * Returns: (transfer full) (element-type PatchMail): the reached ones included
 */
GPtrArray *messages_related(Db *db, const GArray *rows, GArray *out_reached,
			    GError **error) G_GNUC_WARN_UNUSED_RESULT;

#define MESSAGE_MAX_ANCESTORS 32u

/**
 * messages_ancestors: (transfer full) (element-type utf8): of a stored message, nearest first.
 *
 * Of more than MESSAGE_MAX_ANCESTORS the nearest and the first mail of the thread are stored.
 */
GPtrArray *messages_ancestors(Db *db, int64_t row, GError **error) G_GNUC_WARN_UNUSED_RESULT;
