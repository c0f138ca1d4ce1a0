/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * voice - who speaks in a line of a body: the writer, somebody he quotes, or nobody.
 *
 * A quote is what stands behind ">", "|", ":", "}", "]" or the like, behind a name or initials
 * ("Bo> ", "AB>"), and what is indented below "On DATE, Ann wrote:".  A sample is what stands in a
 * fence (``` or ~~~, to one as long or the body's end) or begins with a tab or four blanks: an
 * example, a log, or a target of what was said above, but nothing that is said.
 *
 * The writer's talk ends at the signature mark ("-- ", "--"), where the original begins without any
 * mark (original.h), at a line of underscores, and where text without any mark follows "On DATE,
 * Ann wrote:" (attribution.h) below words of his own.  A diff is not looked for.
 *
 * Where the mail that is answered is at hand, its lines are quotes, marked or not.
 */

#include "mailparse/line.h"

#include <glib.h>
#include <stdbool.h>

typedef enum {
	VOICE_WRITER,
	VOICE_SAMPLE,
	VOICE_QUOTE,
	VOICE_INTRODUCTION, /* of a quote: "On Monday, Ann wrote:" */
} Voice;

/* Plain data: a copy of it looks ahead. */
typedef struct {
	const char *body;
	gsize len;
	gsize pos;
	gsize fence;       /* so many signs opened it; 0: none is open */
	bool introduced;   /* "Ann wrote:" stands above, and no text of anybody since */
	bool quoting;      /* the indented quote below it goes on                     */
	bool has_begun;    /* anything stands above                                   */
	bool has_spoken;   /* the writer said more than a greeting                    */
	bool heads_patch;  /* scissors, or "From HASH DATE", stand right above        */
	bool repeats;      /* the line above stands in the mail that is answered      */
	guint attributing; /* so many more lines belong to "On DATE, Ann wrote:"      */
	GHashTable *answered;
} VoiceWalk;

/**
 * voice_lines:
 * @body: of the mail that is answered
 *
 * Returns: (transfer full): its lines, for voice_walk_init()
 */
GHashTable *voice_lines(const char *body);

/**
 * voice_walk_init:
 * @body: UTF-8, LF; must outlive the walk
 * @answered: (nullable): of voice_lines(); must outlive the walk
 */
void voice_walk_init(VoiceWalk *walk, const char *body, GHashTable *answered);

/** voice_is_own: the writer speaks in the line, or shows something. */
bool voice_is_own(Voice voice);

/** voice_walk_next: Returns: false where the body or the writer's talk ends; @out is then unset */
bool voice_walk_next(VoiceWalk *walk, Line *out_line, Voice *out_voice);
