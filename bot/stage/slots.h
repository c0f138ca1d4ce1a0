/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * slots - which of many sources of one server may be connected now.
 *
 * A mail server allows each user only so many connections.  Where more IMAP sources share a server
 * and a user than `maxConnections` says, each takes a slot before it connects and gives it back
 * when it has disconnected.  A slot is a lock file stateDir/run/imap-KEY-N.lock held by flock: it
 * counts across processes, and one whose holder dies is free at once.
 */

#include "config/config.h"

#include <glib.h>
#include <stdbool.h>

/**
 * slots_needed:
 *
 * Returns: how many slots @source and those that share its server (by host name, whatever port) and
 * user have together: the smallest `maxConnections` among them.  0 when all of them may be
 * connected at once, or @source is not of a server.
 */
unsigned slots_needed(const Config *config, const SourceSection *source);

/**
 * slots_take:
 * @n_slots: as from slots_needed(), not 0
 * @out_fd: closing it gives the slot back; -1 when all are taken (no error)
 * @error: as open(2) and flock(2)
 */
bool slots_take(const char *state_dir, const SourceSection *source, unsigned n_slots, int *out_fd,
		GError **error) G_GNUC_WARN_UNUSED_RESULT;
