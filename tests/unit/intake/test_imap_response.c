/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/clock.h"
#include "bot/base/error.h"
#include "bot/intake/imap_cursor.h"
#include "bot/intake/imap_response.h"
#include "tests/unit/check_main.h"

#include <string.h>

static ImapResponse *response_of(const char *bytes, size_t len)
{
	g_autoptr(ImapReader) reader = imap_reader_new(1000);
	g_autoptr(GError) error = NULL;
	ImapResponse *response = NULL;
	size_t used = 0;

	bool fine = imap_reader_feed(reader, bytes, len, &used, &response, &error);
	ck_assert_msg(fine && response, "%.*s", (int)len, bytes);
	return response;
}

static ImapResponse *line_of(const char *line)
{
	g_autofree char *bytes = g_strconcat(line, "\r\n", NULL);
	return response_of(bytes, strlen(bytes));
}

typedef struct {
	const char *line, *tag;
	ImapStatus status;
	unsigned number;
	const char *keyword, *code, *rest;
} HeadCase;

static const HeadCase heads[] = {
	{"* OK hello", "*", IMAP_STATUS_OK, 0, "", "", "hello"},
	{"* ok [UIDNEXT 5] fine", "*", IMAP_STATUS_OK, 0, "", "UIDNEXT 5", "fine"},
	{"* OK [ALERT]", "*", IMAP_STATUS_OK, 0, "", "ALERT", ""},
	{"* OK [never closed", "*", IMAP_STATUS_OK, 0, "", "", "[never closed"},
	{"* OK", "*", IMAP_STATUS_OK, 0, "", "", ""},
	{"* BYE [UNAVAILABLE] x", "*", IMAP_STATUS_BYE, 0, "", "UNAVAILABLE", "x"},
	{"L1N2 NO [LIMIT] too much", "L1N2", IMAP_STATUS_NO, 0, "", "LIMIT", "too much"},
	{"L1N2 BAD what", "L1N2", IMAP_STATUS_BAD, 0, "", "", "what"},
	{"* 12 FETCH (UID 5)", "*", IMAP_STATUS_NONE, 12, "FETCH", "", "(UID 5)"},
	{"* 3 exists", "*", IMAP_STATUS_NONE, 3, "EXISTS", "", ""},
	{"* SEARCH", "*", IMAP_STATUS_NONE, 0, "SEARCH", "", ""},
	{"* SEARCH 1 2", "*", IMAP_STATUS_NONE, 0, "SEARCH", "", "1 2"},
	{"+ idling", "+", IMAP_STATUS_NONE, 0, "", "", "idling"},
	{"+", "+", IMAP_STATUS_NONE, 0, "", "", ""},
	{"* THISWORDISFARTOOLONG 1", "*", IMAP_STATUS_NONE, 0, "", "", "1"},
};

START_TEST(imap_head_tells_tag_status_number_keyword_and_code)
{
	for (size_t i = 0; i < G_N_ELEMENTS(heads); i++) {
		const HeadCase *want = &heads[i];
		g_autoptr(ImapResponse) response = line_of(want->line);
		g_autoptr(GError) error = NULL;
		ImapHead head;

		ck_assert_msg(imap_head_parse(response, &head, &error), "%s", want->line);
		ck_assert_str_eq(head.tag, want->tag);
		ck_assert_int_eq(head.status, want->status);
		ck_assert_uint_eq(head.number, want->number);
		ck_assert_str_eq(head.keyword, want->keyword);
		ck_assert_str_eq(head.code, want->code);
		ck_assert_str_eq(response->text->str + head.rest, want->rest);
	}
}
END_TEST

START_TEST(imap_head_refuses_lines_without_tag_or_word)
{
	static const char *const lines[] = {"", " OK", "*", "L1N2",
					    "aTagThatIsLongerThanAnyWeEverSentOut OK"};

	for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
		g_autoptr(ImapResponse) response = line_of(lines[i]);
		g_autoptr(GError) error = NULL;
		ImapHead head;

		ck_assert_msg(!imap_head_parse(response, &head, &error), "%s", lines[i]);
		ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PEER));
	}
}
END_TEST

