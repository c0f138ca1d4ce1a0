/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * stopfd - SIGTERM and SIGINT as a file descriptor.
 */

#include <glib.h>

/**
 * stopfd_open:
 *
 * Blocks SIGTERM and SIGINT for this process (children started later inherit that until they
 * unblock; bot/run and spawn do) and gives a descriptor that is readable from the first of them on,
 * for good.
 *
 * Returns: a descriptor, or -1 with @error set
 */
int stopfd_open(GError **error) G_GNUC_WARN_UNUSED_RESULT;
