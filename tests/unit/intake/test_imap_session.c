/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/error.h"
#include "bot/intake/imap_session.h"
#include "tests/unit/check_main.h"
#include "tests/unit/intake/imap_script.h"

#include <string.h>
#include <unistd.h>

static const ImapTimes patient = {
	.silence_ms = 5000, .run_ms = 60000, .idle_ms = 60000, .poll_ms = 60000};
static const ImapTimes brief = {.silence_ms = 400, .run_ms = 60000, .idle_ms = 30, .poll_ms = 10};
/* No trickle is ever silent for so long, but all of them last longer than a run may. */
static const ImapTimes strict = {
	.silence_ms = 5000, .run_ms = 150, .idle_ms = 60000, .poll_ms = 60000};

typedef struct {
	ScriptedServer *server;
	ImapSession *session;
	ImapMailbox box;
	GError *error;
} Scene;

static Scene set_scene(const ScriptStep *steps, size_t n_steps, const ImapTimes *times, int stop_fd)
{
	Scene scene = {.server = scripted_server_start(steps, n_steps, 0)};
	g_autofree char *url = scripted_server_url(scene.server, "imap", NULL);
	LinkOptions options = {.url = url, .user = "bot", .password = "pass", .clear_text = true};

	scene.session = imap_session_open(&options, "\"INBOX\"", stop_fd, times, &scene.error);
	ck_assert_msg(scene.session != NULL, "%s", scene.error ? scene.error->message : "");
	ck_assert_msg(imap_session_examine(scene.session, &scene.box, &scene.error), "%s",
		      scene.error ? scene.error->message : "");
	return scene;
}

/* Ends the scene; the script must have been followed.  Returns what the server heard. */
static char *strike_and_tell(Scene *scene)
{
	char *heard = NULL;

	g_clear_pointer(&scene->session, imap_session_free);
	g_clear_error(&scene->error);
	g_autofree char *failure = scripted_server_finish(scene->server, &heard);
	ck_assert_msg(failure == NULL, "%s", failure);
	return heard;
}

static void strike(Scene *scene)
{
	g_free(strike_and_tell(scene));
}

START_TEST(imap_session_opens_a_mailbox_read_only_and_says_logout)
{
	static const ScriptStep steps[] = {IMAP_LOGIN("IDLE"), IMAP_EXAMINE("7", "3", "12"),
					   ON("LOGOUT", NULL)};
	Scene scene = set_scene(steps, G_N_ELEMENTS(steps), &patient, -1);

	ck_assert_uint_eq(scene.box.exists, 7);
	ck_assert_uint_eq(scene.box.uid_validity, 3);
	ck_assert_uint_eq(scene.box.uid_next, 12);
	ck_assert(!imap_session_has_news(scene.session));
	g_autofree char *heard = strike_and_tell(&scene);
	ck_assert_ptr_null(strstr(heard, "SELECT"));
}
END_TEST

START_TEST(imap_session_logs_in_as_anonymous_where_no_name_is_asked)
{
	static const ScriptStep steps[] = {
		SAY("* OK [CAPABILITY IMAP4rev1 AUTH=ANONYMOUS] archive\r\n"),
		ON("CAPABILITY", "* CAPABILITY IMAP4rev1 AUTH=ANONYMOUS\r\n$T OK done\r\n"),
		ON("LOGIN anonymous anonymous", "$T OK in\r\n"),
		ON("CAPABILITY", "* CAPABILITY IMAP4rev1 IDLE\r\n$T OK done\r\n"),
		IMAP_EXAMINE("7", "3", "12"),
	};
	Scene scene = {.server = scripted_server_start(steps, G_N_ELEMENTS(steps), 0)};
	g_autofree char *url = scripted_server_url(scene.server, "imap", NULL);
	LinkOptions options = {.url = url, .mechanism = "ANONYMOUS", .clear_text = true};

	scene.session = imap_session_open(&options, "\"INBOX\"", -1, &patient, &scene.error);
	ck_assert_msg(scene.session != NULL, "%s", scene.error ? scene.error->message : "");
	ck_assert(imap_session_examine(scene.session, &scene.box, &scene.error));

	ck_assert_uint_eq(scene.box.exists, 7);
	strike(&scene);
}
END_TEST

