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

START_TEST(mbox_scanner_finds_the_same_in_pieces_of_any_size)
{
	static const char archive[] =
		SEPARATOR "A: 1\n\na\n\n" SEPARATOR "B: 1\n\nFrom b\n\n" SEPARATOR;
	const guint64 want[] = {0, 55, 115};

	for (gsize piece = 1; piece < sizeof archive; piece++) {
		MboxScanner scanner;
		guint64 start = 0;
		gsize n_found = 0;

		mbox_scanner_init(&scanner, 0);
		while (scanner.pos < strlen(archive)) {
			gsize len = MIN(piece, strlen(archive) - scanner.pos);
			gsize used;

			if (!mbox_scanner_feed(&scanner, (const guint8 *)archive + scanner.pos, len,
					       &used, &start))
				continue;
			ck_assert_uint_lt(n_found, G_N_ELEMENTS(want));
			ck_assert_uint_eq(start, want[n_found++]);
			ck_assert_uint_eq(scanner.pos, start + strlen(SEPARATOR));
		}
		ck_assert_uint_eq(n_found, G_N_ELEMENTS(want));
	}
}
END_TEST

START_TEST(mbox_separator_is_no_longer_than_its_limit)
{
	g_autofree char *name = g_strnfill(MBOX_SEPARATOR_MAX_BYTES - 30, 'a');
	g_autofree char *fits = g_strdup_printf("From %s Tue Mar  5 10:00:00 2024\nA: 1\n", name);
	g_autofree char *over = g_strdup_printf("From %sx Tue Mar  5 10:00:00 2024\nA: 1\n", name);

	check_split(fits, false, "{A: 1\n}");
	g_autofree char *whole = g_strdup_printf("{%s}", over);
	check_split(over, false, whole);
}
END_TEST

START_TEST(mbox_separator_time_is_that_of_asctime_in_utc)
{
	const struct {
		const char *line;
		int64_t want_s;
	} cases[] = {
		{"From a@example.org Tue Mar  5 10:00:00 2024\n", 1709632800},
		{"From a@example.org  Tue Mar 5 10:00:00 2024\r\n", 1709632800},
		{"From \"a b\"@example.org Tue Mar 05 10:00:00 2024", 1709632800},
		{"From mboxrd@z Thu Jan  1 00:00:00 1970\n", 0},
		{"From a Tue Feb 30 10:00:00 2024\n", -1},
		{"From a Tue Mar  5 10:00:00 2024 +0100\n", -1},
		{"From a Tue Mar  5 24:00:00 2024\n", -1},
		{"From a Tue Mrz  5 10:00:00 2024\n", -1},
		{"From a Thu Jan  1 00:00:00 0001\n", -1},
		{"From 10:00:00\n", -1},
		{"From ", -1},
		{"", -1},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		int64_t want = cases[i].want_s < 0 ? -1 : cases[i].want_s * 1000000;
		int64_t got = mbox_separator_time(cases[i].line, strlen(cases[i].line));

		ck_assert_msg(got == want, "%s: got %" G_GINT64_FORMAT, cases[i].line, got);
	}
}
END_TEST

CHECK_MAIN("mbox", mbox_is_split_at_separators_after_an_empty_line,
	   mbox_bytes_before_the_first_separator_are_kept_unless_blank,
	   mbox_is_unescaped_only_on_request, mbox_archive_has_two_separators,
	   mbox_cut_anywhere_loses_only_separators,
	   mbox_scanner_finds_the_same_in_pieces_of_any_size,
	   mbox_separator_is_no_longer_than_its_limit,
	   mbox_separator_time_is_that_of_asctime_in_utc)
