/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/check_main.h"

#include "bot/base/error.h"
#include "tests/unit/git/fixture.h"

static int list_entry(const char *root, const git_tree_entry *entry, void *payload)
{
	GPtrArray *lines = payload;

	if (git_tree_entry_type(entry) != GIT_OBJECT_TREE)
		g_ptr_array_add(lines,
				g_strdup_printf("%s%s %o %s", root, git_tree_entry_name(entry),
						(unsigned)git_tree_entry_filemode(entry),
						git_oid_tostr_s(git_tree_entry_id(entry))));
	return 0;
}

static char *list_tree(Repo *repo, const git_oid *oid)
{
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(git_tree) tree = NULL;

	ck_assert_int_eq(git_tree_lookup(&tree, repo_handle(repo), oid), 0);
	ck_assert_int_eq(git_tree_walk(tree, GIT_TREEWALK_PRE, list_entry, lines), 0);
	g_ptr_array_add(lines, NULL);
	return g_strjoinv("\n", (char **)lines->pdata);
}

/* Applies @text to @files: "path mode id" a line, or NULL and *out_reason when it is refused. */
static char *result_of(const FixtureFile *files, const char *text, char **out_reason)
{
	g_auto(Fixture) fixture = fixture_new();
	git_oid before = fixture_tree(fixture.repo, files);
	g_autoptr(Diff) diff = fixture_diff(text);
	g_auto(ApplyFailure) failure = {0};
	g_autoptr(GError) error = NULL;
	git_oid after;

	if (apply_diff(fixture.repo, &before, diff, &after, &failure, &error))
		return list_tree(fixture.repo, &after);
	ck_assert_msg(g_error_matches(error, BOT_ERROR, BOT_ERROR_CONFLICT), "%s", error->message);
	*out_reason = g_strdup_printf("%s: %s", failure.path, failure.reason);
	return NULL;
}

static void check_applies(const FixtureFile *files, const char *text, const FixtureFile *expected)
{
	g_autofree char *reason = NULL;
	g_autofree char *result = result_of(files, text, &reason);
	g_auto(Fixture) other = fixture_new();
	git_oid wanted = fixture_tree(other.repo, expected);
	g_autofree char *wanted_list = list_tree(other.repo, &wanted);

	ck_assert_msg(result != NULL, "refused: %s", reason);
	ck_assert_str_eq(result, wanted_list);
}

static void check_refused(const FixtureFile *files, const char *text, const char *reason)
{
	g_autofree char *said = NULL;
	g_autofree char *result = result_of(files, text, &said);

	ck_assert_msg(result == NULL, "was applied:\n%s", result);
	ck_assert_str_eq(said, reason);
}

static const FixtureFile two_files[] = {{"a", "one\n", 0}, {"d/b", "two\n", 0}, {NULL, NULL, 0}};

START_TEST(a_new_file_over_an_existing_one_is_refused)
{
	check_refused(two_files,
		      "diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n"
		      "@@ -0,0 +1 @@\n+x\n",
		      "a: the patch makes a new file, but the tree has one of that name");
}
END_TEST

START_TEST(a_deletion_needs_the_whole_old_content)
{
	check_refused(two_files,
		      "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n"
		      "@@ -1 +0,0 @@\n-other\n",
		      "a: line 1 reads \"one\" where the patch expects \"other\"");
	check_refused(two_files,
		      "diff --git a/a b/a\ndeleted file mode 100644\nindex 5626abf..0000000\n",
		      "a: the patch deletes it, but it holds more than the patch knows of");
}
END_TEST

START_TEST(a_deletion_takes_the_empty_folder_along)
{
	const FixtureFile expected[] = {{"a", "one\n", 0}, {NULL, NULL, 0}};

	check_applies(two_files,
		      "diff --git a/d/b b/d/b\ndeleted file mode 100644\n--- a/d/b\n+++ /dev/null\n"
		      "@@ -1 +0,0 @@\n-two\n",
		      expected);
}
END_TEST

