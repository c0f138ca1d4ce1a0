/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/backlog.h"

#include "bot/base/error.h"
#include "bot/cli/cli.h"
#include "bot/cli/say.h"

#include <string.h>

static void print_backlog(const Backlog *backlog)
{
	g_autofree char *until = clock_format_iso(backlog->until_us);
	g_autofree char *requests = counted(backlog->n_requests, "request", "requests");

	say("%s: %" G_GINT64_FORMAT " series and %s that arrived before %s wait", backlog->reason,
	    backlog->n_series, requests, until);
}

static bool decide(const Cli *cli, const char *word, GError **error)
{
	bool run = strcmp(word, "run") == 0;

	if (!run && strcmp(word, "drop") != 0)
		return cli_usage(&command_backlog, error, "say run or drop");
	if (!backlog_close(cli->db, run, g_get_user_name(), error))
		return false;
	stage_wake(db_state_dir(cli->db), "plan");
	say("%s", run ? "the backlog is planned as usual" : "the backlog is dropped");
	return true;
}

static bool run_backlog(const Cli *cli, int argc, char **argv, int *out_status, GError **error)
{
	bool done = false;

	(void)out_status;
	if (!cli_parse_options(&command_backlog, NULL, &argc, &argv, &done, error) || done)
		return done;
	g_autoptr(GError) failed = NULL;
	g_autoptr(Backlog) backlog = backlog_get(cli->db, &failed);
	if (failed != NULL) {
		g_propagate_error(error, g_steal_pointer(&failed));
		return false;
	}
	if (backlog == NULL)
		say("there is no backlog");
	else
		print_backlog(backlog);
	return argc == 1 || decide(cli, argv[1], error);
}

const Command command_backlog = {
	.name = "backlog",
	.needs = NEEDS_STORE,
	.run = run_backlog,
	.most_arguments = 1,
	.arguments = "[run|drop]",
	.summary = "what came in during an outage, and what becomes of it",
	.help = "When a source could not be read for longer than bot.outageAfter, the series and\n"
		"requests that came in meanwhile wait: their writers may have gone on long ago.\n"
		"`run` plans them as usual, `drop` declines them all, and nothing is mailed.",
};
