/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/diff.h"
#include "mailparse/limits.h"
#include "mailparse/mailparse.h"

#include "tests/unit/check_main.h"

#include <string.h>

static Diff *parse(const char *text)
{
	g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
	g_autoptr(GError) error = NULL;
	Diff *diff = diff_parse(bytes, &error);

	ck_assert_msg(diff != NULL, "not parsed: %s", error ? error->message : "");
	return diff;
}

static const DiffFile *file_at(const Diff *diff, guint i)
{
	ck_assert_uint_gt(diff->files->len, i);
	return diff->files->pdata[i];
}

static void assert_canonical(const char *text, const char *wanted)
{
	g_autoptr(Diff) diff = parse(text);
	g_autoptr(GBytes) bytes = diff_canonical_bytes(diff);
	g_autofree char *seen = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));

	ck_assert_str_eq(seen, wanted);
}

#define HEAD "diff --git a/f b/f\nindex 1234567..89abcde 100644\n--- a/f\n+++ b/f\n"
#define HUNK "@@ -1,2 +1,2 @@\n one\n-two\n+three\n"

START_TEST(an_edit_is_read_with_its_blobs_modes_and_lines)
{
	g_autoptr(Diff) diff = parse("Talk.\n---\n f | 2 +-\n\n" HEAD HUNK "-- \n2.39\n");

	const DiffFile *file = file_at(diff, 0);
	ck_assert_uint_eq(diff->files->len, 1);
	ck_assert_str_eq(file->path, "f");
	ck_assert_str_eq(file->old_path, "f");
	ck_assert_int_eq(file->status, DIFF_STATUS_MODIFIED);
	ck_assert_str_eq(file->old_blob, "1234567");
	ck_assert_str_eq(file->new_blob, "89abcde");
	ck_assert_uint_eq(file->new_mode, 0100644);
	const DiffHunk *hunk = file->hunks->pdata[0];
	ck_assert_uint_eq(hunk->lines->len, 3);
	const DiffLine *last = &g_array_index(hunk->lines, DiffLine, 2);
	ck_assert_int_eq(last->sign, '+');
	ck_assert_mem_eq(last->text, "three", 5);
	ck_assert(file->complete);
}
END_TEST

