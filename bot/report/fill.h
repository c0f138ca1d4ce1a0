/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * fill - prose into lines of at most FILL_COLUMNS.  Private to this folder.
 */

#include <glib.h>

#define FILL_COLUMNS 76

/**
 * fill_append:
 * @text: UTF-8; empty lines part paragraphs, other line ends count as blanks
 *
 * A paragraph keeps the indent of its first line; its further lines take the indent of its second
 * line (that of the first when it has only one), so a list item hangs.  A word longer than a line
 * stands alone on one.  No line but the first of a paragraph begins with a word that makes
 * tools act on it (guard.h).
 */
void fill_append(GString *out, const char *text);
