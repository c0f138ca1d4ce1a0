/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * transfer - undoes a Content-Transfer-Encoding; GMime does the arithmetic.
 */

#include "mailparse/cursor.h"

#include <glib.h>

/**
 * transfer_decode:
 * @encoding: (nullable): value of Content-Transfer-Encoding; an unknown one means none
 *
 * What is no code of the encoding stays as it is ("=ZZ") or is skipped (base64).  Plain text that a
 * list hung behind base64 (its footer) is left out instead of being decoded to garbage.
 *
 * Returns: (transfer full): never NULL
 */
GBytes *transfer_decode(ByteSlice body, const char *encoding);
