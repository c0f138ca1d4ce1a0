/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/check_main.h"

#include "bot/git/hunk.h"
#include "tests/unit/git/fixture.h"

#define HEADER "diff --git a/f b/f\n--- a/f\n+++ b/f\n"

/* Applies the hunks of @hunks to @old; the result, or the refusal's reason. */
static char *apply_to(const char *old, const char *hunks, bool *out_ok)
{
	g_autofree char *text = g_strconcat(HEADER, hunks, NULL);
	g_autoptr(Diff) diff = fixture_diff(text);
	g_autoptr(GBytes) before = g_bytes_new(old, strlen(old));
	g_auto(ApplyFailure) failure = {0};
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) after = NULL;

	ck_assert_uint_eq(diff->files->len, 1);
	after = hunk_apply(before, diff->files->pdata[0], false, &failure, &error);
	*out_ok = after != NULL;
	if (!after) {
		ck_assert_ptr_nonnull(error);
		return g_strdup_printf("%u: %s", failure.hunk, failure.reason);
	}
	/* Empty bytes have no data to copy. */
	return g_strdup_printf("%.*s", (int)g_bytes_get_size(after),
			       (const char *)g_bytes_get_data(after, NULL));
}

static void check_applies(const char *old, const char *hunks, const char *expected)
{
	bool ok;
	g_autofree char *result = apply_to(old, hunks, &ok);

	ck_assert_msg(ok, "%s", result);
	ck_assert_str_eq(result, expected);
}

static void check_refused(const char *old, const char *hunks, const char *reason)
{
	bool ok;
	g_autofree char *result = apply_to(old, hunks, &ok);

	ck_assert_msg(!ok, "was applied: %s", result);
	ck_assert_str_eq(result, reason);
}

START_TEST(hunks_replace_lines_where_they_say)
{
	check_applies("a\nb\nc\nd\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", "a\nB\nc\nd\n");
	check_applies("1\n2\n3\n4\n5\n6\n7\n8\n9\n",
		      "@@ -1,3 +1,4 @@\n 1\n+x\n 2\n 3\n@@ -7,3 +8,2 @@\n 7\n-8\n 9\n",
		      "1\nx\n2\n3\n4\n5\n6\n7\n9\n");
}
END_TEST

START_TEST(a_hunk_that_is_off_is_refused_with_the_line_it_meets)
{
	check_refused("0\na\nb\nc\nd\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
		      "1: line 1 reads \"0\" where the patch expects \"a\"");
	check_refused("0\n1\na\nb\nc\n", "@@ -2,3 +2,3 @@\n a\n-b\n+B\n c\n",
		      "1: line 2 reads \"1\" where the patch expects \"a\"");
}
END_TEST

START_TEST(the_reason_names_the_hunk_and_the_line_of_the_old_file)
{
	check_refused("1\n2\n3\n4\n5\n6\n7\nX\n9\n",
		      "@@ -1,3 +1,4 @@\n 1\n+x\n 2\n 3\n@@ -7,3 +8,2 @@\n 7\n-8\n 9\n",
		      "2: line 8 reads \"X\" where the patch expects \"8\"");
}
END_TEST

START_TEST(a_difference_of_white_space_only_is_said)
{
	check_refused(
		"a\n        b\nc\n", "@@ -1,3 +1,3 @@\n a\n-\tb\n+B\n c\n",
		"1: line 2 reads \"        b\" where the patch expects \"\\x09b\" (only white "
		"space differs)");
}
END_TEST

START_TEST(a_hunk_past_the_end_is_refused)
{
	check_refused("a\n", "@@ -9,1 +9,2 @@\n a\n+b\n",
		      "1: it starts at line 9, but the file has only 1 lines");
	check_refused("a\n", "@@ -1,2 +1,3 @@\n a\n+b\n c\n",
		      "1: the file ends after line 1 where the patch expects \"c\"");
}
END_TEST