START_TEST(a_copy_is_taken_from_the_content_before_the_patch)
{
	const FixtureFile expected[] = {
		{"a", "ONE\n", 0}, {"c", "one\n", 0}, {"d/b", "two\n", 0}, {NULL, NULL, 0}};

	check_applies(two_files,
		      "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+ONE\n"
		      "diff --git a/a b/c\nsimilarity index 100%\ncopy from a\ncopy to c\n",
		      expected);
}
END_TEST

START_TEST(two_names_can_be_swapped)
{
	const FixtureFile expected[] = {{"a", "two\n", 0}, {"d/b", "one\n", 0}, {NULL, NULL, 0}};

	check_applies(two_files,
		      "diff --git a/a b/d/b\nsimilarity index 100%\nrename from a\nrename to d/b\n"
		      "diff --git a/d/b b/a\nsimilarity index 100%\nrename from d/b\nrename to a\n",
		      expected);
}
END_TEST

START_TEST(a_file_named_twice_goes_on_from_the_first_result)
{
	const FixtureFile expected[] = {{"a", "three\n", 0}, {"d/b", "two\n", 0}, {NULL, NULL, 0}};

	check_applies(two_files,
		      "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n"
		      "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-two\n+three\n",
		      expected);
}
END_TEST

START_TEST(modes_change_and_are_kept)
{
	const FixtureFile expected[] = {
		{"a", "one\n", 0100755}, {"d/b", "two\n", 0}, {NULL, NULL, 0}};
	const FixtureFile edited[] = {{"a", "x\n", 0100755}, {"d/b", "two\n", 0}, {NULL, NULL, 0}};

	check_applies(two_files, "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n",
		      expected);
	check_applies(expected,
		      "diff --git a/a b/a\nindex 5626abf..587be6b 100644\n--- a/a\n+++ b/a\n"
		      "@@ -1 +1 @@\n-one\n+x\n",
		      edited);
	check_refused(two_files, "diff --git a/a b/a\nold mode 100644\nnew mode 040000\n",
		      "a: mode 040000 is no file's");
}
END_TEST

START_TEST(a_file_can_become_a_link_by_delete_and_create)
{
	const FixtureFile expected[] = {
		{"a", "d/b", 0120000}, {"d/b", "two\n", 0}, {NULL, NULL, 0}};

	check_applies(two_files,
		      "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n"
		      "@@ -1 +0,0 @@\n-one\n"
		      "diff --git a/a b/a\nnew file mode 120000\n--- /dev/null\n+++ b/a\n"
		      "@@ -0,0 +1 @@\n+d/b\n\\ No newline at end of file\n",
		      expected);
	check_refused(
		two_files, "diff --git a/a b/a\nold mode 100644\nnew mode 120000\n",
		"a: mode 100644 cannot become 120000 in one step; the patch must delete and create "
		"it");
}
END_TEST

START_TEST(a_file_can_become_a_folder_and_back)
{
	const FixtureFile folder[] = {{"a/x", "x\n", 0}, {"d/b", "two\n", 0}, {NULL, NULL, 0}};
	const FixtureFile file[] = {{"a", "one\n", 0}, {"d", "x\n", 0}, {NULL, NULL, 0}};

	check_applies(two_files,
		      "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n"
		      "@@ -1 +0,0 @@\n-one\n"
		      "diff --git a/a/x b/a/x\nnew file mode 100644\n--- /dev/null\n+++ b/a/x\n"
		      "@@ -0,0 +1 @@\n+x\n",
		      folder);
	check_applies(two_files,
		      "diff --git a/d b/d\nnew file mode 100644\n--- /dev/null\n+++ b/d\n"
		      "@@ -0,0 +1 @@\n+x\n"
		      "diff --git a/d/b b/d/b\ndeleted file mode 100644\n--- a/d/b\n+++ /dev/null\n"
		      "@@ -1 +0,0 @@\n-two\n",
		      file);
}
END_TEST

