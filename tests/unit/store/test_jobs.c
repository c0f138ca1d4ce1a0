/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/store/fixture.h"

#include <math.h>

static void advance(Db *db, Job *job, JobState state)
{
	job->state = state;
	OK(db_begin(db, error));
	OK(jobs_advance(db, job, error));
	OK(db_commit(db, error));
}

START_TEST(a_key_gives_one_job)
{
	FIXTURE(f);
	g_autoptr(Job) job = add_job(f.db, "k1");
	int64_t row = 0;
	bool is_new = true;

	OK(db_begin(f.db, error));
	OK(jobs_insert(f.db, job, &row, &is_new, error));
	OK(db_commit(f.db, error));

	ck_assert(!is_new);
	ck_assert_int_eq(row, job->row);
}
END_TEST

START_TEST(a_job_goes_from_stage_to_stage_by_claims)
{
	FIXTURE(f);
	g_autoptr(Job) job = add_job(f.db, "k1");

	g_autoptr(Job) planned = jobs_claim(f.db, JOB_PLANNED, NULL);
	ck_assert_int_eq(planned->row, job->row);
	ck_assert_ptr_null(jobs_claim(f.db, JOB_PLANNED, NULL));
	planned->base_how = g_strdup("base-commit");
	planned->applied_us = NOW_US;
	advance(f.db, planned, JOB_BUILT);
	g_autoptr(Job) built = jobs_claim(f.db, JOB_BUILT, NULL);

	g_autofree char *events = event_names(f.db, "job", job->row);
	ck_assert_str_eq(built->base_how, "base-commit");
	ck_assert_int_eq(built->applied_us, NOW_US);
	ck_assert_uint_eq(built->commits->len, 2);
	ck_assert_int_eq(((JobCommit *)built->commits->pdata[1])->role, COMMIT_PATCHED);
	ck_assert_str_eq(events, "job.planned job.built");
}
END_TEST

static void postpone(Db *db, int64_t row)
{
	OK(db_begin(db, error));
	OK(jobs_postpone(db, row, "mirror is away", error));
	OK(db_commit(db, error));
}

START_TEST(a_postponed_job_rests_longer_each_time_until_it_gets_on)
{
	FIXTURE(f);
	int64_t now_us = NOW_US;
	g_autoptr(Job) job = add_job(f.db, "k1");

	for (int64_t most_us = 2 * CLOCK_US_PER_S; most_us < 300 * CLOCK_US_PER_S; most_us *= 2) {
		g_autoptr(Job) claimed = jobs_claim(f.db, JOB_PLANNED, NULL);
		ck_assert_ptr_nonnull(claimed);
		postpone(f.db, job->row);
		clock_set(f.clock, now_us + most_us / 2 - 1);
		ck_assert_ptr_null(jobs_claim(f.db, JOB_PLANNED, NULL));
		clock_set(f.clock, now_us += most_us);
	}
	g_autoptr(Job) planned = jobs_claim(f.db, JOB_PLANNED, NULL);
	advance(f.db, planned, JOB_BUILT);
	g_autoptr(Job) built = jobs_claim(f.db, JOB_BUILT, NULL);
	postpone(f.db, built->row);

	clock_set(f.clock, now_us + 2 * CLOCK_US_PER_S);
	g_autoptr(Job) due = jobs_claim(f.db, JOB_BUILT, NULL);
	ck_assert_int_eq(due->row, job->row);
}
END_TEST

START_TEST(a_job_given_back_is_there_at_once)
{
	FIXTURE(f);
	g_autoptr(Job) job = add_job(f.db, "k1");
	g_autoptr(Job) claimed = jobs_claim(f.db, JOB_PLANNED, NULL);

	OK(db_begin(f.db, error));
	OK(jobs_give_back(f.db, claimed->row, "stopped", error));
	OK(db_commit(f.db, error));

	g_autoptr(Job) again = jobs_claim(f.db, JOB_PLANNED, NULL);
	ck_assert_int_eq(again->row, job->row);
}
END_TEST

START_TEST(finished_jobs_are_listed_only_on_request)
{
	FIXTURE(f);
	g_autoptr(Job) done = add_job(f.db, "k1");
	g_autoptr(Job) open = add_job(f.db, "k2");

	advance(f.db, done, JOB_DONE);

	g_autoptr(GPtrArray) some = jobs_list(f.db, false, NULL);
	g_autoptr(GPtrArray) all = jobs_list(f.db, true, NULL);
	ck_assert_uint_eq(some->len, 1);
	ck_assert_int_eq(((Job *)some->pdata[0])->row, open->row);
	ck_assert_uint_eq(all->len, 2);
}
END_TEST

static void plan(Db *db, const Job *job, unsigned family, uint32_t seed)
{
	OK(db_begin(db, error));
	OK(runs_plan(db, job, family, seed, error));
	OK(db_commit(db, error));
}

