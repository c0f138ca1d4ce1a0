/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/target.h"

#include "tests/unit/check_main.h"

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

CHECK_MAIN("target", refs_are_what_git_takes_for_one, hashes_are_told_from_words,
	   talk_around_a_word_is_trimmed)
