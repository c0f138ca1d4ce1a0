/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/report/facts.h"

#include "bot/report/clean.h"
#include "bot/report/facts_metric.h"
#include "bot/report/facts_reproduce.h"
#include "bot/report/quote.h"

#include "bot/base/clock.h"
#include "bot/base/json.h"

#include <string.h>

#define SHORT_SHA 12
#define LAST_DATE_US (INT64_C(253370764800) * CLOCK_US_PER_S) /* 1 January 9999 */

static void put(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static void put_line(json_t *object, const char *key, const char *text)
{
	put(object, key, facts_json_line(text));
}

static void put_short(json_t *object, const char *key, const char *text)
{
	put(object, key, facts_json_short(text));
}

/* Several lines; the last line end is the template's business. */
static void put_text(json_t *object, const char *key, const char *text)
{
	g_autofree char *clean = text == NULL ? NULL : clean_text(text);

	put(object, key, json_text(clean == NULL ? NULL : g_strchomp(clean)));
}

static guint length(const GPtrArray *list)
{
	return list == NULL ? 0 : list->len;
}

/* ---- people and the mail that is answered ---- */

static json_t *mailbox_json(const Mailbox *mailbox)
{
	if (mailbox == NULL)
		return json_null();
	json_t *object = json_object();
	put_short(object, "name", mailbox->name);
	put(object, "addr", json_text(mailbox->addr));
	return object;
}

static json_t *mailboxes_json(const GPtrArray *mailboxes)
{
	json_t *list = json_array();

	for (guint i = 0; i < length(mailboxes); i++)
		json_array_append_new(list, mailbox_json(g_ptr_array_index(mailboxes, i)));
	return list;
}

static json_t *bot_json(const ReportFacts *facts)
{
	json_t *object = json_object();
	const char *addr = facts->bot_address == NULL ? NULL : facts->bot_address->addr;
	g_autofree char *text = g_strdup_printf("%s <%s>", facts->bot_name, addr);

	put_line(object, "name", facts->bot_name);
	put_line(object, "addr", addr);
	put_line(object, "text", text);
	return object;
}

/* "Ann" of "Ann Author"; names written the other way round ("Author, Ann") are taken whole. */
static char *greeting_name(const Mailbox *from)
{
	if (from == NULL)
		return NULL;
	if (*from->name == '\0')
		return g_strndup(from->addr, strcspn(from->addr, "@"));
	if (strchr(from->name, ',') != NULL)
		return g_strdup(from->name);
	return g_strndup(from->name, strcspn(from->name, " "));
}

static const char *writer_name(const Mailbox *from)
{
	if (from == NULL)
		return NULL;
	return *from->name == '\0' ? from->addr : from->name;
}

/* As the writer's own clock showed it. */
static char *local_date(const AnsweredMail *answered)
{
	if (answered->date_us <= 0 || answered->date_us >= LAST_DATE_US)
		return NULL;

	int offset = ABS(answered->date_offset_min) < 24 * 60 ? answered->date_offset_min : 0;
	g_autofree char *date =
		clock_format_rfc5322(answered->date_us + offset * 60 * CLOCK_US_PER_S);
	*strrchr(date, ' ') = '\0'; /* its zone is UTC's */
	return g_strdup_printf("%s %c%02d%02d", date, offset < 0 ? '-' : '+', ABS(offset) / 60,
			       ABS(offset) % 60);
}

static json_t *lines_json(const GPtrArray *texts)
{
	json_t *list = json_array();

	for (guint i = 0; i < length(texts); i++)
		json_array_append_new(list, facts_json_line(g_ptr_array_index(texts, i)));
	return list;
}

static json_t *answered_json(const AnsweredMail *answered)
{
	json_t *object = json_object();
	g_autofree char *hello = greeting_name(answered->from);
	g_autofree char *date = local_date(answered);
	g_autofree char *quote = quote_trim(answered->body);

	put_line(object, "message_id", answered->message_id);
	put(object, "references", lines_json(answered->references));
	put_line(object, "subject", answered->subject);
	put(object, "from", mailbox_json(answered->from));
	put_short(object, "hello", hello);
	put_short(object, "writer", writer_name(answered->from));
	put(object, "date_us", json_integer(answered->date_us));
	put_line(object, "date", date);
	put(object, "to", mailboxes_json(answered->to));
	put(object, "cc", mailboxes_json(answered->cc));
	put_text(object, "quote", quote);
	return object;
}

/* ---- commits and metrics ---- */

static json_t *commit_json(const ReportCommit *commit)
{
	json_t *object = json_object();
	g_autofree char *abbreviated = g_strndup(commit->sha, SHORT_SHA);

	put_line(object, "sha", commit->sha);
	put_line(object, "short", abbreviated);
	put_short(object, "subject", commit->subject);
	put_line(object, "role", commit->role);
	return object;
}

static json_t *commit_at(const ReportFacts *facts, guint position)
{
	if (position >= length(facts->commits))
		return json_null();
	return commit_json(g_ptr_array_index(facts->commits, position));
}

/*
 * The subject of the last commit, with the mail's "[PATCH ...]" when that mail is its patch; the
 * mail that is answered may as well be a cover letter or a request.
 */
static const char *head_title(const ReportFacts *facts)
{
	guint n_commits = length(facts->commits);

	if (n_commits == 0)
		return facts->patch_subject;
	const ReportCommit *head = g_ptr_array_index(facts->commits, n_commits - 1);
	if (facts->patch_subject != NULL && *facts->patch_subject == '[' && head->subject != NULL &&
	    g_str_has_suffix(facts->patch_subject, head->subject))
		return facts->patch_subject;
	return head->subject;
}

static json_t *commits_json(const ReportFacts *facts)
{
	json_t *list = json_array();

	for (guint i = 0; i < length(facts->commits); i++)
		json_array_append_new(list, commit_at(facts, i));
	return list;
}

static const char *headline_key(const ReportFacts *facts)
{
	if (facts->headline != NULL || facts->kind == REPORT_CHANGE || length(facts->metrics) == 0)
		return facts->headline;
	/* An answer to a request is about something in any case. */
	return ((const ReportMetric *)g_ptr_array_index(facts->metrics, 0))->key;
}

static json_t *metric_json(const ReportFacts *facts, const ReportMetric *metric)
{
	json_t *object = facts_metric_to_json(metric, headline_key(facts));

	put(object, "commit", commit_at(facts, metric->position));
	return object;
}

typedef bool MetricFilter(const ReportFacts *facts, const ReportMetric *metric);

static json_t *metrics_json(const ReportFacts *facts, MetricFilter *wanted)
{
	json_t *list = json_array();

	for (guint i = 0; i < length(facts->metrics); i++) {
		const ReportMetric *metric = g_ptr_array_index(facts->metrics, i);
		if (wanted == NULL || wanted(facts, metric))
			json_array_append_new(list, metric_json(facts, metric));
	}
	return list;
}

static bool is_about(const ReportFacts *facts, const ReportMetric *metric)
{
	return g_strcmp0(metric->key, headline_key(facts)) == 0;
}

static bool is_significant(const ReportMetric *metric)
{
	return metric->first.verdict != VERDICT_NO_CHANGE &&
	       metric->first.verdict != VERDICT_UNCLEAR;
}

static bool is_first_about(const ReportFacts *facts, const ReportMetric *metric)
{
	return is_about(facts, metric) && metric->position == 1;
}

static bool is_fix_about(const ReportFacts *facts, const ReportMetric *metric)
{
	return is_about(facts, metric) && metric->position > 1;
}

static bool is_other_changed(const ReportFacts *facts, const ReportMetric *metric)
{
	return !is_about(facts, metric) && is_significant(metric);
}

static bool is_other_unchanged(const ReportFacts *facts, const ReportMetric *metric)
{
	return !is_about(facts, metric) && !is_significant(metric);
}

static json_t *first_of(json_t *list)
{
	json_t *first =
		json_array_size(list) == 0 ? json_null() : json_incref(json_array_get(list, 0));

	json_decref(list);
	return first;
}

/* What a retest is about is a regression unless its metric has no better direction. */
static bool has_better_way(const ReportFacts *facts)
{
	for (guint i = 0; i < length(facts->metrics); i++) {
		const ReportMetric *metric = g_ptr_array_index(facts->metrics, i);
		if (is_about(facts, metric))
			return metric->direction != DIRECTION_NONE;
	}
	return true;
}

static void put_metrics(json_t *object, const ReportFacts *facts)
{
	guint n_unclear = 0;
	guint n_keys = 0;

	for (guint i = 0; i < length(facts->metrics); i++) {
		const ReportMetric *metric = g_ptr_array_index(facts->metrics, i);
		n_unclear += metric->first.verdict == VERDICT_UNCLEAR;
		n_keys += metric->position == 1;
	}
	put(object, "metrics", metrics_json(facts, NULL));
	put_line(object, "headline", headline_key(facts));
	put(object, "about", first_of(metrics_json(facts, is_first_about)));
	put(object, "complaint", json_string(has_better_way(facts) ? "regression" : "change"));
	put(object, "fixes", metrics_json(facts, is_fix_about));
	put(object, "others_changed", metrics_json(facts, is_other_changed));
	put(object, "others_unchanged", metrics_json(facts, is_other_unchanged));
	put(object, "n_unclear", json_integer(n_unclear));
	put(object, "n_metrics", json_integer(n_keys));
}

/* ---- the verdict of a retest and the tag ---- */

static void put_retest(json_t *object, const ReportFacts *facts)
{
	bool retest = facts->kind == REPORT_RETEST;
	RetestOutcome outcome = facts->retest;

	put(object, "kind", json_string(retest ? "retest" : "change"));
	put(object, "is_retest", json_boolean(retest));
	put(object, "retest", retest ? json_string(retest_outcome_name(outcome)) : json_null());
	put(object, "is_resolved", json_boolean(retest && outcome == RETEST_RESOLVED));
	put(object, "is_partly", json_boolean(retest && outcome == RETEST_PARTLY));
	put(object, "is_not_resolved", json_boolean(retest && outcome == RETEST_NOT_RESOLVED));
	put(object, "is_worse", json_boolean(retest && outcome == RETEST_WORSE));
	put(object, "is_not_reproduced", json_boolean(retest && outcome == RETEST_NOT_REPRODUCED));
	put(object, "is_retest_unclear", json_boolean(retest && outcome == RETEST_UNCLEAR));
}

static json_t *tag_json(const ReportFacts *facts)
{
	if (facts->kind != REPORT_RETEST || facts->retest != RETEST_RESOLVED ||
	    facts->list_address == NULL || facts->bot_address == NULL)
		return json_null();

	json_t *object = json_object();
	g_autofree char *text =
		g_strdup_printf("Tested-by: %s <%s>", facts->bot_name, facts->bot_address->addr);
	put_line(object, "text", text);
	put(object, "bare", json_boolean(facts->tested_exactly));
	return object;
}

/* ---- the whole ---- */

/* "URL BRANCH" in two. */
static json_t *branch_json(const char *branch_url)
{
	const char *blank = branch_url == NULL ? NULL : strchr(branch_url, ' ');

	if (blank == NULL)
		return json_null();
	json_t *object = json_object();
	g_autofree char *url = g_strndup(branch_url, (gsize)(blank - branch_url));
	put_short(object, "url", url);
	put_short(object, "name", blank + 1);
	return object;
}

static void put_target(json_t *object, const ReportFacts *facts)
{
	ReportTarget target = facts->target;

	put(object, "is_of_series", json_boolean(target == REPORT_TARGET_SERIES));
	put(object, "is_of_patch", json_boolean(target == REPORT_TARGET_PATCH));
	put(object, "is_of_branch", json_boolean(target == REPORT_TARGET_BRANCH));
	put(object, "is_of_commits", json_boolean(target == REPORT_TARGET_COMMITS));
	put(object, "names_several", json_boolean(facts->n_named > 1));
	put(object, "branch", branch_json(facts->branch_url));
}

static json_t *params_json(const ReportFacts *facts)
{
	json_t *list = json_array();

	for (guint i = 0; i < length(facts->params); i++) {
		const ReportParam *param = g_ptr_array_index(facts->params, i);
		json_t *object = json_object();
		put_line(object, "key", param->key);
		put_line(object, "value", param->value);
		json_array_append_new(list, object);
	}
	return list;
}

static void put_lines(json_t *object, const ReportFacts *facts)
{
	const struct {
		const char *key;
		const char *text;
	} lines[] = {
		{"footer", facts->footer},           {"message_id", facts->message_id},
		{"patch_link", facts->patch_link},   {"closes", facts->closes},
		{"branch_url", facts->branch_url},   {"base_url", facts->base_url},
		{"base_reason", facts->base_reason}, {"testcase", facts->testcase},
		{"description", facts->description}, {"machine", facts->machine},
		{"tbox_group", facts->tbox_group},   {"compiler", facts->compiler},
		{"limits", facts->limits},           {"version", facts->version},
	};
	for (gsize i = 0; i < G_N_ELEMENTS(lines); i++)
		put_line(object, lines[i].key, lines[i].text);
	put_short(object, "patch_subject", facts->patch_subject);
}

static void put_plan(json_t *object, const ReportFacts *facts)
{
	double alpha = facts->alpha > 0 ? facts->alpha : COMPARE_OPTIONS_DEFAULT.alpha;
	g_autofree char *error_rate = g_strdup_printf("%.3g%%", 100 * alpha);
	g_autofree char *confidence = g_strdup_printf("%.3g%%", 100 * (1 - alpha));

	put_line(object, "error_rate", error_rate);
	put_line(object, "confidence", confidence);
	put(object, "runs", json_integer(facts->runs));
	put(object, "n_families", json_integer(facts->n_families));
	put(object, "measured_twice", json_boolean(facts->n_families > 1));
	put(object, "asked", json_boolean(facts->asked));
	put(object, "is_shipped", json_boolean(facts->is_shipped));
	put(object, "tested_exactly", json_boolean(facts->tested_exactly));
}

json_t *report_facts_to_json(const ReportFacts *facts)
{
	json_t *object = json_object();
	guint n_commits = length(facts->commits);

	put_retest(object, facts);
	put(object, "bot", bot_json(facts));
	put(object, "date_us", json_integer(facts->date_us));
	put_lines(object, facts);
	put_plan(object, facts);
	put(object, "answered", answered_json(&facts->answered));
	put(object, "patch_author", mailbox_json(facts->patch_author));
	put(object, "list_address", mailbox_json(facts->list_address));
	put(object, "commits", commits_json(facts));
	put(object, "base", commit_at(facts, 0));
	put(object, "head", commit_at(facts, MAX(n_commits, 1) - 1));
	put_short(object, "head_title", head_title(facts));
	put_metrics(object, facts);
	put(object, "tag", tag_json(facts));
	put_target(object, facts);
	put(object, "params", params_json(facts));
	put(object, "reproduce", facts_reproduce_to_json(facts));
	put_text(object, "job_yaml", facts->job_yaml);
	put_text(object, "table", facts->table);
	put(object, "table_left_out", json_integer(0));
	return object;
}
