/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/cli.h"

#include "bot/base/error.h"
#include "bot/base/json.h"
#include "bot/cli/health.h"
#include "bot/cli/say.h"
#include "bot/cli/story.h"
#include "bot/store/backlog.h"
#include "bot/store/jobs.h"
#include "bot/store/messages.h"
#include "bot/store/outbox.h"
#include "bot/store/results.h"
#include "bot/store/series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define JOBS_SHOWN 20u
#define DECLINED_SHOWN 5u
#define REFUSED_SHOWN 5u

/* ---- machine output ---- */

static json_t *states_to_json(GHashTable *states, json_int_t *out_total)
{
	json_t *object = json_object();
	GHashTableIter iter;
	gpointer name, count;

	*out_total = 0;
	g_hash_table_iter_init(&iter, states);
	while (g_hash_table_iter_next(&iter, &name, &count)) {
		json_object_set_new(object, name, json_integer(GPOINTER_TO_INT(count)));
		*out_total += GPOINTER_TO_INT(count);
	}
	return object;
}

static bool print_totals_json(const Cli *cli, const StoreCounts *counts, GError **error)
{
	json_int_t n_jobs = 0, n_outgoing = 0;
	autojson *sources = health_sources_json(cli, error);
	autojson *serve = sources == NULL ? NULL : health_serve_json(cli, error);
	g_autofree char *pause = control_get(cli->db, "pause");
	g_autofree char *stop_all = control_get(cli->db, "stop-all");
	g_autoptr(Backlog) backlog = backlog_get(cli->db, NULL);

	if (serve == NULL)
		return false;
	json_t *jobs = states_to_json(counts->jobs, &n_jobs);
	json_t *outgoing = states_to_json(counts->outgoing, &n_outgoing);
	autojson *line = json_pack(
		"{s:I, s:I, s:I, s:I, s:I, s:O, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:O}",
		"messages", (json_int_t)counts->messages, "sightings",
		(json_int_t)counts->sightings, "refused", (json_int_t)counts->refused, "jobs",
		n_jobs, "outgoing", n_outgoing, "sources", sources, "jobs_by_state", jobs,
		"outgoing_by_state", outgoing, "waiting", (json_int_t)counts->new_messages,
		"series", (json_int_t)counts->series, "requests", (json_int_t)counts->requests,
		"pause", json_text(pause), "stop_all", json_text(stop_all), "backlog",
		json_text(backlog == NULL ? NULL : backlog->reason), "serve", serve);
	json_print_line(stdout, line);
	return true;
}

static json_t *number_or_null(bool there, double value)
{
	return there && isfinite(value) ? json_real(value) : json_null();
}

static json_t *comparison_to_json(const StoredComparison *c)
{
	return json_pack("{s:i, s:i, s:s, s:s, s:o, s:o, s:o, s:f, s:i, s:i, s:o}", "family",
			 (int)c->family, "position", (int)c->position, "key", c->key, "verdict",
			 c->verdict, "change", number_or_null(c->has_percent, c->shift), "low",
			 number_or_null(c->has_interval, c->low), "high",
			 number_or_null(c->has_interval, c->high), "p", c->p, "n_base",
			 (int)c->n_base, "n_head", (int)c->n_head, "note", json_text(c->note));
}

/* What the report concluded; NULL before that. */
static char *outcome_of(const Cli *cli, const Job *job)
{
	char *outcome = NULL;

	g_free(reports_get(cli->db, job->row, &outcome, NULL));
	return outcome;
}

static bool print_job_json(const Cli *cli, const Job *job, GError **error)
{
	g_autofree char *outcome = outcome_of(cli, job);
	g_autoptr(GPtrArray) comparisons = comparisons_list(cli->db, job->row, error);
	json_t *list = json_array();

	if (comparisons == NULL)
		return false;
	for (guint i = 0; i < comparisons->len; i++)
		json_array_append_new(list, comparison_to_json(comparisons->pdata[i]));
	const JobCommit *tip =
		job->commits->len == 0 ? NULL : job->commits->pdata[job->commits->len - 1];
	autojson *line = json_pack(
		"{s:I, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "job", (json_int_t)job->row,
		"kind", job_kind_name(job->kind), "state", job_state_name(job->state), "testcase",
		job->testcase, "outcome", json_text(outcome), "reason", json_text(job->reason),
		"commit", json_text(tip == NULL ? NULL : tip->sha), "tree",
		json_text(tip == NULL ? NULL : tip->tree), "subject",
		json_text(tip == NULL ? NULL : tip->subject), "comparisons", list);
	json_print_line(stdout, line);
	return true;
}

