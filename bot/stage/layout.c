/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/layout.h"

char *layout_job_dir(const char *state_dir, const Job *job)
{
	return g_build_filename(state_dir, "results", job->key, NULL);
}

char *layout_build_dir(const char *state_dir, const Job *job, unsigned position)
{
	return g_strdup_printf("%s/results/%s/build-%u", state_dir, job->key, position);
}

char *layout_run_dir(const Job *job, unsigned family, unsigned position, unsigned round)
{
	return g_strdup_printf("results/%s/f%u-p%u/%u", job->key, family, position, round);
}

char *layout_matrix_path(const char *state_dir, const Job *job, unsigned family, unsigned position)
{
	return g_strdup_printf("%s/results/%s/f%u-p%u/matrix.json", state_dir, job->key, family,
			       position);
}
