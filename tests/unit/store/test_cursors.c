/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/query.h"
#include "tests/unit/store/fixture.h"

static SourceState *state_of(Db *db, const char *name)
{
	SourceState *state = cursor_attach(db, name, "maildir:/lab", 0, NULL);
	ck_assert_ptr_nonnull(state);
	return state;
}

START_TEST(first_contact_fixes_where_mail_begins_to_count)
{
	FIXTURE(f);

	g_autoptr(SourceState) fresh = cursor_attach(f.db, "lab", "maildir:/lab", 0, NULL);
	g_autoptr(SourceState) since =
		cursor_attach(f.db, "old", "maildir:/old", NOW_US - DAY_US, NULL);
	clock_set(f.clock, NOW_US + DAY_US);
	g_autoptr(SourceState) again = cursor_attach(f.db, "lab", "maildir:/lab", 0, NULL);

	ck_assert_int_eq(fresh->start_us, NOW_US);
	ck_assert_int_eq(since->start_us, NOW_US - DAY_US);
	ck_assert_int_eq(again->start_us, NOW_US);
	ck_assert_ptr_null(again->cursor);
	ck_assert_int_eq(again->behind, -1);
}
END_TEST

START_TEST(a_cursor_moves_with_its_batch_or_not_at_all)
{
	FIXTURE(f);
	attach(f.db, "lab");

	OK(db_begin(f.db, error));
	OK(cursor_advance(f.db, "lab", "uid 7", 3, NOW_US - HOUR_US, error));
	OK(db_commit(f.db, error));
	OK(db_begin(f.db, error));
	OK(cursor_advance(f.db, "lab", "uid 9", 1, NOW_US, error));
	db_rollback(f.db);
	OK(db_begin(f.db, error));
	OK(cursor_advance(f.db, "lab", NULL, 0, 0, error));
	OK(db_commit(f.db, error));

	g_autoptr(SourceState) state = state_of(f.db, "lab");
	ck_assert_str_eq(state->cursor, "uid 7");
	ck_assert_int_eq(state->behind, 0);
	ck_assert_int_eq(state->last_mail_us, NOW_US - HOUR_US);
	ck_assert_int_eq(state->last_ok_us, NOW_US);
}
END_TEST

START_TEST(another_place_is_a_first_contact_from_the_newest_mail_on)
{
	FIXTURE(f);
	attach(f.db, "lab");
	OK(db_begin(f.db, error));
	OK(cursor_advance(f.db, "lab", "uid 7", 3, NOW_US + HOUR_US, error));
	OK(db_commit(f.db, error));
	clock_set(f.clock, NOW_US + DAY_US);
	OK(db_begin(f.db, error));
	OK(cursor_advance(f.db, "lab", NULL, 0, NOW_US + HOUR_US, error));
	OK(db_commit(f.db, error));

	g_autoptr(SourceState) moved = cursor_attach(f.db, "lab", "maildir:/new", 0, NULL);
	g_autoptr(SourceState) again = cursor_attach(f.db, "lab", "maildir:/new", 0, NULL);
	g_autoptr(SourceState) asked =
		cursor_attach(f.db, "lab", "maildir:/third", NOW_US - DAY_US, NULL);

	ck_assert_ptr_null(moved->cursor);
	ck_assert_int_eq(moved->start_us, NOW_US + HOUR_US);
	ck_assert_uint_eq(moved->places, 1);
	ck_assert_uint_eq(again->places, 1);
	ck_assert_int_eq(asked->start_us, NOW_US - DAY_US);
	g_autofree char *events = event_names(f.db, "source", 1);
	ck_assert_str_eq(events, "source.attached source.moved source.moved");
}
END_TEST

START_TEST(the_place_of_an_older_database_is_taken_for_the_same)
{
	FIXTURE(f);
	attach(f.db, "lab");
	OK(db_begin(f.db, error));
	OK(cursor_advance(f.db, "lab", "uid 7", 3, NOW_US, error));
	OK(db_commit(f.db, error));
	g_autoptr(Query) forget = query_new(f.db, "UPDATE sources SET place = NULL");
	OK(query_run(forget, error));

	g_autoptr(SourceState) state = state_of(f.db, "lab");

	ck_assert_str_eq(state->cursor, "uid 7");
	ck_assert_str_eq(state->place, "maildir:/lab");
	ck_assert_uint_eq(state->places, 0);
}
END_TEST

