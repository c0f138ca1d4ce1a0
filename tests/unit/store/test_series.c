/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/store/fixture.h"

/* A series over @mails (by their numbers), as series_assemble() would hand it over. */
static Series *make_series(const char *key, unsigned revision, unsigned total,
			   PatchMail *const *mails, guint n)
{
	Series *series = g_new0(Series, 1);
	unsigned present = 0;

	series->key = g_strdup(key);
	series->title = g_strdup("lib: foo");
	series->author = mailbox_new("Ann Author", "Ann@example.org", NULL);
	series->revision = revision;
	series->total = total;
	series->patches = g_ptr_array_new();
	g_ptr_array_set_size(series->patches, (gint)total);
	for (guint i = 0; i < n; i++) {
		if (mails[i]->prefix->number == 0)
			series->cover = mails[i];
		else
			series->patches->pdata[mails[i]->prefix->number - 1] = mails[i];
		present += mails[i]->prefix->number > 0;
	}
	series->state = present == total ? SERIES_COMPLETE : SERIES_INCOMPLETE;
	return series;
}

static int64_t save(Db *db, const Series *series)
{
	int64_t row = 0;

	OK(db_begin(db, error));
	OK(series_save(db, series, &row, error));
	OK(db_commit(db, error));
	return row;
}

static int64_t save_new(Db *db, const char *key, unsigned revision, unsigned total,
			PatchMail *const *mails, guint n)
{
	g_autoptr(Series) series = make_series(key, revision, total, mails, n);
	return save(db, series);
}

static char *state_of(Db *db, int64_t row)
{
	g_autoptr(StoredSeries) series = series_get(db, row, NULL);
	return g_strdup(series == NULL ? "gone" : series->state);
}

static PatchMail *patch(Db *db, const char *id, const char *subject)
{
	PatchSpec spec = {id, subject, NULL, NULL, 0};
	return add_patch(db, &spec);
}

START_TEST(a_series_is_claimed_when_it_is_complete)
{
	FIXTURE(f);
	g_autoptr(PatchMail) one = patch(f.db, "1@x", "[PATCH 1/2] a");
	g_autoptr(PatchMail) two = patch(f.db, "2@x", "[PATCH 2/2] b");

	save_new(f.db, "1@x", 1, 2, (PatchMail *[]){one}, 1);
	g_autoptr(GPtrArray) early = series_claim(f.db, 9, NULL);
	int64_t row = save_new(f.db, "1@x", 1, 2, (PatchMail *[]){one, two}, 2);
	g_autoptr(GPtrArray) claimed = series_claim(f.db, 9, NULL);

	ck_assert_uint_eq(early->len, 0);
	ck_assert_uint_eq(claimed->len, 1);
	const StoredSeries *series = claimed->pdata[0];
	g_autofree char *events = event_names(f.db, "series", row);
	ck_assert_str_eq(events, "series.incomplete series.complete");
	ck_assert_uint_eq(series->patch_rows->len, 2);
	ck_assert_int_eq(g_array_index(series->patch_rows, int64_t, 1), two->message_row);
	ck_assert_int_eq(series->cover_row, 0);
	ck_assert_str_eq(series->list, "lab");
}
END_TEST

START_TEST(a_cover_that_comes_last_renames_the_series_and_makes_no_second)
{
	FIXTURE(f);
	g_autoptr(PatchMail) cover = patch(f.db, "0@x", "[PATCH 0/1] a");
	g_autoptr(PatchMail) one = patch(f.db, "1@x", "[PATCH 1/1] a");

	int64_t first = save_new(f.db, "1@x", 1, 1, (PatchMail *[]){one}, 1);
	int64_t second = save_new(f.db, "0@x", 1, 1, (PatchMail *[]){one, cover}, 2);

	g_autoptr(StoredSeries) series = series_get(f.db, second, NULL);
	ck_assert_int_eq(first, second);
	ck_assert_str_eq(series->key, "0@x");
	ck_assert_int_eq(series->cover_row, cover->message_row);
}
END_TEST

START_TEST(fragments_become_one_series_when_the_missing_link_comes)
{
	FIXTURE(f);
	g_autoptr(PatchMail) one = patch(f.db, "1@x", "[PATCH 1/3] a");
	g_autoptr(PatchMail) two = patch(f.db, "2@x", "[PATCH 2/3] b");
	g_autoptr(PatchMail) three = patch(f.db, "3@x", "[PATCH 3/3] c");

	save_new(f.db, "1@x", 1, 3, (PatchMail *[]){one}, 1);
	save_new(f.db, "3@x", 1, 3, (PatchMail *[]){three}, 1);
	save_new(f.db, "1@x", 1, 3, (PatchMail *[]){one, two, three}, 3);

	StoreCounts counts = {0};
	OK(store_counts(f.db, &counts, error));
	ck_assert_int_eq(counts.series, 1);
	store_counts_clear(&counts);
}
END_TEST

