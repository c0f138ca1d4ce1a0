/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/judge.h"

#include <math.h>

bool judge_is_change(Verdict verdict)
{
	switch (verdict) {
	case VERDICT_REGRESSION:
	case VERDICT_IMPROVEMENT:
	case VERDICT_CHANGE:
		return true;
	case VERDICT_NO_CHANGE:
	case VERDICT_UNCLEAR:
		break;
	}
	return false;
}

/* A change that every family found, with the same sign. */
static bool agreed_change(const GPtrArray *families, unsigned position, size_t metric)
{
	const Comparison *first = measured_comparison(families->pdata[0], position, metric);

	if (!judge_is_change(first->verdict))
		return false;
	for (guint i = 1; i < families->len; i++) {
		const Comparison *later = measured_comparison(families->pdata[i], position, metric);
		if (!judge_is_change(later->verdict) || (later->shift < 0) != (first->shift < 0))
			return false;
	}
	return true;
}

static bool outranks(Verdict a, double shift_a, Verdict b, double shift_b)
{
	if ((a == VERDICT_REGRESSION) != (b == VERDICT_REGRESSION))
		return a == VERDICT_REGRESSION;
	return fabs(shift_a) > fabs(shift_b);
}

/* The metric a mail is about: a regression before all else, then the largest change. */
static bool find_headline(const GPtrArray *families, Judgement *judgement)
{
	const Measured *first = families->pdata[0];
	const Comparison *best = NULL;

	for (unsigned position = 1; position <= first->n_heads; position++) {
		for (size_t m = 0; m < first->n_metrics; m++) {
			const Comparison *c = measured_comparison(first, position, m);
			if (!agreed_change(families, position, m))
				continue;
			if (best != NULL &&
			    !outranks(c->verdict, c->shift, best->verdict, best->shift))
				continue;
			best = c;
			judgement->position = position;
			judgement->metric = m;
		}
	}
	judgement->has_headline = best != NULL;
	return best != NULL;
}

static const char *quiet_outcome(const Measured *measured)
{
	for (unsigned position = 1; position <= measured->n_heads; position++) {
		for (size_t m = 0; m < measured->n_metrics; m++) {
			const Comparison *c = measured_comparison(measured, position, m);
			if (c->verdict != VERDICT_NO_CHANGE)
				return "unclear";
		}
	}
	return "no-change";
}

static bool is_wanted(const ListSection *list, Verdict verdict)
{
	if (list == NULL || list->unasked == UNASKED_NONE)
		return false;
	return list->unasked == UNASKED_ALL || verdict == VERDICT_REGRESSION;
}

static Judgement judge_series(const Job *job, const GPtrArray *families, const ListSection *list)
{
	Judgement judgement = {.next = JUDGE_QUIET};
	const Measured *first = families->pdata[0];
	bool asked = job->request_row != 0;

	if (!find_headline(families, &judgement)) {
		judgement.outcome = families->len > 1 ? "not-confirmed" : quiet_outcome(first);
		judgement.next = asked ? JUDGE_MAIL : JUDGE_QUIET;
		return judgement;
	}
	const Comparison *c = measured_comparison(first, judgement.position, judgement.metric);
	judgement.outcome = verdict_name(c->verdict);
	if (asked)
		judgement.next = JUDGE_MAIL;
	else if (!is_wanted(list, c->verdict))
		judgement.next = JUDGE_QUIET;
	else
		judgement.next = families->len < job->n_families ? JUDGE_MEASURE : JUDGE_MAIL;
	return judgement;
}

/* Which metric was reported: where bad moved furthest from base. */
static size_t reported_metric(const Measured *measured)
{
	size_t best = 0;

	for (size_t m = 1; m < measured->n_metrics; m++) {
		const Comparison *c = measured_comparison(measured, 1, m);
		const Comparison *b = measured_comparison(measured, 1, best);
		if (c->p < b->p || (c->p <= b->p && fabs(c->shift) > fabs(b->shift)))
			best = m;
	}
	return best;
}

/* Base, bad, fixes in this order; of several fixes the last one is the one that is asked about. */
static Judgement judge_retest(const Workload *workload, const GPtrArray *families)
{
	const Measured *measured = families->pdata[0];
	CompareOptions options = COMPARE_OPTIONS_DEFAULT;
	size_t m = reported_metric(measured);
	const WorkloadMetric *metric = workload->headline->pdata[m];
	unsigned fix = (unsigned)measured->n_heads;
	size_t n_fixes = measured->n_heads - 1;
	Judgement judgement = {
		.next = JUDGE_MAIL, .position = fix, .metric = m, .has_headline = true};

	judgement.retest =
		retest_judge(measured_sample(measured, 0, m), measured_sample(measured, 1, m),
			     measured_sample(measured, fix, m), metric->direction, metric->delta,
			     &options, n_fixes);
	judgement.outcome = retest_outcome_name(judgement.retest);
	return judgement;
}

Judgement judge_job(const Job *job, const Workload *workload, const GPtrArray *families,
		    const ListSection *list)
{
	switch (job->kind) {
	case JOB_SERIES:
		return judge_series(job, families, list);
	case JOB_RETEST:
		break;
	}
	return judge_retest(workload, families);
}
