/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * damage - what a mailer or a list did to a patch on its way, where it shows, and what to do.
 *
 * Told from the bytes alone, so only what leaves a mark is seen: a diff whose tabs all became
 * blanks may read like one that never had any (the tree it is applied to knows).  A file that
 * arrives whole, as the blob on its index line says, is not damaged whatever it looks like.
 */

#include "mailparse/diff.h"
#include "mailparse/message.h"

typedef enum {
	PATCH_DAMAGE_NONE,
	PATCH_DAMAGE_FLOWED,           /* format=flowed; repaired                              */
	PATCH_DAMAGE_WRAPPED,          /* a long line was broken                               */
	PATCH_DAMAGE_TABS,             /* tabs became blanks                                   */
	PATCH_DAMAGE_NBSP,             /* blanks became no-break spaces                        */
	PATCH_DAMAGE_CRLF,             /* every line ends in CR LF; repaired, or CRs were lost */
	PATCH_DAMAGE_HTML,             /* sent as HTML, or "&lt;" in the place of "<"          */
	PATCH_DAMAGE_TRUNCATED,        /* the end is missing                                   */
	PATCH_DAMAGE_QUOTED_PRINTABLE, /* "=3D" and "=20" left in the text; repaired           */
	PATCH_DAMAGE_CHARSET,          /* characters were lost or encoded twice                */
	PATCH_DAMAGE_ATTACHMENT,       /* a list took the attachment away                      */
	PATCH_DAMAGE_TRAILING_SPACE,   /* blanks at the end of lines are gone                  */
	PATCH_DAMAGE_LEADING_SPACE,    /* the blank before context lines is gone               */
	PATCH_DAMAGE_TYPOGRAPHY,       /* quotes or dashes were made round or long             */
	PATCH_DAMAGE_FROM,             /* "From " became ">From "                              */
} PatchDamage;

/* Bytes of the bad line that are shown. */
#define DAMAGE_TEXT_MAX_BYTES 120u

typedef struct {
	PatchDamage kind; /* never NONE                                                     */
	char *path;       /* the file of the diff that it shows in; NULL when in none       */
	gsize line;       /* first bad line of the decoded text of the mail's parts that are
			     read for a patch, 1 first; 0 when no line shows it             */
	char *text;       /* that line, UTF-8 on one line, cut; NULL when line is 0         */
	bool repaired;    /* the diff is read as if it were whole                           */
} Damage;

/**
 * damage_find:
 * @undone: FLOWED or QUOTED_PRINTABLE when that was undone to get this diff, else NONE
 * @raw: (nullable): the text before it was undone; lines are then counted in it
 *
 * Linear.
 *
 * Returns: (transfer full) (nullable): the worst that shows; NULL when the diff is whole
 */
Damage *damage_find(const Diff *diff, PatchDamage undone, GBytes *raw);

/**
 * damage_find_lost:
 * @message: a mail in which no diff was found
 *
 * Was a patch there, before a mailer or a list made it unreadable?
 *
 * Returns: (transfer full) (nullable): NULL when nothing says so
 */
Damage *damage_find_lost(const Message *message);

void damage_free(Damage *damage);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Damage, damage_free)

/** patch_damage_name: as design.md's JSON spells it; NULL for NONE. */
const char *patch_damage_name(PatchDamage kind);

/** damage_advice: what the sender is to do, a phrase without a full stop; NULL for NONE. */
const char *damage_advice(PatchDamage kind);

/**
 * damage_sentence:
 *
 * Returns: (transfer full): one sentence: what, where, and what to do or that it was repaired
 */
char *damage_sentence(const Damage *damage);