START_TEST(a_planned_series_stays_planned_when_mail_trickles_in)
{
	FIXTURE(f);
	g_autoptr(PatchMail) cover = patch(f.db, "0@x", "[PATCH 0/1] a");
	g_autoptr(PatchMail) one = patch(f.db, "1@x", "[PATCH 1/1] a");

	int64_t row = save_new(f.db, "1@x", 1, 1, (PatchMail *[]){one}, 1);
	OK(db_begin(f.db, error));
	OK(series_decide(f.db, row, "declined", "ask-only", error));
	OK(db_commit(f.db, error));
	save_new(f.db, "0@x", 1, 1, (PatchMail *[]){one, cover}, 2);

	g_autoptr(StoredSeries) series = series_get(f.db, row, NULL);
	ck_assert_str_eq(series->state, "declined");
	ck_assert_str_eq(series->reason, "ask-only");
}
END_TEST

START_TEST(what_was_declined_waits_again_and_nothing_else_does)
{
	FIXTURE(f);
	g_autoptr(PatchMail) one = patch(f.db, "1@x", "[PATCH] a");
	int64_t row = save_new(f.db, "1@x", 1, 1, (PatchMail *[]){one}, 1);
	g_autoptr(GError) failed = NULL;

	OK(series_decide(f.db, row, "declined", "ask-only", error));
	OK(declined_renew(f.db, "series", row, "me", error));
	g_autoptr(StoredSeries) series = series_get(f.db, row, NULL);
	ck_assert_str_eq(series->state, "complete");
	ck_assert_ptr_null(series->reason);
	OK(declined_renew(f.db, "series", row, "me", error));

	OK(series_decide(f.db, row, "planned", NULL, error));
	ck_assert(!declined_renew(f.db, "series", row, "me", &failed));
	ck_assert(g_error_matches(failed, BOT_ERROR, BOT_ERROR_CONFLICT));
	g_clear_error(&failed);
	ck_assert(!declined_renew(f.db, "request", row, "me", &failed));
	ck_assert(g_error_matches(failed, BOT_ERROR, BOT_ERROR_NOT_FOUND));
	g_autofree char *names = event_names(f.db, "series", row);
	ck_assert_str_eq(names, "series.complete series.declined series.complete series.planned");
}
END_TEST

START_TEST(a_series_follows_its_mail_to_another_list)
{
	FIXTURE(f);
	g_autoptr(PatchMail) one = patch(f.db, "1@x", "[PATCH] a");
	int64_t row = save_new(f.db, "1@x", 1, 1, (PatchMail *[]){one}, 1);

	OK(messages_set_list(f.db, one->message_row, "other", error));
	g_autoptr(StoredSeries) series = series_get(f.db, row, NULL);
	ck_assert_str_eq(series->list, "other");
	OK(messages_set_list(f.db, one->message_row, "other", error));
	OK(messages_set_list(f.db, one->message_row, NULL, error));
	g_autoptr(StoredSeries) unlisted = series_get(f.db, row, NULL);
	ck_assert_ptr_null(unlisted->list);
	g_autofree char *names = event_names(f.db, "message", one->message_row);
	ck_assert(g_str_has_suffix(names, "message.listed message.listed"));
}
END_TEST

START_TEST(a_later_revision_in_another_thread_supersedes_the_unplanned_one)
{
	FIXTURE(f);
	g_autoptr(PatchMail) v1 = patch(f.db, "1@x", "[PATCH] a");
	g_autoptr(PatchMail) v2 = patch(f.db, "2@x", "[PATCH v2] a");

	int64_t old = save_new(f.db, "1@x", 1, 1, (PatchMail *[]){v1}, 1);
	int64_t new = save_new(f.db, "2@x", 2, 1, (PatchMail *[]){v2}, 1);

	g_autofree char *old_state = state_of(f.db, old);
	g_autofree char *new_state = state_of(f.db, new);
	ck_assert_str_eq(old_state, "superseded");
	ck_assert_str_eq(new_state, "complete");
	ck_assert(series_has_newer(f.db, old));
	ck_assert(!series_has_newer(f.db, new));
}
END_TEST