/* ---- for a person ---- */

static void print_states(const char *what, GHashTable *states)
{
	g_autoptr(GString) line = g_string_new(NULL);
	GHashTableIter iter;
	gpointer name, count;

	g_hash_table_iter_init(&iter, states);
	while (g_hash_table_iter_next(&iter, &name, &count))
		g_string_append_printf(line, "%s %d %s", line->len == 0 ? "" : ",",
				       GPOINTER_TO_INT(count), (const char *)name);
	say("%s:%s", what, line->len == 0 ? " none" : line->str);
}

static void print_control(Db *db, const char *name)
{
	g_autofree char *reason = control_get(db, name);

	if (reason != NULL)
		say("%s: %s (lorebot resume lifts it)", name, reason);
}

static void print_backlog(Db *db)
{
	g_autoptr(Backlog) backlog = backlog_get(db, NULL);

	if (backlog == NULL)
		return;
	g_autofree char *requests = counted(backlog->n_requests, "request", "requests");
	say("backlog: %s: %" G_GINT64_FORMAT " series and %s wait (lorebot backlog lists them)",
	    backlog->reason, backlog->n_series, requests);
}

/* "no-change" in the machine's words is "no change" in a person's. */
static char *spaced(const char *word)
{
	char *text = g_strdup(word == NULL ? "" : word);
	return g_strdelimit(text, "-", ' ');
}

static void print_comparison(const StoredComparison *c)
{
	g_autofree char *verdict = spaced(c->verdict);
	g_autoptr(GString) line = g_string_new(NULL);

	g_string_printf(line, "      %s: %s", c->key, verdict);
	if (c->has_percent)
		g_string_append_printf(line, " %+.1f%%", c->shift);
	if (c->has_percent && c->has_interval)
		g_string_append_printf(line, " [%+.1f%% .. %+.1f%%]", c->low, c->high);
	g_string_append_printf(line, ", %u v %u runs", c->n_base, c->n_head);
	if (c->family > 1)
		g_string_append_printf(line, ", family %u", c->family);
	if (c->position > 1)
		g_string_append_printf(line, ", commit %u", c->position);
	if (c->note != NULL)
		g_string_append_printf(line, " (%s)", c->note);
	say("%s", line->str);
}

/* "measuring, run 6 of 16, family 2" of what is built and being run. */
static char *state_of(const Cli *cli, const Job *job)
{
	unsigned n_over = 0;

	if (job->state != JOB_BUILT)
		return g_strdup(job_state_name(job->state));
	g_autoptr(GPtrArray) runs = runs_list(cli->db, job->row, job->family, NULL);
	if (runs == NULL || runs->len == 0)
		return g_strdup("built, to be measured");
	for (guint i = 0; i < runs->len; i++)
		n_over += strcmp(((const StoredRun *)runs->pdata[i])->state, "planned") != 0;
	return g_strdup_printf("measuring, run %u of %u, family %u", MIN(n_over + 1, runs->len),
			       runs->len, job->family);
}

static bool print_job(const Cli *cli, const Job *job, GError **error)
{
	g_autofree char *outcome = outcome_of(cli, job);
	g_autofree char *words = spaced(outcome);
	g_autofree char *state = state_of(cli, job);
	g_autoptr(GPtrArray) comparisons = comparisons_list(cli->db, job->row, error);

	if (comparisons == NULL)
		return false;
	const JobCommit *tip =
		job->commits->len == 0 ? NULL : job->commits->pdata[job->commits->len - 1];
	say("  %" G_GINT64_FORMAT " %s %s: %s%s%s: %s", job->row, job_kind_name(job->kind),
	    job->testcase, state, *words == '\0' ? "" : ", ", words,
	    tip == NULL ? "(not built)" : tip->subject);
	if (job->reason != NULL)
		say("      %s", job->reason);
	for (guint i = 0; i < comparisons->len; i++)
		print_comparison(comparisons->pdata[i]);
	return true;
}

