/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * diffname - the names that a diff's header gives for one file, before it is known which of them
 * rule.
 *
 * Private to the diff reader; see diffhead.h for which leading directory counts as a prefix.
 */

#include "mailparse/line.h"

#include <glib.h>
#include <stdbool.h>

typedef struct {
	char *git_old, *git_new; /* of the "diff --git" line                          */
	char *minus, *plus;      /* of "---" and "+++"; NULL for /dev/null            */
	char *from, *to;         /* of rename and copy lines, which carry no prefix   */
	bool pair;               /* a "---", "+++" pair was there                     */
	bool renamed, copied, added, deleted;
	unsigned n_extended;
} DiffNames;

void diffnames_clear(DiffNames *names);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DiffNames, diffnames_clear)

/** diffname_set: @name gets @value (transfer full). */
void diffname_set(char **name, char *value);

/** diffname_whole: a name up to the end of the line, unquoted; NULL with a NUL or broken quoting.
 */
char *diffname_whole(Line line);

/** diffname_of_side: the name on a "---" or "+++" line without its stamp; "" is /dev/null. */
char *diffname_of_side(Line line);

/** diffname_has_epoch_stamp: diff -N's mark of a side that does not exist, in any time zone. */
bool diffname_has_epoch_stamp(Line line);

/**
 * diffnames_take_git:
 * @line: what follows "diff --git "
 *
 * Sets git_old and git_new, prefixes off; neither when the line can be cut in more than one way.
 */
void diffnames_take_git(Line line, DiffNames *names);

/**
 * diffname_strip_pair: takes the prefixes off two names, of which one may be NULL (/dev/null).
 *
 * Returns: whether they had prefixes
 */
bool diffname_strip_pair(char **old, char **new, bool git);
