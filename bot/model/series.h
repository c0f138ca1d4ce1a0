/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * series - the patch mails of one posting, and what is known of each.
 */

#include "mailparse/mailbox.h"
#include "mailparse/subject.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* What placing a mail into a series needs; taken from mailparse's Mail, kept in the store. */
typedef struct {
	int64_t message_row;   /* of the store; 0 when it is not stored (the `series` command)   */
	char *message_id;      /* canonical                                                      */
	GPtrArray *references; /* (element-type utf8) nearest ancestor first                     */
	bool answers;  /* In-Reply-To names the nearest; only References: a gateway put ids there */
	Mailbox *from; /* who posted it; may be NULL                                     */
	int64_t date_us; /* Date:, 0 when none                                             */
	int64_t arrived_us;
	SubjectPrefix *prefix;
	bool has_diff;
	char *patch_id;    /* NULL                                                           */
	char *base_commit; /* NULL                                                           */
	char *change_id;   /* NULL                                                           */
	GStrv replaces;    /* Message-IDs of the postings before; NULL for none              */
} PatchMail;

void patch_mail_free(PatchMail *mail);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PatchMail, patch_mail_free)

typedef enum {
	SERIES_INCOMPLETE,
	SERIES_COMPLETE,
	SERIES_SUPERSEDED, /* a later revision is known                                           */
} SeriesState;

typedef struct {
	char *key;       /* stable name: Message-ID of the cover, else of the lowest patch   */
	char *title;     /* the cover's title, else the first patch's                        */
	Mailbox *author; /* who posted it; may be NULL                                       */
	unsigned revision;
	unsigned total;
	PatchMail *cover; /* NULL when none; not owned                                        */
	GPtrArray *
		patches; /* (element-type PatchMail) total entries, NULL where missing; not owned */
	SeriesState state;
	char *previous;    /* key of the revision before; NULL                                 */
	bool guessed;      /* `previous` by title alone: this one forgot its version           */
	char *base_commit; /* of cover or a patch; NULL                                        */
} Series;

/**
 * series_note: what is odd about it, as sentences of one line: patches that another revision lent,
 * a guessed revision, a cover that counts otherwise, an afterthought ("6/5").
 *
 * Returns: (transfer full) (nullable): NULL when nothing is
 */
char *series_note(const Series *series);

void series_free(Series *series);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Series, series_free)
