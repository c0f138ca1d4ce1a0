/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * check - what one key alone cannot show: missing ones, ones that contradict, borrowed identities.
 * Private to config.
 */

#include "config/config.h"
#include "config/faults.h"

/** check_all: adds a fault for each. */
void check_all(const Config *config, Faults *faults);

/** identity_is_foreign: (nullable): the robot whose name @text borrows. */
const char *identity_is_foreign(const char *text);