START_TEST(an_old_revision_that_comes_late_is_superseded_at_once)
{
	FIXTURE(f);
	g_autoptr(PatchMail) v1 = patch(f.db, "1@x", "[PATCH] a");
	g_autoptr(PatchMail) v2 = patch(f.db, "2@x", "[PATCH v2] a");

	save_new(f.db, "2@x", 2, 1, (PatchMail *[]){v2}, 1);
	int64_t old = save_new(f.db, "1@x", 1, 1, (PatchMail *[]){v1}, 1);

	g_autofree char *state = state_of(f.db, old);
	ck_assert_str_eq(state, "superseded");
}
END_TEST

START_TEST(the_named_previous_posting_is_superseded_without_a_revision)
{
	FIXTURE(f);
	g_autoptr(PatchMail) first = patch(f.db, "1@x", "[PATCH] a");
	g_autoptr(PatchMail) again = patch(f.db, "2@x", "[PATCH] a");
	int64_t old = save_new(f.db, "1@x", 1, 1, (PatchMail *[]){first}, 1);
	g_autoptr(Series) series = make_series("2@x", 1, 1, (PatchMail *[]){again}, 1);
	series->previous = g_strdup("1@x");

	save(f.db, series);

	g_autofree char *state = state_of(f.db, old);
	ck_assert_str_eq(state, "superseded");
}
END_TEST

/* Whichever comes first: @late is saved after the other. */
static void check_named(bool late)
{
	FIXTURE(f);
	const PatchSpec spec = {"2@x", "[PATCH] new", NULL, NULL, 0};
	g_autoptr(PatchMail) old = patch(f.db, "1@x", "[RFC PATCH] old");
	g_autoptr(PatchMail) new = make_patch(&spec);
	new->replaces = g_strsplit("9@x 1@x", " ", -1);
	store_patch(f.db, spec.subject, new);
	g_autoptr(Series) old_series = make_series("1@x", 1, 1, (PatchMail *[]){old}, 1);
	g_autoptr(Series) new_series = make_series("2@x", 1, 1, (PatchMail *[]){new}, 1);

	g_free(old_series->title);
	old_series->title = g_strdup("lib: old");
	int64_t first = save(f.db, late ? new_series : old_series);
	int64_t second = save(f.db, late ? old_series : new_series);
	g_autofree char *old_state = state_of(f.db, late ? second : first);
	g_autofree char *new_state = state_of(f.db, late ? first : second);
	ck_assert_str_eq(old_state, "superseded");
	ck_assert_str_eq(new_state, "complete");
}

START_TEST(a_posting_that_is_named_as_the_one_before_is_superseded)
{
	check_named(false);
	check_named(true);
}
END_TEST

START_TEST(an_rfc_does_not_supersede_the_posting_after_it)
{
	FIXTURE(f);
	const PatchSpec rfc_spec = {"1@x", "[RFC PATCH v2] a", NULL, NULL, 0};
	const PatchSpec real_spec = {"2@x", "[PATCH] a", NULL, NULL, NOW_US + 1000};
	g_autoptr(PatchMail) rfc = add_patch(f.db, &rfc_spec);
	g_autoptr(PatchMail) real = add_patch(f.db, &real_spec);

	save_new(f.db, "1@x", 2, 1, (PatchMail *[]){rfc}, 1);
	int64_t row = save_new(f.db, "2@x", 1, 1, (PatchMail *[]){real}, 1);
	g_autofree char *state = state_of(f.db, row);
	ck_assert_str_eq(state, "complete");
}
END_TEST

START_TEST(a_backport_for_another_kernel_supersedes_nothing)
{
	FIXTURE(f);
	g_autoptr(PatchMail) first = patch(f.db, "1@x", "[PATCH 6.1.y] a");
	g_autoptr(PatchMail) other = patch(f.db, "2@x", "[PATCH 5.15.y v2] a");
	g_autoptr(PatchMail) again = patch(f.db, "3@x", "[PATCH 6.1.y v2] a");

	int64_t row = save_new(f.db, "1@x", 1, 1, (PatchMail *[]){first}, 1);
	save_new(f.db, "2@x", 2, 1, (PatchMail *[]){other}, 1);
	g_autofree char *before = state_of(f.db, row);
	save_new(f.db, "3@x", 2, 1, (PatchMail *[]){again}, 1);
	g_autofree char *after = state_of(f.db, row);
	ck_assert_str_eq(before, "complete");
	ck_assert_str_eq(after, "superseded");
}
END_TEST

