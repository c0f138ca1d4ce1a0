/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * voice - who speaks in a line of a body: the writer, somebody he quotes, or nobody.
 *
 * A quote is what stands behind ">", "|", ":", "}", "]" or the like, behind a name or initials
 * ("Bo> ", "AB>"), and what is indented below "On DATE, Ann wrote:".  A sample is what stands in a
 * fence (``` or ~~~ in column 0, to its end or the body's) or begins with a tab or four blanks: an
 * example, a log, or a target of what was said above, but nothing that is said.
 *
 * The writer's talk ends at the signature mark ("-- ", "--"), at "-----Original Message-----" and
 * its kin in some tongues, at the header that Outlook puts above the original, at a line of
 * underscores, and where text without any mark follows "On DATE, Ann wrote:" below words of his
 * own.  A diff is not looked for.
 */

#include "mailparse/line.h"

#include <glib.h>
#include <stdbool.h>

typedef enum {
	VOICE_WRITER,
	VOICE_SAMPLE,
	VOICE_QUOTE, /* and the line that introduces one */
} Voice;

/* Plain data: a copy of it looks ahead. */
typedef struct {
	const char *body;
	gsize len;
	gsize pos;
	bool fenced;
	bool introduced; /* "Ann wrote:" stands above, and no text of anybody since */
	bool quoting;    /* the indented quote below it goes on                     */
	bool has_spoken; /* the writer said more than a greeting                    */
} VoiceWalk;

/** voice_walk_init: @body: UTF-8, LF; must outlive the walk */
void voice_walk_init(VoiceWalk *walk, const char *body);

/** voice_walk_next: Returns: false where the body or the writer's talk ends; @out is then unset */
bool voice_walk_next(VoiceWalk *walk, Line *out_line, Voice *out_voice);
