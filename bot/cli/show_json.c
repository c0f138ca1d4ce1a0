/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/show_json.h"

#include "bot/base/json.h"
#include "bot/store/results.h"
#include "bot/store/series.h"

static json_t *time_json(int64_t us)
{
	g_autofree char *text = us == 0 ? NULL : clock_format_iso(us);

	return json_text(text);
}

/* NULL with @error set. */
static json_t *events_json(Db *db, const char *kind, int64_t row, GError **error)
{
	g_autoptr(GPtrArray) events = event_list(db, kind, row, error);

	if (events == NULL)
		return NULL;
	json_t *list = json_array();
	for (guint i = 0; i < events->len; i++) {
		const StoredEvent *event = events->pdata[i];
		json_array_append_new(
			list, json_pack("{s:o, s:o, s:o}", "at", time_json(event->at_us), "event",
					json_text(event->name), "text", json_text(event->text)));
	}
	return list;
}

static json_t *commits_json(const Job *job)
{
	json_t *list = json_array();

	for (guint i = 0; i < job->commits->len; i++) {
		const JobCommit *commit = job->commits->pdata[i];
		json_array_append_new(list, json_pack("{s:i, s:s, s:o, s:o, s:o}", "position",
						      (int)commit->position, "role",
						      commit_role_name(commit->role), "sha",
						      json_text(commit->sha), "tree",
						      json_text(commit->tree), "subject",
						      json_text(commit->subject)));
	}
	return list;
}

static json_t *run_json(const StoredRun *run)
{
	return json_pack("{s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "family",
			 (int)run->family, "round", (int)run->round, "position", (int)run->position,
			 "state", json_text(run->state), "outcome", json_text(run->outcome),
			 "detail", json_text(run->detail), "result", json_text(run->result_dir),
			 "started", time_json(run->started_us), "ended", time_json(run->ended_us));
}

static json_t *runs_json(Db *db, const Job *job, GError **error)
{
	autojson *list = json_array();

	for (unsigned family = 1; family <= job->family; family++) {
		g_autoptr(GPtrArray) runs = runs_list(db, job->row, family, error);
		if (runs == NULL)
			return NULL;
		for (guint i = 0; i < runs->len; i++)
			json_array_append_new(list, run_json(runs->pdata[i]));
	}
	return json_incref(list);
}

bool show_job_json(Db *db, const Job *job, GError **error)
{
	autojson *events = events_json(db, "job", job->row, error);
	autojson *runs = events == NULL ? NULL : runs_json(db, job, error);

	if (runs == NULL)
		return false;
	autojson *line =
		json_pack("{s:I, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:O, s:O}",
			  "job", (json_int_t)job->row, "kind", job_kind_name(job->kind), "state",
			  job_state_name(job->state), "testcase", json_text(job->testcase), "list",
			  json_text(job->list), "tree", json_text(job->tree), "base_how",
			  json_text(job->base_how), "base_reason", json_text(job->base_reason),
			  "branch", json_text(job->ref), "reason", json_text(job->reason),
			  "commits", commits_json(job), "runs", runs, "events", events);
	json_print_line(stdout, line);
	return true;
}

bool show_mail_json(Db *db, const OutgoingMail *mail, GError **error)
{
	autojson *events = events_json(db, "outgoing", mail->row, error);
	gsize len = 0;
	const char *bytes = g_bytes_get_data(mail->bytes, &len);
	g_autofree char *text = g_strndup(bytes, len);
	autojson *recipients = json_array();

	if (events == NULL)
		return false;
	for (guint i = 0; i < mail->recipients->len; i++) {
		const Mailbox *recipient = mail->recipients->pdata[i];
		json_array_append_new(recipients, json_text(recipient->addr));
	}
	autojson *line = json_pack(
		"{s:I, s:s, s:o, s:o, s:O, s:o, s:I, s:o, s:O}", "mail", (json_int_t)mail->row,
		"state", outgoing_state_name(mail->state), "message_id",
		json_text(mail->message_id), "held", json_text(mail->hold_reason), "recipients",
		recipients, "last_reply", json_text(mail->last_reply), "job",
		(json_int_t)mail->job_row, "text", json_text(text), "events", events);
	json_print_line(stdout, line);
	return true;
}

/* What came of a message; NULL with @error set. */
static json_t *outcome_json(Db *db, const char *kind, int64_t row, const char *state,
			    const char *reason, GError **error)
{
	json_t *events = events_json(db, kind, row, error);

	return events == NULL
		       ? NULL
		       : json_pack("{s:I, s:o, s:o, s:o}", "row", (json_int_t)row, "state",
				   json_text(state), "reason", json_text(reason), "events", events);
}

static json_t *request_json(Db *db, int64_t message_row, GError **error)
{
	g_autoptr(StoredRequest) request = request_find_by_message(db, message_row, NULL);

	return request == NULL ? json_null()
			       : outcome_json(db, "request", request->row, request->state,
					      request->reason, error);
}

static json_t *series_json(Db *db, int64_t message_row, GError **error)
{
	g_autoptr(StoredSeries) series = series_find_by_message(db, message_row, NULL);

	return series == NULL ? json_null()
			      : outcome_json(db, "series", series->row, series->state,
					     series->reason, error);
}

bool show_message_json(Db *db, const StoredMessage *message, GError **error)
{
	autojson *events = events_json(db, "message", message->row, error);
	autojson *request = events == NULL ? NULL : request_json(db, message->row, error);
	autojson *series = request == NULL ? NULL : series_json(db, message->row, error);
	g_auto(GStrv) sources = series == NULL ? NULL : messages_sources(db, message->row, error);
	autojson *seen = json_array();

	if (sources == NULL)
		return false;
	for (guint i = 0; sources[i] != NULL; i++)
		json_array_append_new(seen, json_text(sources[i]));
	autojson *line = json_pack(
		"{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:O, s:O, s:O, s:O}", "message",
		(json_int_t)message->row, "state", json_text(message->state), "message_id",
		json_text(message->message_id), "subject", json_text(message->subject), "from",
		json_text(message->from_addr), "kind", json_text(message->kind), "list",
		json_text(message->list), "arrived", time_json(message->arrived_us), "sources",
		seen, "request", request, "series", series, "events", events);
	json_print_line(stdout, line);
	return true;
}
