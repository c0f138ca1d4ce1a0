/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * parse_summary - a whole archive in one line: what `lorebot parse --summary` prints.
 *
 *	{"mails","kinds":{"patch":n,...},"patches","damaged":{"wrapped":n,...},
 *	 "requests":{"test":n,...},"act","runnable","refused":{REASON:n,...}}
 *
 * "mails" are those that were read; a kind that did not occur is left out.  A reason is what the
 * error says, its number of a line left out, so that one fault is one row.
 */

#include "mailparse/mail.h"

typedef struct ParseSummary ParseSummary;

ParseSummary *parse_summary_new(void);

/** parse_summary_free: @summary: (nullable) */
void parse_summary_free(ParseSummary *summary);
void parse_summary_add(ParseSummary *summary, const Mail *mail);

/** parse_summary_add_refusal: a mail, or a whole file, that could not be read. */
void parse_summary_add_refusal(ParseSummary *summary, const GError *why);
void parse_summary_print(const ParseSummary *summary);
