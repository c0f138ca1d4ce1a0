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
	if (options->limit < 0 || *argc > 1) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_USAGE,
			    "%s takes --once, --limit N%s and nothing else", command->name,
			    strcmp(command->name, "intake") == 0 ? ", --source NAME" : "");
		return false;
	}
	return true;
}

static bool follow(const Stage *stage, StageContext *context, const char *source, GError **error)
{
	if (source == NULL)
		return stage_follow(stage, context, error);
	const SourceSection *section = config_find_source(context->config, source);
	if (section == NULL) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_USAGE, "there is no [source \"%s\"] in %s",
			    source, context->config->path);
		return false;
	}
	return intake_follow(context, section, error);
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
	StageContext context = {cli->config, cli->db, cli->clock, stop_fd};
	const Stage *stage = stage_find(command->name);
	if (!options.once && options.limit == 0)
		return follow(stage, &context, source, error);
	if (!stage_once(stage, &context, (unsigned)options.limit, &progress, error))
		return false;
	*out_status = progress.failed > 0 ? 75 : 0;
	return true;
}

#define STAGE_COMMAND(stage, what)                                                                 \
	static bool run_##stage(const Cli *cli, int argc, char **argv, int *out_status,            \
				GError **error)                                                    \
	{                                                                                          \
		return run_stage(cli, &command_##stage, argc, argv, out_status, error);            \
	}                                                                                          \
	const Command command_##stage = {                                                          \
		.name = #stage,                                                                    \
		.needs = NEEDS_STORE,                                                              \
		.run = run_##stage,                                                                \
		.arguments = "[--once] [--limit N]",                                               \
		.summary = what,                                                                   \
		.help = "Without --once it goes on until SIGTERM, as `lorebot serve` runs it.\n"   \
			"  --once     until nothing is left, then exit 0, or 75 when a source\n"   \
			"             failed\n"                                                    \
			"  --limit N  stop after N rows",                                          \
	}

STAGE_COMMAND(intake, "stage: read mail from the sources (--source NAME: one of them)");
STAGE_COMMAND(understand, "stage: read patches and requests out of mail");
STAGE_COMMAND(plan, "stage: decide what to test, and why not");
STAGE_COMMAND(build, "stage: find the base and make the commits");
STAGE_COMMAND(run, "stage: build and measure in the sandbox");
STAGE_COMMAND(report, "stage: judge the numbers and write the mails");
STAGE_COMMAND(send, "stage: deliver approved mails, exactly once");
