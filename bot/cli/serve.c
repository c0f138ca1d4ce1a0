/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/cli.h"

#include "bot/base/autofd.h"
#include "bot/base/error.h"
#include "bot/daemon/serve.h"
#include "bot/daemon/stopfd.h"
#include "bot/stage/suite.h"

static bool run_serve(const Cli *cli, int argc, char **argv, int *out_status, GError **error)
{
	bool done = false;

	(void)out_status;
	if (!cli_parse_options(&command_serve, NULL, &argc, &argv, &done, error) || done)
		return done;
	if (clock_is_fixed(cli->clock)) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_USAGE,
			    "serve needs the real time, not --clock");
		return false;
	}
	if (!suite_check_all(cli->config, error))
		return false;
	g_autofree char *program = g_file_read_link("/proc/self/exe", error);
	autofd int stop_fd = program == NULL ? -1 : stopfd_open(error);
	if (stop_fd < 0)
		return false;
	ServeOptions options = {.config = cli->config,
				.config_path = cli->config_path,
				.program = program,
				.verbose = cli->verbose,
				.db = cli->db,
				.stop_fd = stop_fd};
	return serve_run(&options, error);
}

const Command command_serve = {
	.name = "serve",
	.needs = NEEDS_STORE,
	.run = run_serve,
	.arguments = "",
	.summary = "run all stages as supervised processes until SIGTERM",
	.help = "One process a source and one a stage, restarted with backoff when they die.\n"
		"SIGTERM stops everything within 5 seconds; no work is lost.",
};
