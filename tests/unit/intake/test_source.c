/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/source.h"
#include "tests/unit/check_main.h"

static char *place(const char *url, const char *user)
{
	SourceSection section = {.url = (char *)(gsize)url, .user = (char *)(gsize)user};

	return source_key_of(&section);
}

static void assert_same(const char *url, const char *other)
{
	g_autofree char *one = place(url, "ann");
	g_autofree char *two = place(other, "ann");

	ck_assert_str_eq(one, two);
}

START_TEST(a_mailbox_is_the_same_place_by_any_way_there)
{
	assert_same("imap://mail.example.org/INBOX", "imaps://mail.example.org/INBOX");
	assert_same("imap://mail.example.org/INBOX", "imap://MAIL.example.org:143/INBOX");
	assert_same("imap://mail.example.org/INBOX", "imaps://mail.example.org:993/INBOX");
}
END_TEST

START_TEST(another_mailbox_server_or_user_is_another_place)
{
	g_autofree char *inbox = place("imaps://mail.example.org/INBOX", "ann");
	g_autofree char *lists = place("imaps://mail.example.org/lists", "ann");
	g_autofree char *port = place("imaps://mail.example.org:1993/INBOX", "ann");
	g_autofree char *bo = place("imaps://mail.example.org/INBOX", "bo");
	g_autofree char *nobody = place("imaps://mail.example.org/INBOX", NULL);

	ck_assert_str_eq(inbox, "imap://ann@mail.example.org/INBOX");
	ck_assert_str_eq(lists, "imap://ann@mail.example.org/lists");
	ck_assert_str_eq(port, "imap://ann@mail.example.org:1993/INBOX");
	ck_assert_str_eq(bo, "imap://bo@mail.example.org/INBOX");
	ck_assert_str_eq(nobody, "imap://mail.example.org/INBOX");
}
END_TEST

START_TEST(a_folder_or_file_is_named_by_its_url)
{
	g_autofree char *folder = place("maildir:/var/mail/lab", NULL);

	ck_assert_str_eq(folder, "maildir:/var/mail/lab");
}
END_TEST

CHECK_MAIN("source", a_mailbox_is_the_same_place_by_any_way_there,
	   another_mailbox_server_or_user_is_another_place, a_folder_or_file_is_named_by_its_url)