START_TEST(failures_are_counted_and_told_when_they_change)
{
	FIXTURE(f);
	attach(f.db, "lab");

	OK(cursor_connected(f.db, "lab", error));
	OK(cursor_connected(f.db, "lab", error));
	OK(cursor_failed(f.db, "lab", "connection refused", NOW_US + HOUR_US, error));
	OK(cursor_failed(f.db, "lab", "connection refused", NOW_US + HOUR_US, error));
	g_autoptr(SourceState) failed = state_of(f.db, "lab");
	OK(cursor_connected(f.db, "lab", error));
	g_autoptr(SourceState) back = state_of(f.db, "lab");

	g_autofree char *events = event_names(f.db, "source", 1);
	ck_assert_uint_eq(failed->failures, 2);
	ck_assert(!failed->connected);
	ck_assert_int_eq(failed->next_try_us, NOW_US + HOUR_US);
	ck_assert_str_eq(failed->last_error, "connection refused");
	ck_assert(back->connected);
	ck_assert_uint_eq(back->failures, 0);
	ck_assert_ptr_null(back->last_error);
	ck_assert_int_eq(back->next_try_us, 0);
	ck_assert_str_eq(events, "source.attached source.connected source.failed source.connected");
}
END_TEST

START_TEST(a_silence_is_told_once_until_there_is_mail_again)
{
	FIXTURE(f);
	bool first = false, second = true, later = false;
	attach(f.db, "lab");

	OK(cursor_silent(f.db, "lab", NOW_US - DAY_US, &first, error));
	OK(cursor_silent(f.db, "lab", NOW_US - DAY_US, &second, error));
	clock_set(f.clock, NOW_US + DAY_US);
	OK(cursor_silent(f.db, "lab", NOW_US + HOUR_US, &later, error));

	ck_assert(first && !second && later);
}
END_TEST

START_TEST(a_source_that_only_answers_is_written_now_and_then)
{
	FIXTURE(f);
	attach(f.db, "lab");
	OK(cursor_connected(f.db, "lab", error));

	clock_set(f.clock, NOW_US + HOUR_US / 60);
	OK(cursor_alive(f.db, "lab", error));
	g_autoptr(SourceState) soon = state_of(f.db, "lab");
	clock_set(f.clock, NOW_US + HOUR_US);
	OK(cursor_alive(f.db, "lab", error));
	g_autoptr(SourceState) later = state_of(f.db, "lab");

	ck_assert_int_eq(soon->last_ok_us, NOW_US);
	ck_assert_int_eq(later->last_ok_us, NOW_US + HOUR_US);
}
END_TEST

START_TEST(a_source_that_was_never_attached_is_not_found)
{
	FIXTURE(f);
	g_autoptr(GError) failed = NULL;

	ck_assert(!cursor_connected(f.db, "nobody", &failed));

	ck_assert(g_error_matches(failed, BOT_ERROR, BOT_ERROR_NOT_FOUND));
}
END_TEST

START_TEST(all_sources_are_listed_in_the_order_of_first_contact)
{
	FIXTURE(f);
	attach(f.db, "b");
	attach(f.db, "a");

	g_autoptr(GPtrArray) all = cursor_list(f.db, NULL);

	ck_assert_uint_eq(all->len, 2);
	ck_assert_str_eq(((SourceState *)all->pdata[0])->name, "b");
}
END_TEST

CHECK_MAIN("cursors", first_contact_fixes_where_mail_begins_to_count,
	   a_cursor_moves_with_its_batch_or_not_at_all,
	   another_place_is_a_first_contact_from_the_newest_mail_on,
	   the_place_of_an_older_database_is_taken_for_the_same,
	   failures_are_counted_and_told_when_they_change,
	   a_silence_is_told_once_until_there_is_mail_again,
	   a_source_that_only_answers_is_written_now_and_then,
	   a_source_that_was_never_attached_is_not_found,
	   all_sources_are_listed_in_the_order_of_first_contact)