START_TEST(every_round_holds_each_position_once_and_the_order_differs)
{
	FIXTURE(f);
	g_autoptr(Job) job = add_job(f.db, "k1");
	unsigned base_first = 0;
	job->runs = 64;

	plan(f.db, job, 1, 42);

	g_autoptr(GPtrArray) runs = runs_list(f.db, job->row, 1, NULL);
	ck_assert_uint_eq(runs->len, 128);
	for (guint i = 0; i < runs->len; i += 2) {
		const StoredRun *a = runs->pdata[i], *b = runs->pdata[i + 1];
		ck_assert_uint_eq(a->round, i / 2);
		ck_assert_uint_eq(b->round, i / 2);
		ck_assert_uint_eq(a->slot, 0);
		ck_assert_uint_eq(b->slot, 1);
		ck_assert_uint_eq(a->position + b->position, 1);
		base_first += a->position == 0;
	}
	/* 64 fair coins: outside 16..48 once in 10^4. */
	ck_assert_uint_ge(base_first, 16);
	ck_assert_uint_le(base_first, 48);
}
END_TEST

START_TEST(planning_more_runs_later_is_as_planning_them_at_once)
{
	FIXTURE(f);
	g_autoptr(Job) job = add_job(f.db, "k1");
	g_autoptr(Job) at_once = add_job(f.db, "k2");

	plan(f.db, job, 1, 1);
	g_autoptr(GPtrArray) before = runs_list(f.db, job->row, 1, NULL);
	job->runs = 64;
	plan(f.db, job, 1, 2); /* the first seed stays */
	g_autoptr(GPtrArray) after = runs_list(f.db, job->row, 1, NULL);
	at_once->runs = 64;
	plan(f.db, at_once, 1, 1);
	g_autoptr(GPtrArray) whole = runs_list(f.db, at_once->row, 1, NULL);

	ck_assert_uint_eq(before->len, 10);
	ck_assert_uint_eq(after->len, 128);
	for (guint i = 0; i < after->len; i++) {
		const StoredRun *a = after->pdata[i], *b = whole->pdata[i];
		ck_assert_uint_eq(a->position, b->position);
	}
}
END_TEST

START_TEST(the_first_end_of_a_run_stays)
{
	FIXTURE(f);
	g_autoptr(Job) job = add_job(f.db, "k1");
	const char *const keys[] = {"ops_per_sec"};
	double value = 12.5;
	char done[] = "done", failed[] = "failed", sum[] = "0123";
	plan(f.db, job, 1, 1);
	StoredRun run = {.row = 1, .state = done, .stats_sha256 = sum, .started_us = NOW_US};
	StoredRun other = {.row = 1, .state = failed};

	OK(db_begin(f.db, error));
	OK(runs_finish(f.db, &run, keys, &value, 1, error));
	OK(runs_finish(f.db, &other, NULL, NULL, 0, error));
	OK(db_commit(f.db, error));

	g_autoptr(GPtrArray) runs = runs_list(f.db, job->row, 1, NULL);
	const StoredRun *first = NULL;
	for (guint i = 0; i < runs->len; i++)
		if (((StoredRun *)runs->pdata[i])->row == 1)
			first = runs->pdata[i];
	ck_assert_str_eq(first->state, "done");
	ck_assert_str_eq(first->stats_sha256, "0123");
}
END_TEST

START_TEST(comparisons_are_replaced_by_family_and_keep_their_order)
{
	FIXTURE(f);
	g_autoptr(Job) job = add_job(f.db, "k1");
	char a[] = "z.first", b[] = "a.second", direction[] = "higher", verdict[] = "unclear";
	StoredComparison one = {.family = 1,
				.position = 1,
				.key = a,
				.direction = direction,
				.verdict = verdict,
				.p = 0.25,
				.smallest_effect = NAN};
	StoredComparison two = one;
	g_autoptr(GPtrArray) both = g_ptr_array_new();
	two.key = b;
	g_ptr_array_add(both, &one);
	g_ptr_array_add(both, &two);

	for (int i = 0; i < 2; i++) {
		OK(db_begin(f.db, error));
		OK(comparisons_save(f.db, job->row, 1, both, error));
		OK(db_commit(f.db, error));
	}

	g_autoptr(GPtrArray) back = comparisons_list(f.db, job->row, NULL);
	const StoredComparison *first = back->pdata[0];
	ck_assert_uint_eq(back->len, 2);
	ck_assert_str_eq(first->key, "z.first");
	ck_assert_double_eq(first->p, 0.25);
	ck_assert(isnan(first->smallest_effect));
}
END_TEST

START_TEST(a_report_keeps_its_facts)
{
	FIXTURE(f);
	g_autoptr(Job) job = add_job(f.db, "k1");
	g_autofree char *outcome = NULL;

	g_autofree char *none = reports_get(f.db, job->row, NULL, NULL);
	OK(db_begin(f.db, error));
	OK(reports_save(f.db, job->row, "regression", "{\"a\":1}", error));
	OK(db_commit(f.db, error));
	g_autofree char *facts = reports_get(f.db, job->row, &outcome, NULL);

	ck_assert_ptr_null(none);
	ck_assert_str_eq(facts, "{\"a\":1}");
	ck_assert_str_eq(outcome, "regression");
}
END_TEST

