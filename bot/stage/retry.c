/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/retry.h"

#include "bot/base/error.h"
#include "bot/stage/layout.h"
#include "bot/store/jobs.h"

#include <errno.h>
#include <stdio.h>

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
