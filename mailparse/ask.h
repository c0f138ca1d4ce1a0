/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * ask - does a sentence ask its reader to test something?
 *
 * Rules on the language of requests, one regular expression each, tried on one sentence at a time.
 * Whether there is anything to test, and whether we are the reader, is for request.c to judge.
 * Rather a request is missed than one invented: a sentence that may be about the reader's own work,
 * about logs, about what the writer will do himself, about what was asked before or shall be later,
 * or that only cites a request, is no request.  One for somebody else (addressee.h) is none either,
 * unless it names the robot.
 */

#include <glib.h>
#include <stdbool.h>

typedef enum {
	ASK_NONE,
	ASK_TEST,     /* "Can you please try the patch below?"                              */
	ASK_QUESTION, /* "Does this fix it for you?": asks only beside a patch              */
	ASK_OFFER,    /* "This should fix it:": no request, but an answer to a tester       */
	ASK_INFO,     /* "Can I get the .config?"                                           */
	ASK_CANCEL,   /* "Please ignore this patch."                                        */
	ASK_STOP,     /* "Please stop sending me these."                                    */
} AskKind;

AskKind ask_kind(const char *sentence);

/** ask_names_patch: speaks of a patch, branch, series or fix, or points at one ("the below"). */
bool ask_names_patch(const char *sentence);

/** ask_names_robot: speaks of a test robot or its service, and not of what it found or reported. */
bool ask_names_robot(const char *sentence);

/** ask_is_again: asks for what was done already, once more or on the newest tree. */
bool ask_is_again(const char *sentence);

/**
 * ask_base_hint: what follows "on top of", "against", "latest", ...
 *
 * Returns: (transfer full) (nullable)
 */
char *ask_base_hint(const char *sentence);

/**
 * ask_change: the change that a sentence describes in words ("with the stripe option disabled",
 * "reverting ..."), which nobody can run without asking back.
 *
 * Returns: (transfer full) (nullable)
 */
char *ask_change(const char *sentence);
