/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * sample_facts - a report and a retest answer with everything in them, of people at example.org.
 */

#include "bot/report/facts.h"

#include <math.h>

#define SAMPLE_DATE_US (INT64_C(1769860800) * 1000000) /* 2026-01-31 12:00 UTC */

static inline Mailbox *sample_mailbox(const char *name, const char *addr)
{
	return mailbox_new(name, addr, NULL);
}

static inline void sample_commit(ReportFacts *facts, const char *sha, const char *subject,
				 const char *role)
{
	ReportCommit *commit = report_commit_new();
	commit->sha = g_strdup(sha);
	commit->subject = g_strdup(subject);
	commit->role = g_strdup(role);
	commit->tree = g_strnfill(40, *sha + ('a' - '1'));
	g_ptr_array_add(facts->commits, commit);
}

/* No reader can fetch the commit at @position: it is made of @mail. */
static inline void sample_made(ReportFacts *facts, guint position, const char *mail, bool is_series)
{
	ReportCommit *commit = facts->commits->pdata[position];
	ReportPatch *patch = g_new0(ReportPatch, 1);

	patch->mail = g_strdup(mail);
	patch->is_series = is_series;
	patch->revision = 1;
	g_ptr_array_add(commit->patches, patch);
}

static inline void sample_fetch(ReportFacts *facts, const char *fetch)
{
	g_ptr_array_add(facts->fetches, g_strdup(fetch));
}

static inline void sample_param(ReportFacts *facts, const char *key, const char *value)
{
	ReportParam *param = g_new0(ReportParam, 1);
	param->key = g_strdup(key);
	param->value = g_strdup(value);
	g_ptr_array_add(facts->params, param);
}

static inline Comparison sample_comparison(Verdict verdict, double shift, double low, double high,
					   double p)
{
	return (Comparison){
		.verdict = verdict,
		.ratio_scale = true,
		.has_percent = true,
		.n_base = 12,
		.n_head = 12,
		.p = p,
		.shift = shift,
		.has_interval = true,
		.low = low,
		.high = high,
		.smallest_effect = 1.4,
		.reachable_delta = NAN,
		.n_min = 6,
		.spread_ratio = 1.2,
	};
}

static inline ReportMetric *sample_metric(ReportFacts *facts, unsigned position, const char *key,
					  const char *unit, Direction direction, Comparison first)
{
	ReportMetric *metric = g_new0(ReportMetric, 1);
	metric->position = position;
	metric->key = g_strdup(key);
	metric->unit = g_strdup(unit);
	metric->direction = direction;
	metric->delta = 0.02;
	metric->first = first;
	g_ptr_array_add(facts->metrics, metric);
	return metric;
}

static inline void sample_answered(ReportFacts *facts, const char *subject, const char *message_id)
{
	AnsweredMail *answered = &facts->answered;
	answered->message_id = g_strdup(message_id);
	answered->subject = g_strdup(subject);
	answered->from = sample_mailbox("Ann Author", "ann@example.org");
	answered->date_us = SAMPLE_DATE_US - INT64_C(86400000000);
	answered->date_offset_min = 60;
	g_ptr_array_add(answered->to, sample_mailbox("", "lab@lists.example.org"));
	g_ptr_array_add(answered->cc, sample_mailbox("Max Maintainer", "max@example.org"));
}

static inline ReportFacts *sample_facts(ReportKind kind)
{
	ReportFacts *facts = report_facts_new();
	facts->kind = kind;
	facts->bot_name = g_strdup("lorebot");
	facts->bot_address = sample_mailbox("lorebot", "lorebot@bots.example.org");
	facts->footer = g_strdup("https://bots.example.org/lorebot");
	facts->message_id = g_strdup("202601311200.0123abcd-lorebot@bots.example.org");
	facts->date_us = SAMPLE_DATE_US;
	facts->list_address = sample_mailbox("", "lab@lists.example.org");
	facts->headline = g_strdup("wordcount.words_per_sec");
	facts->base_url = g_strdup("https://git.example.org/wc.git");
	facts->base_reason = g_strdup("base-commit: names it");
	facts->testcase = g_strdup("wordcount");
	facts->is_shipped = true;
	facts->description = g_strdup("counts the words of a made-up text");
	facts->machine = g_strdup("2 threads Example CPU @ 2.00GHz with 24G memory");
	facts->limits = g_strdup("a cgroup");
	facts->version = g_strdup("0.1.0");
	facts->runs = 12;
	facts->n_families = 2;
	facts->job_yaml = g_strdup("testcase: wordcount\ntext: english\nruns: 12\n");
	sample_param(facts, "nr_threads", "1");
	sample_param(facts, "text", "english");
	return facts;
}

static const char sample_table[] =
	"========================================================================================="
	"\n"
	"nr_threads/text/testcase:\n"
	"  1/english/wordcount\n"
	"\n"
	"commit: \n"
	"  1111111111 (\"wc: read by blocks\")\n"
	"  2222222222 (\"wc: use a smaller hash\")\n"
	"\n"
	"1111111111111111 222222222222222222222222222 \n"
	"---------------- --------------------------- \n"
	"         %stddev     %change         %stddev\n"
	"             \\          |                \\  \n"
	"    904132           -52.9%     425846        wordcount.words_per_sec\n"
	"\n";