START_TEST(a_path_that_would_be_file_and_folder_is_refused)
{
	check_refused(two_files,
		      "diff --git a/d b/d\nnew file mode 100644\n--- /dev/null\n+++ b/d\n"
		      "@@ -0,0 +1 @@\n+x\n",
		      "d: a folder of that name is there");
	check_refused(two_files,
		      "diff --git a/a/x b/a/x\nnew file mode 100644\n--- /dev/null\n+++ b/a/x\n"
		      "@@ -0,0 +1 @@\n+x\n",
		      "a/x: a is a file, not a folder");
}
END_TEST

START_TEST(nothing_is_written_beyond_a_symbolic_link)
{
	const FixtureFile with_link[] = {
		{"l", "/etc", 0120000}, {"d/b", "two\n", 0}, {NULL, NULL, 0}};

	check_refused(with_link,
		      "diff --git a/l/passwd b/l/passwd\nnew file mode 100644\n--- /dev/null\n"
		      "+++ b/l/passwd\n@@ -0,0 +1 @@\n+x\n",
		      "l/passwd: it is beyond the symbolic link l");
	check_refused(two_files,
		      "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n"
		      "@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n"
		      "diff --git a/l/x b/l/x\nnew file mode 100644\n--- /dev/null\n+++ b/l/x\n"
		      "@@ -0,0 +1 @@\n+x\n",
		      "l/x: it is beyond the symbolic link l");
	check_refused(two_files,
		      "diff --git a/l/x b/l/x\nnew file mode 100644\n--- /dev/null\n+++ b/l/x\n"
		      "@@ -0,0 +1 @@\n+x\n"
		      "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n"
		      "@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n",
		      "l/x: it is beyond the symbolic link l");
}
END_TEST

START_TEST(a_link_that_goes_makes_room_for_a_folder)
{
	const FixtureFile with_link[] = {
		{"l", "/etc", 0120000}, {"d/b", "two\n", 0}, {NULL, NULL, 0}};
	const FixtureFile expected[] = {{"l/x", "x\n", 0}, {"d/b", "two\n", 0}, {NULL, NULL, 0}};

	check_applies(with_link,
		      "diff --git a/l b/l\ndeleted file mode 120000\n--- a/l\n+++ /dev/null\n"
		      "@@ -1 +0,0 @@\n-/etc\n\\ No newline at end of file\n"
		      "diff --git a/l/x b/l/x\nnew file mode 100644\n--- /dev/null\n+++ b/l/x\n"
		      "@@ -0,0 +1 @@\n+x\n",
		      expected);
}
END_TEST

START_TEST(a_submodule_moves_to_another_commit)
{
	const FixtureFile before[] = {{"sub", "1111111111111111111111111111111111111111", 0160000},
				      {NULL, NULL, 0}};
	const FixtureFile after[] = {{"sub", "2222222222222222222222222222222222222222", 0160000},
				     {NULL, NULL, 0}};

	check_applies(
		before,
		"diff --git a/sub b/sub\nindex 1111111..2222222 160000\n--- a/sub\n+++ b/sub\n"
		"@@ -1 +1 @@\n-Subproject commit 1111111111111111111111111111111111111111\n"
		"+Subproject commit 2222222222222222222222222222222222222222\n",
		after);
}
END_TEST

#define BINARY_HEAD                                                                                \
	"diff --git a/a b/a\n"                                                                     \
	"index 5626abf0f72e58d7a153368ba57db4c673c0e171.."                                         \
	"713725e8870960e85cb753391cfda9c73ec27040 100644\nGIT binary patch\n"

