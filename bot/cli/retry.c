/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/retry.h"

#include "bot/base/error.h"
#include "bot/cli/cli.h"
#include "bot/cli/say.h"

#include <string.h>

static bool retry_one(const Cli *cli, const char *text, GError **error)
{
	guint64 row = 0;
	const char *number = g_str_has_prefix(text, "job:") ? text + strlen("job:") : text;

	if (!g_ascii_string_to_unsigned(number, 10, 1, G_MAXINT64, &row, NULL)) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_USAGE,
			    "\"%s\" is no job; write job:N as `lorebot status` prints it", text);
		return false;
	}
	if (!retry_job(cli->db, (int64_t)row, g_get_user_name(), error))
		return false;
	say("job %" G_GUINT64_FORMAT ": begins anew", row);
	return true;
}

static bool run_retry(const Cli *cli, int argc, char **argv, int *out_status, GError **error)
{
	bool done = false;

	(void)out_status;
	if (!cli_parse_options(&command_retry, NULL, &argc, &argv, &done, error) || done)
		return done;
	if (argc < 2)
		return cli_usage(&command_retry, error, "a job is missing");
	for (int i = 1; i < argc; i++) {
		if (!retry_one(cli, argv[i], error))
			return false;
	}
	stage_wake(db_state_dir(cli->db), "build");
	return true;
}

const Command command_retry = {
	.name = "retry",
	.needs = NEEDS_STORE,
	.run = run_retry,
	.most_arguments = ANY_NUMBER,
	.arguments = "job:N...",
	.summary = "a job that failed begins anew, for when the cause is mended",
	.help = "Only for failed and poison jobs.  Nothing that was measured before counts; its\n"
		"files are kept beside the new ones.  What comes of it is mailed by the usual\n"
		"rules: held, within maxAge, one answer for one purpose.",
};
