/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * lkpselect - which rows the kernel test robot would show: its published rule.
 *
 * A value has changed when the two ranges separate (half of one side beyond the other's extreme)
 * and the medians differ by a least ratio and a least amount that depend on the key.  This rule has
 * no known error rate and decides nothing here but which rows stand in a table; what a mail claims
 * is bot/stats/compare's.
 */

#include "bot/run/lkp.h"

#include <stdbool.h>

/** lkpselect_is_shown: @key has changed from @base to @head. */
bool lkpselect_is_shown(const Matrix *base, const Matrix *head, const char *key);
