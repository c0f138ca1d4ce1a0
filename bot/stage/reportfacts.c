/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/reportfacts.h"

#include "bot/base/error.h"
#include "bot/report/axes.h"
#include "bot/report/compose.h"
#include "bot/run/jobspec.h"
#include "bot/run/sandbox.h"
#include "bot/stage/comparison.h"
#include "bot/stage/machine.h"
#include "bot/stage/mailread.h"
#include "bot/stage/provenance.h"
#include "bot/stage/suite.h"
#include "bot/store/jobs.h"
#include "bot/store/messages.h"
#include "bot/store/series.h"

#include <string.h>

typedef struct {
	StageContext *context;
	const Job *job;
	const Workload *workload;
	const GPtrArray *families;
	const Judgement *judgement;
	ReportFacts *facts;
} Gather;

/* ---- the mail that is answered ---- */

static GPtrArray *copy_mailboxes(const GPtrArray *from)
{
	GPtrArray *to = g_ptr_array_new_with_free_func((GDestroyNotify)mailbox_free);

	for (guint i = 0; i < from->len; i++)
		g_ptr_array_add(to, mailbox_copy(from->pdata[i]));
	return to;
}

static GPtrArray *oldest_first(const GPtrArray *nearest_first)
{
	GPtrArray *ids = g_ptr_array_new_with_free_func(g_free);

	for (guint i = nearest_first->len; i > 0; i--)
		g_ptr_array_add(ids, g_strdup(nearest_first->pdata[i - 1]));
	return ids;
}

static void fill_answered(AnsweredMail *answered, const Message *message)
{
	g_clear_pointer(&answered->references, g_ptr_array_unref);
	g_clear_pointer(&answered->to, g_ptr_array_unref);
	g_clear_pointer(&answered->cc, g_ptr_array_unref);
	answered->message_id = g_strdup(message->message_id);
	answered->references = oldest_first(message->references);
	answered->subject = g_strdup(message->subject);
	answered->from = message->from == NULL ? NULL : mailbox_copy(message->from);
	answered->date_us = message->date_us;
	answered->date_offset_min = message->date_offset_min;
	answered->to = copy_mailboxes(message->to);
	answered->cc = copy_mailboxes(message->cc);
	answered->body = g_strdup(message_body(message));
}

/* Where a series stands in its thread: at its cover letter, else at its first patch. */
static bool series_head_row(Gather *gather, int64_t *out_row, GError **error)
{
	g_autoptr(StoredSeries) series =
		series_get(gather->context->db, gather->job->series_row, error);

	if (series == NULL)
		return false;
	*out_row = series->cover_row != 0 ? series->cover_row
					  : g_array_index(series->patch_rows, int64_t, 0);
	return true;
}

static bool answered_row(Gather *gather, int64_t *out_row, GError **error)
{
	if (gather->job->request_row == 0)
		return series_head_row(gather, out_row, error);
	g_autoptr(StoredRequest) request =
		request_get(gather->context->db, gather->job->request_row, error);
	*out_row = request == NULL ? 0 : request->message_row;
	return request != NULL;
}

static bool stands_in(const GPtrArray *mailboxes, const Mailbox *who)
{
	for (guint i = 0; i < mailboxes->len; i++) {
		if (mailbox_equal(mailboxes->pdata[i], who))
			return true;
	}
	return false;
}

/* An in-body From names whom it likes: mail goes only to people the mail itself was from or to. */
static bool is_in_headers(const Message *message, const Mailbox *who)
{
	return (message->from != NULL && mailbox_equal(message->from, who)) ||
	       stands_in(message->to, who) || stands_in(message->cc, who);
}

static void fill_patch(ReportFacts *facts, const ListSection *list, const Mail *mail)
{
	facts->patch_subject = g_strdup(mail->message->subject);
	facts->patch_link = mailread_archive_link(list, mail->message->message_id);
	if (mail->patch != NULL && mail->patch->author != NULL &&
	    is_in_headers(mail->message, mail->patch->author))
		facts->patch_author = mailbox_copy(mail->patch->author);
}

