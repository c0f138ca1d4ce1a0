/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * quote - what of a mail is worth quoting in the answer.  Private to this folder.
 */

#include <glib.h>

#define QUOTE_MAX_LINES 40u
#define QUOTE_MAX_DEPTH 2u /* quotes of quotes of the mail that are still kept */
#define QUOTE_MAX_LINE_BYTES 200u

/**
 * quote_trim:
 * @body: (nullable): text of the mail that is answered, UTF-8
 *
 * Its text up to signature or patch, without commands to robots; when that is too long, without
 * what it quotes itself; when still too long, its beginning.  What is left out shows as "[...]".
 *
 * Returns: (transfer full) (nullable): lines without quote marks of ours; NULL when nothing is left
 */
char *quote_trim(const char *body);