static bool print_jobs(const Cli *cli, bool json, GError **error)
{
	g_autoptr(GPtrArray) jobs = jobs_list(cli->db, true, error);

	if (jobs == NULL)
		return false;
	guint first = json || jobs->len < JOBS_SHOWN ? 0 : jobs->len - JOBS_SHOWN;
	if (!json && jobs->len > 0)
		say("jobs (%s):", first == 0 ? "all" : "the newest 20");
	for (guint i = first; i < jobs->len; i++) {
		if (!(json ? print_job_json : print_job)(cli, jobs->pdata[i], error))
			return false;
	}
	return true;
}

/* Mail that led to nothing is what an operator wonders about first. */
static bool print_declined(const Cli *cli, GError **error)
{
	g_autoptr(GPtrArray) all = declined_list(cli->db, DECLINED_SHOWN, error);

	if (all == NULL)
		return false;
	if (all->len > 0)
		say("not tested (newest first; `lorebot show ID` tells more, `lorebot retry ID` "
		    "decides anew):");
	for (guint i = 0; i < all->len; i++) {
		const Declined *declined = all->pdata[i];
		say("  %s:%" G_GINT64_FORMAT " %s: %s", declined->kind, declined->row,
		    declined->message_id, declined->subject == NULL ? "" : declined->subject);
		g_autofree char *reason = story_reason(cli, declined->reason, declined->message_id);
		say("      %s", reason == NULL ? "" : reason);
	}
	return true;
}

static bool print_refused(const Cli *cli, GError **error)
{
	g_autoptr(GPtrArray) all = refused_list(cli->db, REFUSED_SHOWN, error);

	if (all == NULL)
		return false;
	if (all->len > 0)
		say("mails not read (newest first):");
	for (guint i = 0; i < all->len; i++) {
		const RefusedMail *refused = all->pdata[i];
		if (refused->message_id != NULL)
			say("  %s", refused->message_id);
		else
			say("  %s of source %s", refused->locator, refused->source);
		say("      %s", refused->reason);
	}
	return true;
}

static bool print_totals(const Cli *cli, const StoreCounts *counts, GError **error)
{
	g_autofree char *sightings = counted(counts->sightings, "sighting", "sightings");

	say("messages: %" G_GINT64_FORMAT " (%s, %" G_GINT64_FORMAT " refused, %" G_GINT64_FORMAT
	    " waiting)",
	    counts->messages, sightings, counts->refused, counts->new_messages);
	print_states("jobs", counts->jobs);
	print_states("mails", counts->outgoing);
	print_control(cli->db, "pause");
	print_control(cli->db, "stop-all");
	print_backlog(cli->db);
	return health_say(cli, error);
}

static bool run_status(const Cli *cli, int argc, char **argv, int *out_status, GError **error)
{
	gboolean json = FALSE;
	bool done = false;
	const GOptionEntry entries[] = {
		{"json", 0, 0, G_OPTION_ARG_NONE, &json, NULL, NULL},
		{NULL, 0, 0, 0, NULL, NULL, NULL},
	};
	StoreCounts counts = {0};

	(void)out_status;
	if (!cli_parse_options(&command_status, entries, &argc, &argv, &done, error) || done)
		return done;
	if (!store_counts(cli->db, &counts, error))
		return false;
	bool ok = (json ? print_totals_json : print_totals)(cli, &counts, error);
	store_counts_clear(&counts);
	return ok && (json || (print_refused(cli, error) && print_declined(cli, error))) &&
	       print_jobs(cli, json, error);
}

const Command command_status = {
	.name = "status",
	.needs = NEEDS_STORE,
	.run = run_status,
	.arguments = "[--json]",
	.summary = "what came in, what is being tested, what was found, what ails",
	.help = "With --json the first line has the totals, the sources and the processes of\n"
		"`lorebot serve`, each further line a job.",
};