START_TEST(imap_session_keeps_four_commands_in_flight)
{
	/* Nothing is answered before four commands have come. */
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("7", "3", "12"),
		ON("ONE", NULL),
		ON("TWO", NULL),
		ON("THREE", NULL),
		ON("FOUR", "$T OK four\r\n"),
		ON("FIVE", "$T NO [LIMIT] five\r\n"),
	};
	Scene scene = set_scene(steps, G_N_ELEMENTS(steps), &brief, -1);
	ImapCommand commands[] = {{.text = g_strdup("ONE")},
				  {.text = g_strdup("TWO")},
				  {.text = g_strdup("THREE")},
				  {.text = g_strdup("FOUR")},
				  {.text = g_strdup("FIVE")}};

	bool fine = imap_session_run(scene.session, commands, 5, NULL, NULL, &scene.error);

	ck_assert(!fine);
	ck_assert(g_error_matches(scene.error, BOT_ERROR, BOT_ERROR_TRANSIENT));
	ck_assert_int_eq(commands[0].status, IMAP_STATUS_NONE);
	ck_assert_int_eq(commands[3].status, IMAP_STATUS_OK);
	ck_assert_str_eq(commands[3].words, "four");
	ck_assert_int_eq(commands[4].status, IMAP_STATUS_NO);
	ck_assert_str_eq(commands[4].code, "LIMIT");
	strike(&scene);
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
		imap_command_clear(&commands[i]);
}
END_TEST

START_TEST(imap_session_takes_the_end_of_a_command_once)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("7", "3", "12"),
		ON("ONE", NULL),
		ON("TWO", "$P OK one\r\n$P OK one\r\n"),
	};
	Scene scene = set_scene(steps, G_N_ELEMENTS(steps), &patient, -1);
	ImapCommand commands[] = {{.text = g_strdup("ONE")}, {.text = g_strdup("TWO")}};

	bool fine = imap_session_run(scene.session, commands, 2, NULL, NULL, &scene.error);

	ck_assert(!fine);
	ck_assert(g_error_matches(scene.error, BOT_ERROR, BOT_ERROR_PEER));
	strike(&scene);
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
		imap_command_clear(&commands[i]);
}
END_TEST

static void assert_run_fails(const char *answer, const ImapTimes *times, BotError code)
{
	ScriptStep steps[] = {IMAP_LOGIN("IDLE"), IMAP_EXAMINE("7", "3", "12"), ON("NOOP", answer)};
	Scene scene = set_scene(steps, G_N_ELEMENTS(steps), times, -1);

	bool fine = imap_session_run_one(scene.session, "NOOP", NULL, NULL, &scene.error);

	ck_assert(!fine);
	ck_assert_msg(g_error_matches(scene.error, BOT_ERROR, (int)code), "%s: %s", answer,
		      scene.error->message);
	strike(&scene);
}

START_TEST(imap_session_trusts_no_answer_it_did_not_ask_for)
{
	assert_run_fails("A001 OK done\r\n", &patient, BOT_ERROR_PEER);
	assert_run_fails("$T9 OK done\r\n", &patient, BOT_ERROR_PEER);
	assert_run_fails("$TX OK done\r\n", &patient, BOT_ERROR_PEER);
	assert_run_fails("$T FINE done\r\n", &patient, BOT_ERROR_PEER);
	assert_run_fails("+ go on\r\n", &patient, BOT_ERROR_PEER);
	assert_run_fails("* 1 FETCH (A {99999999999}\r\n", &patient, BOT_ERROR_PEER);
}
END_TEST

START_TEST(imap_session_tells_refusal_good_bye_and_silence_apart)
{
	assert_run_fails("$T BAD what\r\n", &patient, BOT_ERROR_PEER);
	assert_run_fails("$T NO not now\r\n", &patient, BOT_ERROR_TRANSIENT);
	assert_run_fails("* BYE tired\r\n$T OK done\r\n", &patient, BOT_ERROR_TRANSIENT);
	assert_run_fails("* 1 EXISTS\r\n", &brief, BOT_ERROR_TRANSIENT);
}
END_TEST

START_TEST(imap_session_hears_of_new_mail_by_idle)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("7", "3", "12"),
		ON("IDLE", "* OK still here\r\n+ idling\r\n* 2 EXPUNGE\r\n* 7 EXISTS\r\n"),
	};
	Scene scene = set_scene(steps, G_N_ELEMENTS(steps), &patient, -1);

	ck_assert(imap_session_wait(scene.session, 60000, &scene.error));

	ck_assert(imap_session_has_news(scene.session));
	g_autofree char *heard = strike_and_tell(&scene);
	ck_assert_ptr_nonnull(strstr(heard, "IDLE\r\nDONE\r\n"));
}
END_TEST

START_TEST(imap_session_keeps_idle_between_waits_and_ends_it_for_a_command)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("7", "3", "12"),
		ON("IDLE", "+ idling\r\n"),
		ON("DONE", NULL),
	};
	Scene scene = set_scene(steps, G_N_ELEMENTS(steps), &patient, -1);

	ck_assert(imap_session_wait(scene.session, 10, &scene.error));
	ck_assert(imap_session_wait(scene.session, 10, &scene.error));

	ck_assert(!imap_session_has_news(scene.session));
	g_autofree char *heard = strike_and_tell(&scene);
	ck_assert_ptr_eq(strstr(heard, "IDLE"), g_strrstr(heard, "IDLE"));
}
END_TEST