/* A regression of one metric, a second one that gained, in reply to a patch. */
static inline ReportFacts *sample_report(void)
{
	ReportFacts *facts = sample_facts(REPORT_CHANGE);
	sample_answered(facts, "[PATCH 1/2] wc: use a smaller hash", "20260130-wc-1@example.org");
	g_ptr_array_add(facts->answered.references, g_strdup("20260130-wc-0@example.org"));
	sample_commit(facts, "1111111111111111111111111111111111111111", "wc: read by blocks",
		      "base");
	sample_commit(facts, "2222222222222222222222222222222222222222", "wc: use a smaller hash",
		      "patched");
	ReportMetric *words = sample_metric(
		facts, 1, "wordcount.words_per_sec", "words/s", DIRECTION_HIGHER_IS_BETTER,
		sample_comparison(VERDICT_REGRESSION, -52.93, -54.12, -51.18, 7.4e-07));
	words->confirmed = true;
	words->second = sample_comparison(VERDICT_REGRESSION, -52.7, -53.9, -51.0, 7.4e-07);
	sample_metric(facts, 1, "wordcount.peak_kb", "kB", DIRECTION_LOWER_IS_BETTER,
		      sample_comparison(VERDICT_IMPROVEMENT, -12.4, -13.0, -11.9, 7.4e-07));
	sample_metric(facts, 1, "wordcount.start_ms", "ms", DIRECTION_LOWER_IS_BETTER,
		      sample_comparison(VERDICT_NO_CHANGE, 0.1, -0.5, 0.7, 0.62));
	facts->patch_subject = g_strdup("[PATCH 1/2] wc: use a smaller hash");
	facts->patch_link = g_strdup("https://lists.example.org/lab/20260130-wc-1@example.org/");
	facts->closes = g_strdup("https://lists.example.org/lab/"
				 "202601311200.0123abcd-lorebot@bots.example.org");
	facts->branch_url = g_strdup("https://git.example.org/lorebot.git Ann-Author/wc/20260131");
	sample_fetch(facts, facts->branch_url);
	facts->table = g_strdup(sample_table);
	return facts;
}

/* base, bad, fix: the fix mends it. */
static inline ReportFacts *sample_retest(void)
{
	ReportFacts *facts = sample_facts(REPORT_RETEST);
	sample_answered(facts, "Re: [PATCH 1/2] wc: use a smaller hash", "reply-7@example.org");
	g_ptr_array_add(facts->answered.references, g_strdup("20260130-wc-0@example.org"));
	g_ptr_array_add(facts->answered.references,
			g_strdup("202601311200.0123abcd-lorebot@bots.example.org"));
	facts->asked = true;
	facts->target = REPORT_TARGET_COMMITS;
	facts->n_named = 1;
	facts->branch_url = g_strdup("https://git.example.org/ann/wc.git fix");
	sample_fetch(facts,
		     "https://git.example.org/wc.git 1111111111111111111111111111111111111111");
	sample_fetch(facts, "https://git.example.org/ann/wc.git fix");
	facts->retest = RETEST_RESOLVED;
	facts->tested_exactly = true;
	facts->answered.body =
		g_strdup("On Sat, 31 Jan 2026, lorebot wrote:\n"
			 "> lorebot noticed a 52.9% regression of wordcount.words_per_sec on:\n"
			 "\n"
			 "Thanks for the report.\n"
			 "\n"
			 "Could you please run this test on branch\n"
			 "https://git.example.org/ann/wc.git fix\n"
			 "\n"
			 "  333333333333 (\"wc: grow the hash\")\n"
			 "\n"
			 "to see if it mends the regression?\n"
			 "\n"
			 "Ann\n"
			 "-- \n"
			 "Example Works\n");
	sample_commit(facts, "1111111111111111111111111111111111111111", "wc: read by blocks",
		      "base");
	sample_commit(facts, "2222222222222222222222222222222222222222", "wc: use a smaller hash",
		      "bad");
	sample_commit(facts, "3333333333333333333333333333333333333333", "wc: grow the hash",
		      "fix");
	sample_metric(facts, 1, "wordcount.words_per_sec", "words/s", DIRECTION_HIGHER_IS_BETTER,
		      sample_comparison(VERDICT_REGRESSION, -52.93, -54.12, -51.18, 7.4e-07));
	sample_metric(facts, 2, "wordcount.words_per_sec", "words/s", DIRECTION_HIGHER_IS_BETTER,
		      sample_comparison(VERDICT_NO_CHANGE, -0.2, -1.1, 0.8, 0.41));
	sample_made(facts, 1, "https://lists.example.org/lab/20260130-wc-1@example.org/", true);
	facts->table = g_strdup(sample_table);
	return facts;
}
