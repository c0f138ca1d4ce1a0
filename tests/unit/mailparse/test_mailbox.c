/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/limits.h"
#include "mailparse/mailbox.h"
#include "mailparse/mailparse.h"

#include "tests/unit/check_main.h"

#include <string.h>

START_TEST(mailbox_takes_addresses_that_people_have)
{
	static const char *const rows[][2] = {
		{"ann@example.org", "ann@example.org"},
		{"Ann.O'Hara+tag@EXAMPLE.Org", "Ann.O'Hara+tag@example.org"},
		{"\"ann author\"@example.org", "\"ann author\"@example.org"},
		{"\"a\\\"b@c\"@example.org", "\"a\\\"b@c\"@example.org"},
		{"ann@[192.0.2.1]", "ann@[192.0.2.1]"},
		{"ann@[IPv6:2001:db8::1]", "ann@[ipv6:2001:db8::1]"},
		{"ann@localhost", "ann@localhost"},
		{"-@x_y.example.org", "-@x_y.example.org"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(Mailbox) mailbox = mailbox_new(NULL, rows[i][0], NULL);

		ck_assert_msg(mailbox != NULL, "%s", rows[i][0]);
		ck_assert_str_eq(mailbox->addr, rows[i][1]);
		ck_assert_str_eq(mailbox->name, "");
	}
}
END_TEST

START_TEST(mailbox_refuses_what_could_change_a_dialogue)
{
	static const char *const addrs[] = {
		"",
		"ann",
		"@example.org",
		"ann@",
		"ann@x@example.org",
		"ann author@example.org",
		"ann@example.org> RCPT TO:<bo@example.org",
		"<ann@example.org>",
		"ann@example.org\r\nRCPT TO:<bo@example.org>",
		"ann\n@example.org",
		"ann\177@example.org",
		"bj\303\266rn@example.org",
		"ann@ex\303\266mple.org",
		"ann@example.org, bo@example.org",
		"ann,bo@example.org",
		"ann@example.org NOTIFY=SUCCESS",
		"ann@exam ple.org",
		"ann@[192.0.2.1",
		"ann@[]",
		"\"ann@example.org",
		"\"ann\"x@example.org",
		"\"ann\\",
		"ann(comment)@example.org",
		"ann\\@example.org",
		"a:b@example.org",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(addrs); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(Mailbox) mailbox = mailbox_new("Ann", addrs[i], &error);

		ck_assert_msg(mailbox == NULL, "%s", addrs[i]);
		ck_assert(g_error_matches(error, MAIL_ERROR, MAIL_ERROR_UNSAFE));
		ck_assert(g_utf8_validate(error->message, -1, NULL));
	}
}
END_TEST

START_TEST(mailbox_address_has_a_limit)
{
	g_autofree char *local = g_strnfill(MAILBOX_MAX_BYTES - 12, 'a');
	g_autofree char *longest = g_strconcat(local, "@example.org", NULL);
	g_autofree char *longer = g_strconcat("a", longest, NULL);
	g_autoptr(GError) error = NULL;

	g_autoptr(Mailbox) taken = mailbox_new(NULL, longest, NULL);
	g_autoptr(Mailbox) refused = mailbox_new(NULL, longer, &error);

	ck_assert_ptr_nonnull(taken);
	ck_assert_ptr_null(refused);
	ck_assert(g_error_matches(error, MAIL_ERROR, MAIL_ERROR_LIMIT));
}
END_TEST

START_TEST(mailbox_name_has_no_control_characters)
{
	g_autoptr(Mailbox) mailbox =
		mailbox_new(" Ann\r\nBcc: all\t \302\205 x\001", "ann@example.org", NULL);
	g_autoptr(Mailbox) broken = mailbox_new("Bj\366rn", "bjorn@example.org", NULL);

	ck_assert_str_eq(mailbox->name, "Ann Bcc: all x");
	ck_assert_str_eq(broken->name, "Bj\303\266rn");
}
END_TEST

static char *describe(const GPtrArray *mailboxes)
{
	GString *out = g_string_new(NULL);

	for (guint i = 0; i < mailboxes->len; i++) {
		const Mailbox *mailbox = g_ptr_array_index(mailboxes, i);

		g_string_append_printf(out, "%s%s<%s>", i > 0 ? " | " : "", mailbox->name,
				       mailbox->addr);
	}
	return g_string_free(out, FALSE);
}

START_TEST(mailbox_list_is_read_as_mailers_write_it)
{
	static const char *const rows[][2] = {
		{"Ann Author <ann@x.org>", "Ann Author<ann@x.org>"},
		{"ann@x.org", "<ann@x.org>"},
		{"ann@x.org (Ann Author)", "Ann Author<ann@x.org>"},
		{"(c) ann@x.org", "c<ann@x.org>"},
		{"Ann (at home) Author <ann@x.org>", "Ann (at home) Author<ann@x.org>"},
		{"\"Author, Ann\" <ann@x.org>, bo@x.org", "Author, Ann<ann@x.org> | <bo@x.org>"},
		{"\"Ann \\\"A\\\" \\\\ Author\" <ann@x.org>", "Ann \"A\" \\ Author<ann@x.org>"},
		{"Author, Ann <ann@x.org>", "Author, Ann<ann@x.org>"},
		{"=?utf-8?q?=2C?=, ann@x.org", "<ann@x.org>"},
		{"=?utf-8?q?A=2C_B?= <ann@x.org>", "A, B<ann@x.org>"},
		{"\"=?utf-8?q?Bj=C3=B6rn?=\" <b@x.org>", "Bj\303\266rn<b@x.org>"},
		{"=?us-ascii?q?Bj=C3=B6rn?= <b@x.org>", "Bj\303\266rn<b@x.org>"},
		{"Ann [x] <ann@x.org>, Bo <bo@x.org>", "Ann [x]<ann@x.org> | Bo<bo@x.org>"},
		{"Ann via lab <lab@x.org>", "Ann via lab<lab@x.org>"},
		{"\"ann@x.org\" <ann@x.org>", "ann@x.org<ann@x.org>"},
		{"Ann @ Work <ann@x.org>", "Ann @ Work<ann@x.org>"},
		{"Ann ann@x.org", "Ann<ann@x.org>"},
		{"Ann ann@x.org>", "Ann<ann@x.org>"},
		{"Ann <ann@x.org", "Ann<ann@x.org>"},
		{"Ann <ann@x.org, Bo <bo@x.org>", "Ann<ann@x.org> | Bo<bo@x.org>"},
		{"<mailto:ann@x.org>", "<ann@x.org>"},
		{"ann@x.org;bo@x.org", "<ann@x.org> | <bo@x.org>"},
		{"ann@x.org,,bo@x.org,", "<ann@x.org> | <bo@x.org>"},
		{"Ann <ann@x.org> Bo <bo@x.org>", "Ann Bo<ann@x.org> | <bo@x.org>"},
		{"undisclosed-recipients:;", ""},
		{"team: ann@x.org, Bo <bo@x.org>; cy@x.org",
		 "<ann@x.org> | Bo<bo@x.org> | <cy@x.org>"},
		{"ann@[IPv6:2001:db8::1], bo@x.org", "<ann@[ipv6:2001:db8::1]> | <bo@x.org>"},
		{"\"a, b\"@x.org, bo@x.org", "<\"a, b\"@x.org> | <bo@x.org>"},
		{"\"never closed <ann@x.org>", "never closed<ann@x.org>"},
		{"Ann (never closed <ann@x.org>", "Ann (never closed<ann@x.org>"},
		{"Bad <a b@x.org>, Ann <ann@x.org>", "Ann<ann@x.org>"},
		{"<>, ann@x.org", "<ann@x.org>"},
		{"ann at x.org", ""},
		{"Ann", ""},
		{"", ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(GPtrArray) mailboxes = mailbox_list_parse(rows[i][0]);
		g_autofree char *got = describe(mailboxes);

		ck_assert_msg(strcmp(got, rows[i][1]) == 0, "%s: got %s", rows[i][0], got);
	}
}
END_TEST

START_TEST(mailbox_list_of_nothing_is_empty)
{
	g_autoptr(GPtrArray) mailboxes = mailbox_list_parse(NULL);

	ck_assert_uint_eq(mailboxes->len, 0);
}
END_TEST

START_TEST(mailbox_list_has_a_limit_and_linear_cost)
{
	static const char *const pieces[] = {"a@b,", "a,",      "<a",   "(", "\"",
					     "a:",   "(a)b@c ", "a@b ", "="};

	for (gsize i = 0; i < G_N_ELEMENTS(pieces); i++) {
		g_autoptr(GString) field = g_string_new(NULL);

		while (field->len < MAIL_MAX_FIELD_BYTES)
			g_string_append(field, pieces[i]);

		gint64 start = g_get_monotonic_time();
		g_autoptr(GPtrArray) mailboxes = mailbox_list_parse(field->str);

		ck_assert_uint_le(mailboxes->len, MAIL_MAX_ADDRESSES);
		ck_assert_int_lt(g_get_monotonic_time() - start, G_USEC_PER_SEC / 2);
	}
}
END_TEST

START_TEST(mailbox_parse_reads_a_field_that_is_encoded_as_a_whole)
{
	g_autoptr(Mailbox) mailbox = mailbox_parse("=?utf-8?q?Ann_=3Cann=40x=2Eorg=3E?=", NULL);

	ck_assert_ptr_nonnull(mailbox);
	ck_assert_str_eq(mailbox->name, "Ann");
	ck_assert_str_eq(mailbox->addr, "ann@x.org");
}
END_TEST

START_TEST(mailbox_parse_says_what_holds_no_address)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Mailbox) mailbox = mailbox_parse("Ann\r\n<no", &error);

	ck_assert_ptr_null(mailbox);
	ck_assert(g_error_matches(error, MAIL_ERROR, MAIL_ERROR_SYNTAX));
	ck_assert_str_eq(error->message, "\"Ann\\r\\n<no\" holds no usable address");
}
END_TEST

