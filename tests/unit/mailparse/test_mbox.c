/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/mbox.h"

#include "tests/unit/check_main.h"

#include <string.h>

#define SEPARATOR "From ann@example.org Tue Mar  5 10:00:00 2024\n"

static void append_mail(GBytes *mail, gpointer got)
{
	gsize len;
	const char *data = g_bytes_get_data(mail, &len);

	g_string_append_c(got, '{');
	g_string_append_len(got, data, (gssize)len);
	g_string_append_c(got, '}');
}

/* In pieces of every size. */
static void check_split(const char *archive, const char *want)
{
	gsize len = strlen(archive);

	for (gsize piece = 1; piece <= len + 1; piece++) {
		g_autoptr(GString) got = g_string_new(NULL);
		MboxSplitter splitter;

		mbox_splitter_init(&splitter, 1u << 20, append_mail, got);
		for (gsize at = 0; at < len; at += piece)
			mbox_splitter_feed(&splitter, (const guint8 *)archive + at,
					   MIN(piece, len - at));
		mbox_splitter_end(&splitter);
		ck_assert_msg(strcmp(got->str, want) == 0, "%s: got %s", archive, got->str);
	}
}

START_TEST(mbox_is_split_at_separators_after_an_empty_line)
{
	check_split(SEPARATOR "A: 1\n\na\n\n" SEPARATOR "B: 1\n\nb\n",
		    "{A: 1\n\na\n}{B: 1\n\nb\n}");
	check_split(SEPARATOR "A: 1\r\n\r\na\r\n\r\n" SEPARATOR "B: 1\r\n",
		    "{A: 1\r\n\r\na\r\n}{B: 1\r\n}");
	check_split(SEPARATOR "A: 1\n\na\n" SEPARATOR "\n" SEPARATOR "C: 1\n\n",
		    "{A: 1\n\na\n" SEPARATOR "}{C: 1\n}");
	check_split(SEPARATOR "A: 1\n\nFrom here on\n\n" SEPARATOR "B: 1\n\n" SEPARATOR "C: 1",
		    "{A: 1\n\nFrom here on\n}{B: 1\n}{C: 1}");
	check_split(SEPARATOR "A: 1\n\n" SEPARATOR, "{A: 1\n}{}");
	check_split(SEPARATOR "A: 1\n\nFrom ann@example.org Tue Mar  5 10:00:00 2024",
		    "{A: 1\n}{}");
}
END_TEST

START_TEST(mbox_without_times_is_split_as_its_first_line_does)
{
	check_split("From nobody\nA: 1\n\na\n\nFrom nobody\nB: 1\n\nb\n",
		    "{A: 1\n\na\n}{B: 1\n\nb\n}");
	check_split("From - \nA: 1\n\nFrom nobody\n\nFrom - \nB: 1\n",
		    "{A: 1\n\nFrom nobody\n}{B: 1\n}");
	/* Only as the first line does, and only after an empty one. */
	check_split("A: 1\n\nFrom nobody\n\nFrom nobody\n",
		    "{A: 1\n\nFrom nobody\n\nFrom nobody\n}");
	check_split("From nobody\nA: 1\n\na\nFrom nobody\nb\n",
		    "{From nobody\nA: 1\n\na\nFrom nobody\nb\n}");
	check_split("From here on\nA: 1\n\nFrom here on\n",
		    "{From here on\nA: 1\n\nFrom here on\n}");
	check_split(SEPARATOR "A: 1\n\nFrom nobody\nx\n\n" SEPARATOR "B: 1\n",
		    "{A: 1\n\nFrom nobody\nx\n}{B: 1\n}");
}
END_TEST

START_TEST(mbox_archive_has_two_separators_and_begins_with_one)
{
	const char *wholes[] = {
		"From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\n"
		"A: 1\n\na\n\n",
		"A: 1\n\na\n\n" SEPARATOR "B: 1\n\n" SEPARATOR "C: 1\n",
		"\n" SEPARATOR "B: 1\n\n" SEPARATOR "C: 1\n",
		SEPARATOR,
		"",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(wholes); i++) {
		g_autofree char *want = g_strdup_printf("{%s}", wholes[i]);
		check_split(wholes[i], want);
	}
}
END_TEST

