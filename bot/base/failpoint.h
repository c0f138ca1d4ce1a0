/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * failpoint - named places where a test kills the process.
 *
 * Compiled in only with -Dfailpoints=true.  LOREBOT_FAILPOINT="NAME=TOKEN" makes the first process
 * that reaches NAME and manages to unlink the file TOKEN kill itself with SIGKILL; so it dies once,
 * and the restarted process goes on.  All names stand in the table in failpoint.c, which
 * failpoint_names() returns; a name outside the table is a bug.
 */

#ifdef LOREBOT_FAILPOINTS
void failpoint(const char *name);
#else
static inline void failpoint(const char *name)
{
	(void)name;
}
#endif

/** failpoint_names: NULL-terminated, static. */
const char *const *failpoint_names(void);
