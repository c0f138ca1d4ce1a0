/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * cursors - how far each source was read, and how it is.
 */

#include "bot/store/db.h"

typedef struct {
	char *name;
	char *place;      /* what its cursor and locators are of; NULL: an old database      */
	unsigned places;  /* it had before                                                    */
	char *cursor;     /* opaque; NULL before the first batch                              */
	int64_t start_us; /* threshold fixed at first contact with the place                  */
	bool connected;
	int64_t behind;       /* -1 unknown                                                       */
	int64_t last_mail_us; /* when the newest came; 0                                          */
	int64_t last_ok_us;   /* last time the source answered; 0                                 */
	char *last_error;     /* NULL when the last try was fine                                  */
	int64_t next_try_us;  /* 0 when connected                                                 */
	unsigned failures;    /* in a row                                                         */
} SourceState;

void source_state_free(SourceState *state);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SourceState, source_state_free)

/**
 * cursor_attach: the stored state of @name (own transaction).
 * @place: as source_key_of() names it
 * @since_us: where mail begins to count at first contact; 0: now
 *
 * On first contact a row is made.  When the place is another one than before, the cursor is of no
 * more use and the next contact is a first one: from @since_us on, or, when that is 0, from the
 * newest mail that came from the place before, lest one be missed that was delivered meanwhile.
 */
SourceState *cursor_attach(Db *db, const char *name, const char *place, int64_t since_us,
			   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** cursor_advance: in the caller's transaction, with the batch. @cursor NULL: unchanged. */
bool cursor_advance(Db *db, const char *name, const char *cursor, int64_t behind,
		    int64_t last_mail_us, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** cursor_connected, cursor_failed: own transaction; with an event when the state changes. */
bool cursor_connected(Db *db, const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;
bool cursor_failed(Db *db, const char *name, const char *reason, int64_t next_try_us,
		   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** cursor_alive: the source answers though it has nothing new; written every 10 minutes at most. */
bool cursor_alive(Db *db, const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * cursor_silent: a source without mail for so long that somebody should look; one event a silence.
 * @last_mail_us: newest mail that came
 * @out_new: the event was not there yet
 */
bool cursor_silent(Db *db, const char *name, int64_t last_mail_us, bool *out_new,
		   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** cursor_list: (transfer full) (element-type SourceState). */
GPtrArray *cursor_list(Db *db, GError **error) G_GNUC_WARN_UNUSED_RESULT;
