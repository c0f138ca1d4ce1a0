/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/stage.h"

#include "bot/base/error.h"
#include "bot/base/failpoint.h"
#include "bot/base/log.h"
#include "bot/series/policy.h"
#include "bot/stage/mailread.h"
#include "bot/stage/meant.h"
#include "bot/stage/origin.h"
#include "bot/stage/purpose.h"
#include "bot/store/jobs.h"
#include "bot/store/series.h"

#define CLAIM_MAX 50u
#define DAY_US (24 * 60 * 60 * CLOCK_US_PER_S)

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
		no = g_strdup_printf("list %s names no tree (list.tree)", list->name);
	if (no == NULL) {
		g_autofree char *origin = origin_of_series(context, series, list->trees[0], error);
		if (origin == NULL)
			return false;
		g_auto(Purpose) purpose = {
			.kind = JOB_SERIES,
			.origin = origin,
			.series_row = series->row,
			.list = list->name,
			.tree = list->trees[0],
		};
		if (!purpose_add_suites(context, &purpose, list, &no, error))
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
	return purpose_add_job(context, purpose, parent->testcase, parent->spec_yaml, error);
}

/* A posting with a command in it asks for itself; in answer to a report it brings the fix. */
static bool brings_code(const StoredRequest *stored, const Mail *mail)
{
	const Request *request = mail->request;
	bool is_posting =
		stored->parent_job_row == 0 ? origin_is_posted(mail) : origin_is_part(mail);

	return request->repo != NULL || request->branch != NULL || request->commits->len > 0 ||
	       (has_own_patch(request) && !is_posting);
}

/* What was posted: as it stands it is the same piece of work for whoever wants it. */
static bool plan_posting(StageContext *context, const StoredRequest *request, const Mail *mail,
			 Purpose *purpose, Refusal *no, GError **error)
{
	const ListSection *list = config_find_list(context->config, request->list);
	g_autoptr(StoredSeries) series = meant_series(context, mail);

	if (series == NULL || !meant_is_whole(series)) {
		no->why = g_strdup(series == NULL ? "the patch that is meant was not found"
						  : "the series that is meant is not complete");
		no->awaits = meant_ids(mail);
		return true;
	}
	purpose->series_row = series->row;
	if (mail->request->base_hint != NULL)
		return purpose_add_suites(context, purpose, list, &no->why, error);
	g_autofree char *origin = origin_of_series(context, series, purpose->tree, error);
	if (origin == NULL)
		return false;
	purpose->origin = origin;
	purpose->as_posted = request->parent_job_row == 0;
	return purpose_add_suites(context, purpose, list, &no->why, error);
}

/* Not about a report: what was posted, or what the request itself brings, against its base. */
static bool plan_first_test(StageContext *context, const StoredRequest *request, const Mail *mail,
			    Purpose *purpose, Refusal *no, GError **error)
{
	const ListSection *list = config_find_list(context->config, request->list);

	if (list->trees[0] == NULL) {
		no->why = g_strdup_printf("list %s names no tree (list.tree)", list->name);
		return true;
	}
	purpose->kind = JOB_SERIES;
	purpose->tree = list->trees[0];
	return brings_code(request, mail)
		       ? purpose_add_suites(context, purpose, list, &no->why, error)
		       : plan_posting(context, request, mail, purpose, no, error);
}

static char *say_met(const Purpose *purpose)
{
	if (purpose->mailed != NULL)
		return g_strdup_printf("it was tested already, see our mail %s: one mail with its "
				       "numbers is enough; who wants new ones answers that mail",
				       purpose->mailed);
	return g_strdup("the same is being done already, as somebody asked for it: one answer is "
			"enough");
}

static bool plan_allowed_request(StageContext *context, const StoredRequest *request, Refusal *no,
				 GError **error)
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
	if (mail->request->commits->len == 0 && mail->request->sources->len > 1) {
		no->why = g_strdup_printf("it names %u branches: we test one a mail",
					  mail->request->sources->len);
		return true;
	}
	/* A wish that we do not fulfil would make the answer untrue. */
	if (mail->request->modifiers[0] != NULL) {
		g_autofree char *wishes = g_strjoinv(", ", mail->request->modifiers);
		no->why = g_strdup_printf("it asks for more than we can do: %s", wishes);
		return true;
	}
	g_autofree char *origin = origin_of_request(mail, request->parent_job_row);
	g_auto(Purpose) purpose = {
		.origin = origin,
		.request_row = request->row,
		.list = request->list,
	};
	bool ok = request->parent_job_row != 0 && brings_code(request, mail)
			  ? plan_retest(context, request, &purpose, error)
			  : plan_first_test(context, request, mail, &purpose, no, error);
	if (ok && no->why == NULL && purpose.n_here == 0)
		no->why = say_met(&purpose);
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
	PolicyCase what = {
		.list = config_find_list(context->config, request->list),
		.arrived_us = request->arrived_us,
		.now_us = clock_now_us(context->clock),
	};
	if (!count_asked(context, request, &what, error))
		return false;
	no.why = policy_request(context->config, &what);
	if (no.why == NULL && !plan_allowed_request(context, request, &no, error))
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
