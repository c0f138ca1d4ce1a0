/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/report/facts.h"

void report_patch_free(ReportPatch *patch)
{
	if (patch == NULL)
		return;
	g_free(patch->mail);
	g_free(patch);
}

ReportCommit *report_commit_new(void)
{
	ReportCommit *commit = g_new0(ReportCommit, 1);

	commit->patches = g_ptr_array_new_with_free_func((GDestroyNotify)report_patch_free);
	return commit;
}

void report_commit_free(ReportCommit *commit)
{
	if (commit == NULL)
		return;
	g_free(commit->sha);
	g_free(commit->subject);
	g_free(commit->role);
	g_free(commit->tree);
	g_free(commit->on);
	g_clear_pointer(&commit->patches, g_ptr_array_unref);
	g_free(commit);
}

void report_metric_free(ReportMetric *metric)
{
	if (metric == NULL)
		return;
	g_free(metric->key);
	g_free(metric->unit);
	g_free(metric);
}

void report_param_free(ReportParam *param)
{
	if (param == NULL)
		return;
	g_free(param->key);
	g_free(param->value);
	g_free(param);
}

static GPtrArray *new_list(gpointer free_item)
{
	return g_ptr_array_new_with_free_func((GDestroyNotify)free_item);
}

ReportFacts *report_facts_new(void)
{
	ReportFacts *facts = g_new0(ReportFacts, 1);

	facts->answered.references = new_list(g_free);
	facts->answered.to = new_list(mailbox_free);
	facts->answered.cc = new_list(mailbox_free);
	facts->commits = new_list(report_commit_free);
	facts->metrics = new_list(report_metric_free);
	facts->fetches = new_list(g_free);
	facts->params = new_list(report_param_free);
	return facts;
}

static void answered_clear(AnsweredMail *answered)
{
	g_free(answered->message_id);
	g_clear_pointer(&answered->references, g_ptr_array_unref);
	g_free(answered->subject);
	g_clear_pointer(&answered->from, mailbox_free);
	g_clear_pointer(&answered->to, g_ptr_array_unref);
	g_clear_pointer(&answered->cc, g_ptr_array_unref);
	g_free(answered->body);
}

void report_facts_free(ReportFacts *facts)
{
	if (facts == NULL)
		return;
	char *texts[] = {
		facts->bot_name,      facts->footer,      facts->message_id, facts->headline,
		facts->patch_subject, facts->patch_link,  facts->closes,     facts->branch_url,
		facts->base_url,      facts->base_reason, facts->testcase,   facts->description,
		facts->machine,       facts->tbox_group,  facts->compiler,   facts->job_yaml,
		facts->limits,        facts->version,     facts->table,
	};
	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
		g_free(texts[i]);
	g_clear_pointer(&facts->bot_address, mailbox_free);
	g_clear_pointer(&facts->patch_author, mailbox_free);
	g_clear_pointer(&facts->list_address, mailbox_free);
	g_clear_pointer(&facts->commits, g_ptr_array_unref);
	g_clear_pointer(&facts->metrics, g_ptr_array_unref);
	g_clear_pointer(&facts->fetches, g_ptr_array_unref);
	g_clear_pointer(&facts->params, g_ptr_array_unref);
	answered_clear(&facts->answered);
	g_free(facts);
}
