/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * scene - a robot between intake and build: mails come in at named doors, understand and plan run.
 *
 * Doors: `lab` and `copy` may be acted upon, `archive` and `lore` are observed, and only list lab
 * can bring its mail to `lore`.  List `lab` has consent, `quiet` is ask-only.  Everything lies in
 * memory (/dev/shm) where there is such a place: hundreds of databases are made.
 */

#include "bot/base/fs.h"
#include "bot/series/policy.h"
#include "bot/stage/stage.h"
#include "bot/store/cursors.h"
#include "bot/store/jobs.h"
#include "bot/store/messages.h"
#include "bot/store/outbox.h"
#include "bot/store/series.h"
#include "mailparse/mailparse.h"
#include "mailparse/message.h"
#include "tests/unit/check_main.h"

#include <string.h>

#define NOW_US (INT64_C(1767225600) * CLOCK_US_PER_S) /* 2026-01-01T00:00:00Z */
#define HOUR_US (INT64_C(3600) * CLOCK_US_PER_S)
#define DAY_US (24 * HOUR_US)

#define OK(call)                                                                                   \
	do {                                                                                       \
		g_autoptr(GError) ok_error = NULL;                                                 \
		GError **error = &ok_error;                                                        \
		bool ok_result = (call);                                                           \
		ck_assert_msg(ok_result, "%s: %s", #call,                                          \
			      ok_error == NULL ? "no error set" : ok_error->message);              \
	} while (0)

typedef struct {
	char *dir;
	Config *config;
	Clock *clock;
	Db *db;
	StageContext context;
	unsigned n_arrived;
} Scene;

static const char scene_config[] =
	"[bot]\n\tstateDir = state\n\taddress = lorebot@example.org\n"
	"[source \"lab\"]\n\turl = maildir:lab\n"
	"[source \"copy\"]\n\turl = maildir:copy\n"
	"[source \"archive\"]\n\turl = maildir:archive\n\tobserve = true\n"
	"[source \"lore\"]\n\turl = maildir:lore\n\tobserve = true\n\tlist = lab\n"
	"[list \"lab\"]\n\taddress = lab@lists.example.org\n"
	"\tconsent = https://lists.example.org/yes\n\thold = false\n"
	"\ttree = main\n\tsuite = gauge\n"
	"[list \"quiet\"]\n\taddress = quiet@lists.example.org\n"
	"\ttree = main\n\tsuite = gauge\n"
	"[tree \"main\"]\n\turl = https://git.example.org/main.git\n"
	"[run]\n\tsuiteDir = suites\n";

static inline void scene_write(const Scene *scene, const char *name, const char *text)
{
	g_autofree char *path = g_build_filename(scene->dir, name, NULL);
	g_autofree char *folder = g_path_get_dirname(path);

	ck_assert_int_eq(g_mkdir_with_parents(folder, 0700), 0);
	ck_assert(g_file_set_contents(path, text, -1, NULL));
}

static inline void scene_attach(const Scene *scene, const char *source, int64_t start_us)
{
	SourceState *state = NULL;

	OK((state = cursor_attach(scene->db, source, "maildir:/lab", start_us, error)) != NULL);
	source_state_free(state);
}

static inline char *scene_folder(void)
{
	static const char shared[] = "/dev/shm";

	if (!g_file_test(shared, G_FILE_TEST_IS_DIR))
		return g_dir_make_tmp("lorebot-scene-XXXXXX", NULL);
	return g_mkdtemp(g_build_filename(shared, "lorebot-scene-XXXXXX", NULL));
}

static inline void scene_open(Scene *scene)
{
	mailparse_start();
	scene->dir = scene_folder();
	ck_assert_ptr_nonnull(scene->dir);
	scene_write(scene, "lorebot.conf", scene_config);
	scene_write(scene, "suites/gauge.yaml", "suite: gauge\ntestcase: gauge\n");
	g_autofree char *path = g_build_filename(scene->dir, "lorebot.conf", NULL);
	OK((scene->config = config_load(path, error)) != NULL);
	scene->clock = clock_new_fixed(NOW_US);
	OK((scene->db = db_open(scene->config->bot.state_dir, true, scene->clock, error)) != NULL);
	scene->context = (StageContext){
		.config = scene->config, .db = scene->db, .clock = scene->clock, .stop_fd = -1};
	scene_attach(scene, "lab", NOW_US - 30 * DAY_US);
	scene_attach(scene, "copy", NOW_US - 30 * DAY_US);
	scene_attach(scene, "archive", NOW_US - 30 * DAY_US);
	scene_attach(scene, "lore", NOW_US - 30 * DAY_US);
}

static inline void scene_close(Scene *scene)
{
	db_close(scene->db);
	clock_free(scene->clock);
	config_free(scene->config);
	OK(fs_remove_tree(scene->dir, error));
	g_free(scene->dir);
}

#define SCENE(name)                                                                                \
	__attribute__((cleanup(scene_close))) Scene name = {0};                                    \
	scene_open(&name)