START_TEST(a_binary_file_is_replaced_by_its_literal)
{
	const FixtureFile other[] = {{"a", "two\n", 0}, {NULL, NULL, 0}};
	const char *text = BINARY_HEAD "literal 6\nNcmZQzEGf_D0ssUk0cHRI\n\n"
				       "literal 4\nLcmd1LOXUIp1Kt5m\n\n";
	g_autofree char *reason = NULL;
	g_autofree char *result = result_of(two_files, text, &reason);

	ck_assert_msg(result != NULL, "%s", reason);
	ck_assert(g_str_has_prefix(result, "a 100644 713725e8870960e85cb753391cfda9c73ec27040\n"));
	check_refused(
		other, text,
		"a: the binary patch is for content 5626abf0f72e58d7a153368ba57db4c673c0e171, "
		"which the file does not have");
}
END_TEST

START_TEST(damaged_binary_data_is_refused)
{
	check_refused(two_files, BINARY_HEAD "literal 6\nNcmZQzEGf_E0ssUk0cHRI\n\n",
		      "a: the binary data cannot be inflated");
	check_refused(two_files, BINARY_HEAD "literal 7\nNcmZQzEGf_D0ssUk0cHRI\n\n",
		      "a: the binary data is shorter than its header says");
	check_refused(two_files, BINARY_HEAD "literal 4\nLcmd1LOXUIp1Kt5m\n\n",
		      "a: the binary patch does not make content "
		      "713725e8870960e85cb753391cfda9c73ec27040");
}
END_TEST

START_TEST(binary_without_data_is_refused)
{
	check_refused(two_files,
		      "diff --git a/a b/a\nindex 5626abf..814f4a4 100644\n"
		      "Binary files a/a and b/a differ\n",
		      "a: binary file without its data; send it with git format-patch --binary");
}
END_TEST

START_TEST(unsafe_paths_are_refused)
{
	static const char *const paths[] = {"../x", ".git/config", "d/.GIT/x", "a/../../x",
					    "git~1/x"};

	for (size_t i = 0; i < G_N_ELEMENTS(paths); i++) {
		g_autofree char *text = g_strdup_printf(
			"diff --git a/%s b/%s\nnew file mode 100644\n--- /dev/null\n"
			"+++ b/%s\n@@ -0,0 +1 @@\n+x\n",
			paths[i], paths[i], paths[i]);
		g_autofree char *reason = NULL;
		g_autofree char *result = result_of(two_files, text, &reason);

		ck_assert_msg(result == NULL, "%s was written", paths[i]);
	}
}
END_TEST

START_TEST(thousands_of_very_deep_paths_are_refused)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GString) folders = g_string_new(NULL);
	g_autofree char *reason = NULL;

	for (int i = 0; i < 1000; i++)
		g_string_append(folders, "d/");
	for (int i = 0; i < 201; i++)
		g_string_append_printf(text, "--- /dev/null\n+++ b/%d/%sf\n@@ -0,0 +1 @@\n+x\n", i,
				       folders->str);
	g_autofree char *result = result_of(two_files, text->str, &reason);

	ck_assert_ptr_null(result);
	ck_assert(g_str_has_suffix(reason, "the paths of the patch have over 200000 parts"));
}
END_TEST

START_TEST(a_mail_that_is_crlf_throughout_loses_its_carriage_returns)
{
	const FixtureFile expected[] = {
		{"a", "ONE\n", 0}, {"d/b", "two\n", 0}, {"n", "new\n", 0}, {NULL, NULL, 0}};
	const FixtureFile dos[] = {{"a", "one\r\n", 0}, {NULL, NULL, 0}};
	const FixtureFile dos_after[] = {{"a", "ONE\r\n", 0}, {NULL, NULL, 0}};

	check_applies(two_files,
		      "diff --git a/a b/a\r\n--- a/a\r\n+++ b/a\r\n@@ -1 +1 @@\r\n-one\r\n+ONE\r\n"
		      "diff --git a/n b/n\r\nnew file mode 100644\r\n--- /dev/null\r\n+++ b/n\r\n"
		      "@@ -0,0 +1 @@\r\n+new\r\n",
		      expected);
	check_applies(dos, "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\r\n+ONE\r\n",
		      dos_after);
}
END_TEST

