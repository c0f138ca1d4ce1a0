/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/cli.h"

#include "bot/base/error.h"
#include "bot/base/log.h"
#include "bot/cli/say.h"
#include "bot/cli/show_input.h"
#include "bot/cli/show_json.h"
#include "bot/cli/story.h"
#include "bot/run/taskrun.h"
#include "bot/stage/layout.h"
#include "bot/store/jobs.h"
#include "bot/store/links.h"
#include "bot/store/messages.h"
#include "bot/store/outbox.h"
#include "bot/store/results.h"
#include "bot/store/series.h"
#include "mailparse/msgid.h"

#include <stdio.h>
#include <string.h>

/* What the steps in @dir printed; results that are in are cleared away in time. */
static void print_log(const char *dir)
{
	g_autofree char *path = g_build_filename(dir, TASKRUN_LOG, NULL);

	if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
		story_line("log", path);
}

/* "base: 6 of 8 runs ok, 1 failed (crash: run: signal 11)" */
static void print_runs_of(const Cli *cli, const GPtrArray *runs, unsigned family,
			  const JobCommit *commit)
{
	unsigned n = 0, ok = 0, failed = 0;
	const char *why = NULL, *dir = NULL;

	for (guint i = 0; i < runs->len; i++) {
		const StoredRun *run = runs->pdata[i];
		if (run->position != commit->position)
			continue;
		n++;
		ok += strcmp(run->state, "done") == 0;
		if (strcmp(run->state, "failed") == 0) {
			failed++;
			why = run->detail;
			dir = run->result_dir;
		}
	}
	g_autofree char *failures = failed == 0 ? g_strdup("")
						: g_strdup_printf(", %u failed, last: %s", failed,
								  why == NULL ? "-" : why);
	say("  %-10s family %u, %s: %u of %u runs ok%s", "runs", family,
	    commit_role_name(commit->role), ok, n, failures);
	if (dir != NULL) {
		g_autofree char *path = g_build_filename(db_state_dir(cli->db), dir, NULL);
		print_log(path);
	}
}

static bool print_runs(const Cli *cli, const Job *job, unsigned family, GError **error)
{
	g_autoptr(GPtrArray) runs = runs_list(cli->db, job->row, family, error);

	for (guint i = 0; runs != NULL && runs->len > 0 && i < job->commits->len; i++)
		print_runs_of(cli, runs, family, job->commits->pdata[i]);
	return runs != NULL;
}

static bool show_job(const Cli *cli, int64_t row, bool json, GError **error)
{
	g_autoptr(Job) job = jobs_get(cli->db, row, error);
	if (job == NULL || json)
		return job != NULL && show_job_json(cli->db, job, error);

	say("job %" G_GINT64_FORMAT ": %s, %s", job->row, job_kind_name(job->kind),
	    job_state_name(job->state));
	story_line("testcase", job->testcase);
	story_line("list", job->list);
	story_line("tree", job->tree);
	story_line("base", job->base_reason);
	story_line("branch", job->ref);
	story_line("reason", job->reason);
	story_link("of", "series", job->series_row);
	story_link("asked in", "request", job->request_row);
	story_link("repeats", "job", job->parent_job_row);
	if (!story_links("mails", "mail", links_mails(cli->db, job->row, error)))
		return false;
	if (job->state == JOB_FAILED || job->state == JOB_POISON)
		say("  %-10s lorebot retry job:%" G_GINT64_FORMAT ", when the cause is mended",
		    "cure", job->row);
	for (guint i = 0; i < job->commits->len; i++) {
		const JobCommit *commit = job->commits->pdata[i];
		g_autofree char *build =
			layout_build_dir(db_state_dir(cli->db), job, commit->position);
		say("  %-10s %s %s", commit_role_name(commit->role), commit->sha, commit->subject);
		if (job->state == JOB_FAILED)
			print_log(build);
	}
	for (unsigned family = 1; family <= job->family; family++) {
		if (!print_runs(cli, job, family, error))
			return false;
	}
	return story_events(cli, "job", row, error);
}

static bool show_mail(const Cli *cli, int64_t row, bool json, GError **error)
{
	g_autoptr(OutgoingMail) mail = outbox_get(cli->db, row, error);
	if (mail == NULL || json)
		return mail != NULL && show_mail_json(cli->db, mail, error);

	gsize len = 0;
	const char *bytes = g_bytes_get_data(mail->bytes, &len);
	say("mail %" G_GINT64_FORMAT ": %s", mail->row, outgoing_state_name(mail->state));
	story_line(mail->state == OUTGOING_HELD ? "held" : "was held", mail->hold_reason);
	story_link("about", "job", mail->job_row);
	for (guint i = 0; i < mail->recipients->len; i++)
		story_line("recipient", ((const Mailbox *)mail->recipients->pdata[i])->addr);
	if (!story_events(cli, "outgoing", row, error))
		return false;
	putchar('\n');
	/* Line by line: the tab and the line end are ours, all else that a terminal obeys is
	 * escaped. */
	g_autofree char *text = g_strndup(bytes, len);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	for (guint i = 0; lines[i] != NULL; i++) {
		g_auto(GStrv) cells = g_strsplit(lines[i], "\t", -1);
		for (guint j = 0; cells[j] != NULL; j++) {
			g_autofree char *safe = log_escape(cells[j], -1);
			printf("%s%s", j == 0 ? "" : "\t", safe);
		}
		putchar('\n');
	}
	return true;
}

