/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * child - network work of libgit2 in a process of its own, since nothing else can interrupt it.
 */

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef bool (*ChildWork)(gpointer data, GError **error);

typedef struct {
	const char *what;        /* for messages, "fetching https://..."                         */
	int64_t timeout_ms;      /* then the child is killed and the error is TRANSIENT          */
	const char *timeout_key; /* (nullable): of the configuration, for that message           */
	uint64_t max_file_bytes; /* no file it writes may grow over this; 0: no limit            */
	int stop_fd; /* > 0 and readable: as if the time were up                         */
} ChildOptions;

/**
 * child_run:
 * @work: run in a fork; its error (of BOT_ERROR) comes back, nothing else does
 *
 * The child has bounded memory and processor time, and dies with its parent.
 */
bool child_run(ChildWork work, gpointer data, const ChildOptions *options,
	       GError **error) G_GNUC_WARN_UNUSED_RESULT;