START_TEST(a_refused_diff_leaves_no_object_behind)
{
	g_auto(Fixture) fixture = fixture_new();
	git_oid before = fixture_tree(fixture.repo, two_files);
	g_autoptr(Diff) diff =
		fixture_diff("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+unseen\n"
			     "diff --git a/d/b b/d/b\n--- a/d/b\n+++ b/d/b\n@@ -1 +1 @@\n-2\n+3\n");
	g_auto(ApplyFailure) failure = {0};
	g_autoptr(git_odb) odb = NULL;
	git_oid after, unseen;

	ck_assert(!apply_diff(fixture.repo, &before, diff, &after, &failure, NULL));

	ck_assert_str_eq(failure.path, "d/b");
	ck_assert_uint_eq(failure.hunk, 1);
	ck_assert_int_eq(git_odb_hash(&unseen, "unseen\n", 7, GIT_OBJECT_BLOB), 0);
	ck_assert_int_eq(git_repository_odb(&odb, repo_handle(fixture.repo)), 0);
	ck_assert_int_eq(git_odb_exists(odb, &unseen), 0);
}
END_TEST

static Patch *make_patch(const char *title, const char *diff)
{
	Patch *patch = g_new0(Patch, 1);

	patch->author = mailbox_new("Ann Author", "ann@example.org", NULL);
	patch->date_us = 1700000100 * CLOCK_US_PER_S;
	patch->date_offset_min = -330;
	patch->title = g_strdup(title);
	patch->message = g_strdup("Why.\n\nSigned-off-by: Ann Author <ann@example.org>\n");
	patch->trailers = g_ptr_array_new();
	patch->diff = fixture_diff(diff);
	patch->notes = notes_read("");
	return patch;
}

static bool apply_one(Repo *repo, const git_oid *base, const Patch *patch, const char *link,
		      AppliedCommit *out)
{
	ApplyPatch one = {.patch = patch, .link = link, .committer_date_us = 1700000200000000};
	g_autoptr(GPtrArray) patches = g_ptr_array_new();
	g_autoptr(GArray) commits = NULL;
	g_auto(ApplyFailure) failure = {0};

	g_ptr_array_add(patches, &one);
	if (!apply_series(repo, base, patches, "Test Robot", "bot@example.org", &commits, &failure,
			  NULL))
		return false;
	ck_assert_uint_eq(commits->len, 1);
	*out = g_array_index(commits, AppliedCommit, 0);
	return true;
}

START_TEST(a_commit_has_the_patchs_author_date_and_message)
{
	g_auto(Fixture) fixture = fixture_new();
	git_oid base = fixture_commit(fixture.repo, two_files, NULL);
	g_autoptr(Patch) patch = make_patch(
		"a: shout", "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+ONE\n");
	g_autoptr(git_commit) commit = NULL;
	AppliedCommit made;

	ck_assert(apply_one(fixture.repo, &base, patch, "https://example.org/r/1@x", &made));

	ck_assert_int_eq(git_commit_lookup(&commit, repo_handle(fixture.repo), &made.commit), 0);
	ck_assert_str_eq(git_commit_message(commit),
			 "a: shout\n\nWhy.\n\nSigned-off-by: Ann Author <ann@example.org>\n"
			 "Link: https://example.org/r/1@x\n");
	ck_assert_str_eq(git_commit_author(commit)->name, "Ann Author");
	ck_assert_int_eq(git_commit_author(commit)->when.time, 1700000100);
	ck_assert_int_eq(git_commit_author(commit)->when.offset, -330);
	ck_assert_str_eq(git_commit_committer(commit)->email, "bot@example.org");
	ck_assert_int_eq(git_commit_committer(commit)->when.time, 1700000200);
	ck_assert_int_eq(git_commit_committer(commit)->when.offset, 0);
	ck_assert(git_oid_equal(git_commit_parent_id(commit, 0), &base));
	ck_assert_str_eq(made.method, "exact");
}
END_TEST

