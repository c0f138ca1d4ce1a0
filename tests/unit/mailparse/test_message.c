/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits, costs and the calls beside message_parse(); what it reads is in tests/golden/message. */
#include "mailparse/limits.h"
#include "mailparse/mailparse.h"
#include "mailparse/message.h"
#include "mailparse/msgid.h"

#include "tests/unit/check_main.h"

#include <string.h>

static Message *parse(const GString *mail, GError **error)
{
	return message_parse((const guint8 *)mail->str, mail->len, error);
}

static void append_times(GString *out, const char *piece, gsize n)
{
	while (n-- > 0)
		g_string_append(out, piece);
}

static void check_limit(const GString *mail, bool over)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Message) message = parse(mail, &error);

	ck_assert((message == NULL) == over);
	ck_assert(!over || g_error_matches(error, MAIL_ERROR, MAIL_ERROR_LIMIT));
}

START_TEST(message_over_a_size_limit_is_refused)
{
	g_autoptr(GString) mail = g_string_new("Subject: x\n\n");

	append_times(mail, "x", MAIL_MAX_BYTES - mail->len);
	check_limit(mail, false);
	g_string_append_c(mail, 'x');
	check_limit(mail, true);
}
END_TEST

START_TEST(message_with_one_field_over_the_limit_is_refused)
{
	g_autoptr(GString) mail = g_string_new("Subject:");

	append_times(mail, " 23456\n", MAIL_MAX_FIELD_BYTES / 7);
	check_limit(mail, false);
	append_times(mail, " 23456\n", 2);
	check_limit(mail, true);
}
END_TEST

START_TEST(message_with_a_header_over_the_limit_is_refused)
{
	g_autoptr(GString) mail = g_string_new(NULL);

	append_times(mail, "X: 4567\n", MAIL_MAX_HEADER_BYTES / 8);
	check_limit(mail, false);
	append_times(mail, "X: 4567\n", 1);
	check_limit(mail, true);
}
END_TEST

START_TEST(message_with_too_many_parts_is_refused)
{
	g_autoptr(GString) mail = g_string_new("Content-Type: multipart/mixed; boundary=b\n\n");

	append_times(mail, "--b\n\nx\n", MAIL_MAX_PARTS);
	check_limit(mail, false);
	append_times(mail, "--b\n\nx\n", 1);
	check_limit(mail, true);
}
END_TEST

START_TEST(message_nested_too_deep_is_refused)
{
	g_autoptr(GString) multiparts = g_string_new(NULL);
	g_autoptr(GString) mails = g_string_new(NULL);

	for (unsigned i = 0; i < MAIL_MAX_DEPTH; i++)
		g_string_append_printf(
			multiparts, "Content-Type: multipart/mixed; boundary=b%u\n\n--b%u\n", i, i);
	append_times(mails, "Content-Type: message/rfc822\n\n", MAIL_MAX_DEPTH);

	check_limit(multiparts, false);
	check_limit(mails, false);
	g_string_append(multiparts, "Content-Type: multipart/mixed; boundary=b\n\n--b\n");
	g_string_append(mails, "Content-Type: message/rfc822\n\n");
	check_limit(multiparts, true);
	check_limit(mails, true);
}
END_TEST

START_TEST(message_without_header_is_a_syntax_error)
{
	static const char *const mails[] = {"",
					    "\n",
					    "Just text.\n",
					    "\n\nJust text: no.\n",
					    ": x\n",
					    "From ann@example.org Tue Mar  5 10:00:00 2024\n"};

	for (gsize i = 0; i < G_N_ELEMENTS(mails); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(Message) message =
			message_parse((const guint8 *)mails[i], strlen(mails[i]), &error);

		ck_assert_msg(message == NULL, "%s", mails[i]);
		ck_assert(g_error_matches(error, MAIL_ERROR, MAIL_ERROR_SYNTAX));
	}
}
END_TEST