START_TEST(mbox_mail_over_the_limit_is_seen_to_be_and_not_kept)
{
	g_autoptr(GString) got = g_string_new(NULL);
	g_autofree char *line = g_strnfill(1000, 'x');
	MboxSplitter splitter;

	line[999] = '\n';
	mbox_splitter_init(&splitter, 10000, append_mail, got);
	for (guint mail = 0; mail < 2; mail++) {
		mbox_splitter_feed(&splitter, (const guint8 *)SEPARATOR, strlen(SEPARATOR));
		for (guint i = 0; i < 10000; i++)
			mbox_splitter_feed(&splitter, (const guint8 *)line, 1000);
		mbox_splitter_feed(&splitter, (const guint8 *)"\n", 1);
		ck_assert_uint_lt(splitter.held->len, 12000);
	}
	mbox_splitter_end(&splitter);

	char *second = strstr(got->str, "}{");
	ck_assert_ptr_nonnull(second);
	ck_assert_int_gt(second - got->str, 10000);
	ck_assert_uint_gt(strlen(second), 10000);
}
END_TEST

START_TEST(mbox_is_unescaped_only_on_request)
{
	const char *text = "A: 1\n\n>From x\n>>From y\n> From z\n>Fromage\n>From";
	g_autoptr(GBytes) mail = g_bytes_new_static(text, strlen(text));
	g_autoptr(GBytes) bare = mbox_unescape(mail);
	g_autoptr(GString) got = g_string_new(NULL);

	append_mail(bare, got);
	ck_assert_str_eq(got->str, "{A: 1\n\nFrom x\n>From y\n> From z\n>Fromage\n>From}");
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
	g_autofree char *fits = g_strdup_printf(
		"%sA: 1\n\nFrom %s Tue Mar  5 10:00:00 2024\nB: 1\n", SEPARATOR, name);
	g_autofree char *over = g_strdup_printf(
		"%sA: 1\n\nFrom %sx Tue Mar  5 10:00:00 2024\nB: 1\n", SEPARATOR, name);

	check_split(fits, "{A: 1\n}{B: 1\n}");
	g_autofree char *whole = g_strdup_printf("{%s}", over);
	check_split(over, whole);
}
END_TEST

START_TEST(mbox_separator_time_is_that_of_asctime_in_utc_or_its_zone)
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
		{"From a Tue Mar  5 10:00:00 2024 +0100\n", 1709629200},
		{"From a Tue Mar  5 10:00:00 -0930 2024\r\n", 1709667000},
		{"From a Tue Mar  5 10:00:00 2024 -0000\n", 1709632800},
		{"From a Tue Mar  5 10:00:00 2024 +1500\n", -1},
		{"From a Tue Mar  5 10:00:00 2024 +0175\n", -1},
		{"From a Tue Mar  5 10:00:00 2024 +01:00\n", -1},
		{"From a Tue Mar  5 10:00:00 2024 +100\n", -1},
		{"From a Tue Mar  5 10:00:00 +0100\n", -1},
		{"From a Tue Mar  5 10:00:00 +0100 2024 +0100\n", -1},
		{"From a Tue Mar  5 10:00:00 MET 2024\n", -1},
		{"From a Thu Jan  1 00:30:00 1970 +0100\n", -1},
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
	   mbox_without_times_is_split_as_its_first_line_does,
	   mbox_archive_has_two_separators_and_begins_with_one,
	   mbox_mail_over_the_limit_is_seen_to_be_and_not_kept, mbox_is_unescaped_only_on_request,
	   mbox_scanner_finds_the_same_in_pieces_of_any_size,
	   mbox_separator_is_no_longer_than_its_limit,
	   mbox_separator_time_is_that_of_asctime_in_utc_or_its_zone)