static bool show_by_message_id(const Cli *cli, const char *text, bool json, GError **error)
{
	g_autofree char *id = msgid_bare(text);
	g_autoptr(OutgoingMail) ours = id == NULL ? NULL : outbox_find_message(cli->db, id, NULL);
	g_autoptr(StoredMessage) message = id == NULL ? NULL : messages_find(cli->db, id, NULL);

	if (ours != NULL)
		return show_mail(cli, ours->row, json, error);
	if (message != NULL)
		return json ? show_message_json(cli->db, message, error)
			    : show_message(cli, message, error);
	g_set_error(
		error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
		"no message with the id \"%s\" is stored; job:N, mail:N, series:N and request:N "
		"name rows",
		text);
	return false;
}

/* For machines a series or request is part of its mail. */
static bool show_mail_of(const Cli *cli, int64_t message_row, GError **error)
{
	g_autoptr(StoredMessage) message = messages_get(cli->db, message_row, error);

	return message != NULL && show_message_json(cli->db, message, error);
}

static int64_t first_mail(const StoredSeries *series)
{
	int64_t row = 0;

	for (guint i = 0; row == 0 && i < series->patch_rows->len; i++)
		row = g_array_index(series->patch_rows, int64_t, i);
	return row != 0 ? row : series->cover_row;
}

static bool show_series_row(const Cli *cli, int64_t row, bool json, GError **error)
{
	g_autoptr(StoredSeries) series = json ? series_get(cli->db, row, error) : NULL;

	if (!json)
		return show_series(cli, row, error);
	return series != NULL && show_mail_of(cli, first_mail(series), error);
}

static bool show_request_row(const Cli *cli, int64_t row, bool json, GError **error)
{
	g_autoptr(StoredRequest) request = json ? request_get(cli->db, row, error) : NULL;

	if (!json)
		return show_request(cli, row, error);
	return request != NULL && show_mail_of(cli, request->message_row, error);
}

static const struct {
	const char *prefix;
	bool (*show)(const Cli *cli, int64_t row, bool json, GError **error);
} nouns[] = {{"job:", show_job},
	     {"mail:", show_mail},
	     {"series:", show_series_row},
	     {"request:", show_request_row}};

static bool row_of(const char *text, const char *prefix, int64_t *out_row)
{
	guint64 row = 0;

	if (!g_str_has_prefix(text, prefix) ||
	    !g_ascii_string_to_unsigned(text + strlen(prefix), 10, 1, G_MAXINT64, &row, NULL))
		return false;
	*out_row = (int64_t)row;
	return true;
}

static bool run_show(const Cli *cli, int argc, char **argv, int *out_status, GError **error)
{
	gboolean json = FALSE;
	bool done = false;
	int64_t row = 0;
	const GOptionEntry entries[] = {
		{"json", 0, 0, G_OPTION_ARG_NONE, &json, NULL, NULL},
		{NULL, 0, 0, 0, NULL, NULL, NULL},
	};

	(void)out_status;
	if (!cli_parse_options(&command_show, entries, &argc, &argv, &done, error) || done)
		return done;
	if (argc != 2)
		return cli_usage(&command_show, error,
				 "name job:N, mail:N, series:N, request:N or a Message-ID");
	for (size_t i = 0; i < G_N_ELEMENTS(nouns); i++) {
		if (!g_str_has_prefix(argv[1], nouns[i].prefix))
			continue;
		if (row_of(argv[1], nouns[i].prefix, &row))
			return nouns[i].show(cli, row, json, error);
		return cli_usage(&command_show, error,
				 "\"%s\" has no number, as status and queue print it", argv[1]);
	}
	return show_by_message_id(cli, argv[1], json, error);
}

const Command command_show = {
	.name = "show",
	.needs = NEEDS_STORE,
	.run = run_show,
	.most_arguments = 1,
	.arguments = "[--json] ID",
	.summary = "the story of one mail or job, in order, with reasons",
	.help = "ID is job:N, mail:N, series:N, request:N (as status, queue and show print them)\n"
		"or a Message-ID.\n"
		"With --json one object that holds all: every run, every event.",
};
