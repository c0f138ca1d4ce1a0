/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/backlog.h"
#include "tests/unit/store/fixture.h"

/* A request in a mail that arrives at @arrived_us. */
static int64_t add_request(const Fixture *f, const char *id, int64_t arrived_us)
{
	char kind[] = "test", facts[] = "{}";

	clock_set(f->clock, arrived_us);
	StoredRequest request = {
		.message_row = add_list_mail(f->db, id), .kind = kind, .facts = facts};
	clock_set(f->clock, NOW_US);

	OK(db_begin(f->db, error));
	OK(request_save(f->db, &request, error));
	OK(db_commit(f->db, error));
	g_autoptr(StoredRequest) saved = request_find_by_message(f->db, request.message_row, NULL);
	return saved->row;
}

static char *state_of(Db *db, int64_t row)
{
	g_autoptr(StoredRequest) request = request_get(db, row, NULL);
	return g_strdup(request->state);
}

START_TEST(what_came_in_during_an_outage_waits_and_newer_mail_does_not)
{
	FIXTURE(f);
	add_request(&f, "old@example.org", NOW_US - HOUR_US);
	OK(backlog_open(f.db, "source lab was away", error));
	int64_t fresh = add_request(&f, "new@example.org", NOW_US + HOUR_US);

	g_autoptr(GPtrArray) claimed = request_claim(f.db, 10, NULL);
	g_autoptr(Backlog) backlog = backlog_get(f.db, NULL);

	ck_assert_uint_eq(claimed->len, 1);
	ck_assert_int_eq(((StoredRequest *)claimed->pdata[0])->row, fresh);
	ck_assert_int_eq(backlog->n_requests, 1);
	ck_assert_int_eq(backlog->n_series, 0);
	ck_assert_int_eq(backlog->until_us, NOW_US);
	ck_assert_str_eq(backlog->reason, "source lab was away");
}
END_TEST

START_TEST(a_backlog_that_is_run_is_claimed_as_usual)
{
	FIXTURE(f);
	int64_t old = add_request(&f, "old@example.org", NOW_US - HOUR_US);
	OK(backlog_open(f.db, "source lab was away", error));

	OK(backlog_close(f.db, true, "bo", error));

	g_autoptr(GPtrArray) claimed = request_claim(f.db, 10, NULL);
	ck_assert_uint_eq(claimed->len, 1);
	ck_assert_int_eq(((StoredRequest *)claimed->pdata[0])->row, old);
	ck_assert_ptr_null(backlog_get(f.db, NULL));
}
END_TEST

START_TEST(a_backlog_that_is_dropped_is_declined_with_its_reason)
{
	FIXTURE(f);
	int64_t old = add_request(&f, "old@example.org", NOW_US - HOUR_US);
	OK(backlog_open(f.db, "source lab was away", error));
	int64_t fresh = add_request(&f, "new@example.org", NOW_US + HOUR_US);

	OK(backlog_close(f.db, false, "bo", error));

	g_autofree char *old_state = state_of(f.db, old);
	g_autofree char *new_state = state_of(f.db, fresh);
	g_autofree char *events = event_names(f.db, "request", old);
	ck_assert_str_eq(old_state, "declined");
	ck_assert_str_eq(new_state, "new");
	ck_assert_ptr_nonnull(strstr(events, "request.declined"));
}
END_TEST

START_TEST(without_a_backlog_there_is_nothing_to_decide)
{
	FIXTURE(f);
	g_autoptr(GError) failed = NULL;

	ck_assert(!backlog_close(f.db, true, "bo", &failed));

	ck_assert(g_error_matches(failed, BOT_ERROR, BOT_ERROR_NOT_FOUND));
}
END_TEST

CHECK_MAIN("backlog", what_came_in_during_an_outage_waits_and_newer_mail_does_not,
	   a_backlog_that_is_run_is_claimed_as_usual,
	   a_backlog_that_is_dropped_is_declined_with_its_reason,
	   without_a_backlog_there_is_nothing_to_decide)
