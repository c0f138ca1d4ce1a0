/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/purpose.h"

#include "bot/run/jobspec.h"
#include "bot/stage/suite.h"
#include "bot/store/jobs.h"
#include "bot/store/outbox.h"

/* A change that nobody asked about is measured twice before anyone is told. */
#define FAMILIES_UNASKED 2u
#define FAMILIES_ASKED 1u

void purpose_clear(Purpose *purpose)
{
	g_clear_pointer(&purpose->mailed, g_free);
}

static bool insert_job(StageContext *context, Purpose *purpose, const char *origin,
		       const char *testcase, const char *spec_yaml, int64_t *out_row, bool *out_new,
		       GError **error)
{
	const char *parts[] = {job_kind_name(purpose->kind), origin, spec_yaml, NULL};
	g_autofree char *key = job_key(parts);
	Job job = {
		.key = key,
		.kind = purpose->kind,
		.state = JOB_PLANNED,
		.series_row = purpose->series_row,
		.request_row = purpose->request_row,
		.parent_job_row = purpose->parent_job_row,
		.list = (char *)(gsize)purpose->list,
		.tree = (char *)(gsize)purpose->tree,
		.testcase = (char *)(gsize)testcase,
		.spec_yaml = (char *)(gsize)spec_yaml,
		.runs = context->config->run.runs,
		.family = 1,
		.n_families = purpose->request_row == 0 ? FAMILIES_UNASKED : FAMILIES_ASKED,
		.created_us = clock_now_us(context->clock),
	};
	if (!jobs_insert(context->db, &job, out_row, out_new, error))
		return false;
	purpose->n_here += *out_new;
	return event_add(context->db, *out_new ? "plan.queued" : "plan.already_there", "job",
			 *out_row, error, "%s in tree %s", testcase, purpose->tree);
}

static bool find_mailed(StageContext *context, int64_t job_row, char **out_id, GError **error)
{
	g_autoptr(GError) failed = NULL;
	g_autoptr(OutgoingMail) mail = outbox_find_job(context->db, job_row, &failed);

	if (failed != NULL) {
		g_propagate_error(error, g_steal_pointer(&failed));
		return false;
	}
	*out_id = mail == NULL ? NULL : g_strdup(mail->message_id);
	return true;
}

/* Somebody asks for what is there already; @out_again: it must be done once more. */
static bool meet(StageContext *context, int64_t job_row, Purpose *purpose, bool *out_again,
		 GError **error)
{
	g_autofree char *mailed = NULL;
	g_autoptr(Job) job = jobs_get(context->db, job_row, error);

	*out_again = false;
	if (job == NULL)
		return false;
	if (!job_is_over(job->state)) {
		if (job->request_row != 0)
			return true;
		purpose->n_here++;
		return jobs_ask_for(context->db, job->row, purpose->request_row, purpose->list,
				    error);
	}
	if (purpose->as_posted && !find_mailed(context, job->row, &mailed, error))
		return false;
	*out_again = mailed == NULL;
	if (mailed != NULL) {
		g_free(purpose->mailed);
		purpose->mailed = g_steal_pointer(&mailed);
	}
	return true;
}

bool purpose_add_job(StageContext *context, Purpose *purpose, const char *testcase,
		     const char *spec_yaml, GError **error)
{
	g_autofree char *origin = g_strdup(purpose->origin);

	for (unsigned n_before = 1;; n_before++) {
		int64_t row = 0;
		bool is_new = false, again = false;

		if (!insert_job(context, purpose, origin, testcase, spec_yaml, &row, &is_new,
				error))
			return false;
		if (is_new || purpose->request_row == 0)
			return true;
		if (!meet(context, row, purpose, &again, error))
			return false;
		if (!again)
			return true;
		g_free(origin);
		origin = g_strdup_printf("%s, again %u", purpose->origin, n_before);
	}
}

bool purpose_add_suites(StageContext *context, Purpose *purpose, const ListSection *list,
			char **out_no, GError **error)
{
	if (list->suites[0] == NULL) {
		*out_no = g_strdup_printf("list %s names no suite (list.suite)", list->name);
		return true;
	}
	for (guint i = 0; list->suites[i] != NULL; i++) {
		g_autoptr(GPtrArray) specs = suite_load(context->config, list->suites[i], error);
		if (specs == NULL)
			return false;
		for (guint j = 0; j < specs->len; j++) {
			const JobSpec *spec = specs->pdata[j];
			g_autofree char *yaml = jobspec_to_yaml(spec);
			if (!purpose_add_job(context, purpose, spec->testcase, yaml, error))
				return false;
		}
	}
	return true;
}
