/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/error.h"
#include "bot/intake/imap_reader.h"
#include "tests/unit/check_main.h"

#include <string.h>

/* A mail that looks like protocol in every way, with NUL and 8-bit bytes. */
#define BODY "Subject: x\r\n\r\nA1 OK done\r\n* BYE\r\n)\r\n{5}\r\n\0\xe4\xff\n.\r\r\n"
#define BODY_LEN (sizeof BODY - 1)

static GString *sample_stream(void)
{
	GString *stream = g_string_new("* OK [CAPABILITY IMAP4rev1] ready {3}\r\n");

	g_string_append_printf(stream, "* 1 FETCH (UID 7 BODY[] {%zu}\r\n", BODY_LEN);
	g_string_append_len(stream, BODY, BODY_LEN);
	g_string_append(stream, " BODY[1] {0}\r\n FLAGS ())\r\n+ idling {4}\r\n");
	g_string_append(stream, "* 2 FETCH (BODY[] {3}\r\nabc)\r\nA1 OK done {9}\r\n");
	return stream;
}

#define SAMPLE_N_RESPONSES 5u

/* Feeds @bytes in pieces cut at each multiple of @cut, or once at @cut when @once. */
static bool feed(ImapReader *reader, const char *bytes, size_t len, size_t cut, bool once,
		 GPtrArray *out_responses, GError **error)
{
	size_t at = 0;

	while (at < len) {
		size_t end = once && at >= cut ? len : MIN(len, at + cut - (once ? at : at % cut));
		while (at < end) {
			size_t used = 0;
			ImapResponse *response = NULL;
			if (!imap_reader_feed(reader, bytes + at, end - at, &used, &response,
					      error))
				return false;
			ck_assert(used > 0 && used <= end - at);
			ck_assert(response != NULL || used == end - at);
			if (response)
				g_ptr_array_add(out_responses, response);
			at += used;
		}
	}
	return true;
}

static GPtrArray *read_whole(const char *bytes, size_t len, size_t max_kept, size_t cut, bool once)
{
	g_autoptr(ImapReader) reader = imap_reader_new(max_kept);
	g_autoptr(GPtrArray) responses =
		g_ptr_array_new_with_free_func((GDestroyNotify)imap_response_free);
	g_autoptr(GError) error = NULL;

	bool fine = feed(reader, bytes, len, cut, once, responses, &error);
	ck_assert_msg(fine, "%s", error ? error->message : "");
	return g_steal_pointer(&responses);
}

static void assert_sample(const GPtrArray *responses)
{
	ck_assert_uint_eq(responses->len, SAMPLE_N_RESPONSES);
	const ImapResponse *fetch = g_ptr_array_index(responses, 1);
	ck_assert_str_eq(fetch->text->str, "* 1 FETCH (UID 7 BODY[] {49} BODY[1] {0} FLAGS ())");
	ck_assert_uint_eq(fetch->literals->len, 2);
	const ImapLiteral *body = &g_array_index(fetch->literals, ImapLiteral, 0);
	ck_assert_uint_eq(body->size, BODY_LEN);
	ck_assert_uint_eq(g_bytes_get_size(body->bytes), BODY_LEN);
	ck_assert_mem_eq(g_bytes_get_data(body->bytes, NULL), BODY, BODY_LEN);
	ck_assert_int_eq(memcmp(fetch->text->str + body->at - 4, "{49}", 4), 0);
	const ImapLiteral *empty = &g_array_index(fetch->literals, ImapLiteral, 1);
	ck_assert_uint_eq(g_bytes_get_size(empty->bytes), 0);
	const ImapResponse *last = g_ptr_array_index(responses, 4);
	ck_assert_str_eq(last->text->str, "A1 OK done {9}");
	ck_assert_uint_eq(last->literals->len, 0);
}

START_TEST(imap_reader_gives_the_same_responses_for_every_split)
{
	g_autoptr(GString) stream = sample_stream();

	for (size_t cut = 1; cut <= stream->len; cut++) {
		g_autoptr(GPtrArray) twice = read_whole(stream->str, stream->len, 1000, cut, true);
		g_autoptr(GPtrArray) pieces =
			read_whole(stream->str, stream->len, 1000, cut, false);

		assert_sample(twice);
		assert_sample(pieces);
	}
}
END_TEST

START_TEST(imap_reader_gives_nothing_early_when_the_stream_is_cut_anywhere)
{
	g_autoptr(GString) stream = sample_stream();
	guint before = 0;

	for (size_t len = 0; len < stream->len; len++) {
		g_autoptr(GPtrArray) responses = read_whole(stream->str, len, 1000, 1, false);

		ck_assert_uint_ge(responses->len, before);
		ck_assert_uint_lt(responses->len, SAMPLE_N_RESPONSES);
		before = responses->len;
	}
}
END_TEST

