/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/check_main.h"

#include "bot/base/autofd.h"
#include "bot/base/error.h"
#include "bot/git/checkout.h"
#include "tests/unit/git/fixture.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>

/* Writes the tar of @commit and lists it as "path mode size|link" lines. */
static char *list_tar(const Fixture *fixture, const git_oid *commit, uint64_t max, GError **error)
{
	g_autofree char *path = g_build_filename(fixture->dir, "out.tar", NULL);
	autofd int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct archive *tar = archive_read_new();
	struct archive_entry *entry;
	GString *lines = g_string_new(NULL);

	if (!checkout_write_tar(fixture->repo, commit, fd, max, error)) {
		archive_read_free(tar);
		g_string_free(lines, TRUE);
		return NULL;
	}
	archive_read_support_format_tar(tar);
	ck_assert_int_eq(archive_read_open_filename(tar, path, 10240), ARCHIVE_OK);
	for (int rc; (rc = archive_read_next_header(tar, &entry)) != ARCHIVE_EOF;) {
		const char *link = archive_entry_symlink(entry);

		ck_assert_int_ge(rc, ARCHIVE_WARN);
		g_string_append_printf(lines, "%s %o ", archive_entry_pathname(entry),
				       (unsigned)archive_entry_mode(entry));
		if (link)
			g_string_append_printf(lines, "%s\n", link);
		else
			g_string_append_printf(lines, "%d\n", (int)archive_entry_size(entry));
		ck_assert_int_eq(archive_entry_mtime(entry), FIXTURE_TIME);
	}
	archive_read_free(tar);
	return g_string_free(lines, FALSE);
}

START_TEST(a_tar_holds_exactly_the_tree)
{
	const FixtureFile files[] = {
		{".gitattributes", "* export-ignore\n", 0},
		{"d/e/f", "$Format:%H$\n", 0},
		{"link", "d/e", 0120000},
		{"run", "#!\n", 0100755},
		{"sub", "1111111111111111111111111111111111111111", 0160000},
		{"\303\244 \377", "x", 0},
		{NULL, NULL, 0},
	};
	g_auto(Fixture) fixture = fixture_new();
	git_oid commit = fixture_commit(fixture.repo, files, NULL);
	g_autoptr(GError) error = NULL;

	g_autofree char *lines = list_tar(&fixture, &commit, 1 << 20, &error);

	ck_assert_msg(lines != NULL, "%s", error ? error->message : "");
	ck_assert_str_eq(lines, ".gitattributes 100644 16\nd/ 40755 0\nd/e/ 40755 0\n"
				"d/e/f 100644 12\nlink 120777 d/e\nrun 100755 3\nsub/ 40755 0\n"
				"\303\244 \377 100644 1\n");
}
END_TEST

START_TEST(a_tree_over_the_limit_is_refused)
{
	const FixtureFile files[] = {{"a", "0123456789", 0}, {"b", "x", 0}, {NULL, NULL, 0}};
	g_auto(Fixture) fixture = fixture_new();
	git_oid commit = fixture_commit(fixture.repo, files, NULL);
	g_autoptr(GError) error = NULL;

	ck_assert_ptr_null(list_tar(&fixture, &commit, 2047, &error));
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PERMANENT));
	g_autofree char *lines = list_tar(&fixture, &commit, 2048, NULL);
	ck_assert_ptr_nonnull(lines);
}
END_TEST

/* Trees that no git makes: bytes as they are, past every check of libgit2. */
static git_oid raw_tree(Repo *repo, const char *const *modes_and_names, const git_oid *oid)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(git_odb) odb = NULL;
	git_oid made;

	for (; *modes_and_names; modes_and_names++) {
		g_byte_array_append(bytes, (const guint8 *)*modes_and_names,
				    (guint)strlen(*modes_and_names) + 1);
		g_byte_array_append(bytes, oid->id, GIT_OID_RAWSZ);
	}
	ck_assert_int_eq(git_repository_odb(&odb, repo_handle(repo)), 0);
	ck_assert_int_eq(git_odb_write(&made, odb, bytes->data, bytes->len, GIT_OBJECT_TREE), 0);
	return made;
}

START_TEST(unsafe_names_in_a_tree_are_refused)
{
	static const char *const trees[][3] = {
		{"100644 ..", NULL},
		{"100644 .git", NULL},
		{"100644 a/b", NULL},
		{"120000 a", "100644 a", NULL},
	};
	g_auto(Fixture) fixture = fixture_new();
	git_oid blob;

	ck_assert_int_eq(git_blob_create_from_buffer(&blob, repo_handle(fixture.repo), "x", 1), 0);
	for (size_t i = 0; i < G_N_ELEMENTS(trees); i++) {
		git_oid tree = raw_tree(fixture.repo, trees[i], &blob);
		git_oid commit =
			fixture_commit_tree(fixture.repo, &tree, NULL, FIXTURE_TIME, "x\n");
		g_autoptr(GError) error = NULL;

		ck_assert_ptr_null(list_tar(&fixture, &commit, 1 << 20, &error));
		ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PERMANENT));
	}
}
END_TEST

/* Ten folders that each hold the next one ten times: 10^10 files in ten small objects. */
START_TEST(a_bomb_of_trees_meets_the_limit)
{
	static const char *const names[] = {"40000 0", "40000 1", "40000 2", "40000 3",
					    "40000 4", "40000 5", "40000 6", "40000 7",
					    "40000 8", "40000 9", NULL};
	static const char *const leaf[] = {"100644 x", NULL};
	g_auto(Fixture) fixture = fixture_new();
	g_autoptr(GError) error = NULL;
	git_oid oid;

	ck_assert_int_eq(git_blob_create_from_buffer(&oid, repo_handle(fixture.repo), "", 0), 0);
	oid = raw_tree(fixture.repo, leaf, &oid);
	for (int i = 0; i < 10; i++)
		oid = raw_tree(fixture.repo, names, &oid);
	oid = fixture_commit_tree(fixture.repo, &oid, NULL, FIXTURE_TIME, "x\n");

	ck_assert_ptr_null(list_tar(&fixture, &oid, 1 << 20, &error));

	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PERMANENT));
}
END_TEST

CHECK_MAIN("checkout", a_tar_holds_exactly_the_tree, a_tree_over_the_limit_is_refused,
	   unsafe_names_in_a_tree_are_refused, a_bomb_of_trees_meets_the_limit)