/* Each takes some hundredths of a second; a quadratic step would need minutes. */
START_TEST(message_made_to_be_slow_costs_linear_time)
{
	static const char *const pieces[] = {"--\n",         "--b\n--b--\n",   "=\n", "\r", ">",
					     "diff --git\n", "--- a\n+++ b\n", "\200"};
	static const char *const heads[] = {
		"Content-Type: text/plain; format=flowed\n",
		"Content-Type: text/plain; charset=iso-2022-jp\n",
		"Content-Transfer-Encoding: base64\n",
		"Content-Transfer-Encoding: quoted-printable\n",
		"Content-Type: multipart/mixed; boundary=c\n",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(pieces) * G_N_ELEMENTS(heads); i++) {
		g_autoptr(GString) mail = g_string_new(heads[i % G_N_ELEMENTS(heads)]);

		g_string_append(mail, "\n");
		append_times(mail, pieces[i / G_N_ELEMENTS(heads)], 100000);

		gint64 start = g_get_monotonic_time();
		g_autoptr(Message) message = parse(mail, NULL);

		ck_assert_ptr_nonnull(message);
		ck_assert_int_lt(g_get_monotonic_time() - start, G_USEC_PER_SEC);
	}
}
END_TEST

START_TEST(message_parameters_made_to_be_slow_cost_linear_time)
{
	static const char *const values[] = {"=x", "*=%41", "=\"", "*=", "**=x", "=(("};

	for (gsize i = 0; i < G_N_ELEMENTS(values); i++) {
		g_autoptr(GString) mail = g_string_new("Content-Type: text/plain");

		for (unsigned n = 0; mail->len < MAIL_MAX_FIELD_BYTES - 100; n++)
			g_string_append_printf(mail, "; name*%u%s; a%u=x", n, values[i], n);
		g_string_append(mail, "\n\n");

		gint64 start = g_get_monotonic_time();
		g_autoptr(Message) message = parse(mail, NULL);

		ck_assert_ptr_nonnull(message);
		ck_assert_int_lt(g_get_monotonic_time() - start, G_USEC_PER_SEC);
	}
}
END_TEST

START_TEST(message_cut_at_every_byte_is_read)
{
	static const char mail[] =
		"From ann@example.org Tue Mar  5 10:00:00 2024\nMessage-ID: <1@example.org>\n"
		"From: =?utf-8?q?Bj=C3=B6rn?= <b@example.org>\nTo: \"Lab, the\" <lab@example.org>\n"
		"Content-Type: multipart/mixed; boundary=\"b\"\n\n--b\nContent-Type: text/plain;\n"
		" format=flowed\nContent-Transfer-Encoding: base64\n\nYSAKYg==\n--b\n"
		"Content-Type: message/rfc822\n\nSubject: x\n\ny\n--b--\n";

	for (gsize len = 0; len < sizeof(mail); len++) {
		/* An exact copy, so that a read past the end is seen by AddressSanitizer. */
		g_autofree guint8 *cut = g_memdup2(mail, len > 0 ? len : 1);
		g_autoptr(GError) error = NULL;
		g_autoptr(Message) message = message_parse(cut, len, &error);
		g_autofree char *id = message_peek_id(cut, len, NULL);

		ck_assert((message == NULL) == (error != NULL));
		ck_assert(message == NULL || strcmp(message->message_id, id) == 0);
	}
}
END_TEST

static char *peek(const char *mail, int64_t *out_date_us)
{
	return message_peek_id((const guint8 *)mail, strlen(mail), out_date_us);
}

START_TEST(message_peek_reads_id_and_date_of_the_header)
{
	int64_t date_us = -1;
	g_autofree char *id =
		peek("Subject: x\nmessage-id:\n <1@example.org>\n"
		     "Date: Tue, 5 Mar 2024 10:00:00 +0100\n\nMessage-ID: <2@example.org>\n",
		     &date_us);

	ck_assert_str_eq(id, "1@example.org");
	ck_assert_int_eq(date_us / G_USEC_PER_SEC, 1709629200);
}
END_TEST

