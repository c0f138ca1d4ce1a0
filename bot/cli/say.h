/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * say - lines for a person: the one way from a stranger's text, or an operator's, to a terminal.
 */

#include <glib.h>
#include <stdint.h>

/**
 * say:
 *
 * One line on standard output, without its line end in @format.  Control bytes, line ends among
 * them, and bytes that are no UTF-8 are escaped: nothing can move the cursor or forge a line.
 */
void say(const char *format, ...) G_GNUC_PRINTF(1, 2);

/** warn: the same on standard error. */
void warn(const char *format, ...) G_GNUC_PRINTF(1, 2);

/** counted: (transfer full): "1 mail", "2 mails". */
char *counted(int64_t n, const char *one, const char *many);
