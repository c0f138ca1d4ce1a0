/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * original - where, in a body, the mail of another person begins without any quote mark.
 *
 * Mailers that top-post put the mail that is answered below the answer, led in by a ruler
 * ("-----Original Message-----"), by lines like those of its header ("From:", "Sent:", ...), or by
 * both, in the tongue of who uses them.  Digests string whole mails together in the same way.
 */

#include "mailparse/line.h"

#include <glib.h>
#include <stdbool.h>

/** original_is_mark: "-----Original Message-----", "Begin forwarded message:" and their kin. */
bool original_is_mark(const Line *line);

/** original_is_signature_mark: "-- ", "--", also with other blanks, or as the dash mailers make. */
bool original_is_signature_mark(const Line *line);

typedef enum {
	ORIGINAL_NO_HEADER,
	ORIGINAL_MAYBE_HEADER, /* From with a date or a subject: also how git puts them in a body */
	ORIGINAL_HEADER,       /* names recipients or when it was sent, too                      */
} OriginalHeader;

/**
 * original_header:
 * @line: the line of @body that ends before @pos
 *
 * Does a mail's header, as mailers print it, begin at @line?  Some thirty tongues are known; in
 * others it is three lines of "LABEL: value" with an address and a time of day among them.
 */
OriginalHeader original_header(const char *body, gsize len, gsize pos, const Line *line);
