/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/error.h"
#include "bot/net/link.h"
#include "tests/unit/check_main.h"
#include "tests/unit/net/scripted_server.h"

#include <string.h>
#include <unistd.h>

#define GREETING "* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN AUTH=LOGIN] ready\r\n"
#define CAPABILITY "* CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN AUTH=LOGIN\r\n$T OK done\r\n"

static const ScriptStep login[] = {
	SAY(GREETING),
	ON("CAPABILITY", CAPABILITY),
	ON("AUTHENTICATE PLAIN AGJvdABzM2NyZXQ=", "$T OK in\r\n"),
	ON("hello", "world\r\n"),
};

static Link *open_link(const ScriptedServer *server, LinkOptions options, GError **error)
{
	g_autofree char *url = scripted_server_url(server, "imap", NULL);

	options.url = url;
	options.user = "bot";
	options.password = "s3cret";
	return link_open(&options, error);
}

/* Opens against @steps, expects @code, and returns what the server heard. */
static char *assert_refused(const ScriptStep *steps, size_t n_steps, LinkOptions options,
			    BotError code)
{
	ScriptedServer *server = scripted_server_start(steps, n_steps, 0);
	g_autoptr(GError) error = NULL;
	char *heard = NULL;

	Link *link = open_link(server, options, &error);
	g_autofree char *failure = scripted_server_finish(server, &heard);

	ck_assert_ptr_null(link);
	ck_assert_ptr_null(failure);
	ck_assert_msg(g_error_matches(error, BOT_ERROR, (int)code), "%s", error->message);
	ck_assert_ptr_null(strstr(error->message, "s3cret"));
	return heard;
}

/* "s3cret" as PLAIN, as LOGIN in base64 and as it is. */
static void assert_no_credentials(const char *heard)
{
	ck_assert_ptr_null(strstr(heard, "AUTHENTICATE"));
	ck_assert_ptr_null(strstr(heard, "LOGIN"));
	ck_assert_ptr_null(strstr(heard, "AGJvdABzM2NyZXQ="));
	ck_assert_ptr_null(strstr(heard, "s3cret"));
}

START_TEST(link_carries_bytes_both_ways_after_the_login)
{
	ScriptedServer *server = scripted_server_start(login, G_N_ELEMENTS(login), 0);
	g_autoptr(GError) error = NULL;
	char buffer[64];
	size_t len = 0;

	Link *link = open_link(server, (LinkOptions){.clear_text = true}, &error);
	ck_assert_msg(link != NULL, "%s", error ? error->message : "");
	bool written = link_write(link, "hello\r\n", 7, 1000, &error);
	bool read = link_read(link, buffer, sizeof buffer, 5000, -1, &len, &error);
	link_close(link);
	g_autofree char *failure = scripted_server_finish(server, NULL);

	ck_assert(written && read);
	ck_assert_ptr_null(failure);
	ck_assert_uint_eq(len, 7);
	ck_assert_mem_eq(buffer, "world\r\n", 7);
}
END_TEST

START_TEST(link_logs_in_by_login_when_told_to)
{
	static const ScriptStep steps[] = {
		SAY(GREETING),
		ON("CAPABILITY", CAPABILITY),
		ON("AUTHENTICATE LOGIN Ym90", "+ UGFzc3dvcmQ6\r\n"),
		ON("czNjcmV0", NULL),
		SAY("A002 OK in\r\n"),
	};
	ScriptedServer *server = scripted_server_start(steps, G_N_ELEMENTS(steps), 0);
	g_autoptr(GError) error = NULL;

	Link *link =
		open_link(server, (LinkOptions){.clear_text = true, .mechanism = "LOGIN"}, &error);
	bool opened = link != NULL;
	link_close(link);
	g_autofree char *failure = scripted_server_finish(server, NULL);

	ck_assert_msg(opened, "%s", error ? error->message : "");
	ck_assert_ptr_null(failure);
}
END_TEST

typedef struct {
	const char *mechanism;
	const char *capability;
	const char *command; /* with "user=bot" and the token "s3cret" in base64 */
} BearerCase;

static const BearerCase bearer_cases[] = {
	{"XOAUTH2", "* CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN AUTH=XOAUTH2\r\n$T OK done\r\n",
	 "AUTHENTICATE XOAUTH2 dXNlcj1ib3QBYXV0aD1CZWFyZXIgczNjcmV0AQE="},
	{"OAUTHBEARER",
	 "* CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN AUTH=OAUTHBEARER\r\n$T OK done\r\n",
	 "AUTHENTICATE OAUTHBEARER bixhPWJvdCwBaG9zdD0xMjcuMC4wLjEBcG9ydD0"},
};

