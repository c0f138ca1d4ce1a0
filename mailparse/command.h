/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * command - a formal order to a robot: "#lorebot test REPO BRANCH".
 *
 *     command  = "#" robot verb [":"] *argument
 *     verb     = "test" / "retest" / "cancel" / "stop"
 *     argument = repo / branch / link / key "=" value
 *
 * It begins a line of the writer's own (voice.h) with at most one blank and no tab before it, or
 * the subject that the writer chose (reading.h).  Arguments may wrap: while fewer than two stand on
 * the line, the next line is looked at too, indented or not.  Nothing counts that stands in a
 * quote, below the writer's talk, inside a diff, or as an example: set off further, in a fence,
 * with words around it that show it (shown.h), with the placeholders of a help text, or in one run,
 * or joined by "or", with one that is.  A mail whose own diff holds commands is about them and
 * gives none.
 */

#include "mailparse/request.h"

#include <glib.h>
#include <stdbool.h>

typedef struct {
	char *text; /* as written; wrapped lines joined by LF                        */
	RequestKind
		kind;  /* TEST, RETEST, CANCEL, STOP; NONE for a verb that is not ours to act on */
	bool usable;   /* its arguments are such that it can be obeyed                   */
	char *repo;    /* URL or the name of a tree; NULL                                */
	char *branch;  /* NULL                                                           */
	char *link;    /* of an archive, or a Message-ID; NULL                           */
	GStrv options; /* "key=value" in order; never NULL                               */
} FormalCommand;

/**
 * formal_command_is_possible: false, at the cost of one search, where formal_command_find() would
 * find nothing.
 */
bool formal_command_is_possible(const char *subject, const char *body, bool any_robot);

/**
 * formal_command_find:
 * @subject: (nullable): NULL for one that the mailer kept
 * @body: UTF-8, LF
 * @answered: (nullable): of voice_lines()
 * @any_robot: obey a command to whatever robot, not only to ours
 *
 * Returns: (transfer full) (nullable): the first command that asks for something, else the first of
 *   another kind; NULL when there is none
 */
FormalCommand *formal_command_find(const char *subject, const char *body, GHashTable *answered,
				   bool any_robot);
void formal_command_free(FormalCommand *command);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FormalCommand, formal_command_free)
