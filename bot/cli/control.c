/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/cli.h"

#include "bot/base/error.h"
#include "bot/cli/say.h"

static bool read_reason(const Command *command, int argc, char **argv, const char *fallback,
			char **out_reason, bool *out_done, GError **error)
{
	if (!cli_parse_options(command, NULL, &argc, &argv, out_done, error) || *out_done)
		return *out_done;
	*out_reason = argc > 1 ? g_strjoinv(" ", argv + 1) : g_strdup(fallback);
	return true;
}

static bool set_control(const Cli *cli, const char *name, const char *reason, GError **error)
{
	if (!control_set(cli->db, name, reason, error))
		return false;
	say("%s: %s", name, reason);
	return true;
}

/* *@lifted counts what was set. */
static bool lift(const Cli *cli, const char *name, unsigned *lifted, GError **error)
{
	g_autofree char *reason = control_get(cli->db, name);

	if (reason == NULL)
		return true;
	if (!control_set(cli->db, name, NULL, error))
		return false;
	say("%s lifted, it was: %s", name, reason);
	++*lifted;
	return true;
}

static bool run_pause(const Cli *cli, int argc, char **argv, int *out_status, GError **error)
{
	g_autofree char *reason = NULL;
	bool done = false;

	(void)out_status;
	return read_reason(&command_pause, argc, argv, "by the operator", &reason, &done, error) &&
	       (done || set_control(cli, "pause", reason, error));
}

static bool run_stop_all(const Cli *cli, int argc, char **argv, int *out_status, GError **error)
{
	g_autofree char *reason = NULL;
	bool done = false;

	(void)out_status;
	return read_reason(&command_stop_all, argc, argv, "by the operator", &reason, &done,
			   error) &&
	       (done || set_control(cli, "stop-all", reason, error));
}

static bool run_resume(const Cli *cli, int argc, char **argv, int *out_status, GError **error)
{
	bool done = false;
	unsigned lifted = 0;

	(void)out_status;
	if (!cli_parse_options(&command_resume, NULL, &argc, &argv, &done, error) || done)
		return done;
	if (!lift(cli, "pause", &lifted, error) || !lift(cli, "stop-all", &lifted, error))
		return false;
	if (lifted == 0)
		say("neither pause nor stop-all was set");
	for (const Stage *stage = stage_all(); stage->name != NULL; stage++)
		stage_wake(db_state_dir(cli->db), stage->name);
	return true;
}

const Command command_pause = {
	.name = "pause",
	.needs = NEEDS_STORE,
	.run = run_pause,
	.most_arguments = ANY_NUMBER,
	.arguments = "[REASON]",
	.summary = "go on reading mail, but test and send nothing until resume",
	.help = "Survives a restart.  What runs is finished.",
};

const Command command_stop_all = {
	.name = "stop-all",
	.needs = NEEDS_STORE,
	.run = run_stop_all,
	.most_arguments = ANY_NUMBER,
	.arguments = "[REASON]",
	.summary = "every stage rests until resume, reading too",
	.help = "Survives a restart.  Sources are not read either; mail waits where it is.",
};

const Command command_resume = {
	.name = "resume",
	.needs = NEEDS_STORE,
	.run = run_resume,
	.arguments = "",
	.summary = "lift pause and stop-all",
	.help = NULL,
};
