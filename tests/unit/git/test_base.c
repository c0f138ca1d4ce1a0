/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/check_main.h"

#include "bot/base/error.h"
#include "bot/git/base.h"
#include "tests/unit/git/fixture.h"

static const FixtureFile files[] = {{"a", "1\n", 0}, {NULL, NULL, 0}};
static const RepoTree tree = {.name = "lab", .url = "https://git.example.org/lab"};

/* Commits 100 s apart as the tree "lab"; [0] is the root. */
static void make_history(Repo *repo, git_oid *out, size_t n)
{
	git_oid root = fixture_tree(repo, files);

	for (size_t i = 0; i < n; i++)
		out[i] = fixture_commit_tree(repo, &root, i > 0 ? &out[i - 1] : NULL,
					     FIXTURE_TIME + 100 * (git_time_t)i, "step\n");
	ck_assert(repo_set_ref(repo, "refs/trees/lab/HEAD", &out[n - 1], NULL));
	ck_assert(repo_set_ref(repo, "refs/trees/lab/heads/next", &out[1], NULL));
}

static int64_t at(int seconds)
{
	return (FIXTURE_TIME + seconds) * CLOCK_US_PER_S;
}

START_TEST(what_a_request_names_comes_first)
{
	g_auto(Fixture) fixture = fixture_new();
	git_oid commits[3];
	g_auto(BaseChoice) choice = {0};

	make_history(fixture.repo, commits, 3);
	BaseHints hints = {.requested = "next", .date_us = at(0), .tree = &tree};
	ck_assert(base_choose(fixture.repo, &hints, &choice, NULL));

	ck_assert_str_eq(choice.how, "requested");
	ck_assert(git_oid_equal(&choice.commit, &commits[1]));
	ck_assert_ptr_null(choice.refused);
}
END_TEST

START_TEST(a_base_commit_line_comes_before_the_tip)
{
	g_auto(Fixture) fixture = fixture_new();
	git_oid commits[3];
	char hex[GIT_OID_HEXSZ + 1];
	g_auto(BaseChoice) choice = {0};

	make_history(fixture.repo, commits, 3);
	git_oid_tostr(hex, sizeof(hex), &commits[0]);
	BaseHints hints = {.base_commit = hex, .date_us = at(1000), .tree = &tree};
	ck_assert(base_choose(fixture.repo, &hints, &choice, NULL));

	ck_assert_str_eq(choice.how, "base-commit");
	ck_assert_str_eq(choice.reason, "base-commit: names it");
	ck_assert(git_oid_equal(&choice.commit, &commits[0]));
}
END_TEST

START_TEST(refused_rungs_are_kept_with_their_reasons)
{
	g_auto(Fixture) fixture = fixture_new();
	git_oid commits[3];
	g_auto(BaseChoice) choice = {0};

	make_history(fixture.repo, commits, 3);
	BaseHints hints = {.requested = "v9",
			   .base_commit = "1234567890123456789012345678901234567890",
			   .date_us = at(150),
			   .tree = &tree};
	ck_assert(base_choose(fixture.repo, &hints, &choice, NULL));

	ck_assert_str_eq(choice.how, "tip-at-date");
	ck_assert(git_oid_equal(&choice.commit, &commits[1]));
	ck_assert_str_eq(choice.reason,
			 "tip-at-date: lab as it was at 2023-11-14T22:15:50Z, the mail's date");
	ck_assert_str_eq(
		choice.refused,
		"requested: no branch, tag or commit v9 is known below refs/trees/lab/; "
		"base-commit: no commit 1234567890123456789012345678901234567890 is known here");
}
END_TEST

