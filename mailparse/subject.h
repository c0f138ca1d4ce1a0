/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * subject - the bracketed prefix of a patch mail's Subject line.
 *
 * Turns "[PATCH net-next v3 02/11] net: fix the foo" into a SubjectPrefix.  The grammar is what
 * git-format-patch(1) writes (--subject-prefix, --reroll-count, --numbered) plus the spellings seen
 * on real lists ("[RFC PATCH]", "[PATCHv2]", "[PATCH1/8]", "[PATCH 1 of 3 v2]", "AW: [PATCH ...]").
 */

#include <glib.h>
#include <stdbool.h>

typedef struct {
	bool is_patch;   /* the brackets say PATCH, RFC, RESEND with a counter, ... : a patch prefix
			  */
	bool is_reply;   /* Re:, AW:, RE[2]:, Antw:, ... came before any counter or version */
	bool is_forward; /* Fwd:, FW:, WG: likewise */
	bool is_pull; /* GIT PULL, PULL                                                           */
	unsigned revision; /* 3 of "v3"; 1 when the mail names none */
	unsigned number;   /* 2 of "02/11"; 0 is the cover letter; 1 when unnumbered   */
	unsigned total;    /* 11 of "02/11"; 1 when unnumbered    */
	bool numbered;     /* an n/m was there     */
	bool rfc;
	bool resend;
	GStrv tags;  /* the other words in order, {"net-next"}; owned, never NULL                */
	char *title; /* what follows the brackets, trimmed; owned; "" when empty                 */
} SubjectPrefix;

/**
 * subject_parse:
 * @subject: (nullable): decoded, unfolded UTF-8; what is over SUBJECT_MAX_BYTES is not looked at
 *
 * A subject without brackets is no error: every field then has its default and title is the subject
 * without reply marks.
 *
 * Returns: (transfer full): never NULL
 */
SubjectPrefix *subject_parse(const char *subject);
void subject_free(SubjectPrefix *prefix);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SubjectPrefix, subject_free)
