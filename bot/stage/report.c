/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/stage.h"

#include "bot/base/error.h"
#include "bot/base/failpoint.h"
#include "bot/base/fs.h"
#include "bot/base/log.h"
#include "bot/report/compose.h"
#include "bot/series/policy.h"
#include "bot/stage/judge.h"
#include "bot/stage/layout.h"
#include "bot/stage/reportfacts.h"
#include "bot/stage/suite.h"
#include "bot/store/jobs.h"
#include "bot/store/messages.h"
#include "bot/store/outbox.h"
#include "bot/store/results.h"
#include "bot/store/series.h"

#include <string.h>

#define DAY_US (24 * 60 * 60 * CLOCK_US_PER_S)

static GPtrArray *measure_families(StageContext *context, const Job *job, const Workload *workload,
				   GError **error)
{
	g_autoptr(GPtrArray) families =
		g_ptr_array_new_with_free_func((GDestroyNotify)measured_free);

	for (unsigned family = 1; family <= job->family; family++) {
		Measured *measured = measure_family(context, job, family, workload, error);
		if (measured == NULL)
			return NULL;
		g_ptr_array_add(families, measured);
	}
	return g_steal_pointer(&families);
}

/* A mail may reach more lists than the one it came by; the strictest of them decides. */
static char *list_hold_reason(StageContext *context, const Job *job, const OutgoingMail *mail)
{
	for (guint i = 0; i < context->config->lists->len; i++) {
		const ListSection *list = context->config->lists->pdata[i];
		bool unasked = job->request_row == 0;
		if (g_strcmp0(list->name, job->list) != 0 &&
		    !policy_reaches_any(list, mail->recipients))
			continue;
		if (list->hold)
			return g_strdup_printf("list %s holds each mail for approval", list->name);
		if (unasked && (list->consent == NULL || list->unasked == UNASKED_NONE))
			return g_strdup_printf("it would reach list %s, which is ask-only",
					       list->name);
	}
	return NULL;
}

/* A job may have waited through a pause of weeks. */
static bool is_too_late(StageContext *context, const Job *job)
{
	const BotSection *bot = &context->config->bot;
	int64_t age_us = clock_now_us(context->clock) - job->created_us;

	return age_us >
	       (job->request_row != 0 ? bot->max_age_requests_us : bot->max_age_patches_us);
}

/* Held or free?  Each ground to hold a mail has its sentence; the first one counts. */
static char *hold_reason(StageContext *context, const Job *job, const OutgoingMail *mail)
{
	g_autoptr(StoredMessage) seen = messages_find(context->db, mail->message_id, NULL);
	char *by_list = list_hold_reason(context, job, mail);
	int64_t day_ago = clock_now_us(context->clock) - DAY_US;
	unsigned most = context->config->send.max_per_day;

	if (by_list != NULL)
		return by_list;
	if (is_too_late(context, job))
		return g_strdup("what it answers arrived longer ago than is acted upon "
				"(bot.maxAgePatches, bot.maxAgeRequests)");
	if (config_find_list(context->config, job->list) == NULL)
		return g_strdup("the list it came by is not configured any more");
	if (seen != NULL)
		return g_strdup("this very mail was seen already: sent before a restore?");
	if (outbox_count_since(context->db, day_ago) >= (int64_t)most)
		return g_strdup_printf("the budget of %u mails a day is spent", most);
	return NULL;
}

static bool queue_mail(StageContext *context, const Job *job, const ReportFacts *facts,
		       const char *purpose, GError **error)
{
	g_autoptr(OutgoingMail) mail = compose_mail(facts, purpose, error);
	int64_t row = 0;
	bool is_new = false;

	if (mail == NULL)
		return false;
	mail->job_row = job->row;
	mail->created_us = clock_now_us(context->clock);
	mail->hold_reason = hold_reason(context, job, mail);
	mail->state = mail->hold_reason == NULL ? OUTGOING_QUEUED : OUTGOING_HELD;
	if (!outbox_insert(context->db, mail, &row, &is_new, error))
		return false;
	return !is_new || event_add(context->db, "report.written", "outgoing", row, error, "%s: %s",
				    outgoing_state_name(mail->state),
				    mail->hold_reason == NULL ? "may go" : mail->hold_reason);
}

static bool mail_result(StageContext *context, const Job *job, const Workload *workload,
			const GPtrArray *families, const Judgement *judgement, GError **error)
{
	g_autofree char *purpose = g_strdup_printf("job:%s:report", job->key);
	g_autoptr(ReportFacts) facts =
		reportfacts_gather(context, job, workload, families, judgement, purpose, error);
	if (facts == NULL)
		return false;

	json_t *json = report_facts_to_json(facts);
	g_autofree char *text = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	return reports_save(context->db, job->row, judgement->outcome, text, error) &&
	       queue_mail(context, job, facts, purpose, error);
}

