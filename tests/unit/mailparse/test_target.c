/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/target.h"

#include "tests/unit/check_main.h"

START_TEST(repositories_are_told_from_links_and_pages)
{
	static const struct {
		const char *word;
		bool repo, link;
	} rows[] = {
		{"git://git.example.org/pub/linux.git", true, false},
		{"https://github.com/ann/linux", true, false},
		{"git@github.com:ann/linux.git", true, false},
		{"https://git.kernel.org/pub/scm/linux/kernel/git/x/y.git/", true, false},
		{"https://lore.kernel.org/all/20240506-foo@example.org/", false, true},
		{"https://patchwork.example.org/patch/12/", false, true},
		{"https://github.com/ann/linux/commit/0123456789abcdef", false, true},
		{"https://example.org/foo.html", false, false},
		{"https://github.com/ann/linux/issues/3", false, false},
		{"ftp://example.org/x.git", false, false},
		{"https://a\"b/c.git", false, false},
		{"linux", false, false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		ck_assert_msg(target_is_repo(rows[i].word) == rows[i].repo, "%s", rows[i].word);
		ck_assert_msg(target_is_link(rows[i].word) == rows[i].link, "%s", rows[i].word);
	}
}
END_TEST

START_TEST(refs_are_what_git_takes_for_one)
{
	static const char *const good[] = {"master", "for-next", "v6.9-rc1", "ann/topic",
					   "0123abc"};
	static const char *const bad[] = {
		"",    "-x",   "--upload-pack=x", "a..b", "a b", "a~1", "x/", "a\\b", "@{u}",
		"a:b", "$(x)", "https://x/y",     ".x"};

	for (gsize i = 0; i < G_N_ELEMENTS(good); i++)
		ck_assert_msg(target_is_ref(good[i]), "%s", good[i]);
	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++)
		ck_assert_msg(!target_is_ref(bad[i]), "%s", bad[i]);
}
END_TEST

START_TEST(hashes_are_told_from_words)
{
	ck_assert(target_is_hash("0123456789ab"));
	ck_assert(!target_is_hash("012345"));
	ck_assert(!target_is_hash("defaced"));
	ck_assert(!target_is_hash("0123456789abcdef0123456789abcdef012345678"));
}
END_TEST

START_TEST(talk_around_a_word_is_trimmed)
{
	static const char *const rows[][2] = {
		{"<https://x.org/a>,", "https://x.org/a"},
		{"(https://x.org/a).", "https://x.org/a"},
		{"https://x.org/a_(b)", "https://x.org/a_(b)"},
		{"`abc`?", "abc"},
		{"...", ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *word = target_trim(rows[i][0]);
		ck_assert_str_eq(word, rows[i][1]);
	}
}
END_TEST

START_TEST(commit_pages_name_their_commit)
{
	static const char *const links[] = {
		"https://github.com/a/b/commit/0123456789ab",
		"https://git.example.org/b.git/commit/?id=0123456789ab",
		"https://git.example.org/?p=b.git;a=commit;h=0123456789ab",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(links); i++) {
		g_autofree char *commit = target_commit_of_link(links[i]);
		ck_assert_pstr_eq(commit, "0123456789ab");
	}
	ck_assert_ptr_null(target_commit_of_link("https://lore.kernel.org/all/x@y/"));
}
END_TEST

CHECK_MAIN("target", repositories_are_told_from_links_and_pages, refs_are_what_git_takes_for_one,
	   hashes_are_told_from_words, talk_around_a_word_is_trimmed,
	   commit_pages_name_their_commit)