static void assert_bearer(const BearerCase *row)
{
	const ScriptStep steps[] = {
		SAY("* OK ready\r\n"),
		ON("CAPABILITY", row->capability),
		ON(row->command, "$T OK in\r\n"),
	};
	ScriptedServer *server = scripted_server_start(steps, G_N_ELEMENTS(steps), 0);
	g_autoptr(GError) error = NULL;

	Link *link = open_link(
		server, (LinkOptions){.clear_text = true, .mechanism = row->mechanism}, &error);
	bool opened = link != NULL;
	link_close(link);
	g_autofree char *failure = scripted_server_finish(server, NULL);

	ck_assert_msg(opened, "%s", error ? error->message : "");
	ck_assert_ptr_null(failure);
}

START_TEST(link_hands_over_a_bearer_token)
{
	for (size_t i = 0; i < G_N_ELEMENTS(bearer_cases); i++)
		assert_bearer(&bearer_cases[i]);
}
END_TEST

START_TEST(link_refuses_a_mechanism_it_does_not_know_and_anonymous_with_a_name)
{
	static const char *const refused[] = {"KERBEROS", "plain", "ANONYMOUS"};

	for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
		g_autoptr(GError) error = NULL;
		Link *link = link_open(&(LinkOptions){.url = "imaps://127.0.0.1",
						      .user = "bot",
						      .password = "s3cret",
						      .mechanism = refused[i]},
				       &error);

		ck_assert_ptr_null(link);
		ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_CONFIG));
		ck_assert_ptr_nonnull(strstr(error->message, refused[i]));
	}
}
END_TEST

START_TEST(link_refuses_a_server_without_starttls_before_it_sends_credentials)
{
	static const ScriptStep steps[] = {SAY(GREETING), ON("CAPABILITY", CAPABILITY)};

	g_autofree char *heard =
		assert_refused(steps, G_N_ELEMENTS(steps), (LinkOptions){0}, BOT_ERROR_PERMANENT);

	assert_no_credentials(heard);
}
END_TEST

START_TEST(link_refuses_preauth_in_clear_before_it_sends_credentials)
{
	static const ScriptStep steps[] = {
		SAY("* PREAUTH [CAPABILITY IMAP4rev1 STARTTLS] welcome\r\n"),
		ON("CAPABILITY", "* CAPABILITY IMAP4rev1 STARTTLS AUTH=PLAIN\r\n$T OK done\r\n"),
	};

	g_autofree char *heard =
		assert_refused(steps, G_N_ELEMENTS(steps), (LinkOptions){0}, BOT_ERROR_PERMANENT);

	assert_no_credentials(heard);
}
END_TEST

START_TEST(link_refuses_a_server_that_says_no_to_starttls)
{
	static const ScriptStep steps[] = {
		SAY("* OK ready\r\n"),
		ON("CAPABILITY", "* CAPABILITY IMAP4rev1 STARTTLS AUTH=PLAIN\r\n$T OK done\r\n"),
		ON("STARTTLS", "$T NO not today\r\n"),
	};

	g_autofree char *heard =
		assert_refused(steps, G_N_ELEMENTS(steps), (LinkOptions){0}, BOT_ERROR_PERMANENT);

	assert_no_credentials(heard);
}
END_TEST

START_TEST(link_refuses_answers_that_were_put_in_before_starttls)
{
	/* In clear behind the OK: what an attacker wants to be taken for the server's after TLS. */
	static const ScriptStep steps[] = {
		SAY("* OK ready\r\n"),
		ON("CAPABILITY", "* CAPABILITY IMAP4rev1 STARTTLS AUTH=PLAIN\r\n$T OK done\r\n"),
		ON("STARTTLS", "$T OK begin\r\n* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\nA003 OK\r\n"),
		HANG_UP,
	};

	g_autofree char *heard =
		assert_refused(steps, G_N_ELEMENTS(steps), (LinkOptions){0}, BOT_ERROR_PEER);

	assert_no_credentials(heard);
}
END_TEST

