/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/cli.h"

#include "bot/base/autofd.h"
#include "bot/base/error.h"
#include "bot/daemon/stopfd.h"

#include <string.h>

typedef struct {
	gboolean once;
	gint limit;
	char *source;
} StageOptions;

static bool read_options(const Command *command, int *argc, char ***argv, StageOptions *options,
			 bool *out_done, GError **error)
{
	const GOptionEntry entries[] = {
		{"once", 0, 0, G_OPTION_ARG_NONE, &options->once, NULL, NULL},
		{"limit", 0, 0, G_OPTION_ARG_INT, &options->limit, NULL, NULL},
		{"source", 0, 0, G_OPTION_ARG_STRING, &options->source, NULL, NULL},
		{NULL, 0, 0, 0, NULL, NULL, NULL},
	};

	if (!cli_parse_options(command, entries, argc, argv, out_done, error))
		return false;
	if (options->limit < 0)
		return cli_usage(command, error, "--limit %d is below 0", options->limit);
	if (options->source != NULL && strcmp(command->name, "intake") != 0)
		return cli_usage(command, error, "only intake has --source");
	return true;
}

static bool run_stage(const Cli *cli, const Command *command, int argc, char **argv,
		      int *out_status, GError **error)
{
	StageOptions options = {0};
	StageProgress progress = {0};
	bool done = false;
	bool ok = read_options(command, &argc, &argv, &options, &done, error);
	g_autofree char *source = options.source;

	if (!ok || done)
		return ok;
	autofd int stop_fd = stopfd_open(error);
	if (stop_fd < 0)
		return false;
	StageContext context = {
		.config = cli->config, .db = cli->db, .clock = cli->clock, .stop_fd = stop_fd};
	const Stage *stage = stage_find(command->name);
	if (!cli_find_source(cli->config, source, &context.source, error))
		return false;
	if (!options.once && options.limit == 0)
		return context.source == NULL ? stage_follow(stage, &context, error)
					      : intake_follow(&context, context.source, error);
	if (!stage_once(stage, &context, (unsigned)options.limit, &progress, error))
		return false;
	*out_status = progress.failed > 0 ? 75 : 0;
	return true;
}

#define HOW_LONG                                                                                   \
	"Without --once it goes on until SIGTERM, as `lorebot serve` runs it.\n"                   \
	"  --once         until nothing is left, then exit 0, or 75 when a source failed\n"        \
	"  --limit N      stop after N rows"

#define STAGE_COMMAND(stage, options, what, more)                                                  \
	static bool run_##stage(const Cli *cli, int argc, char **argv, int *out_status,            \
				GError **error)                                                    \
	{                                                                                          \
		return run_stage(cli, &command_##stage, argc, argv, out_status, error);            \
	}                                                                                          \
	const Command command_##stage = {                                                          \
		.name = #stage,                                                                    \
		.needs = NEEDS_STORE,                                                              \
		.run = run_##stage,                                                                \
		.arguments = "[--once] [--limit N]" options,                                       \
		.summary = what,                                                                   \
		.help = HOW_LONG more,                                                             \
	}

STAGE_COMMAND(intake, " [--source NAME]", "read mail from the sources",
	      "\n  --source NAME  read this one only");
STAGE_COMMAND(understand, "", "read patches and requests out of mail", "");
STAGE_COMMAND(plan, "", "decide what to test, and why not", "");
STAGE_COMMAND(build, "", "find the base and make the commits", "");
STAGE_COMMAND(run, "", "build and measure in the sandbox", "");
STAGE_COMMAND(report, "", "judge the numbers and write the mails", "");
STAGE_COMMAND(send, "", "deliver approved mails, exactly once", "");