START_TEST(message_peek_makes_an_id_where_there_is_none)
{
	static const char *const mails[] = {"Subject: x\n\nMessage-ID: <2@example.org>\n",
					    "Message-ID: <>\n\nx", "no header", "",
					    "Message-ID: <a\001b@example.org>\n\n"};

	for (gsize i = 0; i < G_N_ELEMENTS(mails); i++) {
		int64_t date_us = -1;
		g_autofree char *id = peek(mails[i], &date_us);

		ck_assert_msg(msgid_is_synthetic(id), "%s: %s", mails[i], id);
		ck_assert_int_eq(date_us, 0);
	}
}
END_TEST

START_TEST(message_without_id_has_the_same_one_at_each_door)
{
	int64_t date_us;
	g_autofree char *list = peek("Received: by list\nFrom: a@example.org\nSubject: x\n"
				     "List-Id: <lab.example.org>\n\nText.\n",
				     &date_us);
	g_autofree char *direct = peek("Received: by mx\r\nFrom: a@example.org\r\n"
				       "Subject:  x\r\n\r\nText.\r\n\r\n",
				       &date_us);
	g_autofree char *other = peek("From: a@example.org\nSubject: y\n\nText.\n", &date_us);

	ck_assert_str_eq(list, direct);
	ck_assert_str_ne(list, other);
}
END_TEST

static void check_body(const char *mail, const char *want)
{
	g_autoptr(Message) message = message_parse((const guint8 *)mail, strlen(mail), NULL);

	ck_assert_str_eq(message_body(message), want);
}

#define MULTIPART "Content-Type: multipart/mixed; boundary=b\n\n"

START_TEST(message_body_is_what_a_person_reads_first)
{
	check_body("Subject: x\n\nText.\n", "Text.\n");
	check_body(MULTIPART "--b\nContent-Type: text/html\n\n<p>\n--b\n\nText.\n--b--", "Text.");
	check_body(MULTIPART "--b\nContent-Disposition: attachment\n\nlog\n--b\n\nText.\n--b--",
		   "Text.");
	check_body(MULTIPART "--b\nContent-Type: text/x-patch\n\n+a\n--b--", "+a");
	check_body(MULTIPART "--b\nContent-Type: message/rfc822\n\nSubject: x\n\nNot mine.\n--b--",
		   "");
	check_body("Content-Type: text/html\n\n<p>Text.\n", "");
	check_body("Content-Type: image/png\n\nx\n", "");
}
END_TEST

static bool is_automatic(const char *mail)
{
	g_autoptr(Message) message = message_parse((const guint8 *)mail, strlen(mail), NULL);

	return message_is_automatic(message);
}

START_TEST(message_is_automatic_by_rfc_3834)
{
	ck_assert(is_automatic("Auto-Submitted: auto-replied\n\n"));
	ck_assert(is_automatic("Auto-Submitted: auto-generated (by cron); owner=x\n\n"));
	ck_assert(is_automatic("Return-Path: <>\n\n"));
	ck_assert(is_automatic("Return-Path:  < >\n\n"));
	ck_assert(is_automatic("Content-Type: Multipart/Report; boundary=b\n\n"));
	ck_assert(!is_automatic("Auto-Submitted: No\nPrecedence: bulk\n\n"));
	ck_assert(!is_automatic("Return-Path: <ann@example.org>\nList-Id: <lab.example.org>\n\n"));
	ck_assert(!is_automatic("Subject: x\n\nAuto-Submitted: auto-replied\n"));
}
END_TEST

CHECK_MAIN("message", message_over_a_size_limit_is_refused,
	   message_with_one_field_over_the_limit_is_refused,
	   message_with_a_header_over_the_limit_is_refused, message_with_too_many_parts_is_refused,
	   message_nested_too_deep_is_refused, message_without_header_is_a_syntax_error,
	   message_made_to_be_slow_costs_linear_time,
	   message_parameters_made_to_be_slow_cost_linear_time, message_cut_at_every_byte_is_read,
	   message_peek_reads_id_and_date_of_the_header,
	   message_peek_makes_an_id_where_there_is_none,
	   message_without_id_has_the_same_one_at_each_door,
	   message_body_is_what_a_person_reads_first, message_is_automatic_by_rfc_3834)