static bool save_families(StageContext *context, const Job *job, const Workload *workload,
			  const GPtrArray *families, GError **error)
{
	for (guint i = 0; i < families->len; i++) {
		g_autoptr(GPtrArray) list = measured_to_store(families->pdata[i], workload);
		if (!comparisons_save(context->db, job->row, i + 1, list, error))
			return false;
	}
	return true;
}

/* Right before the mail is written: is the posting still what people discuss? */
static bool is_overtaken(StageContext *context, const Job *job)
{
	return job->request_row == 0 && job->series_row != 0 &&
	       series_has_newer(context->db, job->series_row);
}

static bool conclude(StageContext *context, Job *job, const Workload *workload,
		     const GPtrArray *families, GError **error)
{
	const ListSection *list = config_find_list(context->config, job->list);
	Judgement judgement = judge_job(job, workload, families, list);

	if (judgement.next != JUDGE_QUIET && is_overtaken(context, job)) {
		judgement.next = JUDGE_QUIET;
		judgement.outcome = "overtaken";
	}
	if (!save_families(context, job, workload, families, error))
		return false;
	if (judgement.next == JUDGE_MEASURE) {
		job->family++;
		job->state = JOB_BUILT;
		return jobs_advance(context->db, job, error) &&
		       event_add(context->db, "report.confirming", "job", job->row, error,
				 "%s: measured again on fresh samples before anyone is told",
				 judgement.outcome);
	}
	job->state = JOB_DONE;
	if (judgement.next == JUDGE_MAIL
		    ? !mail_result(context, job, workload, families, &judgement, error)
		    : !reports_save(context->db, job->row, judgement.outcome, "{}", error))
		return false;
	return jobs_advance(context->db, job, error) &&
	       event_add(context->db, "report.concluded", "job", job->row, error, "%s, %s",
			 judgement.outcome,
			 judgement.next == JUDGE_MAIL ? "mail written" : "no mail");
}

/* Somebody may have asked for it since it was claimed; nobody can while we hold the store. */
static bool see_who_asks(StageContext *context, Job *job, GError **error)
{
	g_autoptr(Job) now = jobs_get(context->db, job->row, error);

	if (now == NULL)
		return false;
	job->request_row = now->request_row;
	job->n_families = now->n_families;
	g_free(job->list);
	job->list = g_steal_pointer(&now->list);
	return true;
}

static bool report_in_transaction(StageContext *context, Job *job, GError **error)
{
	g_autoptr(Workload) workload = suite_workload(context->config, job->testcase, error);
	g_autoptr(GPtrArray) families =
		workload == NULL ? NULL : measure_families(context, job, workload, error);

	if (families == NULL || !db_begin(context->db, error))
		return false;
	if (!see_who_asks(context, job, error) ||
	    !conclude(context, job, workload, families, error)) {
		db_rollback(context->db);
		return false;
	}
	failpoint("report.before_commit");
	return db_commit(context->db, error);
}

/* A job whose report cannot be made (changed result files, a hole in a template) fails alone. */
static bool fail_job(StageContext *context, Job *job, const GError *why, GError **error)
{
	if (g_error_matches(why, BOT_ERROR, BOT_ERROR_TRANSIENT)) {
		g_propagate_error(error, g_error_copy(why));
		return false;
	}
	log_error("report.failed", "job %" G_GINT64_FORMAT ": %s", job->row, why->message);
	job->state = JOB_FAILED;
	g_free(job->reason);
	job->reason = g_strdup(why->message);
	if (!db_begin(context->db, error))
		return false;
	if (!jobs_advance(context->db, job, error) ||
	    !event_add(context->db, "report.failed", "job", job->row, error, "%s", why->message)) {
		db_rollback(context->db);
		return false;
	}
	return db_commit(context->db, error);
}

/* Builds are needed while families are measured; samples and logs stay. */
static void drop_builds(StageContext *context, const Job *job)
{
	for (guint i = 0; i < job->commits->len; i++) {
		g_autofree char *dir = layout_build_dir(db_state_dir(context->db), job, i);
		g_autoptr(GError) why = NULL;
		if (!fs_remove_tree(dir, &why))
			log_warning("report.kept_build", "%s", why->message);
	}
}

static bool report_job(StageContext *context, Job *job, GError **error)
{
	g_autoptr(GError) why = NULL;

	if (!report_in_transaction(context, job, &why) && !fail_job(context, job, why, error))
		return false;
	if (job->state != JOB_BUILT)
		drop_builds(context, job);
	else
		stage_wake(db_state_dir(context->db), "run");
	return true;
}

bool report_round(StageContext *context, unsigned limit, StageProgress *progress, GError **error)
{
	while ((limit == 0 || progress->done < limit) && !stage_stop_asked(context)) {
		g_autoptr(GError) claim_error = NULL;
		g_autoptr(Job) job = jobs_claim(context->db, JOB_RAN, &claim_error);
		if (claim_error != NULL) {
			g_propagate_error(error, g_steal_pointer(&claim_error));
			return false;
		}
		if (job == NULL)
			return true;
		if (!report_job(context, job, error))
			return false;
		progress->done++;
		stage_wake(db_state_dir(context->db), "send");
	}
	return true;
}