START_TEST(a_planned_series_is_not_superseded_any_more)
{
	FIXTURE(f);
	g_autoptr(PatchMail) v1 = patch(f.db, "1@x", "[PATCH] a");
	g_autoptr(PatchMail) v2 = patch(f.db, "2@x", "[PATCH v2] a");
	int64_t old = save_new(f.db, "1@x", 1, 1, (PatchMail *[]){v1}, 1);
	OK(db_begin(f.db, error));
	OK(series_decide(f.db, old, "planned", NULL, error));
	OK(db_commit(f.db, error));

	save_new(f.db, "2@x", 2, 1, (PatchMail *[]){v2}, 1);

	g_autofree char *state = state_of(f.db, old);
	ck_assert_str_eq(state, "planned");
	ck_assert(series_has_newer(f.db, old));
}
END_TEST

START_TEST(a_partial_reroll_leaves_the_older_series_its_mails)
{
	FIXTURE(f);
	g_autoptr(PatchMail) one = patch(f.db, "1@x", "[PATCH v2 1/2] a");
	g_autoptr(PatchMail) two = patch(f.db, "2@x", "[PATCH v2 2/2] b");
	g_autoptr(PatchMail) redone = patch(f.db, "3@x", "[PATCH v3 2/2] b");

	int64_t old = save_new(f.db, "1@x", 2, 2, (PatchMail *[]){one, two}, 2);
	int64_t new = save_new(f.db, "3@x", 3, 2, (PatchMail *[]){one, redone}, 2);

	g_autoptr(StoredSeries) of_one = series_find_by_message(f.db, one->message_row, NULL);
	g_autoptr(StoredSeries) of_redone = series_find_by_message(f.db, redone->message_row, NULL);
	ck_assert_int_ne(old, new);
	ck_assert_int_eq(of_one->row, old);
	ck_assert_int_eq(of_redone->row, new);
}
END_TEST

START_TEST(a_request_is_saved_once_a_message)
{
	FIXTURE(f);
	char kind[] = "test", facts[] = "{}";
	StoredRequest request = {
		.message_row = add_list_mail(f.db, "r@x"), .kind = kind, .facts = facts};

	OK(db_begin(f.db, error));
	OK(request_save(f.db, &request, error));
	OK(request_save(f.db, &request, error));
	OK(db_commit(f.db, error));
	g_autoptr(GPtrArray) claimed = request_claim(f.db, 9, NULL);
	ck_assert_uint_eq(claimed->len, 1);
	int64_t row = ((StoredRequest *)claimed->pdata[0])->row;
	OK(db_begin(f.db, error));
	OK(request_decide(f.db, row, "declined", "too old", error));
	OK(db_commit(f.db, error));

	g_autoptr(StoredRequest) after = request_get(f.db, row, NULL);
	g_autofree char *events = event_names(f.db, "request", row);
	ck_assert_str_eq(after->state, "declined");
	ck_assert_str_eq(after->reason, "too old");
	ck_assert_str_eq(events, "request.new request.declined");
}
END_TEST

START_TEST(a_series_with_patches_of_an_older_version_waits_for_its_own)
{
	FIXTURE(f);
	g_autoptr(PatchMail) first = patch(f.db, "1@x", "[PATCH 1/2] lib: foo");
	g_autoptr(PatchMail) anew = patch(f.db, "n2@x", "[PATCH v2 2/2] lib: bar");
	PatchMail *mails[] = {first, anew};
	save_new(f.db, "n2@x", 2, 2, mails, 2);

	g_autoptr(GPtrArray) early = series_claim(f.db, 9, NULL);
	clock_set(f.clock, NOW_US + HOUR_US + 1);
	g_autoptr(GPtrArray) late = series_claim(f.db, 9, NULL);

	ck_assert_uint_eq(early->len, 0);
	ck_assert_uint_eq(late->len, 1);
}
END_TEST

CHECK_MAIN("series", a_series_is_claimed_when_it_is_complete,
	   a_series_with_patches_of_an_older_version_waits_for_its_own,
	   a_cover_that_comes_last_renames_the_series_and_makes_no_second,
	   fragments_become_one_series_when_the_missing_link_comes,
	   a_planned_series_stays_planned_when_mail_trickles_in,
	   what_was_declined_waits_again_and_nothing_else_does,
	   a_series_follows_its_mail_to_another_list,
	   a_later_revision_in_another_thread_supersedes_the_unplanned_one,
	   an_old_revision_that_comes_late_is_superseded_at_once,
	   the_named_previous_posting_is_superseded_without_a_revision,
	   a_posting_that_is_named_as_the_one_before_is_superseded,
	   an_rfc_does_not_supersede_the_posting_after_it,
	   a_backport_for_another_kernel_supersedes_nothing,
	   a_planned_series_is_not_superseded_any_more,
	   a_partial_reroll_leaves_the_older_series_its_mails, a_request_is_saved_once_a_message)
