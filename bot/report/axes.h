/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * axes - the "key1/key2/...:" and "value1/value2/..." lines above a table.
 *
 * Byte order of the "key=value" strings, as the kernel test robot prints them.
 */

#include <glib.h>

typedef struct {
	const char *key;
	const char *value;
} Axis;

/** axes_lines: "k1/k2:\n  v1/v2\n"; @axes is not changed. */
char *axes_lines(const Axis *axes, gsize n);
