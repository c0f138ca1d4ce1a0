/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/retry.h"

#include "bot/base/error.h"
#include "bot/series/policy.h"
#include "bot/stage/layout.h"
#include "bot/stage/mailread.h"
#include "bot/store/jobs.h"
#include "bot/store/messages.h"
#include "bot/store/series.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool set_aside(const char *path, GError **error)
{
	for (unsigned n = 1;; n++) {
		g_autofree char *aside = g_strdup_printf("%s.%u", path, n);

		if (g_file_test(aside, G_FILE_TEST_EXISTS))
			continue;
		if (rename(path, aside) == 0 || errno == ENOENT)
			return true;
		bot_error_set_errno(error, errno, "cannot rename %s to %s", path, aside);
		return false;
	}
}

static bool restart(Db *db, int64_t row, const char *who, GError **error)
{
	g_autoptr(Job) job = jobs_get(db, row, error);

	if (job == NULL || !jobs_restart(db, row, who, error))
		return false;
	g_autofree char *results = layout_job_dir(db_state_dir(db), job);
	return set_aside(results, error);
}

bool retry_job(Db *db, int64_t row, const char *who, GError **error)
{
	if (!db_begin(db, error))
		return false;
	if (restart(db, row, who, error))
		return db_commit(db, error);
	db_rollback(db);
	return false;
}

/* The lists may be others than when the mail was read. */
static bool list_anew(StageContext *context, int64_t message_row, GError **error)
{
	g_autoptr(Mail) mail = mailread_row(context, message_row, error);

	if (mail == NULL)
		return false;
	const ListSection *list = policy_list_of(context->config, mail->message);
	return messages_set_list(context->db, message_row, list == NULL ? NULL : list->name, error);
}

static bool renew_series(StageContext *context, int64_t row, char **out_waits, GError **error)
{
	g_autoptr(StoredSeries) before = series_get(context->db, row, error);

	if (before == NULL ||
	    (before->cover_row != 0 && !list_anew(context, before->cover_row, error)))
		return false;
	for (guint i = 0; i < before->patch_rows->len; i++) {
		int64_t patch = g_array_index(before->patch_rows, int64_t, i);
		if (patch != 0 && !list_anew(context, patch, error))
			return false;
	}
	g_autoptr(StoredSeries) after = series_get(context->db, row, error);
	if (after != NULL)
		*out_waits = g_strdup(after->reason);
	return after != NULL;
}

static bool renew_request(StageContext *context, int64_t row, char **out_waits, GError **error)
{
	g_autoptr(StoredRequest) before = request_get(context->db, row, error);

	if (before == NULL || !list_anew(context, before->message_row, error))
		return false;
	g_autoptr(StoredRequest) after = request_get(context->db, row, error);
	if (after != NULL)
		*out_waits = g_strdup(after->reason);
	return after != NULL;
}

bool retry_declined(StageContext *context, const char *kind, int64_t row, const char *who,
		    char **out_waits, GError **error)
{
	bool is_series = strcmp(kind, "series") == 0;

	*out_waits = NULL;
	if (!db_begin(context->db, error))
		return false;
	if (declined_renew(context->db, kind, row, who, error) &&
	    (is_series ? renew_series : renew_request)(context, row, out_waits, error))
		return db_commit(context->db, error);
	db_rollback(context->db);
	return false;
}
