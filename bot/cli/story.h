/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * story - the lines of `lorebot show`: labels, links by the names that show takes, events.
 */

#include "bot/cli/cli.h"

/** story_line: nothing for NULL. */
void story_line(const char *label, const char *text);

/** story_link: "job:7"; nothing for row 0. */
void story_link(const char *label, const char *noun, int64_t row);

/** story_links: "job:7, job:8"; nothing for none. @rows: (transfer full) (element-type int64_t) */
bool story_links(const char *label, const char *noun, GArray *rows);

/** story_cure: how what was declined, or is poison, or waits for its list, is decided anew. */
void story_cure(const char *noun, int64_t row, const char *state, const char *reason);

/** story_events: all that happened to a row, in order. */
bool story_events(const Cli *cli, const char *kind, int64_t row, GError **error);

/**
 * story_reason:
 * @message_id: (nullable): of the mail
 *
 * Returns: (transfer full) (nullable): @reason; of a mail that was seen on no configured list also
 *   where it went, and which lists there are
 */
char *story_reason(const Cli *cli, const char *reason, const char *message_id);