START_TEST(imap_head_reads_the_number_of_a_code)
{
	static const struct {
		const char *line;
		bool found;
		uint32_t number;
	} cases[] = {
		{"* OK [UIDNEXT 4294967295] x", true, G_MAXUINT32},
		{"* OK [uidnext 5] x", true, 5},
		{"* OK [UIDNEXT 4294967296] x", false, 0},
		{"* OK [UIDNEXT -1] x", false, 0},
		{"* OK [UIDNEXT] x", false, 0},
		{"* OK [UIDNEXTRA 5] x", false, 0},
		{"* OK x", false, 0},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(ImapResponse) response = line_of(cases[i].line);
		ImapHead head;
		uint32_t number = 0;
		ck_assert(imap_head_parse(response, &head, NULL));

		ck_assert_int_eq(imap_head_code_number(&head, "UIDNEXT", &number), cases[i].found);
		ck_assert_uint_eq(number, cases[i].number);
	}
}
END_TEST

START_TEST(imap_words_for_people_are_short_and_utf8)
{
	g_autofree char *line = g_strdup_printf("* BYE \xff%0500d", 1);
	g_autoptr(ImapResponse) response = line_of(line);
	ImapHead head;
	ck_assert(imap_head_parse(response, &head, NULL));

	g_autofree char *words = imap_response_words(response, &head);

	ck_assert(g_utf8_validate(words, -1, NULL));
	ck_assert_uint_le(strlen(words), 203);
}
END_TEST

static bool parse_fetch(const ImapResponse *response, ImapFetch *out_fetch)
{
	ImapHead head;
	return imap_head_parse(response, &head, NULL) &&
	       imap_fetch_parse(response, &head, out_fetch, NULL);
}

static const char whole_fetch[] =
	"* 9 FETCH (FLAGS (\\Seen $x) ENVELOPE (\"a\\\"b\" NIL ((NIL {3}\r\n) (\"x\"))) uid 77 "
	"RFC822.SIZE 1234 INTERNALDATE \"17-Jul-1996 02:44:25 -0700\" MODSEQ (12) "
	"BODY[HEADER.FIELDS (FROM TO)] NIL BODY[] {5}\r\na\0)\r\n)";

START_TEST(imap_fetch_finds_its_items_among_others)
{
	g_autofree char *bytes = g_malloc(sizeof whole_fetch + 2);
	memcpy(bytes, whole_fetch, sizeof whole_fetch - 1);
	memcpy(bytes + sizeof whole_fetch - 1, "\r\n", 2);
	g_autoptr(ImapResponse) response = response_of(bytes, sizeof whole_fetch + 1);
	g_auto(ImapFetch) fetch = {0};

	ck_assert(parse_fetch(response, &fetch));

	ck_assert_uint_eq(fetch.seq, 9);
	ck_assert_uint_eq(fetch.uid, 77);
	ck_assert(fetch.has_size && fetch.has_date && fetch.has_body);
	ck_assert_int_eq(fetch.size, 1234);
	ck_assert_int_eq(fetch.date_us, 837596665 * CLOCK_US_PER_S);
	ck_assert_uint_eq(g_bytes_get_size(fetch.body), 5);
	ck_assert_mem_eq(g_bytes_get_data(fetch.body, NULL), "a\0)\r\n", 5);
}
END_TEST

START_TEST(imap_fetch_takes_a_body_as_string_or_nil)
{
	g_autoptr(ImapResponse) quoted = line_of("* 9 FETCH (UID 1 BODY[] \"a \\\"b\\\\ {3}\")");
	g_autoptr(ImapResponse) empty = line_of("* 9 FETCH (UID 1 BODY[] \"\")");
	g_autoptr(ImapResponse) nil = line_of("* 9 FETCH (BODY[] NIL UID 1)");
	g_auto(ImapFetch) a = {0};
	g_auto(ImapFetch) b = {0};
	g_auto(ImapFetch) c = {0};

	ck_assert(parse_fetch(quoted, &a) && parse_fetch(empty, &b) && parse_fetch(nil, &c));

	ck_assert_uint_eq(g_bytes_get_size(a.body), 9);
	ck_assert_mem_eq(g_bytes_get_data(a.body, NULL), "a \"b\\ {3}", 9);
	ck_assert_uint_eq(g_bytes_get_size(b.body), 0);
	ck_assert(c.has_body && !c.body);
	ck_assert_uint_eq(c.uid, 1);
}
END_TEST

