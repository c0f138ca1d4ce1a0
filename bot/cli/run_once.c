/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/cli.h"

#include "bot/base/autofd.h"
#include "bot/base/error.h"
#include "bot/cli/say.h"
#include "bot/daemon/stopfd.h"
#include "bot/model/job.h"
#include "bot/stage/suite.h"
#include "bot/store/outbox.h"

/* -1 when it cannot be told. */
static int count_failed_jobs(Db *db)
{
	StoreCounts counts = {0};

	if (!store_counts(db, &counts, NULL))
		return -1;
	int n = GPOINTER_TO_INT(g_hash_table_lookup(counts.jobs, job_state_name(JOB_FAILED)));
	store_counts_clear(&counts);
	return n;
}

static void say_progress(const Stage *stage, unsigned done, int n_failed)
{
	g_autofree char *failed = counted(n_failed, "job failed", "jobs failed");

	if (n_failed > 0)
		warn("%-10s %u done, %s (lorebot status says why)", stage->name, done, failed);
	else
		warn("%-10s %u done", stage->name, done);
}

/* All stages in order, again and again, until a whole pass finds nothing to do. */
static bool pass(StageContext *context, unsigned *out_done, unsigned *out_failed, GError **error)
{
	*out_done = 0;
	for (const Stage *stage = stage_all(); stage->name != NULL; stage++) {
		StageProgress progress = {0};
		int failed_before = count_failed_jobs(context->db);
		if (!stage_once(stage, context, 0, &progress, error)) {
			g_prefix_error(error, "%s: ", stage->name);
			return false;
		}
		if (progress.done > 0)
			say_progress(stage, progress.done,
				     count_failed_jobs(context->db) - failed_before);
		*out_done += progress.done;
		*out_failed = MAX(*out_failed, progress.failed);
		if (stage_stop_asked(context))
			return true;
	}
	return true;
}

static void say_idle(const StageContext *context, unsigned n_failed)
{
	g_autofree char *reason = NULL;
	g_autofree char *sources = counted(n_failed, "source", "sources");

	if (n_failed > 0)
		warn("nothing done: %s could not be read (lorebot status says why)", sources);
	else if (stage_may_work(stage_find("plan"), context->db, &reason))
		warn("nothing to do");
	else
		warn("nothing done: %s (lorebot resume lifts it)", reason);
}

static bool run_run_once(const Cli *cli, int argc, char **argv, int *out_status, GError **error)
{
	bool help = false;
	unsigned done = 0, failed = 0, total = 0;

	if (!cli_parse_options(&command_run_once, NULL, &argc, &argv, &help, error) || help)
		return help;
	if (!suite_check_all(cli->config, error))
		return false;
	autofd int stop_fd = stopfd_open(error);
	if (stop_fd < 0)
		return false;
	StageContext context = {
		.config = cli->config, .db = cli->db, .clock = cli->clock, .stop_fd = stop_fd};
	do {
		if (!pass(&context, &done, &failed, error))
			return false;
		total += done;
	} while (done > 0 && !stage_stop_asked(&context));
	if (total == 0)
		say_idle(&context, failed);
	*out_status = failed > 0 ? 75 : 0;
	return true;
}

const Command command_run_once = {
	.name = "run-once",
	.needs = NEEDS_STORE,
	.run = run_run_once,
	.arguments = "",
	.summary = "all stages in this process until nothing is left to do",
	.help = "Exit status 75 when a source could not be read.",
};
