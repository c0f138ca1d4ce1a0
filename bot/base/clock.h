/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * clock - the time, as something that is passed in.
 *
 * All stored times are microseconds since 1970-01-01 UTC.  A fixed clock makes a whole pipeline
 * repeatable (replay, demo, tests); code that holds one may not send mail over the network.
 */

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define CLOCK_US_PER_S ((int64_t)1000000)

typedef struct Clock Clock;

Clock *clock_new_system(void);

/**
 * clock_new_fixed:
 * @now_us: what clock_now_us() says until clock_set()
 */
Clock *clock_new_fixed(int64_t now_us);
void clock_free(Clock *clock);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Clock, clock_free)

int64_t clock_now_us(const Clock *clock);
bool clock_is_fixed(const Clock *clock);

/** clock_set: only for a fixed clock. */
void clock_set(Clock *clock, int64_t now_us);

/**
 * clock_parse_iso:
 * @text: "2026-01-31", "2026-01-31T12:00:00Z" or with an offset; a bare date is midnight UTC
 * @error: BOT_ERROR_USAGE naming the text
 */
bool clock_parse_iso(const char *text, int64_t *out_us, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** clock_format_iso: "2026-01-31T12:00:00Z", whole seconds, UTC. */
char *clock_format_iso(int64_t us);

/** clock_format_rfc5322: "Sat, 31 Jan 2026 12:00:00 +0000" (RFC 5322 section 3.3). */
char *clock_format_rfc5322(int64_t us);