START_TEST(imap_fetch_refuses_malformed_lists)
{
	static const char *const lines[] = {
		"* 1 FETCH",
		"* 1 FETCH UID 5",
		"* 1 FETCH (",
		"* 1 FETCH (UID)",
		"* 1 FETCH (UID )",
		"* 1 FETCH (UID x)",
		"* 1 FETCH (UID 5",
		"* 1 FETCH (UID 5) x",
		"* 1 FETCH (UID 4294967296)",
		"* 1 FETCH (RFC822.SIZE -1)",
		"* 1 FETCH (RFC822.SIZE 99999999999999999999999999)",
		"* 1 FETCH (INTERNALDATE NIL)",
		"* 1 FETCH (INTERNALDATE \"yesterday\")",
		"* 1 FETCH (BODY[] \"open)",
		"* 1 FETCH (BODY[] \"open\\",
		"* 1 FETCH (BODY[] {5} x)",
		"* 1 FETCH (BODY[] {5)",
		"* 1 FETCH (BODY[] NIL BODY[] NIL)",
		"* 1 FETCH (BODY[",
		"* 1 FETCH (FLAGS (a b)",
		"* 1 FETCH (FLAGS ))",
		"* 1 FETCH (X ((((((((((((((((((((((((((((((((((1)",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
		g_autoptr(ImapResponse) response = line_of(lines[i]);
		g_auto(ImapFetch) fetch = {0};
		ck_assert_msg(!parse_fetch(response, &fetch), "%s", lines[i]);
	}
}
END_TEST

START_TEST(imap_fetch_refuses_a_response_cut_at_any_byte)
{
	static const char line[] = "* 9 FETCH (FLAGS (\\Seen) UID 77 RFC822.SIZE 1234 "
				   "INTERNALDATE \"17-Jul-1996 02:44:25 -0700\" BODY[] \"a\\\"b\")";

	for (size_t len = 1; len < sizeof line - 1; len++) {
		g_autofree char *cut = g_strndup(line, len);
		g_autoptr(ImapResponse) response = line_of(cut);
		g_auto(ImapFetch) fetch = {0};
		ck_assert_msg(!parse_fetch(response, &fetch), "%s", cut);
	}
}
END_TEST

START_TEST(imap_search_gives_the_lowest_number_wanted)
{
	static const struct {
		const char *line;
		bool fine;
		uint32_t lowest;
	} cases[] = {
		{"* SEARCH", true, 100},
		{"* SEARCH 5 30 20", true, 20},
		{"* SEARCH 9 10", true, 10},
		{"* SEARCH 200", true, 100},
		{"* SEARCH 11 (MODSEQ 9)", true, 11},
		{"* SEARCH 5 x", false, 100},
		{"* SEARCH 4294967296", false, 100},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(ImapResponse) response = line_of(cases[i].line);
		ImapHead head;
		uint32_t lowest = 100;
		ck_assert(imap_head_parse(response, &head, NULL));

		ck_assert_int_eq(imap_search_parse(response, &head, 10, &lowest, NULL),
				 cases[i].fine);
		if (cases[i].fine)
			ck_assert_uint_eq(lowest, cases[i].lowest);
	}
}
END_TEST

START_TEST(imap_response_finds_words_whole_only)
{
	g_autoptr(ImapResponse) response = line_of("* CAPABILITY IMAP4rev1 IDLEX XIDLE AUTH=PLAIN");
	g_autoptr(ImapResponse) other = line_of("* CAPABILITY IMAP4rev1 idle");
	ImapHead head;

	ck_assert(imap_head_parse(response, &head, NULL));
	ck_assert(!imap_response_has_word(response, &head, "IDLE"));
	ck_assert(imap_response_has_word(response, &head, "AUTH=PLAIN"));
	ck_assert(imap_head_parse(other, &head, NULL));
	ck_assert(imap_response_has_word(other, &head, "IDLE"));
}
END_TEST