START_TEST(the_tip_at_a_date_is_the_last_commit_not_after_it)
{
	static const struct {
		int seconds;
		size_t expected;
	} rows[] = {{0, 0}, {99, 0}, {100, 1}, {101, 1}, {5000, 3}};
	g_auto(Fixture) fixture = fixture_new();
	git_oid commits[4];

	make_history(fixture.repo, commits, 4);
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_auto(BaseChoice) choice = {0};
		BaseHints hints = {.date_us = at(rows[i].seconds), .tree = &tree};

		ck_assert(base_choose(fixture.repo, &hints, &choice, NULL));
		ck_assert_str_eq(choice.how, "tip-at-date");
		ck_assert(git_oid_equal(&choice.commit, &commits[rows[i].expected]));
	}
}
END_TEST

START_TEST(without_a_date_or_before_the_root_the_tip_is_taken)
{
	static const struct {
		int64_t date_us;
		const char *refused;
	} rows[] = {
		{0, "tip-at-date: the mail has no usable date"},
		{1000000, "tip-at-date: the mail is older than the first commit"},
	};
	g_auto(Fixture) fixture = fixture_new();
	git_oid commits[2];

	make_history(fixture.repo, commits, 2);
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_auto(BaseChoice) choice = {0};
		BaseHints hints = {.date_us = rows[i].date_us, .tree = &tree};

		ck_assert(base_choose(fixture.repo, &hints, &choice, NULL));
		ck_assert_str_eq(choice.how, "tip");
		ck_assert_str_eq(choice.reason, "tip: lab as it is now");
		ck_assert_str_eq(choice.refused, rows[i].refused);
		ck_assert(git_oid_equal(&choice.commit, &commits[1]));
	}
}
END_TEST

START_TEST(only_first_parents_are_a_trees_tips)
{
	g_auto(Fixture) fixture = fixture_new();
	git_oid root = fixture_tree(fixture.repo, files);
	git_oid base = fixture_commit_tree(fixture.repo, &root, NULL, FIXTURE_TIME, "root\n");
	git_oid side = fixture_commit_tree(fixture.repo, &root, &base, FIXTURE_TIME + 50, "side\n");
	g_autoptr(git_signature) who = NULL;
	g_autoptr(git_commit) first = NULL;
	g_autoptr(git_commit) second = NULL;
	g_autoptr(git_tree) content = NULL;
	g_auto(BaseChoice) choice = {0};
	git_oid merge;

	ck_assert_int_eq(git_signature_new(&who, "A", "a@example.org", FIXTURE_TIME + 200, 0), 0);
	ck_assert_int_eq(git_commit_lookup(&first, repo_handle(fixture.repo), &base), 0);
	ck_assert_int_eq(git_commit_lookup(&second, repo_handle(fixture.repo), &side), 0);
	ck_assert_int_eq(git_commit_tree(&content, first), 0);
	const git_commit *parents[] = {first, second};
	ck_assert_int_eq(git_commit_create(&merge, repo_handle(fixture.repo), NULL, who, who, NULL,
					   "m", content, 2, parents),
			 0);
	ck_assert(repo_set_ref(fixture.repo, "refs/trees/lab/HEAD", &merge, NULL));

	BaseHints hints = {.date_us = at(100), .tree = &tree};
	ck_assert(base_choose(fixture.repo, &hints, &choice, NULL));

	ck_assert(git_oid_equal(&choice.commit, &base));
}
END_TEST

START_TEST(nothing_found_is_an_error_with_every_reason)
{
	g_auto(Fixture) fixture = fixture_new();
	g_auto(BaseChoice) choice = {0};
	g_autoptr(GError) error = NULL;
	BaseHints hints = {.requested = "next"};

	ck_assert(!base_choose(fixture.repo, &hints, &choice, &error));

	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_NOT_FOUND));
	ck_assert_str_eq(error->message,
			 "no base commit found: requested: no branch, tag or commit next "
			 "is known here; tip: no tree is known for it");
}
END_TEST

CHECK_MAIN("base", what_a_request_names_comes_first, a_base_commit_line_comes_before_the_tip,
	   refused_rungs_are_kept_with_their_reasons,
	   the_tip_at_a_date_is_the_last_commit_not_after_it,
	   without_a_date_or_before_the_root_the_tip_is_taken, only_first_parents_are_a_trees_tips,
	   nothing_found_is_an_error_with_every_reason)