START_TEST(link_is_not_held_by_a_greeting_or_a_login_without_end)
{
	g_autofree char *line = g_strnfill(4 * 1024 * 1024, 'x');
	g_autofree char *endless = g_strconcat("* OK ", line, NULL);
	const ScriptStep greeting[] = {SAY(endless)};
	const ScriptStep trickle[] = {SAY(GREETING),
				      {.expect = "CAPABILITY",
				       .reply = "* OK on\r\n* OK on\r\n* OK on\r\n* OK on\r\n",
				       .drip_ms = 20},
				      HANG_UP};
	LinkOptions options = {.clear_text = true, .connect_timeout_ms = 300};

	g_free(assert_refused(greeting, G_N_ELEMENTS(greeting), options, BOT_ERROR_TRANSIENT));
	g_free(assert_refused(trickle, G_N_ELEMENTS(trickle), options, BOT_ERROR_TRANSIENT));
}
END_TEST

START_TEST(link_says_that_a_login_was_refused)
{
	static const ScriptStep steps[] = {
		SAY(GREETING),
		ON("CAPABILITY", CAPABILITY),
		ON("AUTHENTICATE PLAIN", "$T NO [AUTHENTICATIONFAILED] wrong\r\n"),
	};

	g_autofree char *heard = assert_refused(
		steps, G_N_ELEMENTS(steps), (LinkOptions){.clear_text = true}, BOT_ERROR_PERMANENT);
	ck_assert_ptr_nonnull(heard);
}
END_TEST

START_TEST(link_takes_a_server_that_says_bye_for_a_broken_peer)
{
	static const ScriptStep steps[] = {SAY("* BYE too busy\r\n"), HANG_UP};

	g_autofree char *heard = assert_refused(steps, G_N_ELEMENTS(steps),
						(LinkOptions){.clear_text = true}, BOT_ERROR_PEER);
	ck_assert_str_eq(heard, "");
}
END_TEST

START_TEST(link_gives_up_on_a_server_that_never_greets)
{
	static const ScriptStep steps[] = {{.expect = NULL}};
	LinkOptions options = {.clear_text = true, .connect_timeout_ms = 200};

	g_autofree char *heard =
		assert_refused(steps, G_N_ELEMENTS(steps), options, BOT_ERROR_TRANSIENT);
	ck_assert_str_eq(heard, "");
}
END_TEST

START_TEST(link_calls_a_closed_port_transient)
{
	g_autoptr(GError) error = NULL;
	/* Port 1 of loopback: nobody listens there. */
	LinkOptions options = {.url = "imaps://127.0.0.1:1", .user = "bot", .password = "x"};

	Link *link = link_open(&options, &error);

	ck_assert_ptr_null(link);
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_TRANSIENT));
	ck_assert_ptr_nonnull(strstr(error->message, "127.0.0.1:1"));
}
END_TEST

static void assert_config_error(LinkOptions options)
{
	g_autoptr(GError) error = NULL;

	Link *link = link_open(&options, &error);

	ck_assert_ptr_null(link);
	ck_assert_msg(g_error_matches(error, BOT_ERROR, BOT_ERROR_CONFIG), "%s: %s", options.url,
		      error ? error->message : "no error");
	ck_assert_ptr_null(strstr(error->message, "s3cret"));
}

START_TEST(link_refuses_urls_that_are_not_a_mail_server)
{
	static const char *const urls[] = {
		"",
		"imap.example.org",
		"http://example.org",
		"file:///etc/passwd",
		"pop3://example.org",
		"imaps://",
		"imaps://bot:s3cret@imap.example.org",
		"imaps://bot@imap.example.org",
		"imaps://imap.example.org/INBOX",
		"imaps://imap.example.org/?q",
		"imaps://imap.example.org:99999",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(urls); i++)
		assert_config_error((LinkOptions){.url = urls[i], .user = "b", .password = "p"});
}
END_TEST

START_TEST(link_allows_clear_text_on_loopback_only)
{
	static const char *const urls[] = {
		"imap://imap.example.org", "imap://10.0.0.1", "imap://127.0.0.1.example.org",
		"imap://128.0.0.1",        "imap://[::2]",    "imaps://127.0.0.1"};

	for (size_t i = 0; i < G_N_ELEMENTS(urls); i++)
		assert_config_error((LinkOptions){
			.url = urls[i], .user = "b", .password = "p", .clear_text = true});
}
END_TEST

