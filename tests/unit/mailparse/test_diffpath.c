/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/diffpath.h"
#include "mailparse/mailparse.h"

#include "tests/unit/check_main.h"

#include <string.h>

START_TEST(ordinary_paths_may_be_written)
{
	static const char *const paths[] = {
		"a",   "lib/foo.c", ".gitignore", "a/.github/b", "a b/c", "..a",
		"a..", "git",       "\303\251/x", ".gitmodules", "a\\b"};

	for (gsize i = 0; i < G_N_ELEMENTS(paths); i++)
		ck_assert_msg(diffpath_check(paths[i], NULL), "%s is refused", paths[i]);
}
END_TEST

START_TEST(paths_that_leave_the_tree_or_enter_git_are_refused)
{
	static const char *const paths[] = {
		"",
		"/etc/passwd",
		"../x",
		"a/../b",
		"a/./b",
		"a//b",
		"a/",
		".git/config",
		"a/.GIT/x",
		".git",
		"git~1/x",
		"GIT~1",
		".git.",
		".git /x",
		".git::$INDEX_ALLOCATION/x",
		"a\\.git\\hooks\\x",
		".g\342\200\214it/x",
		"\357\273\277.git/x",
		".gi\342\201\257t",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(paths); i++) {
		g_autoptr(GError) error = NULL;
		ck_assert_msg(!diffpath_check(paths[i], &error), "%s is let through", paths[i]);
		ck_assert(g_error_matches(error, MAIL_ERROR, MAIL_ERROR_UNSAFE));
	}
}
END_TEST

START_TEST(a_part_over_255_bytes_is_refused)
{
	g_autofree char *fits = g_strnfill(255, 'x');
	g_autofree char *over = g_strnfill(256, 'x');

	ck_assert(diffpath_check(fits, NULL));
	ck_assert(!diffpath_check(over, NULL));
}
END_TEST

START_TEST(quoted_paths_are_unquoted_as_git_quotes_them)
{
	static const struct {
		const char *text, *path;
		gsize taken;
	} rows[] = {
		{"\"a b\" rest", "a b", 5},
		{"\"\\303\\251\"", "\303\251", 10},
		{"\"t\\tn\\nq\\\"b\\\\\"", "t\tn\nq\"b\\", 14},
		{"\"\"", "", 2},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		gsize taken = 0;
		g_autofree char *path =
			diffpath_unquote(rows[i].text, strlen(rows[i].text), &taken);
		ck_assert_str_eq(path, rows[i].path);
		ck_assert_uint_eq(taken, rows[i].taken);
	}
}
END_TEST

START_TEST(broken_quoting_and_nul_give_nothing)
{
	static const char *const texts[] = {
		"", "a", "\"a", "\"a\\", "\"\\400\"", "\"\\00", "\"\\000\"", "\"\\x\"", "\"a\nb\""};

	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		gsize taken = 0;
		ck_assert_ptr_null(diffpath_unquote(texts[i], strlen(texts[i]), &taken));
	}
}
END_TEST

CHECK_MAIN("diffpath", ordinary_paths_may_be_written,
	   paths_that_leave_the_tree_or_enter_git_are_refused, a_part_over_255_bytes_is_refused,
	   quoted_paths_are_unquoted_as_git_quotes_them, broken_quoting_and_nul_give_nothing)
