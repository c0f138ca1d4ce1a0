/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * series - postings and requests as rows that plan claims.
 *
 * What no door has shown that may be acted upon, or no configured list has carried, is not claimed
 * and not declined: it waits, and is claimed when such a door shows it (messages.h).
 */

#include "bot/model/series.h"
#include "bot/store/db.h"

typedef struct {
	int64_t row;
	char *key;
	char *title;
	unsigned revision, total;
	char *state;  /* "incomplete", "complete", "planned", "declined", "superseded", "poison" */
	char *reason; /* why declined, or what it waits for; NULL                          */
	char *list;   /* list section: that of its first mail that has one; NULL           */
	char *base_commit;  /* NULL                                                              */
	int64_t arrived_us; /* how old it is: its youngest patch, by arrival or Date: */
	int64_t cover_row;  /* message rows; 0: none                                             */
	GArray *patch_rows; /* (element-type int64_t) in order, 0 where missing                  */
} StoredSeries;

void stored_series_free(StoredSeries *series);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StoredSeries, stored_series_free)

/**
 * series_save: insert or update by key, in the caller's transaction.  A series that was planned or
 * declined keeps that state.  A previous revision (Series.previous) that is still unplanned becomes
 * superseded.
 */
bool series_save(Db *db, const Series *series, int64_t *out_row,
		 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * series_claim: up to @limit complete ones; leased.  One that takes over patches of an older
 * version is left for an hour: it may be the beginning of a whole new one. (element-type
 * StoredSeries)
 */
GPtrArray *series_claim(Db *db, unsigned limit, GError **error) G_GNUC_WARN_UNUSED_RESULT;
StoredSeries *series_get(Db *db, int64_t row, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** series_find_by_message: (nullable): the series one of whose mails is @message_row. */
StoredSeries *series_find_by_message(Db *db, int64_t message_row, GError **error);

/**
 * series_find_by_cover: (nullable): the series that was posted in answer to the cover letter
 * @message_row, by the same person and with its numbers: the cover came when it was decided
 * already.
 */
StoredSeries *series_find_by_cover(Db *db, int64_t message_row, GError **error);

/** series_decide: "planned" or "declined" with a reason; ends the lease; caller's transaction. */
bool series_decide(Db *db, int64_t row, const char *state, const char *reason,
		   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** series_has_newer: a later revision of it is stored. */
bool series_has_newer(Db *db, int64_t row);

typedef struct {
	int64_t row;
	int64_t message_row;
	char *state;  /* "new", "planned", "declined", "poison"                              */
	char *reason; /* why declined, or what it waits for; NULL                            */
	char *kind;   /* request_kind_name()                                                 */
	char *facts;  /* JSON of the request as `lorebot parse` prints it                    */
	int64_t parent_job_row; /* job of our report that it answers; 0 */
	int64_t arrived_us;     /* its mail's, or its Date: before; not saved, nor is list */
	char *list;             /* NULL */
} StoredRequest;

void stored_request_free(StoredRequest *request);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StoredRequest, stored_request_free)

/** request_save: one a message (a second save is harmless); caller's transaction. */
bool request_save(Db *db, const StoredRequest *request, GError **error) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *request_claim(Db *db, unsigned limit, GError **error) G_GNUC_WARN_UNUSED_RESULT;
StoredRequest *request_get(Db *db, int64_t row, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** request_find_by_message: (nullable): what the mail @message_row asks; NULL without error. */
StoredRequest *request_find_by_message(Db *db, int64_t message_row, GError **error);

/**
 * request_await: declined for now, because what it asks for cannot be found or is not whole; ends
 * the lease; caller's transaction.
 * @message_ids: the mails one of which it needs, NULL-terminated; see request_reopen()
 */
bool request_await(Db *db, int64_t row, const char *reason, const char *const *message_ids,
		   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * request_reopen: requests that await the mail @message_row, or a mail of a series that is whole
 * with it, are new again; caller's transaction, after the mail was understood and placed.
 */
bool request_reopen(Db *db, int64_t message_row, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * request_count: requests that became a job and arrived since @since_us.
 * @from_addr: (nullable): of this sender only, in any case of letters
 */
bool request_count(Db *db, const char *from_addr, int64_t since_us, unsigned *out_n,
		   GError **error) G_GNUC_WARN_UNUSED_RESULT;
bool request_decide(Db *db, int64_t row, const char *state, const char *reason,
		    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* ---- what was not tested, or waits, for the operator ---- */

/* The reason of what waits for a list that carries it. */
#define WAITS_FOR_LIST "it was seen on no configured list"

typedef struct {
	char *kind; /* "series" or "request"                  */
	int64_t row;
	char *message_id; /* of its first mail                      */
	char *subject;
	char *reason;
} Declined;

/** declined_list: (transfer full) (element-type Declined): the newest @limit, newest first. */
GPtrArray *declined_list(Db *db, unsigned limit, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * declined_renew: what was declined, or is poison, waits for plan again, which decides by all of
 * its rules; what waits already stays as it is.  Caller's transaction.
 * @kind: "series" or "request"
 * @who: for the event
 * @error: NOT_FOUND, CONFLICT when it is in another state or somebody works on it
 */
bool declined_renew(Db *db, const char *kind, int64_t row, const char *who,
		    GError **error) G_GNUC_WARN_UNUSED_RESULT;
