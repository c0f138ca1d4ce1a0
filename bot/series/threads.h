/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * threads - which Message-IDs hang together by References, in whatever order.
 *
 * Disjoint sets over ids (Tarjan), so a mail that names itself or two that name each other cost
 * nothing.  Private to bot/series.
 */

#include <glib.h>

typedef struct {
	GHashTable *index; /* id -> position + 1 in parents; ids not owned */
	GArray *parents;   /* (element-type guint)                         */
} Threads;

void threads_init(Threads *threads);
void threads_clear(Threads *threads);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Threads, threads_clear)

/** threads_join: @a and @b are of one thread; both must outlive @threads. */
void threads_join(Threads *threads, const char *a, const char *b);

/** threads_of: a number that all ids of one thread share. */
guint threads_of(Threads *threads, const char *id);