START_TEST(link_refuses_credentials_that_would_be_commands)
{
	const char *url = "imaps://127.0.0.1:1";

	assert_config_error((LinkOptions){.url = url, .user = "a\r\nb", .password = "p"});
	assert_config_error((LinkOptions){.url = url, .user = "a", .password = "s3cret\n"});
	assert_config_error((LinkOptions){.url = url, .user = "a"});
	assert_config_error((LinkOptions){
		.url = url, .user = "a", .password = "s3cret", .mechanism = "CRAM-MD5"});
}
END_TEST

START_TEST(link_read_ends_when_the_time_is_up_or_the_stop_descriptor_speaks)
{
	ScriptedServer *server = scripted_server_start(login, G_N_ELEMENTS(login), 0);
	g_autoptr(GError) error = NULL;
	int pipe_fds[2];
	char buffer[8];
	size_t len = 1;

	ck_assert_int_eq(pipe(pipe_fds), 0);
	Link *link = open_link(server, (LinkOptions){.clear_text = true}, &error);
	ck_assert_msg(link != NULL, "%s", error ? error->message : "");

	ck_assert(link_read(link, buffer, sizeof buffer, 20, pipe_fds[0], &len, &error));
	ck_assert_uint_eq(len, 0);

	ck_assert_int_eq(write(pipe_fds[1], "x", 1), 1);
	int64_t before_us = g_get_monotonic_time();
	len = 1;
	ck_assert(link_read(link, buffer, sizeof buffer, -1, pipe_fds[0], &len, &error));
	ck_assert_uint_eq(len, 0);
	ck_assert_int_lt(g_get_monotonic_time() - before_us, 5 * G_USEC_PER_SEC);

	ck_assert(link_write(link, "hello\r\n", 7, 1000, &error));
	link_close(link);
	g_autofree char *failure = scripted_server_finish(server, NULL);
	ck_assert_ptr_null(failure);
}
END_TEST

START_TEST(link_survives_a_peer_that_closes)
{
	static const ScriptStep steps[] = {
		SAY(GREETING),
		ON("CAPABILITY", CAPABILITY),
		ON("AUTHENTICATE PLAIN", "$T OK in\r\n"),
		HANG_UP,
	};
	ScriptedServer *server = scripted_server_start(steps, G_N_ELEMENTS(steps), 0);
	g_autoptr(GError) read_error = NULL;
	g_autoptr(GError) write_error = NULL;
	char buffer[8];
	size_t len = 0;

	Link *link = open_link(server, (LinkOptions){.clear_text = true}, &read_error);
	ck_assert_msg(link != NULL, "%s", read_error ? read_error->message : "");
	g_autofree char *failure = scripted_server_finish(server, NULL);
	bool read = link_read(link, buffer, sizeof buffer, 5000, -1, &len, &read_error);
	/* The first write after the end may still go into the buffer; one of many must not. */
	bool written = true;
	for (int i = 0; i < 100 && written; i++)
		written = link_write(link, "x\r\n", 3, 1000, &write_error);
	link_close(link);

	ck_assert_ptr_null(failure);
	ck_assert(!read && !written);
	ck_assert(g_error_matches(read_error, BOT_ERROR, BOT_ERROR_TRANSIENT));
	ck_assert(g_error_matches(write_error, BOT_ERROR, BOT_ERROR_TRANSIENT));
}
END_TEST

CHECK_MAIN("link", link_carries_bytes_both_ways_after_the_login, link_logs_in_by_login_when_told_to,
	   link_hands_over_a_bearer_token,
	   link_refuses_a_mechanism_it_does_not_know_and_anonymous_with_a_name,
	   link_refuses_a_server_without_starttls_before_it_sends_credentials,
	   link_refuses_preauth_in_clear_before_it_sends_credentials,
	   link_refuses_a_server_that_says_no_to_starttls,
	   link_refuses_answers_that_were_put_in_before_starttls,
	   link_is_not_held_by_a_greeting_or_a_login_without_end,
	   link_says_that_a_login_was_refused, link_takes_a_server_that_says_bye_for_a_broken_peer,
	   link_gives_up_on_a_server_that_never_greets, link_calls_a_closed_port_transient,
	   link_refuses_urls_that_are_not_a_mail_server, link_allows_clear_text_on_loopback_only,
	   link_refuses_credentials_that_would_be_commands,
	   link_read_ends_when_the_time_is_up_or_the_stop_descriptor_speaks,
	   link_survives_a_peer_that_closes)
