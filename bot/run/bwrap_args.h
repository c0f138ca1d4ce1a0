/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * bwrap_args - the argument vector of bubblewrap for one sandbox.  Private to bot/run; pure.
 *
 * What is inside: /usr and its links read-only, a three-file /etc, /proc, a small /dev, sized tmpfs
 * for work_dir, /tmp and /dev/shm, the declared paths read-only, and nothing else; "/" itself is
 * read-only.
 */

#include "bot/run/sandbox.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/* Where declared paths are bound first when we are root: "/mnt/0", "/mnt/1", ... */
#define BWRAP_STAGE_DIR "/mnt"
#define BWRAP_N_ETC_FILES 3

/* Descriptors that bubblewrap is handed by number. */
typedef struct {
	int json;                   /* it tells the first process's id and the exit code   */
	int block;                  /* it waits for a byte before argv starts              */
	int etc[BWRAP_N_ETC_FILES]; /* the texts of bwrap_etc_text()                       */
} BwrapFds;

/** bwrap_etc_text: what must be readable from BwrapFds.etc[@i]; static. */
const char *bwrap_etc_text(size_t i);

/**
 * bwrap_args_new:
 * @bwrap: the program's path
 * @staged: the declared paths stand below BWRAP_STAGE_DIR
 *
 * Returns: (transfer full) (element-type utf8): NULL-terminated
 */
GPtrArray *bwrap_args_new(const char *bwrap, const SandboxOptions *options, const BwrapFds *fds,
			  bool staged);
