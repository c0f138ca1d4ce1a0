/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/check_main.h"

#include "bot/git/commitmsg.h"

#define LINK "https://example.org/r/1@x"
#define SOB "Signed-off-by: Ann Author <ann@example.org>"

START_TEST(messages_are_composed_as_git_am_does)
{
	static const struct {
		const char *title, *body, *link, *expected;
	} rows[] = {
		{"t", "", NULL, "t\n"},
		{"t", NULL, LINK, "t\n\nLink: " LINK "\n"},
		{"t", "body  \n\n\n\nmore\n\n", NULL, "t\n\nbody\n\nmore\n"},
		{"t", "body\n", LINK, "t\n\nbody\n\nLink: " LINK "\n"},
		{"t", "body\n\n" SOB "\n", LINK, "t\n\nbody\n\n" SOB "\nLink: " LINK "\n"},
		{"t", SOB "\n", LINK, "t\n\n" SOB "\nLink: " LINK "\n"},
		{"t", "body\n\nLink: " LINK "\n" SOB "\n", LINK,
		 "t\n\nbody\n\nLink: " LINK "\n" SOB "\n"},
		{"t", "body\n\nLink: https://example.org/other\n", LINK,
		 "t\n\nbody\n\nLink: https://example.org/other\nLink: " LINK "\n"},
		{"subsys: title", "", LINK, "subsys: title\n\nLink: " LINK "\n"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *message =
			commitmsg_compose(rows[i].title, rows[i].body, rows[i].link);
		ck_assert_str_eq(message, rows[i].expected);
	}
}
END_TEST

START_TEST(names_lose_what_git_leaves_out)
{
	static const char *const rows[][2] = {
		{"Ann Author", "Ann Author"},  {" \"Ann\" ", "Ann"}, {"Ann <x>", "Ann x"},
		{"Dr. Bo, Jr.", "Dr. Bo, Jr"}, {"...", ""},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *name = commitmsg_clean_name(rows[i][0]);
		ck_assert_str_eq(name, rows[i][1]);
	}
}
END_TEST

CHECK_MAIN("commitmsg", messages_are_composed_as_git_am_does, names_lose_what_git_leaves_out)
