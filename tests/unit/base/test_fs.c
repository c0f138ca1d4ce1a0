/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/fs.h"

#include "bot/base/error.h"
#include "tests/unit/check_main.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *temp_dir(void)
{
	char *dir = g_dir_make_tmp("lorebot-fs-XXXXXX", NULL);
	ck_assert_ptr_nonnull(dir);
	return dir;
}

START_TEST(a_written_file_is_read_back_and_replaced_whole)
{
	g_autofree char *dir = temp_dir();
	g_autofree char *path = g_build_filename(dir, "file", NULL);
	struct stat st;

	ck_assert(fs_write_durable(path, "first, longer", 13, 0600, NULL));
	ck_assert(fs_write_durable(path, "second", 6, 0640, NULL));

	g_autoptr(GBytes) bytes = fs_read(path, 100, NULL);
	ck_assert_uint_eq(g_bytes_get_size(bytes), 6);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0640);
	ck_assert(fs_remove_tree(dir, NULL));
}
END_TEST

START_TEST(a_failed_write_leaves_nothing_behind)
{
	g_autofree char *dir = temp_dir();
	g_autofree char *path = g_build_filename(dir, "taken", NULL);
	g_autoptr(GError) error = NULL;

	ck_assert_int_eq(g_mkdir(path, 0700), 0);
	ck_assert(!fs_write_durable(path, "x", 1, 0600, &error));

	g_autoptr(GDir) entries = g_dir_open(dir, 0, NULL);
	ck_assert_str_eq(g_dir_read_name(entries), "taken");
	ck_assert_ptr_null(g_dir_read_name(entries));
	ck_assert(fs_remove_tree(dir, NULL));
}
END_TEST

START_TEST(reading_refuses_links_pipes_folders_and_what_is_too_long)
{
	g_autofree char *dir = temp_dir();
	g_autofree char *file = g_build_filename(dir, "file", NULL);
	g_autofree char *link_path = g_build_filename(dir, "link", NULL);
	g_autofree char *pipe_path = g_build_filename(dir, "pipe", NULL);

	ck_assert(fs_write_durable(file, "12345", 5, 0600, NULL));
	ck_assert_int_eq(symlink(file, link_path), 0);
	ck_assert_int_eq(mkfifo(pipe_path, 0600), 0);

	ck_assert_ptr_null(fs_read(link_path, 100, NULL));
	ck_assert_ptr_null(fs_read(pipe_path, 100, NULL));
	ck_assert_ptr_null(fs_read(dir, 100, NULL));
	ck_assert_ptr_null(fs_read(file, 4, NULL));
	ck_assert(fs_remove_tree(dir, NULL));
}
END_TEST

START_TEST(a_missing_file_is_not_found_and_named)
{
	g_autoptr(GError) error = NULL;

	ck_assert_ptr_null(fs_read("/nonexistent/x", 10, &error));

	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_NOT_FOUND));
	ck_assert_ptr_nonnull(strstr(error->message, "/nonexistent/x"));
}
END_TEST

START_TEST(a_full_disk_is_worth_another_try)
{
	g_autoptr(GError) error = NULL;

	bot_error_set_errno(&error, ENOSPC, "cannot write %s", "x");

	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_TRANSIENT));
	ck_assert_int_eq(bot_error_exit_code(error), 75);
}
END_TEST

START_TEST(removing_a_tree_never_follows_a_link)
{
	g_autofree char *keep = temp_dir();
	g_autofree char *dir = temp_dir();
	g_autofree char *kept = g_build_filename(keep, "kept", NULL);
	g_autofree char *link_path = g_build_filename(dir, "link", NULL);

	ck_assert(fs_write_durable(kept, "x", 1, 0600, NULL));
	ck_assert_int_eq(symlink(keep, link_path), 0);
	ck_assert(fs_remove_tree(dir, NULL));

	ck_assert(g_file_test(kept, G_FILE_TEST_EXISTS));
	ck_assert(!g_file_test(dir, G_FILE_TEST_EXISTS));
	ck_assert(fs_remove_tree(dir, NULL));
	ck_assert(fs_remove_tree(keep, NULL));
}
END_TEST

CHECK_MAIN("fs", a_written_file_is_read_back_and_replaced_whole,
	   a_failed_write_leaves_nothing_behind,
	   reading_refuses_links_pipes_folders_and_what_is_too_long,
	   a_missing_file_is_not_found_and_named, a_full_disk_is_worth_another_try,
	   removing_a_tree_never_follows_a_link)