START_TEST(mailbox_header_reads_back_as_the_same_person)
{
	static const char *const rows[][2] = {
		{"", "ann@x.org"},
		{"Ann Author", "Ann Author <ann@x.org>"},
		{"Author, Ann", "\"Author, Ann\" <ann@x.org>"},
		{"Ann \"A\" \\ B.", "\"Ann \\\"A\\\" \\\\ B.\" <ann@x.org>"},
		{"Bj\303\266rn", "=?UTF-8?q?Bj=C3=B6rn?= <ann@x.org>"},
		{"=?x?q?y?=", "=?UTF-8?q?=3D=3Fx=3Fq=3Fy=3F=3D?= <ann@x.org>"},
		{"(Ann)", "\"(Ann)\" <ann@x.org>"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(Mailbox) mailbox = mailbox_new(rows[i][0], "ann@x.org", NULL);
		g_autofree char *header = mailbox_to_header(mailbox);
		g_autoptr(Mailbox) again = mailbox_parse(header, NULL);

		ck_assert_str_eq(header, rows[i][1]);
		ck_assert_str_eq(again->name, rows[i][0]);
		ck_assert(mailbox_equal(mailbox, again));
	}
}
END_TEST

/* The domain goes to lower case, and what it says then is still a domain. */
START_TEST(mailbox_header_of_a_literal_domain_reads_back)
{
	static const char *const rows[] = {"ann@[IPv6:2001:DB8::1]", "\"a b\"@[IPv6:::1]",
					   "ann@[192.0.2.1]"};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(Mailbox) mailbox = mailbox_new("Ann", rows[i], NULL);
		g_autofree char *header = mailbox_to_header(mailbox);
		g_autoptr(Mailbox) again = mailbox_parse(header, NULL);

		ck_assert_msg(again != NULL, "%s", header);
		ck_assert(mailbox_equal(mailbox, again));
	}
}
END_TEST

