/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * damage - what a mailer did to a diff on its way.
 *
 * Told from the bytes alone, so only what leaves a mark is seen: a diff whose tabs all became
 * blanks reads like one that never had any.
 */

#include "mailparse/diff.h"
#include "mailparse/patch.h"

/**
 * damage_find:
 * @flowed: format=flowed had to be undone to get this diff
 *
 * Returns: the first that holds of CRLF, NBSP, TABS, HTML, WRAPPED, TRUNCATED, FLOWED; NONE when
 *   the diff is whole
 */
PatchDamage damage_find(const Diff *diff, bool flowed);
