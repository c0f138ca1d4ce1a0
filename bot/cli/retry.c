/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/retry.h"

#include "bot/base/error.h"
#include "bot/cli/cli.h"
#include "bot/cli/say.h"
#include "bot/store/messages.h"
#include "bot/store/outbox.h"
#include "bot/store/series.h"
#include "mailparse/msgid.h"

#include <string.h>

static bool retry_declined_row(const Cli *cli, const char *kind, int64_t row, GError **error)
{
	StageContext context = {
		.config = cli->config, .db = cli->db, .clock = cli->clock, .stop_fd = -1};
	g_autofree char *waits = NULL;

	if (!retry_declined(&context, kind, row, g_get_user_name(), &waits, error))
		return false;
	say("%s %" G_GINT64_FORMAT ": %s%s", kind, row,
	    waits == NULL ? "is decided anew" : "still waits: ", waits == NULL ? "" : waits);
	return true;
}

static bool retry_job_row(const Cli *cli, int64_t row, GError **error)
{
	if (!retry_job(cli->db, row, g_get_user_name(), error))
		return false;
	say("job %" G_GINT64_FORMAT ": begins anew", row);
	return true;
}

static bool retry_mail_row(const Cli *cli, int64_t row, GError **error)
{
	if (!outbox_revive(cli->db, row, g_get_user_name(), error))
		return false;
	say("mail %" G_GINT64_FORMAT ": held; `lorebot approve %" G_GINT64_FORMAT
	    "` lets it go out%s",
	    row, row,
	    cli->config->send.transport == TRANSPORT_DRY_RUN
		    ? ", but send.transport is still dry-run: nothing is sent"
		    : "");
	return true;
}

/* A mail may be both, a patch with a command in it; then what was declined of the two. */
static bool retry_message(const Cli *cli, const char *text, GError **error)
{
	g_autofree char *id = msgid_bare(text);
	g_autoptr(StoredMessage) message = id == NULL ? NULL : messages_find(cli->db, id, NULL);
	g_autoptr(StoredRequest) request =
		message == NULL ? NULL : request_find_by_message(cli->db, message->row, NULL);
	g_autoptr(StoredSeries) series =
		message == NULL ? NULL : series_find_by_message(cli->db, message->row, NULL);

	if (request == NULL && series == NULL) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
			    message == NULL ? "no message with the id \"%s\" is stored"
					    : "the message \"%s\" is neither a request nor part of "
					      "a series",
			    text);
		return false;
	}
	if (request != NULL && (series == NULL || strcmp(request->state, "planned") != 0))
		return retry_declined_row(cli, "request", request->row, error);
	return retry_declined_row(cli, "series", series->row, error);
}

static bool row_of(const char *text, const char *prefix, int64_t *out_row)
{
	guint64 row = 0;

	if (!g_str_has_prefix(text, prefix) ||
	    !g_ascii_string_to_unsigned(text + strlen(prefix), 10, 1, G_MAXINT64, &row, NULL))
		return false;
	*out_row = (int64_t)row;
	return true;
}

static bool retry_one(const Cli *cli, const char *text, GError **error)
{
	int64_t row = 0;

	if (row_of(text, "job:", &row) || row_of(text, "", &row))
		return retry_job_row(cli, row, error);
	if (row_of(text, "series:", &row))
		return retry_declined_row(cli, "series", row, error);
	if (row_of(text, "request:", &row))
		return retry_declined_row(cli, "request", row, error);
	if (row_of(text, "mail:", &row))
		return retry_mail_row(cli, row, error);
	if (strchr(text, '@') != NULL)
		return retry_message(cli, text, error);
	return cli_usage(
		&command_retry, error,
		"\"%s\" is neither job:N, series:N, request:N nor mail:N as status and queue "
		"print them, nor a Message-ID",
		text);
}

static bool run_retry(const Cli *cli, int argc, char **argv, int *out_status, GError **error)
{
	bool done = false;

	(void)out_status;
	if (!cli_parse_options(&command_retry, NULL, &argc, &argv, &done, error) || done)
		return done;
	if (argc < 2)
		return cli_usage(&command_retry, error, "say what is to be tried again");
	for (int i = 1; i < argc; i++) {
		if (!retry_one(cli, argv[i], error))
			return false;
	}
	stage_wake(db_state_dir(cli->db), "plan");
	stage_wake(db_state_dir(cli->db), "build");
	return true;
}

const Command command_retry = {
	.name = "retry",
	.needs = NEEDS_STORE,
	.run = run_retry,
	.most_arguments = ANY_NUMBER,
	.arguments = "job:N|series:N|request:N|mail:N|MESSAGE-ID...",
	.summary = "what failed or was declined begins anew, when the cause is mended",
	.help = "A job must have failed, or be poison.  Nothing that was measured before counts; "
		"its\n"
		"files are kept beside the new ones.\n"
		"A series or request that was declined is decided anew by today's configuration,\n"
		"also which list it came by.\n"
		"A mail that a dry run showed is held; after send.transport was set, approve it.\n"
		"What comes of a job, series or request is mailed by the usual rules: held, within "
		"maxAge, one "
		"answer\n"
		"for one purpose.",
};
