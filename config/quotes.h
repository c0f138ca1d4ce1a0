/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * quotes - values whose quote is never closed, which libgit2 reads to the end of the line in
 * silence while git refuses them.  Private to config.
 */

#include "config/faults.h"

/**
 * quotes_check: a fault for each.
 * @path: of the file that @bytes are of, the configuration or what it includes
 */
void quotes_check(Faults *faults, const char *path, const char *bytes);
