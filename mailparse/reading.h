/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * reading - who speaks to whom in a mail, and below what.
 *
 * Private to the request reader: a sentence that asks for a test means us only in the right place.
 */

#include "mailparse/asktext.h"
#include "mailparse/message.h"
#include "mailparse/patch.h"
#include "mailparse/request.h"
#include "mailparse/subject.h"

#include <glib.h>
#include <stdbool.h>

typedef struct {
	const Message *message;
	const Patch *patch;
	const RequestContext *context;
	SubjectPrefix *prefix;
	AskText *talk;        /* while its sentences are read, else NULL */
	GHashTable *answered; /* lines of another's mail that is answered; NULL */
	const char *body;
} Reading;

/**
 * reading_answered_lines: those of the mail that is answered, for voice_walk_init().
 *
 * Returns: (transfer full) (nullable): NULL when it is not at hand, or the writer's own
 */
GHashTable *reading_answered_lines(const Reading *reading);

/** reading_refusal: why the mail is not even looked at; NULL when it may ask for something. */
const char *reading_refusal(const Reading *reading);

/** reading_addresses_us: we are in To or Cc, or our mail is answered, or we stand in for anybody.
 */
bool reading_addresses_us(const Reading *reading);

/**
 * reading_own_subject: the subject, when the writer chose it for this mail.
 *
 * Mailers keep that of the mail that is answered, with "Re:" or without: a reply is one by its
 * subject, by In-Reply-To or References, or since it quotes.  With the answered mail at hand, a
 * subject that is not kept from it is the writer's.
 *
 * Returns: (transfer none) (nullable)
 */
const char *reading_own_subject(const Reading *reading);

/** reading_has_own_patch: a patch that the writer brings, not one that he quotes. */
bool reading_has_own_patch(const Reading *reading);

bool reading_is_cover(const Reading *reading);

/**
 * reading_answers_patch: the mail it answers is a patch: by the parent if we have it, else by the
 * subject.
 */
bool reading_answers_patch(const Reading *reading);

/**
 * reading_is_review: talk about a patch among people; who asks there for a test mostly asks its
 * author.  A robot's report on a patch carries the same subject, so its parent tells.
 */
bool reading_is_review(const Reading *reading);

/**
 * reading_is_posting: a patch posted to everybody is not sent to a tester; one put below an answer
 * to him is.
 */
bool reading_is_posting(const Reading *reading);

/**
 * reading_greeted: whom the sentence at @index greets; "Thanks, Ann" by Ann herself greets nobody.
 *
 * Returns: (transfer full) (nullable): one name or more
 */
char *reading_greeted(const Reading *reading, guint index);

/**
 * reading_means_us: the sentence at @index that asks for something asks us.
 * @greeted: (nullable): whom the writer greeted last above it
 *
 * Whom it names decides, else @greeted, else to whom the mail goes.  We are who bears a robot's
 * name, or a name in our address or beside it in To, Cc or the From of the mail of ours that is
 * answered.  When nobody is named, the mail must go to us in To or answer a mail of ours: below us
 * in Cc somebody else is asked.
 *
 * Standing in for anybody (context->any), we are the robot in To or above, and where there is none,
 * whoever is greeted or bears the name in To or above.
 */
bool reading_means_us(const Reading *reading, guint index, const char *greeted);
