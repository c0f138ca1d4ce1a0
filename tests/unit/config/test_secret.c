/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "config/config.h"
#include "tests/unit/check_main.h"

#include <string.h>

static char *folder_with(const char *name, const char *text)
{
	char *dir = g_dir_make_tmp("lorebot-secret-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, name, NULL);

	ck_assert(g_file_set_contents(path, text, -1, NULL));
	return dir;
}

static void fails(const char *file, const char *const *command, const char *part)
{
	g_autoptr(GError) error = NULL;

	ck_assert_ptr_null(secret_read(file, command, &error));
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_CONFIG));
	ck_assert_msg(strstr(error->message, part) != NULL, "in: %s", error->message);
	ck_assert_ptr_null(strstr(error->message, "hunter2"));
}

START_TEST(a_secret_is_the_first_line_of_its_file)
{
	g_autofree char *dir = folder_with("s", "hunter2 \r\nmore\n");
	g_autofree char *path = g_build_filename(dir, "s", NULL);

	g_autofree char *secret = secret_read(path, NULL, NULL);

	ck_assert_str_eq(secret, "hunter2 ");
	ck_assert(fs_remove_tree(dir, NULL));
}
END_TEST

START_TEST(a_bare_name_is_of_the_credential_folder)
{
	g_autofree char *dir = folder_with("imap", "hunter2\n");

	g_unsetenv("CREDENTIALS_DIRECTORY");
	fails("imap", NULL, "CREDENTIALS_DIRECTORY");
	g_setenv("CREDENTIALS_DIRECTORY", dir, TRUE);
	g_autofree char *secret = secret_read("imap", NULL, NULL);

	ck_assert_str_eq(secret, "hunter2");
	ck_assert(fs_remove_tree(dir, NULL));
}
END_TEST

START_TEST(a_secret_is_the_first_line_a_command_prints)
{
	static const char *const command[] = {"printf", "hunter2\nmore\n", NULL};

	g_autofree char *secret = secret_read(NULL, command, NULL);

	ck_assert_str_eq(secret, "hunter2");
}
END_TEST

START_TEST(a_command_is_no_shell_line)
{
	static const char *const command[] = {"echo", "$HOME", "|", "cat", NULL};

	g_autofree char *secret = secret_read(NULL, command, NULL);

	ck_assert_str_eq(secret, "$HOME | cat");
}
END_TEST

START_TEST(a_failing_command_is_told_without_its_output)
{
	static const char *const failing[] = {"sh", "-c", "echo hunter2; echo hunter2 >&2; exit 3",
					      NULL};
	static const char *const missing[] = {"/no/such/program", NULL};
	static const char *const silent[] = {"true", NULL};

	fails(NULL, failing, "status 3");
	fails(NULL, missing, "cannot start");
	fails(NULL, silent, "holds no secret");
}
END_TEST

START_TEST(no_place_is_no_secret_and_no_error)
{
	g_autoptr(GError) error = NULL;

	ck_assert_ptr_null(secret_read(NULL, NULL, &error));
	ck_assert_ptr_null(error);
}
END_TEST

CHECK_MAIN("secret", a_secret_is_the_first_line_of_its_file,
	   a_bare_name_is_of_the_credential_folder, a_secret_is_the_first_line_a_command_prints,
	   a_command_is_no_shell_line, a_failing_command_is_told_without_its_output,
	   no_place_is_no_secret_and_no_error)