START_TEST(a_hunk_without_context_after_it_stands_at_the_end)
{
	check_applies("a\nb\n", "@@ -1,2 +1,3 @@\n a\n b\n+c\n", "a\nb\nc\n");
	check_applies("a\nb\n", "@@ -2,0 +3 @@\n+c\n", "a\nb\nc\n");
	check_refused(
		"a\nb\nc\n", "@@ -1,2 +1,3 @@\n a\n b\n+x\n",
		"1: it has no context after its change, so it must stand at the end of the file, "
		"but line 3 (\"c\") follows");
}
END_TEST

START_TEST(a_hunk_without_any_context_is_refused_inside_a_file)
{
	check_refused(
		"a\nb\nc\n", "@@ -2 +2 @@\n-b\n+B\n",
		"1: it has no context after its change, so it must stand at the end of the file, "
		"but line 3 (\"c\") follows");
}
END_TEST

START_TEST(whole_files_need_no_context)
{
	check_applies("", "@@ -0,0 +1,2 @@\n+a\n+b\n", "a\nb\n");
	check_applies("a\nb\n", "@@ -1,2 +0,0 @@\n-a\n-b\n", "");
}
END_TEST

START_TEST(a_missing_newline_at_the_end_is_part_of_the_line)
{
	check_applies("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
		      "a\nb\n");
	check_applies("a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n",
		      "a\nb");
	check_refused("a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n",
		      "1: line 2 reads \"b\" and ends in a newline where the patch expects none");
	check_refused("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
		      "1: line 2 reads \"b\" without a newline where the patch expects one");
}
END_TEST

START_TEST(nothing_is_glued_to_a_line_without_newline)
{
	check_refused("a\n", "@@ -1 +1,2 @@\n-a\n+b\n\\ No newline at end of file\n+c\n",
		      "1: adds a line after one that has no newline at its end");
}
END_TEST

START_TEST(stripped_blank_context_lines_are_context)
{
	check_applies("a\n\nc\nd\n", "@@ -1,4 +1,4 @@\n a\n\n-c\n+C\n d\n", "a\n\nC\nd\n");
}
END_TEST

START_TEST(a_hunk_that_changes_nothing_is_refused)
{
	check_refused("a\nb\n", "@@ -1,2 +1,2 @@\n a\n b\n", "1: it changes nothing");
}
END_TEST

START_TEST(hunks_out_of_order_are_refused)
{
	check_refused("1\n2\n3\n4\n5\n6\n",
		      "@@ -4,3 +4,3 @@\n 4\n-5\n+x\n 6\n@@ -2,2 +2,2 @@\n 2\n-3\n+y\n",
		      "2: it starts at line 2 of the result, before the end of the hunk above it");
}
END_TEST

START_TEST(carriage_returns_are_kept_unless_the_mail_put_them_there)
{
	g_autoptr(Diff) diff = fixture_diff(HEADER "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+B\r\n");
	g_autoptr(GBytes) plain = g_bytes_new("a\nb\n", 4);
	g_autoptr(GBytes) dos = g_bytes_new("a\r\nb\r\n", 6);
	g_auto(ApplyFailure) failure = {0};

	g_autoptr(GBytes) stripped = hunk_apply(plain, diff->files->pdata[0], true, &failure, NULL);
	g_autoptr(GBytes) kept = hunk_apply(dos, diff->files->pdata[0], false, &failure, NULL);

	ck_assert_mem_eq(g_bytes_get_data(stripped, NULL), "a\nB\n", 4);
	ck_assert_mem_eq(g_bytes_get_data(kept, NULL), "a\r\nB\r\n", 6);
}
END_TEST

CHECK_MAIN("hunk", hunks_replace_lines_where_they_say,
	   a_hunk_that_is_off_is_refused_with_the_line_it_meets,
	   the_reason_names_the_hunk_and_the_line_of_the_old_file,
	   a_difference_of_white_space_only_is_said, a_hunk_past_the_end_is_refused,
	   a_hunk_without_context_after_it_stands_at_the_end,
	   a_hunk_without_any_context_is_refused_inside_a_file, whole_files_need_no_context,
	   a_missing_newline_at_the_end_is_part_of_the_line,
	   nothing_is_glued_to_a_line_without_newline, stripped_blank_context_lines_are_context,
	   a_hunk_that_changes_nothing_is_refused, hunks_out_of_order_are_refused,
	   carriage_returns_are_kept_unless_the_mail_put_them_there)