START_TEST(imap_date_knows_zones_leap_seconds_and_short_days)
{
	static const struct {
		const char *text;
		int64_t at_s; /* -1: refused */
	} cases[] = {
		{"01-Jan-1970 00:00:00 +0000", 0},
		{" 1-Jan-1970 01:00:00 +0100", 0},
		{"31-Dec-1969 23:30:00 -0030", 0},
		{"29-Feb-2024 12:00:00 +0000", 1709208000},
		{"31-Dec-2016 23:59:60 +0000", 1483228800},
		{"29-Feb-2023 12:00:00 +0000", -1},
		{"00-Jan-2023 12:00:00 +0000", -1},
		{"01-Foo-2023 12:00:00 +0000", -1},
		{"01-Jan-2023 24:00:00 +0000", -1},
		{"01-Jan-2023 12:00:61 +0000", -1},
		{"01-Jan-2023 12:00:00 +0060", -1},
		{"01-Jan-2023 12:00:00 0000 ", -1},
		{"1-Jan-2023 12:00:00 +0000", -1},
		{"01-Jan-2023 12:00:00 +00000", -1},
		{"", -1},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		int64_t at_us = -1;
		bool fine = imap_date_parse(cases[i].text, strlen(cases[i].text), &at_us);

		ck_assert_msg(fine == (cases[i].at_s >= 0), "%s", cases[i].text);
		if (fine)
			ck_assert_int_eq(at_us, cases[i].at_s * CLOCK_US_PER_S);
	}
}
END_TEST

START_TEST(imap_cursor_comes_back_as_it_was_written)
{
	ImapCursor cursor = {.uid_validity = G_MAXUINT32,
			     .uid = 120,
			     .start_us = INT64_C(1700000000000000),
			     .horizon = 99};
	ImapCursor read = {0};

	g_autofree char *text = imap_cursor_format(&cursor);

	ck_assert_str_eq(text, "uidvalidity=4294967295 uid=120 start=1700000000000000 horizon=99");
	ck_assert(imap_cursor_parse(text, &read, NULL));
	ck_assert_uint_eq(read.uid_validity, cursor.uid_validity);
	ck_assert_uint_eq(read.uid, cursor.uid);
	ck_assert_int_eq(read.start_us, cursor.start_us);
	ck_assert_uint_eq(read.horizon, cursor.horizon);
}
END_TEST

START_TEST(imap_cursor_refuses_other_text)
{
	static const char *const texts[] = {
		"",
		"start=5",
		"uidvalidity=1 uid=2 start=3",
		"uidvalidity=1 uid=2 start=3 horizon=4 more=5",
		"uidvalidity=1 uid=2 start=3 horizon=",
		"uidvalidity=1 uid=-2 start=3 horizon=4",
		"uidvalidity=4294967296 uid=2 start=3 horizon=4",
		"uid=2 uidvalidity=1 start=3 horizon=4",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(GError) error = NULL;
		ImapCursor cursor;

		ck_assert_msg(!imap_cursor_parse(texts[i], &cursor, &error), "%s", texts[i]);
		ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_CORRUPT));
	}
}
END_TEST

CHECK_MAIN("imap_response", imap_head_tells_tag_status_number_keyword_and_code,
	   imap_head_refuses_lines_without_tag_or_word, imap_head_reads_the_number_of_a_code,
	   imap_words_for_people_are_short_and_utf8, imap_fetch_finds_its_items_among_others,
	   imap_fetch_takes_a_body_as_string_or_nil, imap_fetch_refuses_malformed_lists,
	   imap_fetch_refuses_a_response_cut_at_any_byte,
	   imap_search_gives_the_lowest_number_wanted, imap_response_finds_words_whole_only,
	   imap_date_knows_zones_leap_seconds_and_short_days,
	   imap_cursor_comes_back_as_it_was_written, imap_cursor_refuses_other_text)
