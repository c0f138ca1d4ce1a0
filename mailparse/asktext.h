/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * asktext - what the writer of a mail says himself, sentence by sentence.
 *
 * Left out are quotes and the line that introduces them, the signature, the diff, and the commit
 * message of a patch that is pasted below the talk ("8<", "From HASH Mon Sep 17", "commit HASH").
 */

#include <glib.h>

typedef struct {
	char *text;  /* on one line, blanks folded           */
	gsize start; /* where it begins and ends in the talk */
	gsize end;
} Sentence;

typedef struct {
	GString *talk;     /* lines as written, LF; a line that is left out is empty */
	GArray *sentences; /* (element-type Sentence) in order                       */
} AskText;

/** asktext_new: @body: UTF-8, LF. Returns: (transfer full) */
AskText *asktext_new(const char *body);
void asktext_free(AskText *text);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AskText, asktext_free)
