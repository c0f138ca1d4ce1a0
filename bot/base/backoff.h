/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * backoff - how long to wait before the next try of something that failed for now.
 *
 * The wait doubles with each failure from one second up to a quarter of an hour.  Half of it is
 * drawn by chance, so that many clients of one server that came back do not all knock at once.
 * Pure: the caller keeps the count and the random source, and does the waiting.
 */

#include <glib.h>
#include <stdint.h>

#define BACKOFF_MIN_MS ((int64_t)1000)
#define BACKOFF_MAX_MS ((int64_t)15 * 60 * 1000)

/**
 * backoff_delay_ms:
 * @n_failures: failures in a row so far, 1 after the first; 0 counts as 1
 * @random: the source of the jitter; a seeded one makes the delays repeatable
 *
 * Returns: between half of min(BACKOFF_MIN_MS * 2^n_failures, BACKOFF_MAX_MS) and the whole of it,
 * so 1..2 s after the first failure and 7.5..15 min after the tenth and all later ones
 */
int64_t backoff_delay_ms(unsigned n_failures, GRand *random);
