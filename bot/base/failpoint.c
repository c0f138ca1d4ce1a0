/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/failpoint.h"

#include <glib.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {
	"intake.before_commit",
	"intake.after_commit",
	"understand.before_commit",
	"plan.before_commit",
	"build.after_objects",
	"build.before_commit",
	"run.after_task",
	"run.before_commit",
	"report.before_commit",
	"send.before_connect",
	"send.after_dot",
	"send.before_commit",
	NULL,
};

const char *const *failpoint_names(void)
{
	return names;
}

#ifdef LOREBOT_FAILPOINTS
static bool is_armed(const char *name, const char **out_token)
{
	const char *armed = g_getenv("LOREBOT_FAILPOINT");
	size_t len = strlen(name);

	if (armed == NULL || strncmp(armed, name, len) != 0 || armed[len] != '=')
		return false;
	*out_token = armed + len + 1;
	return true;
}

void failpoint(const char *name)
{
	const char *token = NULL;

	g_assert(g_strv_contains(names, name));
	if (is_armed(name, &token) && unlink(token) == 0)
		kill(getpid(), SIGKILL);
}
#endif
