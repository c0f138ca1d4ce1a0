/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * subjectmark - what mailers and gateways put before a subject: "Re:", "AW:", "RE[2]:", "*** SPAM
 * ***".  Private to subject.c.
 */

#include <glib.h>

typedef enum {
	MARK_NONE,
	MARK_REPLY,
	MARK_FORWARD,
} Mark;

/** mark_len: length of the reply or forward mark at the start of @text, 0 when there is none. */
gsize mark_len(const char *text, Mark *out_mark);

/** stamp_len: length of a gateway's "*** SPAM ***" before a bracket, 0 when there is none. */
gsize stamp_len(const char *text);
