/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/show_input.h"

#include "bot/cli/say.h"
#include "bot/cli/story.h"
#include "bot/store/links.h"
#include "bot/store/series.h"

static bool print_request(const Cli *cli, const StoredRequest *request, GError **error)
{
	g_autoptr(StoredMessage) mail = messages_get(cli->db, request->message_row, error);

	if (mail == NULL)
		return false;
	g_autofree char *reason = story_reason(cli, request->reason, mail->message_id);
	say("request:%" G_GINT64_FORMAT " %s, %s", request->row, request->kind, request->state);
	story_line("mail", mail->message_id);
	story_link("answers", "job", request->parent_job_row);
	story_line("reason", reason);
	story_cure("request", request->row, request->state, request->reason);
	return story_links("jobs", "job", links_jobs(cli->db, "request", request->row, error)) &&
	       story_events(cli, "request", request->row, error);
}

static bool print_mail(const Cli *cli, const char *label, int64_t message_row, char **out_id,
		       GError **error)
{
	g_autoptr(StoredMessage) mail = messages_get(cli->db, message_row, error);

	if (mail == NULL)
		return false;
	story_line(label, mail->message_id);
	if (*out_id == NULL)
		*out_id = g_strdup(mail->message_id);
	return true;
}

static bool print_series(const Cli *cli, const StoredSeries *series, GError **error)
{
	g_autofree char *patches = counted(series->total, "patch", "patches");
	g_autofree char *first_id = NULL;

	say("series:%" G_GINT64_FORMAT " v%u, %s, %s: %s", series->row, series->revision, patches,
	    series->state, series->title);
	if (series->cover_row != 0 &&
	    !print_mail(cli, "cover", series->cover_row, &first_id, error))
		return false;
	for (guint i = 0; i < series->patch_rows->len; i++) {
		int64_t patch = g_array_index(series->patch_rows, int64_t, i);
		if (patch == 0)
			story_line("patch", "missing");
		else if (!print_mail(cli, "patch", patch, &first_id, error))
			return false;
	}
	g_autofree char *reason = story_reason(cli, series->reason, first_id);
	story_line("reason", reason);
	story_cure("series", series->row, series->state, series->reason);
	return story_links("jobs", "job", links_jobs(cli->db, "series", series->row, error)) &&
	       story_events(cli, "series", series->row, error);
}

bool show_series(const Cli *cli, int64_t row, GError **error)
{
	g_autoptr(StoredSeries) series = series_get(cli->db, row, error);

	return series != NULL && print_series(cli, series, error);
}

bool show_request(const Cli *cli, int64_t row, GError **error)
{
	g_autoptr(StoredRequest) request = request_get(cli->db, row, error);

	return request != NULL && print_request(cli, request, error);
}

bool show_message(const Cli *cli, const StoredMessage *message, GError **error)
{
	g_autoptr(StoredSeries) series = series_find_by_message(cli->db, message->row, NULL);
	g_autoptr(StoredRequest) request = request_find_by_message(cli->db, message->row, NULL);
	g_auto(GStrv) sources = messages_sources(cli->db, message->row, error);
	if (sources == NULL)
		return false;

	g_autofree char *seen = g_strjoinv(", ", sources);
	g_autofree char *arrived = clock_format_iso(message->arrived_us);
	say("message %" G_GINT64_FORMAT ": %s", message->row, message->state);
	story_line("id", message->message_id);
	story_line("subject", message->subject);
	story_line("from", message->from_addr);
	story_line("kind", message->kind);
	story_line("list", message->list);
	story_line("arrived", arrived);
	story_line("seen at", seen);
	if (!story_events(cli, "message", message->row, error))
		return false;
	return (request == NULL || print_request(cli, request, error)) &&
	       (series == NULL || print_series(cli, series, error));
}