START_TEST(the_same_series_gives_the_same_commit_again)
{
	g_auto(Fixture) fixture = fixture_new();
	git_oid base = fixture_commit(fixture.repo, two_files, NULL);
	g_autoptr(Patch) patch = make_patch(
		"a: shout", "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+ONE\n");
	AppliedCommit first, second;

	ck_assert(apply_one(fixture.repo, &base, patch, NULL, &first));
	ck_assert(apply_one(fixture.repo, &base, patch, NULL, &second));

	ck_assert(git_oid_equal(&first.commit, &second.commit));
}
END_TEST

START_TEST(a_failing_patch_is_named_by_its_place)
{
	g_auto(Fixture) fixture = fixture_new();
	git_oid base = fixture_commit(fixture.repo, two_files, NULL);
	g_autoptr(Patch) good = make_patch(
		"a: shout", "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+ONE\n");
	g_autoptr(Patch) bad = make_patch(
		"a: again", "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+ONE\n");
	ApplyPatch list[] = {{good, NULL, 1}, {bad, NULL, 1}};
	g_autoptr(GPtrArray) patches = g_ptr_array_new();
	g_autoptr(GArray) commits = NULL;
	g_auto(ApplyFailure) failure = {0};
	g_autoptr(GError) error = NULL;

	bad->damage = g_new0(Damage, 1);
	bad->damage->kind = PATCH_DAMAGE_TABS;
	g_ptr_array_add(patches, &list[0]);
	g_ptr_array_add(patches, &list[1]);
	ck_assert(!apply_series(fixture.repo, &base, patches, "R", "r@example.org", &commits,
				&failure, &error));

	ck_assert_uint_eq(failure.patch, 1);
	ck_assert_int_eq(failure.damage, PATCH_DAMAGE_TABS);
	ck_assert_str_eq(error->message,
			 "patch 2 (a: again): a: hunk 1: line 1 reads \"ONE\" where the "
			 "patch expects \"one\"");
}
END_TEST

START_TEST(ref_names_hold_only_plain_characters)
{
	static const struct {
		const char *author, *title, *expected;
	} rows[] = {
		{"Ann Author", "lib/foo: fix it",
		 "lorebot-review/Ann-Author/lib-foo-fix-it/20260131-120000"},
		{"..", "~^:", "lorebot-review/unknown/untitled/20260131-120000"},
		{"a/../b", "-x-", "lorebot-review/a-b/x/20260131-120000"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *name =
			apply_ref_name(rows[i].author, rows[i].title, 1769860800 * CLOCK_US_PER_S);
		ck_assert_str_eq(name, rows[i].expected);
	}
}
END_TEST

CHECK_MAIN("apply", a_new_file_over_an_existing_one_is_refused,
	   a_deletion_needs_the_whole_old_content, a_deletion_takes_the_empty_folder_along,
	   a_copy_is_taken_from_the_content_before_the_patch, two_names_can_be_swapped,
	   a_file_named_twice_goes_on_from_the_first_result, modes_change_and_are_kept,
	   a_file_can_become_a_link_by_delete_and_create, a_file_can_become_a_folder_and_back,
	   a_path_that_would_be_file_and_folder_is_refused,
	   nothing_is_written_beyond_a_symbolic_link, a_link_that_goes_makes_room_for_a_folder,
	   a_submodule_moves_to_another_commit, a_binary_file_is_replaced_by_its_literal,
	   damaged_binary_data_is_refused, binary_without_data_is_refused, unsafe_paths_are_refused,
	   thousands_of_very_deep_paths_are_refused,
	   a_mail_that_is_crlf_throughout_loses_its_carriage_returns,
	   a_refused_diff_leaves_no_object_behind, a_commit_has_the_patchs_author_date_and_message,
	   the_same_series_gives_the_same_commit_again, a_failing_patch_is_named_by_its_place,
	   ref_names_hold_only_plain_characters)
