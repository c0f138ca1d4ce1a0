/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * statkey - what the name of a measured value says about it.
 *
 * Names are those of lkp results: "GROUP.REST", the group being a test ("stress-ng") or a monitor
 * ("perf-stat").
 */

#include <stdbool.h>
#include <stddef.h>

/** statkey_group_len: length of the text before the first dot; of all without one. */
size_t statkey_group_len(const char *key);

/** statkey_is_failure: counts failures: "ltp.x.fail", "dmesg.BUG:...", "stderr.x", "x.pass". */
bool statkey_is_failure(const char *key);

/** statkey_is_difference: a share already, so that its change is printed as plain difference. */
bool statkey_is_difference(const char *key);

/** statkey_is_of_test: its group is no known monitor, so it is the test's own. */
bool statkey_is_of_test(const char *key);