/* A mail as intake hands it over. */
static inline void scene_arrive(Scene *scene, const char *source, const char *text,
				int64_t arrived_us)
{
	const SourceSection *section = config_find_source(scene->config, source);
	g_autofree char *locator = g_strdup_printf("%u", scene->n_arrived++);
	g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
	IncomingOutcome outcome;
	Incoming incoming = {.source = source,
			     .locator = locator,
			     .bytes = bytes,
			     .arrived_us = arrived_us,
			     .observe = section->observe};
	g_autofree char *id =
		message_peek_id((const guint8 *)text, strlen(text), &incoming.date_us);

	g_autofree char *list_id = message_peek_list_id((const guint8 *)text, strlen(text));
	const ListSection *list = policy_list_vouched(scene->config, section, list_id);

	incoming.message_id = id;
	incoming.list = list == NULL ? NULL : list->name;
	OK(db_begin(scene->db, error));
	OK(messages_record(scene->db, &incoming, &outcome, error));
	OK(db_commit(scene->db, error));
}

static inline void scene_run(Scene *scene, const char *name)
{
	StageProgress progress;
	OK(stage_once(stage_find(name), &scene->context, 0, &progress, error));
}

static inline void scene_think(Scene *scene)
{
	scene_run(scene, "understand");
	scene_run(scene, "plan");
}

#define SCENE_DATE "Date: Wed, 31 Dec 2025 12:00:00 +0000\n"

/*
 * A patch mail to list lab: "v2 1/3", or "" for a lone one.  @more: header lines, NULL: none.
 * Patches of one number and version are the same.
 */
static inline char *scene_patch(const char *id, const char *which, const char *title,
				const char *more)
{
	return g_strdup_printf(
		"From: Ann Author <ann@example.org>\nTo: lab@lists.example.org\n"
		"Subject: [PATCH%s%s] %s\n" SCENE_DATE "Message-ID: <%s>\n%s\n"
		"Make it so.\n\nSigned-off-by: Ann Author <ann@example.org>\n---\n"
		" speed | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n"
		"diff --git a/speed b/speed\nindex 83b33d2..9ed8b87 100644\n--- a/speed\n"
		"+++ b/speed\n@@ -1 +1 @@\n-1000\n+%s%s\n-- \n2.39.2\n",
		*which == '\0' ? "" : " ", which, title, id, more == NULL ? "" : more, title,
		which);
}

/* Any other mail to list lab. */
static inline char *scene_mail(const char *id, const char *subject, const char *more,
			       const char *body)
{
	return g_strdup_printf("From: Bo Reviewer <bo@example.org>\nTo: lab@lists.example.org\n"
			       "Subject: %s\n" SCENE_DATE "Message-ID: <%s>\n%s\n%s\n",
			       subject, id, more == NULL ? "" : more, body);
}

static inline StoredSeries *scene_series(Scene *scene, const char *id)
{
	g_autoptr(StoredMessage) message = messages_find(scene->db, id, NULL);
	return message == NULL ? NULL : series_find_by_message(scene->db, message->row, NULL);
}

/* "complete: why it waits", "planned", ...; of the series that holds mail @id. */
static inline char *scene_series_state(Scene *scene, const char *id)
{
	g_autoptr(StoredSeries) series = scene_series(scene, id);

	if (series == NULL)
		return g_strdup("none");
	return g_strconcat(series->state, series->reason == NULL ? NULL : ": ", series->reason,
			   NULL);
}

static inline char *scene_request_state(Scene *scene, const char *id)
{
	g_autoptr(StoredMessage) message = messages_find(scene->db, id, NULL);
	g_autoptr(StoredRequest) request =
		message == NULL ? NULL : request_find_by_message(scene->db, message->row, NULL);

	if (request == NULL)
		return g_strdup("none");
	return g_strconcat(request->state, request->reason == NULL ? NULL : ": ", request->reason,
			   NULL);
}

static inline gint scene_compare_lines(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A series by its first patch: a cover may come when it has a name already. */
static inline char *scene_name(Scene *scene, int64_t series_row)
{
	g_autoptr(StoredSeries) series =
		series_row == 0 ? NULL : series_get(scene->db, series_row, NULL);
	g_autoptr(StoredMessage) first =
		series == NULL ? NULL
			       : messages_get(scene->db,
					      g_array_index(series->patch_rows, int64_t, 0), NULL);

	return g_strdup(first == NULL ? "-" : first->message_id);
}

/* Each job on a line, "series of p1@example.org for r1@example.org", sorted. */
static inline char *scene_jobs(Scene *scene)
{
	g_autoptr(GPtrArray) jobs = jobs_list(scene->db, true, NULL);
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);

	ck_assert_ptr_nonnull(jobs);
	for (guint i = 0; i < jobs->len; i++) {
		const Job *job = jobs->pdata[i];
		g_autofree char *name = scene_name(scene, job->series_row);
		g_autoptr(StoredRequest) request =
			job->request_row == 0 ? NULL
					      : request_get(scene->db, job->request_row, NULL);
		g_autoptr(StoredMessage) asked =
			request == NULL ? NULL
					: messages_get(scene->db, request->message_row, NULL);
		g_ptr_array_add(lines,
				g_strdup_printf("%s of %s for %s", job_kind_name(job->kind), name,
						asked == NULL ? "nobody" : asked->message_id));
	}
	g_ptr_array_sort(lines, scene_compare_lines);
	g_ptr_array_add(lines, NULL);
	return g_strjoinv("\n", (char **)lines->pdata);
}

#define SAYS(text, part)                                                                           \
	do {                                                                                       \
		g_autofree char *says = (text);                                                    \
		ck_assert_msg(strstr(says, part) != NULL, "%s: %s", #text, says);                  \
	} while (0)

#define IS(text, all)                                                                              \
	do {                                                                                       \
		g_autofree char *is = (text);                                                      \
		ck_assert_str_eq(is, all);                                                         \
	} while (0)
