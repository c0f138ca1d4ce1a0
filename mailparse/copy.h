/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * copy - two copies of one mail, as two doors brought them.
 *
 * Each door adds header fields of its own; a list may also put a tag into the subject, a footer
 * under the text and its own address into From, or encode the text anew.  Of copies that differ in
 * that way the one nearer to what the writer sent is the better one.  A copy that says something
 * else is none of it, whatever signature it carries: who knows a Message-ID must not get words into
 * a mail, or out of it, by sending another.
 */

#include <glib.h>
#include <stdbool.h>

typedef enum {
	COPY_SAME,    /* sender, subject and body are the same to the byte, but for line ends */
	COPY_ALTERED, /* one of them is the other as a list or a relay makes it */
	COPY_OTHER,   /* neither, or one of them cannot be read */
} CopyRelation;

typedef struct {
	CopyRelation relation;
	bool better;      /* of ALTERED: the second is nearer to the writer's */
	const char *what; /* how they differ, "a tag in the subject"; static; NULL of SAME */
} CopyDifference;

/**
 * copy_compare: pure and linear; both are whole mails.
 *
 * What decides which is better, in this order: the writer's own address in From; a body that is as
 * the writer's domain signed it (bodyhash.h), before an unsigned one, before one that is not as it
 * was signed; a subject without tag; a text without footer.  On a draw the first is kept.
 */
CopyDifference copy_compare(GBytes *first, GBytes *second);