/* What was built: the posted series, or the patch in the request; a branch has no patch mail. */
static bool gather_patch(Gather *gather, const ListSection *list, const Mail *answered,
			 GError **error)
{
	int64_t row = 0;

	if (gather->job->series_row == 0) {
		if (answered->patch != NULL)
			fill_patch(gather->facts, list, answered);
		return true;
	}
	if (!series_head_row(gather, &row, error))
		return false;
	g_autoptr(Mail) head = mailread_row(gather->context, row, error);
	if (head == NULL)
		return false;
	fill_patch(gather->facts, list, head);
	return true;
}

/*
 * Made of what is answered and for what, not of the time of writing: a robot that was restored from
 * a backup writes the same id again, which every reader's mailer merges.
 */
static char *own_message_id(const Gather *gather, const char *purpose)
{
	const BotSection *bot = &gather->context->config->bot;
	int64_t us = CLAMP(gather->facts->answered.date_us, 0, gather->facts->date_us);

	return compose_message_id(purpose, us, bot->name, bot->id_domain);
}

static bool gather_answered(Gather *gather, const char *purpose, GError **error)
{
	ReportFacts *facts = gather->facts;
	const ListSection *list = config_find_list(gather->context->config, gather->job->list);
	int64_t row = 0;

	if (!answered_row(gather, &row, error))
		return false;
	g_autoptr(Mail) mail = mailread_row(gather->context, row, error);
	if (mail == NULL)
		return false;
	fill_answered(&facts->answered, mail->message);
	facts->message_id = own_message_id(gather, purpose);
	if (list != NULL && list->address != NULL)
		facts->list_address = mailbox_new(NULL, list->address, NULL);
	facts->closes = mailread_archive_link(list, facts->message_id);
	if (gather->job->kind == JOB_SERIES)
		return gather_patch(gather, list, mail, error);
	/* Tools put a tag on the nearest patch mail above that is no reply: a fix in a "Re:" would
	 * have its tag end up on the patch it mends. */
	facts->tested_exactly = mail->kind == MAIL_PATCH && !mail->prefix->is_reply &&
				mail->request->repo == NULL && mail->request->branch == NULL &&
				mail->request->commits->len == 0;
	return true;
}

/* ---- what was built ---- */

static void gather_commits(Gather *gather)
{
	for (guint i = 0; i < gather->job->commits->len; i++) {
		const JobCommit *commit = gather->job->commits->pdata[i];
		ReportCommit *copy = report_commit_new();
		copy->sha = g_strdup(commit->sha);
		copy->subject = g_strdup(commit->subject);
		copy->tree = g_strdup(commit->tree);
		copy->role = g_strdup(commit_role_name(commit->role));
		g_ptr_array_add(gather->facts->commits, copy);
	}
}

static void gather_tree(Gather *gather)
{
	const TreeSection *tree = config_find_tree(gather->context->config, gather->job->tree);
	ReportFacts *facts = gather->facts;

	facts->base_reason = g_strdup(gather->job->base_reason);
	if (tree != NULL)
		facts->base_url = g_strdup(tree->url);
}

/* ---- what was measured ---- */

static void add_metric(Gather *gather, unsigned position, size_t m)
{
	const Measured *first = gather->families->pdata[0];
	const WorkloadMetric *metric = gather->workload->headline->pdata[m];
	ReportMetric *report = g_new0(ReportMetric, 1);

	report->position = position;
	report->key = g_strdup(first->keys[m]);
	report->unit = g_strdup(metric->unit);
	report->direction = metric->direction;
	report->delta = metric->delta;
	report->first = *measured_comparison(first, position, m);
	if (gather->families->len > 1) {
		report->second = *measured_comparison(gather->families->pdata[1], position, m);
		report->confirmed = judge_is_change(report->first.verdict) &&
				    judge_is_change(report->second.verdict) &&
				    (report->first.shift < 0) == (report->second.shift < 0);
	}
	g_ptr_array_add(gather->facts->metrics, report);
}

static void gather_metrics(Gather *gather)
{
	const Measured *first = gather->families->pdata[0];

	for (unsigned position = 1; position <= first->n_heads; position++) {
		for (size_t m = 0; m < first->n_metrics; m++)
			add_metric(gather, position, m);
	}
	if (gather->judgement->has_headline)
		gather->facts->headline = g_strdup(first->keys[gather->judgement->metric]);
	gather->facts->retest = gather->judgement->retest;
}