START_TEST(mailbox_header_splits_a_long_name_between_characters)
{
	g_autoptr(GString) name = g_string_new(NULL);

	for (unsigned i = 0; i < 60; i++)
		g_string_append(name, "\342\202\254");
	g_autoptr(Mailbox) mailbox = mailbox_new(name->str, "ann@x.org", NULL);
	g_autofree char *header = mailbox_to_header(mailbox);
	g_auto(GStrv) words = g_strsplit(header, " ", -1);
	g_autoptr(Mailbox) again = mailbox_parse(header, NULL);

	for (gsize i = 0; words[i] != NULL; i++)
		ck_assert_uint_le(strlen(words[i]), 75);
	ck_assert_str_eq(again->name, name->str);
}
END_TEST

START_TEST(mailbox_addresses_are_the_same_in_any_case)
{
	g_autoptr(Mailbox) a = mailbox_new("Ann", "Ann@example.org", NULL);
	g_autoptr(Mailbox) b = mailbox_new("A. Author", "ann@EXAMPLE.org", NULL);
	g_autoptr(Mailbox) c = mailbox_new("Ann", "anna@example.org", NULL);
	g_autoptr(Mailbox) copy = mailbox_copy(a);

	ck_assert(mailbox_equal(a, b));
	ck_assert(!mailbox_equal(a, c));
	ck_assert_str_eq(copy->name, "Ann");
	ck_assert_str_eq(copy->addr, "Ann@example.org");
}
END_TEST

START_TEST(mailbox_own_address_is_known_with_any_tag)
{
	const char *own = "bot@example.org";

	ck_assert(mailbox_addr_matches("bot@example.org", own));
	ck_assert(mailbox_addr_matches("Bot+abc+d@Example.ORG", own));
	ck_assert(!mailbox_addr_matches("bot-abc@example.org", own));
	ck_assert(!mailbox_addr_matches("robot@example.org", own));
	ck_assert(!mailbox_addr_matches("bo@example.org", own));
	ck_assert(!mailbox_addr_matches("bot+abc@example.com", own));
	ck_assert(!mailbox_addr_matches("bot", own));
	ck_assert(!mailbox_addr_matches("bot@example.org", "bot+abc@example.org"));
}
END_TEST

CHECK_MAIN("mailbox", mailbox_takes_addresses_that_people_have,
	   mailbox_refuses_what_could_change_a_dialogue, mailbox_address_has_a_limit,
	   mailbox_name_has_no_control_characters, mailbox_list_is_read_as_mailers_write_it,
	   mailbox_list_of_nothing_is_empty, mailbox_list_has_a_limit_and_linear_cost,
	   mailbox_parse_reads_a_field_that_is_encoded_as_a_whole,
	   mailbox_parse_says_what_holds_no_address, mailbox_header_reads_back_as_the_same_person,
	   mailbox_header_of_a_literal_domain_reads_back,
	   mailbox_header_splits_a_long_name_between_characters,
	   mailbox_addresses_are_the_same_in_any_case, mailbox_own_address_is_known_with_any_tag)
