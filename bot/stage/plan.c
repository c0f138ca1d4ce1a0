/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/stage.h"

#include "bot/base/error.h"
#include "bot/base/failpoint.h"
#include "bot/base/log.h"
#include "bot/run/jobspec.h"
#include "bot/series/policy.h"
#include "bot/stage/mailread.h"
#include "bot/stage/meant.h"
#include "bot/stage/origin.h"
#include "bot/stage/suite.h"
#include "bot/store/jobs.h"
#include "bot/store/series.h"

#define CLAIM_MAX 50u
#define FAMILIES_UNASKED 2u
#define FAMILIES_ASKED 1u
#define DAY_US (24 * 60 * 60 * CLOCK_US_PER_S)

/* What a job is made for; jobs of one decision share it. */
typedef struct {
	JobKind kind;
	const char *origin; /* names the series revision or the request, part of the job's key */
	int64_t series_row;
	int64_t request_row;
	int64_t parent_job_row;
	const char *list;
	const char *tree;
	unsigned n_families;
	unsigned n_new; /* jobs that were not there before */
} Purpose;

static bool insert_job_as(StageContext *context, Purpose *purpose, const char *origin,
			  const char *testcase, const char *spec_yaml, int64_t *out_row,
			  bool *out_new, GError **error)
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
		.n_families = purpose->n_families,
		.created_us = clock_now_us(context->clock),
	};
	if (!jobs_insert(context->db, &job, out_row, out_new, error))
		return false;
	purpose->n_new += *out_new;
	return event_add(context->db, *out_new ? "plan.queued" : "plan.already_there", "job",
			 *out_row, error, "%s in tree %s", testcase, purpose->tree);
}

/* What is asked for once more after it was answered is done once more: the branch may have moved.
 */
static bool insert_job(StageContext *context, Purpose *purpose, const char *testcase,
		       const char *spec_yaml, GError **error)
{
	int64_t row = 0;
	bool is_new = false;

	if (!insert_job_as(context, purpose, purpose->origin, testcase, spec_yaml, &row, &is_new,
			   error))
		return false;
	if (is_new || purpose->request_row == 0)
		return true;
	g_autoptr(Job) job = jobs_get(context->db, row, error);
	if (job == NULL)
		return false;
	if (!job_is_over(job->state))
		return true;
	g_autofree char *again = g_strdup_printf("%s, request %" G_GINT64_FORMAT, purpose->origin,
						 purpose->request_row);
	return insert_job_as(context, purpose, again, testcase, spec_yaml, &row, &is_new, error);
}

/* Why nothing is done about a request. */
typedef struct {
	char *why;         /* NULL: it is planned */
	GPtrArray *awaits; /* (element-type utf8) mails that may change that; NULL: none can */
} Refusal;

