/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/backlog.h"

#include "bot/base/error.h"
#include "bot/cli/cli.h"
#include "bot/cli/say.h"

#include <string.h>

#define ENTRIES_SHOWN 50u
#define HOUR_US (INT64_C(3600) * CLOCK_US_PER_S)

static void print_entry(const Cli *cli, const BacklogEntry *entry)
{
	int64_t hours = (clock_now_us(cli->clock) - entry->arrived_us) / HOUR_US;

	say("  %s:%" G_GINT64_FORMAT " list %s, %" G_GINT64_FORMAT " %s old: %s", entry->kind,
	    entry->row, entry->list, hours < 48 ? hours : hours / 24, hours < 48 ? "h" : "days",
	    entry->subject == NULL ? "" : entry->subject);
	say("      %s", entry->message_id);
}

static bool print_backlog(const Cli *cli, const Backlog *backlog, GError **error)
{
	g_autofree char *until = clock_format_iso(backlog->until_us);
	g_autofree char *requests = counted(backlog->n_requests, "request", "requests");
	g_autoptr(GPtrArray) entries = backlog_list(cli->db, ENTRIES_SHOWN, error);

	if (entries == NULL)
		return false;
	say("%s: %" G_GINT64_FORMAT " series and %s that arrived before %s wait", backlog->reason,
	    backlog->n_series, requests, until);
	for (guint i = 0; i < entries->len; i++)
		print_entry(cli, entries->pdata[i]);
	if (entries->len < backlog->n_series + backlog->n_requests)
		say("  and more, younger ones");
	say("`lorebot backlog run` plans them as usual, `lorebot backlog drop` declines them all");
	return true;
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
	if (argc > 1)
		return decide(cli, argv[1], error);
	if (backlog != NULL)
		return print_backlog(cli, backlog, error);
	say("there is no backlog");
	return true;
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
