/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "../check_main.h"

#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/send/filedrop.h"

#include <string.h>

static char *temporary_dir(void)
{
	return g_dir_make_tmp("filedrop-XXXXXX", NULL);
}

static OutgoingMail *mail_named(const char *message_id)
{
	OutgoingMail *mail = g_new0(OutgoingMail, 1);

	mail->message_id = g_strdup(message_id);
	mail->bytes = g_bytes_new_static("a\n\nb\n", 5);
	return mail;
}

/* Returns: the one file's name in @dir; fails when there is not just one. */
static char *only_file(const char *path)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	char *name = g_strdup(g_dir_read_name(dir));

	ck_assert_ptr_nonnull(name);
	ck_assert_ptr_null(g_dir_read_name(dir));
	return name;
}

START_TEST(a_mail_becomes_a_file_of_its_id_in_a_folder_made_for_it)
{
	g_autofree char *root = temporary_dir();
	g_autofree char *dir = g_build_filename(root, "sent", "today", NULL);
	g_autoptr(OutgoingMail) mail = mail_named("1.ab-lorebot@example.org");

	ck_assert(filedrop_write(dir, mail, NULL));
	ck_assert(filedrop_write(dir, mail, NULL));

	g_autofree char *name = only_file(dir);
	g_autofree char *path = g_build_filename(dir, name, NULL);
	g_autoptr(GBytes) bytes = fs_read(path, 100, NULL);
	ck_assert_str_eq(name, "1.ab-lorebot@example.org.eml");
	ck_assert(g_bytes_equal(bytes, mail->bytes));
	ck_assert(fs_remove_tree(root, NULL));
}
END_TEST

START_TEST(no_id_leads_out_of_the_folder)
{
	static const struct {
		const char *id;
		const char *name;
	} rows[] = {
		{"../../etc/passwd", "_._.._etc_passwd.eml"},
		{".", "_.eml"},
		{"a/b\nc@example.org", "a_b_c@example.org.eml"},
		{"\xc3\xa4", "__.eml"},
	};
	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *dir = temporary_dir();
		g_autoptr(OutgoingMail) mail = mail_named(rows[i].id);

		ck_assert(filedrop_write(dir, mail, NULL));

		g_autofree char *name = only_file(dir);
		ck_assert_str_eq(name, rows[i].name);
		ck_assert(fs_remove_tree(dir, NULL));
	}
}
END_TEST

START_TEST(a_long_id_still_fits_a_file_name)
{
	g_autofree char *dir = temporary_dir();
	g_autofree char *id = g_strnfill(5000, 'x');
	g_autoptr(OutgoingMail) mail = mail_named(id);

	ck_assert(filedrop_write(dir, mail, NULL));

	g_autofree char *name = only_file(dir);
	ck_assert_uint_le(strlen(name), 255);
	ck_assert(fs_remove_tree(dir, NULL));
}
END_TEST

START_TEST(a_mail_without_id_is_an_error)
{
	g_autoptr(OutgoingMail) mail = mail_named("");
	g_autoptr(GError) error = NULL;

	ck_assert(!filedrop_write("/nonexistent", mail, &error));

	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PERMANENT));
}
END_TEST

START_TEST(a_folder_that_cannot_be_made_is_an_error)
{
	g_autoptr(OutgoingMail) mail = mail_named("a@example.org");
	g_autoptr(GError) error = NULL;

	ck_assert(!filedrop_write("/proc/nothing/here", mail, &error));

	ck_assert_ptr_nonnull(error);
}
END_TEST

CHECK_MAIN("filedrop", a_mail_becomes_a_file_of_its_id_in_a_folder_made_for_it,
	   no_id_leads_out_of_the_folder, a_long_id_still_fits_a_file_name,
	   a_mail_without_id_is_an_error, a_folder_that_cannot_be_made_is_an_error)
