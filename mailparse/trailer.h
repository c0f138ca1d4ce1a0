/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * trailer - the "Key: value" lines at the end of a commit message (git-interpret-trailers(1)).
 */

#include <glib.h>

typedef struct {
	char *key;   /* as written, "Signed-off-by"                 */
	char *value; /* unfolded, trimmed                           */
} Trailer;

/**
 * trailer_list:
 * @message: commit message, UTF-8, LF, with its title: the first paragraph holds no trailers
 *
 * Returns: (transfer full) (element-type Trailer): of the last block that git would take for one,
 *   in order; at most MAIL_MAX_TRAILERS
 */
GPtrArray *trailer_list(const char *message);