START_TEST(imap_session_issues_idle_anew_and_looks_for_itself_in_between)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("7", "3", "12"),
		ON("IDLE", "+ idling\r\n"),
		ON("DONE", "$P OK idled\r\n"),
		IMAP_EXAMINE("7", "3", "12"),
		ON("IDLE", "+ idling\r\n"),
		ON("DONE", "$P OK idled\r\n"),
	};
	Scene scene = set_scene(steps, G_N_ELEMENTS(steps), &brief, -1);

	ck_assert(imap_session_wait(scene.session, 60000, &scene.error));
	ck_assert(imap_session_has_news(scene.session));
	ck_assert(!imap_session_take_exists(scene.session, &scene.box));
	ck_assert(imap_session_examine(scene.session, &scene.box, &scene.error));
	ck_assert(imap_session_wait(scene.session, 60000, &scene.error));

	ck_assert(imap_session_has_news(scene.session));
	strike(&scene);
}
END_TEST

START_TEST(imap_session_finds_a_dead_connection_at_the_end_of_idle)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("7", "3", "12"),
		ON("IDLE", "+ idling\r\n"),
		ON("DONE", NULL),
	};
	Scene scene = set_scene(steps, G_N_ELEMENTS(steps), &brief, -1);

	bool fine = imap_session_wait(scene.session, 60000, &scene.error);

	ck_assert(!fine);
	ck_assert(g_error_matches(scene.error, BOT_ERROR, BOT_ERROR_TRANSIENT));
	strike(&scene);
}
END_TEST

START_TEST(imap_session_wait_is_cut_by_the_stop_descriptor)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("7", "3", "12"),
		ON("IDLE", "+ idling\r\n"),
	};
	int pipe_fds[2];
	ck_assert_int_eq(pipe(pipe_fds), 0);
	Scene scene = set_scene(steps, G_N_ELEMENTS(steps), &patient, pipe_fds[0]);

	ck_assert(imap_session_wait(scene.session, 10, &scene.error));
	ck_assert_int_eq(write(pipe_fds[1], "x", 1), 1);
	int64_t before_us = g_get_monotonic_time();
	ck_assert(imap_session_wait(scene.session, 30000, &scene.error));

	ck_assert_int_lt(g_get_monotonic_time() - before_us, 5 * G_USEC_PER_SEC);
	ck_assert(!imap_session_has_news(scene.session));
	strike(&scene);
}
END_TEST

START_TEST(imap_session_asks_by_noop_where_there_is_no_idle)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN(""),
		IMAP_EXAMINE("7", "3", "12"),
		ON("NOOP", "$T OK nothing\r\n"),
		ON("NOOP", "* 8 EXISTS\r\n$T OK one\r\n"),
	};
	Scene scene = set_scene(steps, G_N_ELEMENTS(steps), &brief, -1);

	ck_assert(imap_session_wait(scene.session, 60000, &scene.error));

	ck_assert(imap_session_has_news(scene.session));
	ck_assert(imap_session_take_exists(scene.session, &scene.box));
	ck_assert_uint_eq(scene.box.exists, 8);
	ck_assert(!imap_session_has_news(scene.session));
	ck_assert(!imap_session_take_exists(scene.session, &scene.box));
	g_autofree char *heard = strike_and_tell(&scene);
	ck_assert_ptr_null(strstr(heard, "IDLE"));
}
END_TEST

START_TEST(imap_session_falls_back_to_noop_when_idle_is_refused)
{
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("7", "3", "12"),
		ON("IDLE", "$T NO not for you\r\n"),
		ON("NOOP", "* 8 EXISTS\r\n$T OK one\r\n"),
	};
	Scene scene = set_scene(steps, G_N_ELEMENTS(steps), &patient, -1);

	ck_assert(imap_session_wait(scene.session, 60000, &scene.error));

	ck_assert(imap_session_has_news(scene.session));
	strike(&scene);
}
END_TEST

static void assert_trickle_fails(const char *answer)
{
	const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("7", "3", "12"),
		{.expect = "NOOP", .reply = answer, .drip_ms = 10},
		HANG_UP,
	};
	Scene scene = set_scene(steps, G_N_ELEMENTS(steps), &strict, -1);

	bool fine = imap_session_run_one(scene.session, "NOOP", NULL, NULL, &scene.error);

	ck_assert(!fine);
	ck_assert_msg(g_error_matches(scene.error, BOT_ERROR, BOT_ERROR_TRANSIENT) &&
			      strstr(scene.error->message, "trickles"),
		      "%s", scene.error->message);
	strike(&scene);
}

