/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * shown - is what stands in a line cited or explained by the lines around it, not said?
 *
 * "You can reply with", "the command is:", "for example", "I sent": what follows such words is
 * shown.  So is what the next line goes on about: "... is how to ask for a test".
 */

#include <stdbool.h>

/**
 * shown_by_what_stands_above:
 * @paragraph: the writer's last lines above, blanks folded
 */
bool shown_by_what_stands_above(const char *paragraph);

/**
 * shown_by_what_follows:
 * @paragraph, @next: the writer's lines above and below
 * @adjacent: no blank line stands before @next
 */
bool shown_by_what_follows(const char *paragraph, const char *next, bool adjacent);

/** shown_by_code: @line, right above, belongs to code or opens what is shown. */
bool shown_by_code(const char *line);

/** shown_is_connector: "or", "or:", "and then": joins what is shown. */
bool shown_is_connector(const char *line);
