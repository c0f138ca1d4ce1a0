/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * inbody - the From:, Subject: and Date: lines at the top of a patch mail's text.
 *
 * Who sends another person's patch puts its author there (git-format-patch(1), --from).  Read as
 * `git mailinfo` reads them: only before any other text, each name once, continued by lines that
 * begin with a blank; ">From <hash> Mon Sep 17 00:00:00 2001" among them is skipped, and a line
 * "[PATCH] ..." is a subject.
 */

#include "mailparse/mailbox.h"

#include <glib.h>
#include <stdint.h>

typedef struct {
	Mailbox *from; /* NULL when none or not usable */
	char *subject; /* decoded, with its [PATCH]; NULL when none */
	char *date;    /* as written; NULL when none */
	int64_t date_us;
	int date_offset_min;
	const char *rest; /* what follows, into the text: the commit message and the diff */
} Inbody;

/**
 * inbody_read:
 * @text: of the first part, UTF-8, LF; must outlive the result
 *
 * Returns: (transfer full): never NULL
 */
Inbody *inbody_read(const char *text);
void inbody_free(Inbody *inbody);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Inbody, inbody_free)