START_TEST(imap_session_gives_up_on_a_server_that_trickles)
{
	/* A line, a literal, and lines that are whole but never the end. */
	assert_trickle_fails("* OK this line comes too slowly to be waited for until its end");
	assert_trickle_fails("* 1 FETCH (UID 1 BODY[] {4000}\r\nFrom: a@example.org\r\nSubject: x");
	assert_trickle_fails("* OK on\r\n* OK on\r\n* OK on\r\n* OK on\r\n* OK on\r\n* OK on\r\n");
	assert_trickle_fails("* 8 EXISTS\r\n* 9 EXISTS\r\n* 9 EXISTS\r\n* 9 EXISTS\r\n");
}
END_TEST

START_TEST(imap_session_wait_ends_in_time_in_the_middle_of_a_trickling_line)
{
	/* The line takes two seconds. */
	static const ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("7", "3", "12"),
		ON("IDLE", "+ idling\r\n"),
		{.reply = "* OK nothing is new, and it takes long to say so\r\n* 8 EXISTS\r\n",
		 .drip_ms = 40},
	};
	Scene scene = set_scene(steps, G_N_ELEMENTS(steps), &patient, -1);
	int64_t before_us = g_get_monotonic_time();

	ck_assert(imap_session_wait(scene.session, 100, &scene.error));
	ck_assert_int_lt(g_get_monotonic_time() - before_us, 1800 * 1000);
	ck_assert(!imap_session_has_news(scene.session));
	/* What had come of the line is not lost. */
	ck_assert(imap_session_wait(scene.session, 30000, &scene.error));
	ck_assert(imap_session_take_exists(scene.session, &scene.box));
	ck_assert_uint_eq(scene.box.exists, 8);
	strike(&scene);
}
END_TEST

typedef struct {
	int stop_fd;
	unsigned n_heard;
} Flood;

static bool stop_at_first(const ImapResponse *response, const ImapHead *head, void *payload,
			  GError **error)
{
	Flood *flood = payload;

	(void)response;
	(void)head;
	(void)error;
	return flood->n_heard++ > 0 || write(flood->stop_fd, "x", 1) == 1;
}

START_TEST(imap_session_stops_in_the_middle_of_a_flood)
{
	static const char line[] = "* OK and on\r\n";
	g_autoptr(GString) lines = g_string_new(NULL);
	while (lines->len < 8 * 1024 * 1024)
		g_string_append(lines, line);
	ScriptStep steps[] = {
		IMAP_LOGIN("IDLE"),
		IMAP_EXAMINE("7", "3", "12"),
		ON("NOOP", lines->str),
	};
	int pipe_fds[2];
	ck_assert_int_eq(pipe(pipe_fds), 0);
	Flood flood = {.stop_fd = pipe_fds[1]};
	Scene scene = set_scene(steps, G_N_ELEMENTS(steps), &patient, pipe_fds[0]);

	bool fine =
		imap_session_run_one(scene.session, "NOOP", stop_at_first, &flood, &scene.error);

	ck_assert(!fine);
	ck_assert_msg(strstr(scene.error->message, "stopped") != NULL, "%s", scene.error->message);
	/* Of what one read brought: 64 KiB at most. */
	ck_assert_uint_le(flood.n_heard, 64 * 1024 / (sizeof line - 1) + 1);
	strike(&scene);
}
END_TEST

CHECK_MAIN("imap_session", imap_session_opens_a_mailbox_read_only_and_says_logout,
	   imap_session_logs_in_as_anonymous_where_no_name_is_asked,
	   imap_session_keeps_four_commands_in_flight, imap_session_takes_the_end_of_a_command_once,
	   imap_session_trusts_no_answer_it_did_not_ask_for,
	   imap_session_tells_refusal_good_bye_and_silence_apart,
	   imap_session_hears_of_new_mail_by_idle,
	   imap_session_keeps_idle_between_waits_and_ends_it_for_a_command,
	   imap_session_issues_idle_anew_and_looks_for_itself_in_between,
	   imap_session_finds_a_dead_connection_at_the_end_of_idle,
	   imap_session_wait_is_cut_by_the_stop_descriptor,
	   imap_session_asks_by_noop_where_there_is_no_idle,
	   imap_session_falls_back_to_noop_when_idle_is_refused,
	   imap_session_gives_up_on_a_server_that_trickles,
	   imap_session_wait_ends_in_time_in_the_middle_of_a_trickling_line,
	   imap_session_stops_in_the_middle_of_a_flood)
