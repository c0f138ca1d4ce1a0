/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * guard - no line of a mail of ours may do something by itself.  Private to this folder.
 *
 * Tools read list mail: b4 takes "Word: someone@example.org" for a trailer of the patch that is
 * answered, even when indented (find_trailers() in its sources), git and patchwork take what
 * follows "diff --git" for a patch, robots take "#name word" for a command.  What stands behind ">
 * " or "| " they leave alone.
 */

#include <glib.h>
#include <stdbool.h>

typedef enum {
	GUARD_PLAIN,   /* does nothing                                                          */
	GUARD_LABEL,   /* a label of ours whose value makes b4 take the line for a trailer      */
	GUARD_TRAILER, /* "Reviewed-by: x", "Fixes: x", ...                                     */
	GUARD_PATCH,   /* begins a diff                                                         */
	GUARD_COMMAND, /* "#robot word", also behind quote marks                                */
	GUARD_ADDRESS, /* only "<x>": b4 joins it to the line above                             */
} GuardKind;

/** guard_line: what @line (UTF-8, without its LF) would do. */
GuardKind guard_line(const char *line);

/**
 * guard_body:
 * @body: the whole body, UTF-8
 * @tag: (nullable): the one trailer line that is meant
 * @error: PERMANENT naming the line
 *
 * A GUARD_LABEL line gets "| " in front; any other that is not plain is an error.  The line
 * `commit: SHA ("SUBJECT")` is plain whatever the subject holds: b4 sees a person in it who did not
 * write the mail, and leaves that out.
 *
 * Returns: (transfer full)
 */
char *guard_body(const char *body, const char *tag, GError **error) G_GNUC_WARN_UNUSED_RESULT;