START_TEST(the_name_comes_from_the_line_that_knows_it_best)
{
	static const struct {
		const char *text, *old_path, *path;
		DiffStatus status;
	} rows[] = {
		{"diff --git a/x y b/x y\nold mode 100644\nnew mode 100755\n", "x y", "x y",
		 DIFF_STATUS_MODIFIED},
		{"diff --git \"a/\\303\\251\" \"b/\\303\\251\"\nold mode 100644\nnew mode 100755\n",
		 "\303\251", "\303\251", DIFF_STATUS_MODIFIED},
		{"diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n",
		 "old", "new", DIFF_STATUS_RENAMED},
		{"diff --git a/old b/new\nsimilarity index 90%\ncopy from old\ncopy to new\n",
		 "old", "new", DIFF_STATUS_COPIED},
		{"diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n", NULL, "e",
		 DIFF_STATUS_ADDED},
		{"diff --git a/e b/e\ndeleted file mode 100644\nindex e69de29..0000000\n", "e", "e",
		 DIFF_STATUS_DELETED},
		{"diff --git d/x.c d/x.c\nindex 1..2\n--- d/x.c\n+++ d/x.c\n" HUNK, "d/x.c",
		 "d/x.c", DIFF_STATUS_MODIFIED},
		{"diff --git d/x.c d/x.c\nnew file mode 100644\n--- /dev/null\n+++ d/x.c\n"
		 "@@ -0,0 +1 @@\n+x\n",
		 NULL, "d/x.c", DIFF_STATUS_ADDED},
		{"--- a/f.c\t2024-01-01 10:00:00 +0000\n+++ b/f.c\t2024-01-02 10:00:00 "
		 "+0000\n" HUNK,
		 "f.c", "f.c", DIFF_STATUS_MODIFIED},
		{"--- linux.orig/d/f.c\n+++ linux/d/f.c\n" HUNK, "d/f.c", "d/f.c",
		 DIFF_STATUS_MODIFIED},
		{"--- f.c.orig\n+++ f.c\n" HUNK, "f.c", "f.c", DIFF_STATUS_MODIFIED},
		{"--- d/f.c (revision 3)\n+++ d/f.c (working copy)\n" HUNK, "d/f.c", "d/f.c",
		 DIFF_STATUS_MODIFIED},
		{"--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n", NULL, "n", DIFF_STATUS_ADDED},
		{"--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "n", "n", DIFF_STATUS_DELETED},
		{"--- a/n\t1970-01-01 01:00:00 +0100\n+++ b/n\t2024-01-01 00:00:00 +0000\n"
		 "@@ -0,0 +1 @@\n+x\n",
		 NULL, "n", DIFF_STATUS_ADDED},
		{"diff --git a/f b/f\r\nindex 1..2\r\n--- a/f\r\n+++ b/f\r\n@@ -1 +1 "
		 "@@\r\n-a\r\n+b\r\n",
		 "f", "f", DIFF_STATUS_MODIFIED},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(Diff) diff = parse(rows[i].text);
		const DiffFile *file = file_at(diff, 0);
		ck_assert_str_eq(file->path, rows[i].path);
		ck_assert_pstr_eq(file->old_path, rows[i].old_path);
		ck_assert_msg(file->status == rows[i].status, "status of %s", rows[i].text);
		ck_assert_msg(file->complete, "%s is not whole", rows[i].text);
	}
}
END_TEST

START_TEST(talk_about_diffs_is_no_diff)
{
	static const char *const texts[] = {
		"",
		"diff --git a/f b/f\n\nas git prints it\n",
		"--- a/f\nis how it begins\n",
		"--- a\n+++ b\nno hunk\n",
		"> diff --git a/f b/f\n> index 1..2\n",
		"@@ -1 +1 @@\n-a\n+b\n",
		"--- a/f\n+++ b/f\n@@ nonsense @@\n",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(Diff) diff = parse(texts[i]);
		ck_assert_msg(diff->files->len == 0, "found a file in %s", texts[i]);
	}
}
END_TEST

START_TEST(the_counts_say_where_a_hunk_ends)
{
	assert_canonical(HEAD HUNK "+not of the hunk\n-- \nfoot\n", HEAD HUNK);
	assert_canonical(HEAD "@@ -1,3 +1,3 @@\n one\n\n-two\n+three\n\ntalk\n",
			 HEAD "@@ -1,3 +1,3 @@\n one\n\n-two\n+three\n");
	assert_canonical(HEAD "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n"
			      "\\ No newline at end of file\n\\ more\n",
			 HEAD "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n"
			      "\\ No newline at end of file\n");
}
END_TEST

START_TEST(a_line_without_sign_ends_the_file_before_its_counts_are_met)
{
	g_autoptr(Diff) diff = parse(HEAD "@@ -1,9 +1,9 @@\n one\n-two\nwrapped\n+three\n");

	ck_assert(!file_at(diff, 0)->complete);
	assert_canonical(HEAD "@@ -1,9 +1,9 @@\n one\n-two\nwrapped\n+three\n",
			 HEAD "@@ -1,9 +1,9 @@\n one\n-two\n");
}
END_TEST

START_TEST(text_between_diffs_and_the_missing_last_newline_do_not_count)
{
	assert_canonical(HEAD HUNK "\nIndex: g\n=====\n--- g\n+++ g\n@@ -1 +1 @@\n-a\n+b",
			 HEAD HUNK "--- g\n+++ g\n@@ -1 +1 @@\n-a\n+b\n");
}
END_TEST

START_TEST(binary_blocks_are_kept_without_their_closing_blank_lines)
{
	const char *head = "diff --git a/b b/b\nindex 1..2 100644\nGIT binary patch\n";
	const char *one = "literal 3\nKcmZQzWMT#Y01f~L\n";
	const char *two = "delta 3\nKcmZQzWMT#Y01f~L\n";
	g_autofree char *text = g_strconcat(head, one, "\n", two, "\n-- \nfoot\n", NULL);
	g_autofree char *wanted = g_strconcat(head, one, two, NULL);

	g_autoptr(Diff) diff = parse(text);

	ck_assert(file_at(diff, 0)->binary);
	ck_assert(file_at(diff, 0)->binary_has_data);
	assert_canonical(text, wanted);
	assert_canonical("diff --git a/b b/b\nindex 1..2\nBinary files a/b and b/b differ\ntalk\n",
			 "diff --git a/b b/b\nindex 1..2\nBinary files a/b and b/b differ\n");
}
END_TEST

/* The numbers are what `git patch-id --stable` of git 2.39.5 printed for these texts. */
START_TEST(patch_ids_are_those_of_git)
{
	static const struct {
		const char *text, *id;
	} rows[] = {
		{"diff --git a/x b/x\nindex 1234567..89abcde 100644\n--- a/x\n+++ b/x\n"
		 "@@ -5 +5 @@\n-a\n+b\n-- \n2.39\n\n",
		 "145e3cc0dc6c33a0fe33b1599033369dd88e1a5a"},
		{"--- a/x\n+++ b/x\n@@ -5 +5 @@\n-a\n+b\n", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(Diff) diff = parse(rows[i].text);
		g_autofree char *id = diff_patch_id(diff);
		ck_assert_pstr_eq(id, rows[i].id);
	}
}
END_TEST

static void assert_over_limit(GString *text)
{
	g_autoptr(GBytes) bytes = g_string_free_to_bytes(text);
	g_autoptr(GError) error = NULL;
	g_autoptr(Diff) diff = diff_parse(bytes, &error);

	ck_assert_ptr_null(diff);
	ck_assert(g_error_matches(error, MAIL_ERROR, MAIL_ERROR_LIMIT));
}

START_TEST(what_is_over_a_limit_is_refused)
{
	GString *number = g_string_new(HEAD "@@ -1 +99999999999 @@\n+a\n");
	GString *path = g_string_new("--- /dev/null\n+++ b/");
	GString *files = g_string_new(NULL);

	for (unsigned i = 0; i <= DIFF_MAX_PATH_BYTES; i++)
		g_string_append_c(path, 'p');
	g_string_append(path, "\n@@ -0,0 +1 @@\n+a\n");
	for (unsigned i = 0; i <= DIFF_MAX_FILES; i++)
		g_string_append(files, "diff --git a/f b/f\nold mode 100644\n");

	assert_over_limit(number);
	assert_over_limit(path);
	assert_over_limit(files);
}
END_TEST

START_TEST(a_name_that_holds_nul_is_no_name)
{
	static const char text[] = "--- a/f\n+++ b/f\0/../x\n@@ -1 +1 @@\n-a\n+b\n";
	g_autoptr(GBytes) bytes = g_bytes_new_static(text, sizeof(text) - 1);

	g_autoptr(Diff) diff = diff_parse(bytes, NULL);

	ck_assert_uint_eq(diff->files->len, 0);
}
END_TEST

/* A line of blanks might make a reader of two names try every cut; it must not. */
START_TEST(many_header_lines_of_blanks_take_no_time)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *blanks = g_strnfill(3000, ' ');

	for (unsigned i = 0; i < 3000; i++)
		g_string_append_printf(text, "diff --git a/%sb/\nold mode 1\n", blanks);
	gint64 start = g_get_monotonic_time();
	diff_free(parse(text->str));
	ck_assert_int_lt(g_get_monotonic_time() - start, 5 * G_USEC_PER_SEC);
}
END_TEST

CHECK_MAIN("diff", an_edit_is_read_with_its_blobs_modes_and_lines,
	   the_name_comes_from_the_line_that_knows_it_best, talk_about_diffs_is_no_diff,
	   the_counts_say_where_a_hunk_ends,
	   a_line_without_sign_ends_the_file_before_its_counts_are_met,
	   text_between_diffs_and_the_missing_last_newline_do_not_count,
	   binary_blocks_are_kept_without_their_closing_blank_lines, patch_ids_are_those_of_git,
	   what_is_over_a_limit_is_refused, a_name_that_holds_nul_is_no_name,
	   many_header_lines_of_blanks_take_no_time)
