/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/series/fixture.h"

/* Each table is assembled in file order, backwards, and in many shuffled orders: all must agree. */
static void expect_of(const Row *rows, guint n, const char *expected)
{
	g_autoptr(GPtrArray) mails = mails_of(rows, n);
	g_autoptr(GRand) random = g_rand_new_with_seed(n);

	for (int round = 0; round < 40; round++) {
		g_autofree char *text = assembled(mails);
		ck_assert_str_eq(text, expected);
		for (guint i = n; i > 1; i--) {
			guint k = (guint)g_rand_int_range(random, 0, (gint32)i);
			gpointer swap = mails->pdata[i - 1];
			mails->pdata[i - 1] = mails->pdata[k];
			mails->pdata[k] = swap;
		}
	}
}

#define EXPECT(rows, expected) expect_of(rows, G_N_ELEMENTS(rows), expected)

START_TEST(a_threaded_series_with_cover)
{
	static const Row rows[] = {
		{"c", "[PATCH 0/2] a", NULL, 0, NULL, NULL, NULL},
		{"1", "[PATCH 1/2] b", "c", 1, NULL, NULL, NULL},
		{"2", "[PATCH 2/2] c", "c", 2, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 c+1/2 complete");
}
END_TEST

START_TEST(a_second_series_in_reply_to_the_first_stays_apart)
{
	static const Row rows[] = {
		{"a", "[PATCH 0/3] a", NULL, 0, NULL, NULL, NULL},
		{"a1", "[PATCH 1/3] b", "a", 1, NULL, NULL, NULL},
		{"a2", "[PATCH 2/3] c", "a", 2, NULL, NULL, NULL},
		{"a3", "[PATCH 3/3] d", "a", 3, NULL, NULL, NULL},
		{"b", "[PATCH 0/4] e", "a3 a", 60, NULL, NULL, NULL},
		{"b1", "[PATCH 1/4] f", "b a3 a", 61, NULL, NULL, NULL},
		{"b2", "[PATCH 2/4] g", "b a3 a", 62, NULL, NULL, NULL},
		{"b3", "[PATCH 3/4] h", "b a3 a", 63, NULL, NULL, NULL},
		{"b4", "[PATCH 4/4] i", "b a3 a", 64, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 a+a1/a2/a3 complete; v1 b+b1/b2/b3/b4 complete");
}
END_TEST

START_TEST(two_series_of_one_size_in_one_thread_stay_apart)
{
	static const Row rows[] = {
		{"a", "[PATCH 0/2] a", NULL, 0, NULL, NULL, NULL},
		{"a1", "[PATCH 1/2] b", "a", 1, NULL, NULL, NULL},
		{"b", "[PATCH 0/2] e", "a", 2, NULL, NULL, NULL},
		{"b1", "[PATCH 1/2] f", "b a", 3, NULL, NULL, NULL},
		{"b2", "[PATCH 2/2] g", "b a", 4, NULL, NULL, NULL},
		{"a2", "[PATCH 2/2] c", "a", 5, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 a+a1/a2 complete; v1 b+b1/b2 complete");
}
END_TEST

START_TEST(counters_without_a_blank_are_counters)
{
	static const Row rows[] = {
		{"1", "[PATCH1/2] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH2/2] b", "1", 1, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1/2 complete");
}
END_TEST

START_TEST(a_version_in_reply_to_the_last_one_is_another_series)
{
	static const Row rows[] = {
		{"1", "[PATCH 1/2] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/2] b", "1", 1, NULL, NULL, NULL},
		{"v1", "[PATCH v2 1/2] a", "1", 60, NULL, NULL, NULL},
		{"v2", "[PATCH v2 2/2] b", "1", 61, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1/2 superseded; v2 v1/v2 complete <1");
}
END_TEST

START_TEST(a_posting_cut_in_two_by_a_slow_host_is_one)
{
	static const Row rows[] = {
		{"1", "[PATCH 1/6] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/6] b", NULL, 1, NULL, NULL, NULL},
		{"3", "[PATCH 3/6] c", NULL, 2, NULL, NULL, NULL},
		{"4", "[PATCH 4/6] d", NULL, 57, NULL, NULL, NULL},
		{"5", "[PATCH 5/6] e", NULL, 57, NULL, NULL, NULL},
		{"6", "[PATCH 6/6] f", NULL, 58, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1/2/3/4/5/6 complete");
}
END_TEST

START_TEST(the_rest_sent_as_a_new_thread_completes_the_series)
{
	static const Row rows[] = {
		{"1", "[PATCH 1/4] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/4] b", "1", 1, NULL, NULL, NULL},
		{"3", "[PATCH 3/4] c", NULL, 300, NULL, NULL, NULL},
		{"4", "[PATCH 4/4] d", "3", 301, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1/2/3/4 complete");
}
END_TEST

START_TEST(a_part_whose_cover_is_on_its_way_is_not_given_to_another_series)
{
	static const Row rows[] = {
		{"a", "[PATCH 0/2] a", NULL, 0, NULL, NULL, NULL},
		{"a1", "[PATCH 1/2] b", "a", 1, NULL, NULL, NULL},
		{"b2", "[PATCH 2/2] g", "b", 4, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 a+a1/- incomplete; v1 -/b2 incomplete");
}
END_TEST

START_TEST(references_that_a_gateway_put_there_keep_no_series_apart)
{
	static const Row rows[] = {
		{"c", "[PATCH 0/2] a", "~gw0", 0, NULL, NULL, NULL},
		{"1", "[PATCH 1/2] b", "~gw1", 1, NULL, NULL, NULL},
		{"2", "[PATCH 2/2] c", "~gw2", 1, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 c+1/2 complete");
}
END_TEST

START_TEST(a_cover_titled_like_the_answer_it_is_keeps_its_patch)
{
	static const Row rows[] = {
		{"r", "[PATCH 1/1] a", NULL, 0, NULL, NULL, NULL},
		{"c", "[PATCH v2 0/1] Re: [PATCH 1/1] a", "r", 9, NULL, NULL, NULL},
		{"1", "[PATCH v2] a", "c", 9, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 r superseded; v2 c+1 complete <r");
}
END_TEST

START_TEST(a_third_posting_of_one_version_takes_nothing_of_the_others)
{
	static const Row rows[] = {
		{"a", "[PATCH 0/1] a", NULL, 0, NULL, NULL, NULL},
		{"a1", "[PATCH 1/1] x", "a", 0, NULL, NULL, NULL},
		{"b", "[PATCH 0/1] a", "a", 80, NULL, NULL, NULL},
		{"b1", "[PATCH 1/1] a", "b a", 80, NULL, NULL, NULL},
		{"c1", "[PATCH 1/1] a", "b1 b a", 200, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 a+a1 superseded; v1 b+b1 superseded <a?; v1 c1 complete <b?");
}
END_TEST

START_TEST(an_afterthought_makes_the_series_longer)
{
	static const Row rows[] = {
		{"1", "[PATCH 1/2] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/2] b", "1", 1, NULL, NULL, NULL},
		{"3", "[PATCH 3/2] c", "1", 2, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1/2/3 complete");
}
END_TEST

START_TEST(a_part_sent_anew_in_answer_to_the_old_one_takes_over_the_others)
{
	static const Row rows[] = {
		{"c", "[PATCH v2 0/3] z", NULL, 0, NULL, NULL, NULL},
		{"1", "[PATCH v2 1/3] a", "c", 1, NULL, NULL, NULL},
		{"2", "[PATCH v2 2/3] b", "c", 2, NULL, NULL, NULL},
		{"3", "[PATCH v2 3/3] c", "c", 3, NULL, NULL, NULL},
		{"n2", "[PATCH v3 2/3] b", "2 c", 60, NULL, NULL, NULL},
	};
	EXPECT(rows, "v2 c+1/2/3 superseded; v3 1/n2/3 complete <c");
}
END_TEST

START_TEST(a_new_version_still_waits_for_its_own_parts)
{
	static const Row rows[] = {
		{"c", "[PATCH v2 0/2] z", NULL, 0, NULL, NULL, NULL},
		{"1", "[PATCH v2 1/2] a", "c", 1, NULL, NULL, NULL},
		{"2", "[PATCH v2 2/2] b", "c", 2, NULL, NULL, NULL},
		{"n1", "[PATCH v3 1/2] a", "nc c", 60, NULL, NULL, NULL},
	};
	EXPECT(rows, "v2 c+1/2 superseded; v3 n1/- incomplete <c");
}
END_TEST

START_TEST(a_second_posting_without_a_version_follows_the_first)
{
	static const Row rows[] = {
		{"1", "[PATCH] foo: x", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH] foo: x", NULL, 2880, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1 superseded; v1 2 complete <1?");
}
END_TEST

START_TEST(a_version_may_have_another_number_of_patches)
{
	static const Row rows[] = {
		{"1", "[PATCH 1/3] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/3] b", "1", 1, NULL, NULL, NULL},
		{"3", "[PATCH 3/3] c", "1", 2, NULL, NULL, NULL},
		{"s", "[PATCH v3] all in one", "1", 60, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1/2/3 superseded; v3 s complete <1");
}
END_TEST

START_TEST(a_new_thread_with_the_same_change_id_follows_too)
{
	static const Row rows[] = {
		{"1", "[PATCH] old title", NULL, 0, NULL, NULL, "20260101-foo-abc"},
		{"2", "[PATCH v2] new title", NULL, 60, NULL, NULL, "20260101-foo-abc"},
	};
	EXPECT(rows, "v1 1 superseded; v2 2 complete <1");
}
END_TEST

START_TEST(a_new_thread_that_names_the_posting_before_follows_it)
{
	static const Row versions[] = {
		{"1", "[PATCH 0/2] old title", NULL, 0, NULL, "-", NULL},
		{"2", "[PATCH 1/2] a", "1", 1, NULL, NULL, NULL},
		{"3", "[PATCH 2/2] b", "1", 2, NULL, NULL, NULL},
		{"4", "[PATCH v2] all in one", NULL, 9000, NULL, NULL, "<1"},
	};
	/* By a patch of it, and without a version of its own. */
	static const Row unnumbered[] = {
		{"1", "[RFC PATCH] old title", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH] new title", NULL, 9000, NULL, NULL, "<1 0"},
	};
	static const Row of_another[] = {
		{"1", "[PATCH] old title", NULL, 0, "Bo <bo@example.org>", NULL, NULL},
		{"2", "[PATCH v2] new title", NULL, 9000, NULL, NULL, "<1"},
	};
	static const Row of_a_newer[] = {
		{"1", "[PATCH v3] title", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH] another", NULL, 9000, NULL, NULL, "<1"},
	};
	EXPECT(versions, "v1 1+2/3 superseded; v2 4 complete <1");
	EXPECT(unnumbered, "v1 1 superseded; v1 2 complete <1");
	EXPECT(of_another, "v1 1 complete; v2 2 complete");
	EXPECT(of_a_newer, "v3 1 complete; v1 2 complete");
}
END_TEST

START_TEST(a_posting_takes_the_place_of_the_rfc_before_it)
{
	static const Row rows[] = {
		{"1", "[RFC PATCH v2] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH] a", NULL, 3000, NULL, NULL, NULL},
		{"3", "[PATCH v2] a", NULL, 6000, NULL, NULL, NULL},
	};
	static const Row rfc_again[] = {
		{"1", "[PATCH] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[RFC PATCH v2] a", NULL, 3000, NULL, NULL, NULL},
	};
	EXPECT(rows, "v2 1 superseded; v1 2 superseded <1; v2 3 complete <2");
	EXPECT(rfc_again, "v1 1 superseded; v2 2 complete <1");
}
END_TEST

START_TEST(of_single_patches_in_one_thread_only_the_answered_one_is_replaced)
{
	static const Row rows[] = {
		{"1", "[PATCH] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH] b", "1", 1, NULL, NULL, NULL},
		{"3", "[PATCH] c", "1", 2, NULL, NULL, NULL},
		{"4", "[PATCH v2] b", "2 1", 30, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1 complete; v1 2 superseded; v1 3 complete; v2 4 complete <2");
}
END_TEST

START_TEST(both_older_versions_make_way_for_the_newest)
{
	static const Row rows[] = {
		{"1", "[PATCH] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH v2] a", NULL, 60, NULL, NULL, NULL},
		{"3", "[PATCH v3] a", NULL, 120, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1 superseded; v2 2 superseded <1; v3 3 complete <2");
}
END_TEST

START_TEST(answers_do_not_join)
{
	static const Row rows[] = {
		{"1", "[PATCH 1/2] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/2] b", "1", 1, NULL, NULL, NULL},
		{"r1", "Re: [PATCH 1/2] a", "1", 2, "Bo Reviewer <bo@example.org>", "-", NULL},
		{"r2", "Re: [PATCH v2 1/2] a", "r1 1", 3, NULL, "x", NULL},
		{"f", "Fwd: [PATCH 1/2] a", NULL, 4, NULL, "y", NULL},
		{"p", "[GIT PULL] a", NULL, 5, NULL, "-", NULL},
	};
	EXPECT(rows, "v1 1/2 complete");
}
END_TEST

START_TEST(a_cover_may_come_last_and_more_than_once)
{
	static const Row rows[] = {
		{"1", "[PATCH 1/2] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/2] b", NULL, 1, NULL, NULL, NULL},
		{"c1", "[PATCH 0/2] z", NULL, 10, NULL, NULL, NULL},
		{"c2", "[PATCH 0/2] z", NULL, 11, NULL, NULL, NULL},
		{"c3", "[PATCH 0/2] z", NULL, 12, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 c1+1/2 complete");
}
END_TEST

START_TEST(the_cover_that_the_patches_name_is_theirs)
{
	static const Row rows[] = {
		{"c1", "[PATCH 0/2] z", NULL, 0, NULL, NULL, NULL},
		{"c2", "[PATCH 0/2] z", NULL, 5, NULL, NULL, NULL},
		{"1", "[PATCH 1/2] a", "c2", 6, NULL, NULL, NULL},
		{"2", "[PATCH 2/2] b", "c2", 7, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 c2+1/2 complete");
}
END_TEST

START_TEST(a_cover_for_one_patch_is_one_series)
{
	static const Row rows[] = {
		{"c", "[PATCH 0/1] a", NULL, 0, NULL, NULL, NULL},
		{"1", "[PATCH 1/1] a", "c", 1, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 c+1 complete");
}
END_TEST

START_TEST(a_cover_that_holds_a_diff_is_still_a_cover)
{
	static const Row rows[] = {
		{"c", "[PATCH 0/1] a", NULL, 0, NULL, "d", NULL},
		{"1", "[PATCH 1/1] a", "c", 1, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 c+1 complete");
}
END_TEST

START_TEST(no_threading_and_no_cover_is_joined_by_numbers)
{
	static const Row rows[] = {
		{"1", "[PATCH 1/3] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/3] b", NULL, 0, NULL, NULL, NULL},
		{"3", "[PATCH 3/3] c", NULL, 0, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1/2/3 complete");
}
END_TEST

START_TEST(numbers_that_fit_are_not_joined_after_days)
{
	static const Row rows[] = {
		{"1", "[PATCH 1/2] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/2] b", NULL, 2880, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1/- incomplete; v1 -/2 incomplete");
}
END_TEST

START_TEST(a_chain_of_replies_is_one_series)
{
	static const Row rows[] = {
		{"1", "[PATCH 1/4] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/4] b", "1", 1, NULL, NULL, NULL},
		{"3", "[PATCH 3/4] c", "2 1", 2, NULL, NULL, NULL},
		{"4", "[PATCH 4/4] d", "3 2 1", 3, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1/2/3/4 complete");
}
END_TEST

START_TEST(other_tags_in_another_thread_are_another_series)
{
	static const Row rows[] = {
		{"1", "[PATCH net-next 1/2] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/2] b", NULL, 1, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1/- incomplete; v1 -/2 incomplete");
}
END_TEST

START_TEST(mercurial_counters_are_read)
{
	static const Row rows[] = {
		{"1", "[PATCH 1 of 2] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2 of 2] b", "1", 1, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1/2 complete");
}
END_TEST

START_TEST(a_resend_gives_only_what_was_missing)
{
	static const Row rows[] = {
		{"1", "[PATCH 1/2] a", NULL, 0, NULL, "d", NULL},
		{"r1", "[PATCH RESEND 1/2] a", NULL, 5000, NULL, "d", NULL},
		{"r2", "[PATCH 2/2 RESEND] b", "r1", 5001, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1/r2 complete");
}
END_TEST

START_TEST(a_resend_of_what_is_whole_makes_no_series)
{
	static const Row rows[] = {
		{"1", "[PATCH] a", NULL, 0, NULL, "d", NULL},
		{"r", "[RESEND PATCH] a", NULL, 5000, NULL, "d", NULL},
	};
	EXPECT(rows, "v1 1 complete");
}
END_TEST

START_TEST(a_resend_of_another_change_is_another_posting)
{
	static const Row rows[] = {
		{"1", "[PATCH] a", NULL, 0, NULL, "d", NULL},
		{"r", "[RESEND PATCH] a", NULL, 5000, NULL, "e", NULL},
	};
	EXPECT(rows, "v1 1 superseded; v1 r complete <1?");
}
END_TEST

START_TEST(what_git_sent_at_once_is_joined_before_what_is_near_in_time)
{
	static const Row rows[] = {
		{"5.11-2-a@x", "[PATCH 1/2] net: a", NULL, 0, NULL, NULL, NULL},
		{"5.22-2-a@x", "[PATCH 1/2] mm: c", NULL, 1, NULL, NULL, NULL},
		{"5.22-3-a@x", "[PATCH 2/2] mm: d", NULL, 2, NULL, NULL, NULL},
		{"5.11-3-a@x", "[PATCH 2/2] net: b", NULL, 3, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 5.11-2-a@x/5.11-3-a@x complete; v1 5.22-2-a@x/5.22-3-a@x complete");
}
END_TEST

START_TEST(of_two_copies_of_a_mail_the_one_without_a_lists_tag_counts)
{
	static const Row rows[] = {
		{"1", "[lab] [PATCH 1/2] a", NULL, 0, NULL, NULL, NULL},
		{"1", "[PATCH 1/2] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/2] b", NULL, 1, NULL, NULL, NULL},
	};
	static const Row other[] = {
		{"2", "[PATCH 2/2] b", NULL, 1, NULL, NULL, NULL},
		{"1", "[PATCH 1/2] a", NULL, 0, NULL, NULL, NULL},
		{"1", "[lab] [PATCH 1/2] a", NULL, 0, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1/2 complete");
	EXPECT(other, "v1 1/2 complete");
}
END_TEST

START_TEST(a_backport_for_another_kernel_is_no_other_version)
{
	static const Row rows[] = {
		{"1", "[PATCH 6.1.y] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 5.15.y] a", NULL, 10, NULL, NULL, NULL},
		{"3", "[PATCH v5.10 v2] a", NULL, 20, NULL, NULL, NULL},
		{"4", "[PATCH 6.1.y v2] a", NULL, 30, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1 superseded; v1 2 complete; v2 3 complete; v2 4 complete <1");
}
END_TEST

START_TEST(a_resend_of_what_was_never_seen_is_a_series)
{
	static const Row rows[] = {
		{"r", "[PATCH RESEND] a", NULL, 0, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 r complete");
}
END_TEST

START_TEST(the_same_change_mailed_twice_makes_no_second_series)
{
	static const Row rows[] = {
		{"1", "[PATCH] a", NULL, 0, NULL, "d", NULL},
		{"2", "[PATCH] a", NULL, 3, NULL, "d", NULL},
	};
	EXPECT(rows, "v1 1 complete");
}
END_TEST

START_TEST(a_missing_part_of_a_stable_review_stays_missing)
{
	static const Row rows[] = {
		{"c", "[PATCH 6.18 00/03] 6.18.25-rc1 review", NULL, 0, NULL, NULL, NULL},
		{"1", "[PATCH 6.18 01/03] a", "c", 1, NULL, NULL, NULL},
		{"3", "[PATCH 6.18 03/03] b", "c", 2, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 c+1/-/3 incomplete");
}
END_TEST

START_TEST(mails_that_name_each_other_come_to_an_end)
{
	static const Row rows[] = {
		{"1", "[PATCH 1/2] a", "2 1", 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/2] b", "1", 1, NULL, NULL, NULL},
		{"s", "[PATCH] own parent", "s", 2, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1/2 complete; v1 s complete");
}
END_TEST

START_TEST(other_posters_are_other_series)
{
	static const Row rows[] = {
		{"1", "[PATCH 1/2] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/2] b", "1", 1, "Bo Reviewer <bo@example.org>", NULL, NULL},
		{"v", "[PATCH 1/2] c", NULL, 2, "Cy via lab <lab@lists.example.org>", NULL, NULL},
		{"w", "[PATCH 2/2] d", NULL, 3, "Di via lab <lab@lists.example.org>", NULL, NULL},
	};
	EXPECT(rows, "v1 1/- incomplete; v1 -/2 incomplete; v1 v/- incomplete; v1 -/w incomplete");
}
END_TEST

START_TEST(one_address_in_two_spellings_is_one_poster)
{
	static const Row rows[] = {
		{"1", "[PATCH 1/2] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/2] b", "1", 1, "A. Author <Ann@Example.org>", NULL, NULL},
	};
	EXPECT(rows, "v1 1/2 complete");
}
END_TEST

START_TEST(a_copy_of_a_mail_counts_once)
{
	static const Row rows[] = {
		{"1", "[PATCH 1/2] a", NULL, 0, NULL, NULL, NULL},
		{"1", "[PATCH 1/2] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/2] b", "1", 1, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1/2 complete");
}
END_TEST

START_TEST(a_patch_prefix_without_a_patch_is_no_part)
{
	static const Row rows[] = {
		{"1", "[PATCH] where is it?", NULL, 0, NULL, "-", NULL},
	};
	EXPECT(rows, "");
}
END_TEST

/* ---- the same kinds as they are met on lists ---- */

START_TEST(a_part_sent_anew_from_another_address_of_its_poster_takes_over_the_others)
{
	static const Row rows[] = {
		{"c", "[PATCH v4 0/3] z", NULL, 0, NULL, NULL, NULL},
		{"1", "[PATCH v4 1/3] a", "c", 1, NULL, NULL, NULL},
		{"2", "[PATCH v4 2/3] b", "c", 2, NULL, NULL, NULL},
		{"3", "[PATCH v4 3/3] c", "c", 3, NULL, NULL, NULL},
		{"n2", "[PATCH v5 2/3] b", "2 c", 60, "Ann Author <ann@home.example.org>", NULL,
		 NULL},
	};
	EXPECT(rows, "v4 c+1/2/3 superseded; v5 1/n2/3 complete <c");
}
END_TEST

START_TEST(a_name_that_two_people_share_joins_nothing_in_other_threads)
{
	static const Row rows[] = {
		{"1", "[PATCH] lib: fix it", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH v2] lib: fix it", NULL, 60, "Ann Author <ann@home.example.org>", NULL,
		 NULL},
	};
	EXPECT(rows, "v1 1 complete; v2 2 complete");
}
END_TEST

START_TEST(a_part_sent_anew_below_the_talk_about_it_takes_over_the_others)
{
	static const Row rows[] = {
		{"1", "[PATCH 1/2] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/2] b", NULL, 1, NULL, NULL, NULL},
		{"n2", "[PATCH v2 2/2] b", "2", 60, NULL, NULL, NULL},
		{"r", "Re: [PATCH v2 2/2] b", "n2", 70, "Bo Reviewer <bo@example.org>", "-", NULL},
		{"m2", "[PATCH v3 2/2] b", "r", 80, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1/2 superseded; v2 1/n2 superseded <1; v3 1/m2 complete <n2");
}
END_TEST

START_TEST(two_parts_sent_anew_one_version_each_add_up)
{
	static const Row rows[] = {
		{"1", "[PATCH 1/3] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/3] b", "1", 1, NULL, NULL, NULL},
		{"3", "[PATCH 3/3] c", "1", 2, NULL, NULL, NULL},
		{"n2", "[PATCH v2 2/3] b", "2 1", 60, NULL, NULL, NULL},
		{"m3", "[PATCH v3 3/3] c", "3 1", 90, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1/2/3 superseded; v2 1/n2/3 superseded <1; v3 1/n2/m3 complete <n2");
}
END_TEST

START_TEST(a_part_sent_anew_under_another_number_waits_for_the_rest)
{
	static const Row rows[] = {
		{"1", "[PATCH 1/2] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/2] b", "1", 1, NULL, NULL, NULL},
		{"n2", "[PATCH v2 2/2] a", "1", 60, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1/2 superseded; v2 -/n2 incomplete <1");
}
END_TEST

START_TEST(a_version_below_the_talk_about_the_last_one_follows_it)
{
	static const Row rows[] = {
		{"1", "[PATCH v2] lib: add a knob", NULL, 0, NULL, NULL, NULL},
		{"r", "Re: [PATCH v2] lib: add a knob", "1", 9, "Bo <bo@example.org>", "-", NULL},
		{"s", "Re: [PATCH v2] lib: add a knob", "r", 10, NULL, "-", NULL},
		{"2", "[PATCH v3] lib: add two knobs", "s", 60, NULL, NULL, NULL},
	};
	EXPECT(rows, "v2 1 superseded; v3 2 complete <1");
}
END_TEST

START_TEST(a_cover_that_counts_otherwise_is_that_of_the_patches_that_answer_it)
{
	static const Row rows[] = {
		{"c", "[PATCH v2 0/4] z", NULL, 0, NULL, NULL, NULL},
		{"1", "[PATCH v2 1/3] a", "c", 1, NULL, NULL, NULL},
		{"2", "[PATCH v2 2/3] b", "c", 2, NULL, NULL, NULL},
		{"3", "[PATCH v2 3/3] c", "c", 3, NULL, NULL, NULL},
	};
	EXPECT(rows, "v2 c+1/2/3 complete");
}
END_TEST

START_TEST(a_lone_cover_with_two_series_below_it_is_of_neither)
{
	static const Row rows[] = {
		{"c", "[PATCH 0/4] z", NULL, 0, NULL, NULL, NULL},
		{"1", "[PATCH 1/2] a", "c", 1, NULL, NULL, NULL},
		{"2", "[PATCH 2/2] b", "c", 2, NULL, NULL, NULL},
		{"x", "[PATCH 1/3] d", "c", 3, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 c+-/-/-/- incomplete; v1 1/2 complete; v1 x/-/- incomplete");
}
END_TEST

START_TEST(a_first_patch_that_lost_its_number_is_the_first)
{
	static const Row rows[] = {
		{"1", "[PATCH v2] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH v2 2/2] b", "1", 0, NULL, NULL, NULL},
	};
	EXPECT(rows, "v2 1/2 complete");
}
END_TEST

START_TEST(a_later_series_below_a_single_patch_leaves_it_alone)
{
	static const Row rows[] = {
		{"s", "[PATCH] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/2] b", "s", 3000, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 s complete; v1 -/2 incomplete");
}
END_TEST

START_TEST(a_new_thread_with_new_titles_and_the_same_patches_follows)
{
	static const Row rows[] = {
		{"c", "[PATCH 0/2] old", NULL, 0, NULL, NULL, NULL},
		{"1", "[PATCH 1/2] a", "c", 1, NULL, "d1", NULL},
		{"2", "[PATCH 2/2] b", "c", 2, NULL, "d2", NULL},
		{"nc", "[PATCH v2 0/3] new", NULL, 3000, NULL, NULL, NULL},
		{"n1", "[PATCH v2 1/3] a", "nc", 3001, NULL, "d1", NULL},
		{"n2", "[PATCH v2 2/3] b", "nc", 3002, NULL, "x2", NULL},
		{"n3", "[PATCH v2 3/3] c", "nc", 3003, NULL, "x3", NULL},
	};
	EXPECT(rows, "v1 c+1/2 superseded; v2 nc+n1/n2/n3 complete <c");
}
END_TEST

START_TEST(one_patch_of_many_that_is_borrowed_makes_no_revision)
{
	static const Row rows[] = {
		{"1", "[PATCH 1/3] a", NULL, 0, NULL, "d1", NULL},
		{"2", "[PATCH 2/3] b", "1", 1, NULL, "d2", NULL},
		{"3", "[PATCH 3/3] c", "1", 2, NULL, "d3", NULL},
		{"o", "[PATCH v4] a", NULL, 60, NULL, "d1", NULL},
	};
	EXPECT(rows, "v1 1/2/3 superseded; v4 o complete <1");
}
END_TEST

START_TEST(a_counter_patch_of_somebody_else_replaces_nothing)
{
	static const Row rows[] = {
		{"1", "[PATCH 1/2] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/2] b", "1", 1, NULL, NULL, NULL},
		{"x", "[PATCH v2 2/2] b", "2 1", 60, "Bo Reviewer <bo@example.org>", NULL, NULL},
		{"y", "[PATCH] b, done otherwise", "2 1", 61, "Bo Reviewer <bo@example.org>", NULL,
		 NULL},
	};
	EXPECT(rows, "v1 1/2 complete; v2 -/x incomplete; v1 y complete");
}
END_TEST

START_TEST(a_version_at_the_end_of_the_title_counts)
{
	static const Row rows[] = {
		{"1", "[PATCH] foo: x", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH] foo: x (v2)", "1", 60, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 1 superseded; v2 2 complete <1");
}
END_TEST

START_TEST(the_nearest_of_several_parents_counts)
{
	static const Row rows[] = {
		{"a", "[PATCH 0/2] a", NULL, 0, NULL, NULL, NULL},
		{"b", "[PATCH 0/2] e", NULL, 1, NULL, NULL, NULL},
		{"b1", "[PATCH 1/2] f", "b a", 2, NULL, NULL, NULL},
		{"b2", "[PATCH 2/2] g", "b1 a b", 3, NULL, NULL, NULL},
	};
	EXPECT(rows, "v1 a+-/- incomplete; v1 b+b1/b2 complete");
}
END_TEST

START_TEST(a_thousand_patches_are_one_series)
{
	g_autoptr(GPtrArray) mails =
		g_ptr_array_new_with_free_func((GDestroyNotify)patch_mail_free);

	for (guint i = 1000; i > 0; i--) {
		g_autofree char *id = g_strdup_printf("m%04u", i);
		g_autofree char *subject = g_strdup_printf("[PATCH %04u/1000] a%u", i, i);
		Row row = {id, subject, NULL, i / 20, NULL, NULL, NULL};
		g_ptr_array_add(mails, mail_of(&row));
	}
	g_autoptr(GPtrArray) all = series_assemble(mails);

	ck_assert_uint_eq(all->len, 1);
	ck_assert(series_is_complete(all->pdata[0]));
}
END_TEST

/* What is said of the last series of @rows. */
static char *note_of(const Row *rows, guint n)
{
	g_autoptr(GPtrArray) mails = mails_of(rows, n);
	g_autoptr(GPtrArray) all = series_assemble(mails);

	return series_note(all->pdata[all->len - 1]);
}

#define EXPECT_NOTE(rows, expected)                                                                \
	do {                                                                                       \
		g_autofree char *note = note_of(rows, G_N_ELEMENTS(rows));                         \
		ck_assert_pstr_eq(note, expected);                                                 \
	} while (0)

START_TEST(what_another_version_lent_is_said)
{
	static const Row rows[] = {
		{"1", "[PATCH 1/3] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH 2/3] b", "1", 1, NULL, NULL, NULL},
		{"3", "[PATCH 3/3] c", "1", 2, NULL, NULL, NULL},
		{"n2", "[PATCH v2 2/3] b", "2 1", 60, NULL, NULL, NULL},
		{"m3", "[PATCH v3 3/3] c", "3 1", 90, NULL, NULL, NULL},
	};
	EXPECT_NOTE(rows, "v3 has no patch 1 of its own: it is that of v1."
			  " v3 has no patch 2 of its own: it is that of v2.");
}
END_TEST

START_TEST(a_guess_and_odd_numbers_are_said)
{
	static const Row again[] = {
		{"1", "[PATCH] foo: x", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH] foo: x", NULL, 2880, NULL, NULL, NULL},
	};
	static const Row odd[] = {
		{"c", "[PATCH 0/4] z", NULL, 0, NULL, NULL, NULL},
		{"1", "[PATCH 1/2] a", "c", 1, NULL, NULL, NULL},
		{"2", "[PATCH 2/2] b", "c", 2, NULL, NULL, NULL},
		{"3", "[PATCH 3/2] c", "c", 3, NULL, NULL, NULL},
	};
	static const Row usual[] = {
		{"1", "[PATCH] a", NULL, 0, NULL, NULL, NULL},
		{"2", "[PATCH v2] a", NULL, 60, NULL, NULL, NULL},
	};
	EXPECT_NOTE(again, "It names no version; the earlier posting has the same title.");
	EXPECT_NOTE(odd, "Its cover letter counts 4 patches. Patch 3 was added behind the last.");
	EXPECT_NOTE(usual, NULL);
}
END_TEST

START_TEST(thousands_of_mails_take_no_time_worth_speaking_of)
{
	g_autoptr(GPtrArray) mails =
		g_ptr_array_new_with_free_func((GDestroyNotify)patch_mail_free);
	gint64 begin = g_get_monotonic_time();

	for (guint i = 1; i <= 2000; i++) {
		g_autofree char *id = g_strdup_printf("m%04u", i);
		g_autofree char *subject = g_strdup_printf("[PATCH %u/2000] a", 1 + i % 7);
		Row row = {id, subject, NULL, i, NULL, NULL, NULL};
		g_ptr_array_add(mails, mail_of(&row));
	}
	g_autoptr(GPtrArray) all = series_assemble(mails);

	ck_assert_uint_gt(all->len, 0);
	ck_assert_int_lt(g_get_monotonic_time() - begin, INT64_C(10000000));
}
END_TEST

CHECK_MAIN("assemble", a_threaded_series_with_cover,
	   a_second_series_in_reply_to_the_first_stays_apart,
	   two_series_of_one_size_in_one_thread_stay_apart, counters_without_a_blank_are_counters,
	   a_version_in_reply_to_the_last_one_is_another_series,
	   a_posting_cut_in_two_by_a_slow_host_is_one,
	   the_rest_sent_as_a_new_thread_completes_the_series,
	   a_part_whose_cover_is_on_its_way_is_not_given_to_another_series,
	   references_that_a_gateway_put_there_keep_no_series_apart,
	   a_cover_titled_like_the_answer_it_is_keeps_its_patch,
	   a_third_posting_of_one_version_takes_nothing_of_the_others,
	   an_afterthought_makes_the_series_longer,
	   a_part_sent_anew_in_answer_to_the_old_one_takes_over_the_others,
	   a_new_version_still_waits_for_its_own_parts,
	   a_second_posting_without_a_version_follows_the_first,
	   a_version_may_have_another_number_of_patches,
	   a_new_thread_with_the_same_change_id_follows_too,
	   a_new_thread_that_names_the_posting_before_follows_it,
	   a_posting_takes_the_place_of_the_rfc_before_it,
	   of_single_patches_in_one_thread_only_the_answered_one_is_replaced,
	   both_older_versions_make_way_for_the_newest, answers_do_not_join,
	   a_cover_may_come_last_and_more_than_once, the_cover_that_the_patches_name_is_theirs,
	   a_cover_for_one_patch_is_one_series, a_cover_that_holds_a_diff_is_still_a_cover,
	   no_threading_and_no_cover_is_joined_by_numbers,
	   numbers_that_fit_are_not_joined_after_days, a_chain_of_replies_is_one_series,
	   other_tags_in_another_thread_are_another_series, mercurial_counters_are_read,
	   a_resend_gives_only_what_was_missing, a_resend_of_what_is_whole_makes_no_series,
	   a_resend_of_what_was_never_seen_is_a_series,
	   a_backport_for_another_kernel_is_no_other_version,
	   a_resend_of_another_change_is_another_posting,
	   what_git_sent_at_once_is_joined_before_what_is_near_in_time,
	   of_two_copies_of_a_mail_the_one_without_a_lists_tag_counts,
	   the_same_change_mailed_twice_makes_no_second_series,
	   a_missing_part_of_a_stable_review_stays_missing,
	   mails_that_name_each_other_come_to_an_end, other_posters_are_other_series,
	   one_address_in_two_spellings_is_one_poster, a_copy_of_a_mail_counts_once,
	   a_patch_prefix_without_a_patch_is_no_part,
	   a_part_sent_anew_from_another_address_of_its_poster_takes_over_the_others,
	   a_name_that_two_people_share_joins_nothing_in_other_threads,
	   a_part_sent_anew_below_the_talk_about_it_takes_over_the_others,
	   two_parts_sent_anew_one_version_each_add_up,
	   a_part_sent_anew_under_another_number_waits_for_the_rest,
	   a_version_below_the_talk_about_the_last_one_follows_it,
	   a_cover_that_counts_otherwise_is_that_of_the_patches_that_answer_it,
	   a_lone_cover_with_two_series_below_it_is_of_neither,
	   a_first_patch_that_lost_its_number_is_the_first,
	   a_later_series_below_a_single_patch_leaves_it_alone,
	   a_new_thread_with_new_titles_and_the_same_patches_follows,
	   one_patch_of_many_that_is_borrowed_makes_no_revision,
	   a_counter_patch_of_somebody_else_replaces_nothing,
	   a_version_at_the_end_of_the_title_counts, the_nearest_of_several_parents_counts,
	   a_thousand_patches_are_one_series, what_another_version_lent_is_said,
	   a_guess_and_odd_numbers_are_said, thousands_of_mails_take_no_time_worth_speaking_of)