START_TEST(a_failed_job_begins_anew_and_forgets_what_was_measured)
{
	FIXTURE(f);
	g_autoptr(Job) job = add_job(f.db, "k1");
	job->reason = g_strdup("mirror is away");
	job->family = 2;
	OK(db_begin(f.db, error));
	OK(runs_plan(f.db, job, 1, 7, error));
	OK(reports_save(f.db, job->row, "regression", "{}", error));
	OK(db_commit(f.db, error));
	advance(f.db, job, JOB_FAILED);

	OK(db_begin(f.db, error));
	OK(jobs_restart(f.db, job->row, "ann", error));
	OK(db_commit(f.db, error));

	g_autoptr(Job) again = jobs_claim(f.db, JOB_PLANNED, NULL);
	g_autoptr(GPtrArray) runs = runs_list(f.db, job->row, 1, NULL);
	g_autofree char *facts = reports_get(f.db, job->row, NULL, NULL);
	ck_assert_ptr_nonnull(again);
	ck_assert_uint_eq(again->family, 1);
	ck_assert_uint_eq(again->commits->len, 0);
	ck_assert_ptr_null(again->reason);
	ck_assert_uint_eq(runs->len, 0);
	ck_assert_ptr_null(facts);
}
END_TEST

START_TEST(only_a_failed_job_that_nobody_works_on_begins_anew)
{
	FIXTURE(f);
	g_autoptr(Job) job = add_job(f.db, "k1");
	g_autoptr(GError) planned = NULL;
	g_autoptr(GError) unknown = NULL;

	OK(db_begin(f.db, error));
	ck_assert(!jobs_restart(f.db, job->row, "ann", &planned));
	ck_assert(!jobs_restart(f.db, job->row + 1, "ann", &unknown));
	db_rollback(f.db);

	ck_assert(g_error_matches(planned, BOT_ERROR, BOT_ERROR_CONFLICT));
	ck_assert(g_error_matches(unknown, BOT_ERROR, BOT_ERROR_NOT_FOUND));
}
END_TEST

static int64_t add_request(Db *db, const char *id)
{
	char kind[] = "test", facts[] = "{}";
	StoredRequest request = {
		.message_row = add_list_mail(db, id), .kind = kind, .facts = facts};

	OK(db_begin(db, error));
	OK(request_save(db, &request, error));
	OK(db_commit(db, error));
	g_autoptr(StoredRequest) saved = request_find_by_message(db, request.message_row, NULL);
	return saved->row;
}

START_TEST(an_unasked_job_is_asked_for_once_whoever_works_on_it)
{
	FIXTURE(f);
	g_autoptr(Job) job = add_job(f.db, "k1");
	g_autoptr(Job) done = add_job(f.db, "k2");
	int64_t first = add_request(f.db, "r1@x");
	int64_t second = add_request(f.db, "r2@x");
	g_autoptr(GError) twice = NULL;
	g_autoptr(GError) late = NULL;
	advance(f.db, done, JOB_DONE);

	g_autoptr(Job) claimed = jobs_claim(f.db, JOB_PLANNED, NULL);
	OK(db_begin(f.db, error));
	OK(jobs_ask_for(f.db, job->row, first, "other", error));
	ck_assert(!jobs_ask_for(f.db, job->row, second, "other", &twice));
	ck_assert(!jobs_ask_for(f.db, done->row, second, "other", &late));
	OK(db_commit(f.db, error));
	advance(f.db, claimed, JOB_BUILT);

	g_autoptr(Job) after = jobs_get(f.db, job->row, NULL);
	ck_assert(g_error_matches(twice, BOT_ERROR, BOT_ERROR_CONFLICT));
	ck_assert(g_error_matches(late, BOT_ERROR, BOT_ERROR_CONFLICT));
	ck_assert_int_eq(after->request_row, first);
	ck_assert_str_eq(after->list, "other");
	ck_assert_uint_eq(after->n_families, 1);
	ck_assert_int_eq(after->state, JOB_BUILT);
}
END_TEST

CHECK_MAIN("jobs", a_key_gives_one_job, a_job_goes_from_stage_to_stage_by_claims,
	   a_postponed_job_rests_longer_each_time_until_it_gets_on,
	   a_job_given_back_is_there_at_once, finished_jobs_are_listed_only_on_request,
	   every_round_holds_each_position_once_and_the_order_differs,
	   planning_more_runs_later_is_as_planning_them_at_once, the_first_end_of_a_run_stays,
	   comparisons_are_replaced_by_family_and_keep_their_order, a_report_keeps_its_facts,
	   a_failed_job_begins_anew_and_forgets_what_was_measured,
	   only_a_failed_job_that_nobody_works_on_begins_anew,
	   an_unasked_job_is_asked_for_once_whoever_works_on_it)