START_TEST(imap_reader_drops_a_literal_over_the_cap_and_goes_on)
{
	g_autoptr(GString) stream = sample_stream();

	g_autoptr(GPtrArray) responses =
		read_whole(stream->str, stream->len, BODY_LEN - 1, 7, false);

	ck_assert_uint_eq(responses->len, SAMPLE_N_RESPONSES);
	const ImapResponse *first = g_ptr_array_index(responses, 1);
	const ImapLiteral *dropped = &g_array_index(first->literals, ImapLiteral, 0);
	ck_assert_ptr_null(dropped->bytes);
	ck_assert_uint_eq(dropped->size, BODY_LEN);
	const ImapResponse *next = g_ptr_array_index(responses, 3);
	const ImapLiteral *kept = &g_array_index(next->literals, ImapLiteral, 0);
	ck_assert_mem_eq(g_bytes_get_data(kept->bytes, NULL), "abc", 3);
}
END_TEST

START_TEST(imap_reader_caps_the_literals_of_one_response_together)
{
	const char *stream = "* 1 FETCH (A {3}\r\nabc B {3}\r\ndef C {1}\r\ng)\r\n"
			     "* 2 FETCH (A {4}\r\nabcd)\r\n";

	g_autoptr(GPtrArray) responses = read_whole(stream, strlen(stream), 4, 100, false);

	const ImapResponse *first = g_ptr_array_index(responses, 0);
	const ImapResponse *second = g_ptr_array_index(responses, 1);
	ck_assert_ptr_nonnull(g_array_index(first->literals, ImapLiteral, 0).bytes);
	ck_assert_ptr_null(g_array_index(first->literals, ImapLiteral, 1).bytes);
	ck_assert_ptr_nonnull(g_array_index(first->literals, ImapLiteral, 2).bytes);
	ck_assert_ptr_nonnull(g_array_index(second->literals, ImapLiteral, 0).bytes);
}
END_TEST

static void assert_refused(const char *bytes, size_t len)
{
	g_autoptr(ImapReader) reader = imap_reader_new(100);
	g_autoptr(GPtrArray) responses =
		g_ptr_array_new_with_free_func((GDestroyNotify)imap_response_free);
	g_autoptr(GError) error = NULL;

	bool fine = feed(reader, bytes, len, 1, false, responses, &error);

	ck_assert_msg(!fine, "%.*s", (int)MIN(len, 60), bytes);
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PEER));
}

START_TEST(imap_reader_refuses_what_is_not_a_line)
{
	assert_refused("* OK\n", 5);
	assert_refused("\n", 1);
	assert_refused("* O\rK\r\n", 7);
	assert_refused("* OK\r\r\n", 7);
	assert_refused("* O\0K\r\n", 7);
	assert_refused("* 1 FETCH (A {2}\r\nab\n)\r\n", 24);
	assert_refused("* 1 FETCH (A {2}\r\nab\n", 21);
}
END_TEST

START_TEST(imap_reader_refuses_sizes_that_no_mail_has)
{
	assert_refused("* 1 FETCH (A {4294967297}\r\n", 27);
	assert_refused("* 1 FETCH (A {18446744073709551617}\r\n", 37);
	assert_refused("* 1 FETCH (A {99999999999999999999999999999999}\r\n", 49);
}
END_TEST

START_TEST(imap_reader_takes_braces_that_are_no_size_for_text)
{
	static const char *const lines[] = {
		"* X {}\r\n",   "* X {-1}\r\n", "* X {1a}\r\n", "* X 1}\r\n", "* X {1} \r\n",
		"* X {1 }\r\n", "* X {+1}\r\n", "}\r\n",        "{}\r\n",     "\r\n"};

	for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
		g_autoptr(GPtrArray) responses =
			read_whole(lines[i], strlen(lines[i]), 10, 1, false);

		ck_assert_uint_eq(responses->len, 1);
		const ImapResponse *response = g_ptr_array_index(responses, 0);
		ck_assert_uint_eq(response->literals->len, 0);
		ck_assert_uint_eq(response->text->len, strlen(lines[i]) - 2);
	}
}
END_TEST

START_TEST(imap_reader_refuses_text_and_literals_without_end)
{
	g_autoptr(GString) long_line = g_string_new("* SEARCH");
	g_autoptr(GString) many = g_string_new("* 1 FETCH (");

	while (long_line->len <= IMAP_MAX_TEXT)
		g_string_append(long_line, " 4294967295");
	for (size_t i = 0; i <= IMAP_MAX_LITERALS; i++)
		g_string_append(many, "A {1}\r\nx ");

	g_autoptr(ImapReader) reader = imap_reader_new(100);
	g_autoptr(GPtrArray) none = g_ptr_array_new();
	g_autoptr(GError) error = NULL;
	ck_assert(!feed(reader, long_line->str, long_line->len, 4096, false, none, &error));
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PEER));
	assert_refused(many->str, many->len);
}
END_TEST

CHECK_MAIN("imap_reader", imap_reader_gives_the_same_responses_for_every_split,
	   imap_reader_gives_nothing_early_when_the_stream_is_cut_anywhere,
	   imap_reader_drops_a_literal_over_the_cap_and_goes_on,
	   imap_reader_caps_the_literals_of_one_response_together,
	   imap_reader_refuses_what_is_not_a_line, imap_reader_refuses_sizes_that_no_mail_has,
	   imap_reader_takes_braces_that_are_no_size_for_text,
	   imap_reader_refuses_text_and_literals_without_end)
