/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * commitmsg - the commit message of a mailed patch.
 *
 * As git-am(1) writes it: title, empty line, body, blanks at line ends and doubled empty lines gone
 * (git-stripspace(1)); a Link: trailer goes where git-interpret-trailers(1) would put it.  Pure.
 */

#include <glib.h>

/**
 * commitmsg_compose:
 * @body: (nullable): message without the title
 * @link: (nullable): value of the Link: trailer; not added again when the body has the very same
 * one
 *
 * Returns: (transfer full): ends in LF
 */
char *commitmsg_compose(const char *title, const char *body, const char *link);

/**
 * commitmsg_clean_name:
 *
 * Returns: (transfer full): @name without what git leaves out of an identity line: '<', '>', line
 *   ends, and dots, commas, colons, quotes and blanks at its ends; may be ""
 */
char *commitmsg_clean_name(const char *name);
