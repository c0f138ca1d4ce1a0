/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * asktext - what the writer of a mail says himself, sentence by sentence.
 *
 * Left out are quotes and what follows the writer's talk (voice.h), the diff, and the commit
 * message of a patch that is pasted below the talk ("8<", "From HASH Mon Sep 17", "commit HASH").
 * Samples stay, since targets stand in them, but as sentences of their own.  A talk ends after 64
 * KiB or 1500 sentences.
 */

#include <glib.h>
#include <stdbool.h>

typedef struct {
	char *text;  /* on one line, blanks folded             */
	gsize start; /* where it begins and ends in the talk   */
	gsize end;
	bool sample; /* indented, fenced, or a line of a patch */
} Sentence;

/* A line "[12] https://..." or "12. https://...", up to 200 of them. */
typedef struct {
	guint number;
	gsize line; /* where it begins in the talk, and what stands behind its mark */
	gsize text;
} Footnote;

typedef struct {
	GString *talk;     /* lines as written, LF; a line that is left out is empty */
	GArray *sentences; /* (element-type Sentence) in order                       */
	GArray *footnotes; /* (element-type Footnote) in order                       */
	bool has_marks;    /* "[12]" stands elsewhere than at the start of a line    */
} AskText;

/**
 * asktext_new:
 * @body: UTF-8, LF
 * @answered: (nullable): of voice_lines()
 *
 * Returns: (transfer full)
 */
AskText *asktext_new(const char *body, GHashTable *answered);
void asktext_free(AskText *text);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AskText, asktext_free)