static bool gather_job(Gather *gather, GError **error)
{
	ReportFacts *facts = gather->facts;
	const char *yaml = gather->job->spec_yaml;
	g_autoptr(GPtrArray) specs = jobspec_parse(yaml, strlen(yaml), "stored job", error);
	const char *limited_by = NULL;

	if (specs == NULL)
		return false;
	const JobSpec *spec = specs->pdata[0];
	for (guint i = 0; i < spec->params->len; i++) {
		const JobParam *param = spec->params->pdata[i];
		ReportParam *copy = g_new0(ReportParam, 1);
		copy->key = g_strdup(param->key);
		copy->value = g_strdup(param->value);
		g_ptr_array_add(facts->params, copy);
	}
	facts->testcase = g_strdup(gather->job->testcase);
	facts->description = g_strdup(gather->workload->description);
	facts->is_shipped = suite_is_shipped(gather->workload);
	facts->job_yaml = g_strdup(yaml);
	facts->runs = gather->job->runs;
	facts->n_families = gather->families->len;
	if (sandbox_probe(gather->context->config->run.uid, &limited_by, NULL))
		facts->limits = g_strdup(limited_by);
	return true;
}

/* ---- the table ---- */

static char *print_axes(const ReportFacts *facts)
{
	g_autoptr(GArray) axes = g_array_new(FALSE, FALSE, sizeof(Axis));
	Axis fixed[] = {{"compiler", facts->compiler},
			{"tbox_group", facts->tbox_group},
			{"testcase", facts->testcase}};

	for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++) {
		if (fixed[i].value != NULL)
			g_array_append_val(axes, fixed[i]);
	}
	for (guint i = 0; i < facts->params->len; i++) {
		const ReportParam *param = facts->params->pdata[i];
		Axis axis = {param->key, param->value};
		g_array_append_val(axes, axis);
	}
	return axes_lines((const Axis *)(gpointer)axes->data, axes->len);
}

static bool gather_table(Gather *gather, GError **error)
{
	const Measured *first = gather->families->pdata[0];
	ReportFacts *facts = gather->facts;
	g_autofree char *axes = print_axes(facts);
	g_autofree TableCommit *commits = g_new0(TableCommit, facts->commits->len);
	g_autoptr(MetricIndex) index = metrics_load(NULL, error);
	ComparisonOptions options = {
		.select = COMPARISON_SELECT_DEFAULT,
		.order = TABLE_ORDER_COUNT,
		.headline = (const char *const *)first->keys,
		.compare = COMPARE_OPTIONS_DEFAULT,
	};
	if (index == NULL)
		return false;
	g_autoptr(ComparisonReport) report =
		comparison_make((const Matrix *const *)first->matrices->pdata, first->matrices->len,
				index, &options, error);
	if (report == NULL)
		return false;

	for (guint i = 0; i < facts->commits->len; i++) {
		const ReportCommit *commit = facts->commits->pdata[i];
		commits[i] = (TableCommit){commit->sha, commit->subject};
	}
	facts->table = comparison_print(report, axes, commits);
	return true;
}

static void gather_identity(Gather *gather)
{
	const BotSection *bot = &gather->context->config->bot;
	ReportFacts *facts = gather->facts;

	facts->kind = gather->job->kind == JOB_RETEST ? REPORT_RETEST : REPORT_CHANGE;
	facts->bot_name = g_strdup(bot->name);
	facts->bot_address = mailbox_copy(bot->address);
	facts->footer = g_strdup(bot->footer);
	facts->date_us = clock_now_us(gather->context->clock);
	facts->asked = gather->job->request_row != 0;
	facts->version = g_strdup(LOREBOT_VERSION);
	facts->machine = machine_describe();
	facts->compiler = machine_compiler();
	facts->tbox_group = g_strdup(gather->context->config->run.tbox_group);
}

ReportFacts *reportfacts_gather(StageContext *context, const Job *job, const Workload *workload,
				const GPtrArray *families, const Judgement *judgement,
				const char *purpose, GError **error)
{
	g_autoptr(ReportFacts) facts = report_facts_new();
	Gather gather = {context, job, workload, families, judgement, facts};

	gather_identity(&gather);
	gather_commits(&gather);
	if (!gather_answered(&gather, purpose, error) || !gather_job(&gather, error) ||
	    !gather_table(&gather, error))
		return NULL;
	gather_tree(&gather);
	if (!provenance_fill(context, job, facts, error))
		return NULL;
	gather_metrics(&gather);
	return g_steal_pointer(&facts);
}
