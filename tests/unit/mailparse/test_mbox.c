/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/mbox.h"

#include "tests/unit/check_main.h"

#include <string.h>

#define SEPARATOR "From ann@example.org Tue Mar  5 10:00:00 2024\n"

static void check_split(const char *archive, bool unescape, const char *want)
{
	g_autoptr(GBytes) bytes = g_bytes_new(archive, strlen(archive));
	g_autoptr(GPtrArray) messages = mbox_split(bytes, unescape, NULL);
	g_autoptr(GString) got = g_string_new(NULL);

	for (guint i = 0; i < messages->len; i++) {
		gsize len;
		const char *data = g_bytes_get_data(g_ptr_array_index(messages, i), &len);

		g_string_append_c(got, '{');
		g_string_append_len(got, data, (gssize)len);
		g_string_append_c(got, '}');
	}
	ck_assert_msg(strcmp(got->str, want) == 0, "%s: got %s", archive, got->str);
}

START_TEST(mbox_is_split_at_separators_after_an_empty_line)
{
	check_split(SEPARATOR "A: 1\n\na\n\n" SEPARATOR "B: 1\n\nb\n", false,
		    "{A: 1\n\na\n}{B: 1\n\nb\n}");
	check_split(SEPARATOR "A: 1\r\n\r\na\r\n\r\n" SEPARATOR "B: 1\r\n", false,
		    "{A: 1\r\n\r\na\r\n}{B: 1\r\n}");
	check_split(SEPARATOR "A: 1\n\na\n" SEPARATOR, false, "{A: 1\n\na\n" SEPARATOR "}");
	check_split(SEPARATOR "A: 1\n\nFrom here on\n\nFrom here on\n", false,
		    "{A: 1\n\nFrom here on\n\nFrom here on\n}");
	check_split(SEPARATOR, false, "{}");
}
END_TEST

START_TEST(mbox_bytes_before_the_first_separator_are_kept_unless_blank)
{
	check_split("A: 1\n\na\n\n" SEPARATOR "B: 1\n", false, "{A: 1\n\na\n}{B: 1\n}");
	check_split("\n \n\n" SEPARATOR "B: 1\n", false, "{B: 1\n}");
	check_split("A: 1\n\na\n", false, "{A: 1\n\na\n}");
	check_split("", false, "");
}
END_TEST

START_TEST(mbox_is_unescaped_only_on_request)
{
	const char *archive = SEPARATOR "A: 1\n\n>From x\n>>From y\n> From z\n>Fromage\n>From";

	check_split(archive, true, "{A: 1\n\nFrom x\n>From y\n> From z\n>Fromage\n>From}");
	check_split(archive, false, "{A: 1\n\n>From x\n>>From y\n> From z\n>Fromage\n>From}");
}
END_TEST

static bool is_archive(const char *text)
{
	return mbox_is_archive((const guint8 *)text, strlen(text));
}

START_TEST(mbox_archive_has_two_separators)
{
	ck_assert(is_archive(SEPARATOR "A: 1\n\na\n\n" SEPARATOR "B: 1\n"));
	ck_assert(!is_archive(
		"From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\n"
		"A: 1\n\na\n"));
	ck_assert(!is_archive("A: 1\n\na\n\n" SEPARATOR "B: 1\n\n" SEPARATOR "C: 1\n"));
	ck_assert(!is_archive(""));
}
END_TEST

START_TEST(mbox_cut_anywhere_loses_only_separators)
{
	static const char archive[] = SEPARATOR "A: 1\n\na\n\n" SEPARATOR "B: 1\n\n>From b\n";

	for (gsize len = 0; len < strlen(archive); len++) {
		g_autofree char *cut = g_strndup(archive, len);
		g_autoptr(GBytes) bytes = g_bytes_new(cut, len);
		g_autoptr(GPtrArray) messages = mbox_split(bytes, true, NULL);

		ck_assert_uint_le(messages->len, 2);
	}
}
END_TEST

CHECK_MAIN("mbox", mbox_is_split_at_separators_after_an_empty_line,
	   mbox_bytes_before_the_first_separator_are_kept_unless_blank,
	   mbox_is_unescaped_only_on_request, mbox_archive_has_two_separators,
	   mbox_cut_anywhere_loses_only_separators)
