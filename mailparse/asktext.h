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
	GString *text; /* the talk, lines as written, LF; each line left out leaves an empty one */
	GPtrArray *sentences; /* (element-type utf8) on one line each, blanks folded */
} AskText;

/** asktext_new: @body: UTF-8, LF. Returns: (transfer full) */
AskText *asktext_new(const char *body);
void asktext_free(AskText *text);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AskText, asktext_free)
