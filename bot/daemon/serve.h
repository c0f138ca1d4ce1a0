/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * serve - the supervisor: one process a source, one a stage, restarted with backoff.
 *
 * It does no work itself.  A child that dies is started again after a growing delay, which
 * processes.h of the store shows; one that ends over the configuration (78) would only do so again,
 * so it ends the supervisor, too.  Children die with the supervisor (parent-death signal).  On
 * SIGTERM it passes the signal on, gives them 3.5 seconds, then kills: their work is safe, because
 * every stage commits or loses its lease.
 */

#include "bot/store/db.h"
#include "config/config.h"

#include <glib.h>
#include <stdbool.h>

typedef struct {
	const Config *config;
	const char *config_path;
	const char *program; /* our own executable, /proc/self/exe                              */
	bool verbose;
	Db *db; /* for the state of the children                                        */
	int stop_fd;
} ServeOptions;

/**
 * serve_run: until stop_fd is readable.
 * @error: TRANSIENT when another supervisor holds stateDir/run/serve.lock, CONFIG when a child
 * ended over the configuration: what is wrong with it
 */
bool serve_run(const ServeOptions *options, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** serve_is_running: whether a supervisor holds the lock; false when that cannot be told. */
bool serve_is_running(const char *state_dir);

/**
 * serve_began_with: whether the running supervisor began with @config, by its hash; true when that
 * cannot be told.
 */
bool serve_began_with(const char *state_dir, const Config *config);

/* A child that lived this long is healthy: its next failure starts the backoff anew. */
#define SERVE_HEALTHY_US (60 * G_USEC_PER_SEC)