static void refusal_clear(Refusal *no)
{
	g_clear_pointer(&no->why, g_free);
	g_clear_pointer(&no->awaits, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Refusal, refusal_clear)

/* One job for each atomic job of each suite of the list. */
static bool insert_suite_jobs(StageContext *context, Purpose *purpose, const ListSection *list,
			      char **out_no, GError **error)
{
	if (list->suites[0] == NULL) {
		*out_no = g_strdup_printf("list %s names no suite", list->name);
		return true;
	}
	for (guint i = 0; list->suites[i] != NULL; i++) {
		g_autoptr(GPtrArray) specs = suite_load(context->config, list->suites[i], error);
		if (specs == NULL)
			return false;
		for (guint j = 0; j < specs->len; j++) {
			const JobSpec *spec = specs->pdata[j];
			g_autofree char *yaml = jobspec_to_yaml(spec);
			if (!insert_job(context, purpose, spec->testcase, yaml, error))
				return false;
		}
	}
	return true;
}

static bool plan_series(StageContext *context, const StoredSeries *series, GError **error)
{
	const ListSection *list = config_find_list(context->config, series->list);
	PolicyCase what = {
		.list = list,
		.arrived_us = series->arrived_us,
		.now_us = clock_now_us(context->clock),
		.superseded = series_has_newer(context->db, series->row),
	};
	g_autofree char *no = policy_series(context->config, &what);

	if (no == NULL && list->trees[0] == NULL)
		no = g_strdup_printf("list %s names no tree", list->name);
	if (no == NULL) {
		g_autofree char *origin = origin_of_series(context, series, error);
		if (origin == NULL)
			return false;
		Purpose purpose = {
			.kind = JOB_SERIES,
			.origin = origin,
			.series_row = series->row,
			.list = list->name,
			.tree = list->trees[0],
			.n_families = FAMILIES_UNASKED,
		};
		if (!insert_suite_jobs(context, &purpose, list, &no, error))
			return false;
	}
	return series_decide(context->db, series->row, no == NULL ? "planned" : "declined", no,
			     error) &&
	       event_add(context->db, no == NULL ? "plan.series_planned" : "plan.series_declined",
			 "series", series->row, error, "%s", no == NULL ? series->title : no);
}

static bool has_own_patch(const Request *request)
{
	return request->patch_location == REQUEST_PATCH_INLINE ||
	       request->patch_location == REQUEST_PATCH_ATTACHMENT ||
	       request->patch_location == REQUEST_PATCH_SCISSORS_INLINE ||
	       request->patch_location == REQUEST_PATCH_QUOTED;
}

/* In reply to a report of ours: the same job again, with what the request brings. */
static bool plan_retest(StageContext *context, const StoredRequest *request, Purpose *purpose,
			GError **error)
{
	g_autoptr(Job) parent = jobs_get(context->db, request->parent_job_row, error);
	if (parent == NULL)
		return false;

	purpose->kind = JOB_RETEST;
	purpose->parent_job_row = parent->row;
	purpose->series_row = parent->series_row;
	purpose->tree = parent->tree;
	return insert_job(context, purpose, parent->testcase, parent->spec_yaml, error);
}

static bool brings_code(const Mail *mail)
{
	const Request *request = mail->request;

	return request->repo != NULL || request->commits->len > 0 ||
	       (has_own_patch(request) && !origin_is_part(mail));
}

/* Not about a report: what was posted, or what the request itself brings, against its base. */
static bool plan_first_test(StageContext *context, const Mail *mail, const ListSection *list,
			    Purpose *purpose, Refusal *no, GError **error)
{
	if (list->trees[0] == NULL) {
		no->why = g_strdup_printf("list %s names no tree", list->name);
		return true;
	}
	purpose->kind = JOB_SERIES;
	purpose->tree = list->trees[0];
	if (!brings_code(mail)) {
		g_autoptr(StoredSeries) series = meant_series(context, mail);
		if (series == NULL || !meant_is_whole(series)) {
			no->why = g_strdup(series == NULL
						   ? "the patch that is meant was not found"
						   : "the series that is meant is not complete");
			no->awaits = meant_ids(mail);
			return true;
		}
		purpose->series_row = series->row;
	}
	return insert_suite_jobs(context, purpose, list, &no->why, error);
}

static bool plan_allowed_request(StageContext *context, const StoredRequest *request,
				 const ListSection *list, Refusal *no, GError **error)
{
	g_autoptr(Mail) mail = mailread_row(context, request->message_row, error);
	if (mail == NULL)
		return false;
	if (mail->message->from == NULL) {
		no->why = g_strdup("it has no sender who could be answered");
		return true;
	}
	if (!mail->request->runnable) {
		no->why = g_strdup_printf("no target found: %s", mail->request->why);
		return true;
	}
	/* A wish that we do not fulfil would make the answer untrue. */
	if (mail->request->modifiers[0] != NULL) {
		g_autofree char *wishes = g_strjoinv(", ", mail->request->modifiers);
		no->why = g_strdup_printf("it asks for more than we can do: %s", wishes);
		return true;
	}
	g_autofree char *origin = origin_of_request(mail, request->parent_job_row);
	Purpose purpose = {
		.origin = origin,
		.request_row = request->row,
		.list = request->list,
		.n_families = FAMILIES_ASKED,
	};
	bool ok = request->parent_job_row != 0 && brings_code(mail)
			  ? plan_retest(context, request, &purpose, error)
			  : plan_first_test(context, mail, list, &purpose, no, error);
	if (ok && no->why == NULL && purpose.n_new == 0)
		no->why = g_strdup("the same is being done already, as somebody asked for it in "
				   "this thread: one answer is enough");
	return ok;
}

/* How much was asked of us lately, by the sender of @request and by everybody. */
static bool count_asked(StageContext *context, const StoredRequest *request, PolicyCase *what,
			GError **error)
{
	int64_t since_us = what->now_us - DAY_US;
	g_autoptr(Mail) mail = mailread_row(context, request->message_row, error);

	if (mail == NULL)
		return false;
	const Mailbox *from = mail->message->from;
	return request_count(context->db, from == NULL ? NULL : from->addr, since_us,
			     &what->n_of_sender, error) &&
	       request_count(context->db, NULL, since_us, &what->n_of_everybody, error);
}

static bool decide_request(StageContext *context, int64_t row, const Refusal *no, GError **error)
{
	if (no->awaits != NULL)
		return request_await(context->db, row, no->why,
				     (const char *const *)no->awaits->pdata, error);
	return request_decide(context->db, row, no->why == NULL ? "planned" : "declined", no->why,
			      error);
}

static bool plan_request(StageContext *context, const StoredRequest *request, GError **error)
{
	g_auto(Refusal) no = {0};
	const ListSection *list = config_find_list(context->config, request->list);
	PolicyCase what = {
		.list = list,
		.arrived_us = request->arrived_us,
		.now_us = clock_now_us(context->clock),
	};
	if (!count_asked(context, request, &what, error))
		return false;
	no.why = policy_request(context->config, &what);
	if (no.why == NULL && !plan_allowed_request(context, request, list, &no, error))
		return false;
	bool yes = no.why == NULL;
	return decide_request(context, request->row, &no, error) &&
	       event_add(context->db, yes ? "plan.request_planned" : "plan.request_declined",
			 "request", request->row, error, "%s", yes ? "accepted" : no.why);
}

static bool plan_claimed(StageContext *context, const GPtrArray *series, const GPtrArray *requests,
			 GError **error)
{
	for (guint i = 0; i < series->len; i++) {
		if (!plan_series(context, series->pdata[i], error))
			return false;
	}
	for (guint i = 0; i < requests->len; i++) {
		if (!plan_request(context, requests->pdata[i], error))
			return false;
	}
	return true;
}

bool plan_round(StageContext *context, unsigned limit, StageProgress *progress, GError **error)
{
	unsigned n = limit == 0 ? CLAIM_MAX : MIN(limit, CLAIM_MAX);
	g_autoptr(GPtrArray) series = series_claim(context->db, n, error);
	g_autoptr(GPtrArray) requests =
		series == NULL ? NULL : request_claim(context->db, n, error);

	if (requests == NULL)
		return false;
	if (series->len + requests->len == 0)
		return true;
	if (!db_begin(context->db, error))
		return false;
	if (!plan_claimed(context, series, requests, error)) {
		db_rollback(context->db);
		return false;
	}
	failpoint("plan.before_commit");
	if (!db_commit(context->db, error))
		return false;
	progress->done += series->len + requests->len;
	return true;
}
