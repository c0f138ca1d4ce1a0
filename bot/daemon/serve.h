/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * serve - the supervisor: one process a source, one a stage, restarted with backoff.
 *
 * It does no work itself.  A child that dies is started again after a growing delay; children die
 * with the supervisor (parent-death signal).  On SIGTERM it passes the signal on, gives them 4
 * seconds, then kills: their work is safe, because every stage commits or loses its lease.
 */

#include "config/config.h"

#include <glib.h>
#include <stdbool.h>

typedef struct {
	const Config *config;
	const char *config_path;
	const char *program; /* our own executable, /proc/self/exe                              */
	bool verbose;
	int stop_fd;
} ServeOptions;

/**
 * serve_run: until stop_fd is readable.
 * @error: TRANSIENT when another supervisor holds stateDir/run/serve.lock
 */
bool serve_run(const ServeOptions *options, GError **error) G_GNUC_WARN_UNUSED_RESULT;
