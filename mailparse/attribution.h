/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * attribution - the line by which a mailer leads in a quote: "On Monday, Ann wrote:".
 *
 * In some thirty tongues, with or without a date or an address, in one line or wrapped over up to
 * four.  In English, where people write such lines themselves, it must begin like one, or hold a
 * digit or an address, or be no more than a name and the verb.
 */

#include "mailparse/line.h"

#include <glib.h>

/**
 * attribution_lines:
 * @line: the line of @body that ends before @pos
 *
 * Returns: how many lines the attribution has that begins at @line; 0 when none does
 */
guint attribution_lines(const char *body, gsize len, gsize pos, const Line *line);
