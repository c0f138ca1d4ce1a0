/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Our side of SMTP against a server that is a list of answers. */
#include "../check_main.h"

#include "bot/base/error.h"
#include "bot/send/dialogue.h"
#include "bot/send/wire.h"

#include <string.h>

#define CLOSE "!" /* the server closes in place of an answer */
#define MAX_STEPS 16

typedef struct {
	const char *expect; /* how the client's line begins; "." is the final dot */
	const char *reply;  /* NULL: silence; CLOSE */
} Step;

typedef struct {
	const Step *steps;
	size_t at;
	bool in_data;
	bool closed;
	size_t read_size;   /* at most so many bytes a read             */
	size_t write_limit; /* the stream breaks after so many bytes    */
	bool strayed;       /* the client said what was not expected    */
	GString *pending;   /* of the client, no line end yet           */
	GString *data;      /* of the client, in the mail               */
	GString *answers;   /* not read by the client yet               */
	GString *said;      /* all commands                             */
} Fake;

static void fake_answer(Fake *fake, const char *line)
{
	const Step *step = &fake->steps[fake->at];

	if (step->expect == NULL || !g_str_has_prefix(line, step->expect)) {
		fake->strayed = true;
		return;
	}
	fake->at++;
	if (g_strcmp0(step->reply, CLOSE) == 0)
		fake->closed = true;
	else if (step->reply != NULL)
		g_string_append(fake->answers, step->reply);
	fake->in_data = step->reply != NULL && g_str_has_prefix(step->reply, "354");
}

static void fake_line(Fake *fake, const char *line)
{
	if (fake->in_data && strcmp(line, ".") != 0) {
		g_string_append_printf(fake->data, "%s\r\n", line);
		return;
	}
	g_string_append_printf(fake->said, "%s\n", line);
	fake_answer(fake, line);
}

static bool fake_write(gpointer data, const void *bytes, size_t len, int timeout_ms, GError **error)
{
	Fake *fake = data;
	const char *crlf;

	(void)timeout_ms;
	if (fake->closed || len > fake->write_limit) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT, "the stream broke");
		return false;
	}
	fake->write_limit -= len;
	g_string_append_len(fake->pending, bytes, (gssize)len);
	while ((crlf = strstr(fake->pending->str, "\r\n")) != NULL) {
		size_t n = (size_t)(crlf - fake->pending->str);
		g_autofree char *line = g_strndup(fake->pending->str, n);
		g_string_erase(fake->pending, 0, (gssize)n + 2);
		fake_line(fake, line);
	}
	return true;
}

static bool fake_read(gpointer data, void *buffer, size_t size, int timeout_ms, size_t *out_len,
		      GError **error)
{
	Fake *fake = data;
	size_t n = MIN(MIN(size, fake->read_size), fake->answers->len);

	*out_len = n;
	if (n == 0 && fake->closed) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT, "the server closed");
		return false;
	}
	if (n == 0 && timeout_ms > 0)
		g_usleep(1000);
	memcpy(buffer, fake->answers->str, n);
	g_string_erase(fake->answers, 0, (gssize)n);
	return true;
}

static void fake_init(Fake *fake, const Step *steps)
{
	*fake = (Fake){.steps = steps, .read_size = 4096, .write_limit = 1u << 30};
	fake->pending = g_string_new(NULL);
	fake->data = g_string_new(NULL);
	fake->answers = g_string_new(NULL);
	fake->said = g_string_new(NULL);
}

static void fake_clear(Fake *fake)
{
	g_string_free(fake->pending, TRUE);
	g_string_free(fake->data, TRUE);
	g_string_free(fake->answers, TRUE);
	g_string_free(fake->said, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Fake, fake_clear)

static OutgoingMail *mail_to(guint n_recipients)
{
	OutgoingMail *mail = g_new0(OutgoingMail, 1);
	const char *text = "From: bot@example.org\nContent-Transfer-Encoding: 8bit\n\n"
			   "z\xc3\xa4hle\n.\n";

	mail->bytes = g_bytes_new_static(text, strlen(text));
	mail->envelope_from = mailbox_new(NULL, "bot@example.org", NULL);
	mail->recipients = g_ptr_array_new_with_free_func((GDestroyNotify)mailbox_free);
	for (guint i = 0; i < n_recipients; i++) {
		g_autofree char *addr = g_strdup_printf("r%u@example.org", i);
		g_ptr_array_add(mail->recipients, mailbox_new(NULL, addr, NULL));
	}
	return mail;
}

static void run(Fake *fake, guint n_recipients, SmtpResult *result)
{
	g_autoptr(OutgoingMail) mail = mail_to(n_recipients);
	g_autoptr(GBytes) wire_8bit = wire_make(mail->bytes, true, NULL);
	g_autoptr(GBytes) wire_7bit = wire_make(mail->bytes, false, NULL);
	SmtpMail ready = {mail, wire_8bit, wire_7bit, "bot.example.org"};
	SmtpStream stream = {fake_read, fake_write, fake};
	SmtpTimeouts timeouts = {40, 40, 40, 40, 40};

	*result = (SmtpResult){
		.codes = g_new0(int, n_recipients),
		.texts = g_new0(char *, n_recipients),
		.n = n_recipients,
	};
	dialogue_run(&stream, &timeouts, &ready, result);
}

/* One conversation of one mail to two people, and how it must end. */
typedef struct {
	const char *name;
	Step steps[MAX_STEPS];
	SmtpOutcome outcome;
	int codes[2];
	const char *reply; /* part of result.reply */
} Case;

#define EHLO_PLAIN                                                                                 \
	{                                                                                          \
		"EHLO bot.example.org", "250-mx\r\n250 HELP\r\n"                                   \
	}
#define EHLO_FULL                                                                                  \
	{                                                                                          \
		"EHLO bot.example.org",                                                            \
			"250-mx\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SIZE 9999\r\n"            \
	}
#define MAIL_OK                                                                                    \
	{                                                                                          \
		"MAIL FROM:<bot@example.org>", "250 2.1.0 ok\r\n"                                  \
	}
#define RCPT0_OK                                                                                   \
	{                                                                                          \
		"RCPT TO:<r0@example.org>", "250 2.1.5 ok\r\n"                                     \
	}
#define RCPT1_OK                                                                                   \
	{                                                                                          \
		"RCPT TO:<r1@example.org>", "250 2.1.5 ok\r\n"                                     \
	}
#define DATA_OK                                                                                    \
	{                                                                                          \
		"DATA", "354 go on\r\n"                                                            \
	}
#define DOT_OK                                                                                     \
	{                                                                                          \
		".", "250 2.0.0 queued as 7\r\n"                                                   \
	}
#define QUIT_OK                                                                                    \
	{                                                                                          \
		"QUIT", "221 bye\r\n"                                                              \
	}

static const Case cases[] = {
	{"all is taken",
	 {EHLO_FULL, MAIL_OK, RCPT0_OK, RCPT1_OK, DATA_OK, DOT_OK, QUIT_OK},
	 SMTP_ACCEPTED,
	 {250, 250},
	 "250 2.0.0 queued as 7"},
	{"all is taken, one command at a time",
	 {EHLO_PLAIN, MAIL_OK, RCPT0_OK, RCPT1_OK, DATA_OK, DOT_OK, QUIT_OK},
	 SMTP_ACCEPTED,
	 {250, 250},
	 "250"},
	{"one of two is refused for good",
	 {EHLO_FULL,
	  MAIL_OK,
	  {"RCPT TO:<r0", "550-5.1.1 nobody\r\n550 5.1.1 of that name\r\n"},
	  RCPT1_OK,
	  DATA_OK,
	  DOT_OK,
	  QUIT_OK},
	 SMTP_ACCEPTED,
	 {550, 250},
	 "250"},
	{"one of two is refused for now",
	 {EHLO_FULL, MAIL_OK, RCPT0_OK, {"RCPT", "451 4.7.1 later\r\n"}, DATA_OK, DOT_OK, QUIT_OK},
	 SMTP_ACCEPTED,
	 {250, 451},
	 "250"},
	{"251 and 252 are yes",
	 {EHLO_FULL,
	  MAIL_OK,
	  {"RCPT", "251 will forward\r\n"},
	  {"RCPT", "252 will try\r\n"},
	  DATA_OK,
	  DOT_OK,
	  QUIT_OK},
	 SMTP_ACCEPTED,
	 {251, 252},
	 "250"},
	{"both are refused for good",
	 {EHLO_FULL, MAIL_OK, {"RCPT", "550 no\r\n"}, {"RCPT", "554 no\r\n"}, QUIT_OK},
	 SMTP_REFUSED,
	 {550, 554},
	 "no recipient was taken: 550 no"},
	{"one for good, one for now",
	 {EHLO_FULL, MAIL_OK, {"RCPT", "550 no\r\n"}, {"RCPT", "450 later\r\n"}, QUIT_OK},
	 SMTP_DEFERRED,
	 {550, 450},
	 "450 later"},
	{"the sender is refused for good",
	 {EHLO_FULL,
	  {"MAIL", "550 not you\r\n"},
	  {"RCPT", "503 first MAIL\r\n"},
	  {"RCPT", "503 first MAIL\r\n"},
	  QUIT_OK},
	 SMTP_REFUSED,
	 {0, 0},
	 "550 not you"},
	{"the sender is refused for now",
	 {EHLO_PLAIN, {"MAIL", "451 later\r\n"}, QUIT_OK},
	 SMTP_DEFERRED,
	 {0, 0},
	 "451 later"},
	{"the server shuts down at MAIL",
	 {EHLO_PLAIN, {"MAIL", "421 going down\r\n"}},
	 SMTP_DEFERRED,
	 {0, 0},
	 "421 going down"},
	{"the server shuts down at RCPT",
	 {EHLO_FULL, MAIL_OK, RCPT0_OK, {"RCPT", "421 going down\r\n"}},
	 SMTP_DEFERRED,
	 {250, 0},
	 "421"},
	{"EHLO is refused", {{"EHLO", "550 go away\r\n"}, QUIT_OK}, SMTP_DEFERRED, {0, 0}, "550"},
	{"DATA is refused for good",
	 {EHLO_FULL, MAIL_OK, RCPT0_OK, RCPT1_OK, {"DATA", "554 no\r\n"}, QUIT_OK},
	 SMTP_REFUSED,
	 {250, 250},
	 "554 no"},
	{"DATA is refused for now",
	 {EHLO_FULL, MAIL_OK, RCPT0_OK, RCPT1_OK, {"DATA", "452 full\r\n"}, QUIT_OK},
	 SMTP_DEFERRED,
	 {250, 250},
	 "452 full"},
	{"a yes to DATA is a broken protocol",
	 {EHLO_FULL, MAIL_OK, RCPT0_OK, RCPT1_OK, {"DATA", "250 ok\r\n"}},
	 SMTP_DEFERRED,
	 {250, 250},
	 "250 ok"},
	{"the mail is refused for good",
	 {EHLO_FULL,
	  MAIL_OK,
	  RCPT0_OK,
	  RCPT1_OK,
	  DATA_OK,
	  {".", "554-5.7.1 spam\r\n554 5.7.1 really\r\n"},
	  QUIT_OK},
	 SMTP_REFUSED,
	 {250, 250},
	 "554 5.7.1 spam / 5.7.1 really"},
	{"the mail is refused for now",
	 {EHLO_FULL, MAIL_OK, RCPT0_OK, RCPT1_OK, DATA_OK, {".", "451 4.3.0 later\r\n"}, QUIT_OK},
	 SMTP_DEFERRED,
	 {250, 250},
	 "451 4.3.0 later"},
	{"421 after the dot says it was not taken",
	 {EHLO_FULL, MAIL_OK, RCPT0_OK, RCPT1_OK, DATA_OK, {".", "421 4.3.2 down\r\n"}},
	 SMTP_DEFERRED,
	 {250, 250},
	 "421"},
	{"the connection is lost after the dot",
	 {EHLO_FULL, MAIL_OK, RCPT0_OK, RCPT1_OK, DATA_OK, {".", CLOSE}},
	 SMTP_UNKNOWN,
	 {250, 250},
	 "after the final dot"},
	{"no answer comes to the dot",
	 {EHLO_FULL, MAIL_OK, RCPT0_OK, RCPT1_OK, DATA_OK, {".", NULL}},
	 SMTP_UNKNOWN,
	 {250, 250},
	 "did not answer in time"},
	{"garbage comes after the dot",
	 {EHLO_FULL, MAIL_OK, RCPT0_OK, RCPT1_OK, DATA_OK, {".", "\x01\xff ok\r\n"}},
	 SMTP_UNKNOWN,
	 {250, 250},
	 "no reply code"},
	{"354 after the dot means nothing",
	 {EHLO_FULL, MAIL_OK, RCPT0_OK, RCPT1_OK, DATA_OK, {".", "354 again\r\n"}},
	 SMTP_UNKNOWN,
	 {250, 250},
	 "354"},
	{"the connection is lost at EHLO", {{"EHLO", CLOSE}}, SMTP_DEFERRED, {0, 0}, "EHLO"},
	{"the connection is lost at DATA",
	 {EHLO_FULL, MAIL_OK, RCPT0_OK, RCPT1_OK, {"DATA", CLOSE}},
	 SMTP_DEFERRED,
	 {250, 250},
	 "DATA"},
	{"no answer comes to MAIL", {EHLO_PLAIN, {"MAIL", NULL}}, SMTP_DEFERRED, {0, 0}, "in time"},
	{"an answer that was not asked for",
	 {EHLO_PLAIN, {"MAIL", "250 ok\r\n250 ok\r\n"}},
	 SMTP_DEFERRED,
	 {0, 0},
	 "without being asked"},
	{"a yes that lies in wait before the dot",
	 {EHLO_FULL, MAIL_OK, RCPT0_OK, RCPT1_OK, {"DATA", "354 go on\r\n250 queued\r\n"}},
	 SMTP_DEFERRED,
	 {250, 250},
	 "250 queued"},
	{"the server gives up in the mail",
	 {EHLO_FULL, MAIL_OK, RCPT0_OK, RCPT1_OK, {"DATA", "354 go on\r\n552 too much\r\n"}},
	 SMTP_REFUSED,
	 {250, 250},
	 "552 too much"},
	{"the server times out in the mail",
	 {EHLO_FULL, MAIL_OK, RCPT0_OK, RCPT1_OK, {"DATA", "354 go on\r\n421 too slow\r\n"}},
	 SMTP_DEFERRED,
	 {250, 250},
	 "421 too slow"},
	{"the mail is larger than the server takes",
	 {{"EHLO", "250-mx\r\n250 SIZE 10\r\n"}, QUIT_OK},
	 SMTP_REFUSED,
	 {0, 0},
	 "the server takes 10"},
	{"SIZE without a number is no limit",
	 {{"EHLO", "250-mx\r\n250 SIZE\r\n"},
	  MAIL_OK,
	  RCPT0_OK,
	  RCPT1_OK,
	  DATA_OK,
	  DOT_OK,
	  QUIT_OK},
	 SMTP_ACCEPTED,
	 {250, 250},
	 "250"},
	{"QUIT has no answer",
	 {EHLO_FULL, MAIL_OK, RCPT0_OK, RCPT1_OK, DATA_OK, DOT_OK, {"QUIT", CLOSE}},
	 SMTP_ACCEPTED,
	 {250, 250},
	 "250"},
};

static void assert_case(const Case *row, size_t read_size)
{
	g_auto(Fake) fake = {0};
	g_auto(SmtpResult) result = {0};
	size_t n_steps = 0;

	fake_init(&fake, row->steps);
	fake.read_size = read_size;
	while (row->steps[n_steps].expect != NULL)
		n_steps++;

	run(&fake, 2, &result);

	ck_assert_msg(!fake.strayed, "%s: stray command in %s", row->name, fake.said->str);
	ck_assert_msg(fake.at == n_steps, "%s: stopped after %s", row->name, fake.said->str);
	ck_assert_msg(result.outcome == row->outcome, "%s: outcome %u", row->name, result.outcome);
	ck_assert_msg(result.reply != NULL && strstr(result.reply, row->reply) != NULL, "%s: %s",
		      row->name, result.reply);
	for (int i = 0; i < 2; i++)
		ck_assert_msg(result.codes[i] == row->codes[i], "%s: code %d", row->name,
			      result.codes[i]);
}

START_TEST(each_conversation_ends_as_it_must)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		assert_case(&cases[i], 4096);
}
END_TEST

/* "1 byte a read" puts an answer that was not asked for behind its time: all else must be equal. */
START_TEST(answers_that_drip_byte_by_byte_are_the_same_answers)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		if (strstr(cases[i].name, "asked for") == NULL)
			assert_case(&cases[i], 1);
	}
}
END_TEST

START_TEST(pipelining_says_sender_and_recipients_at_once_and_data_alone)
{
	g_auto(Fake) fake = {0};
	g_auto(SmtpResult) result = {0};
	fake_init(&fake, cases[0].steps);

	run(&fake, 2, &result);

	ck_assert_str_eq(fake.said->str, "EHLO bot.example.org\n"
					 "MAIL FROM:<bot@example.org> SIZE=70 BODY=8BITMIME\n"
					 "RCPT TO:<r0@example.org>\nRCPT TO:<r1@example.org>\n"
					 "DATA\n.\nQUIT\n");
	ck_assert_ptr_nonnull(strstr(fake.data->str, "z\xc3\xa4hle\r\n..\r\n"));
}
END_TEST

START_TEST(a_server_without_8bitmime_gets_quoted_printable)
{
	g_auto(Fake) fake = {0};
	g_auto(SmtpResult) result = {0};
	fake_init(&fake, cases[1].steps);

	run(&fake, 2, &result);

	ck_assert_ptr_nonnull(strstr(fake.said->str, "MAIL FROM:<bot@example.org>\n"));
	ck_assert_ptr_nonnull(strstr(fake.data->str, "Encoding: quoted-printable\r\n"));
	ck_assert_ptr_nonnull(strstr(fake.data->str, "z=C3=A4hle\r\n..\r\n"));
}
END_TEST

START_TEST(many_recipients_are_named_in_batches_and_each_keeps_its_answer)
{
	enum { N = 130 };
	g_autofree Step *steps = g_new0(Step, N + 8);
	g_auto(Fake) fake = {0};
	g_auto(SmtpResult) result = {0};
	size_t n = 0;
	steps[n++] = (Step)EHLO_FULL;
	steps[n++] = (Step)MAIL_OK;
	for (size_t i = 0; i < N; i++)
		steps[n++] = (Step){"RCPT", i % 3 == 0 ? "550 no\r\n" : "250 ok\r\n"};
	steps[n++] = (Step)DATA_OK;
	steps[n++] = (Step)DOT_OK;
	steps[n++] = (Step)QUIT_OK;
	fake_init(&fake, steps);

	run(&fake, N, &result);

	ck_assert_int_eq(result.outcome, SMTP_ACCEPTED);
	ck_assert(!fake.strayed);
	for (size_t i = 0; i < N; i++)
		ck_assert_int_eq(result.codes[i], i % 3 == 0 ? 550 : 250);
}
END_TEST

/*
 * The stream breaks after each possible number of our bytes: before the dot nothing was taken, with
 * the first byte of the dot on its way nobody knows.
 */
START_TEST(a_stream_that_breaks_while_we_write_is_unknown_only_from_the_dot_on)
{
	g_auto(Fake) whole = {0};
	g_auto(SmtpResult) done = {0};
	fake_init(&whole, cases[0].steps);
	run(&whole, 2, &done);
	size_t all = (1u << 30) - whole.write_limit;
	size_t before_dot = all - strlen(".\r\nQUIT\r\n");

	for (size_t limit = 0; limit < all; limit++) {
		g_auto(Fake) fake = {0};
		g_auto(SmtpResult) result = {0};
		fake_init(&fake, cases[0].steps);
		fake.write_limit = limit;

		run(&fake, 2, &result);

		SmtpOutcome wanted = limit < before_dot       ? SMTP_DEFERRED
				     : limit < before_dot + 3 ? SMTP_UNKNOWN
							      : SMTP_ACCEPTED;
		ck_assert_msg(result.outcome == wanted, "limit %zu: %u", limit, result.outcome);
	}
}
END_TEST

/* Each answer cut at each byte, then the server closes. */
START_TEST(an_answer_that_is_cut_short_is_never_a_yes)
{
	const Case *row = &cases[0];

	for (size_t k = 0; k < 6; k++) {
		const char *whole = row->steps[k].reply;
		bool at_dot = *row->steps[k].expect == '.';
		for (size_t len = 0; len < strlen(whole); len++) {
			g_autofree char *cut = g_strndup(whole, len);
			Step steps[MAX_STEPS];
			memcpy(steps, row->steps, sizeof(steps));
			steps[k].reply = cut;
			steps[k + 1].expect = NULL;
			g_auto(Fake) fake = {0};
			g_auto(SmtpResult) result = {0};
			fake_init(&fake, steps);

			run(&fake, 2, &result);

			ck_assert_msg(result.outcome == (at_dot ? SMTP_UNKNOWN : SMTP_DEFERRED),
				      "step %zu cut at %zu: %u", k, len, result.outcome);
		}
	}
}
END_TEST

/* ---- replies alone ---- */

static bool read_reply(const char *bytes, size_t len, SmtpReply *reply, GError **error)
{
	static const Step no_steps[] = {{NULL, NULL}};
	g_auto(Fake) fake = {0};
	fake_init(&fake, no_steps);
	g_string_append_len(fake.answers, bytes, (gssize)len);
	fake.closed = true;
	SmtpStream stream = {fake_read, fake_write, &fake};
	ReplyReader reader = {.stream = &stream};

	return reply_read(&reader, 50, reply, error);
}

static void assert_bad_reply(const char *bytes, size_t len, const char *why)
{
	g_auto(SmtpReply) reply = {0};
	g_autoptr(GError) error = NULL;

	ck_assert_msg(!read_reply(bytes, len, &reply, &error), "%s", bytes);
	ck_assert_msg(strstr(error->message, why) != NULL, "%s", error->message);
}

START_TEST(what_is_no_reply_is_a_broken_protocol)
{
	g_autofree char *word = g_strnfill(600, 'x');
	g_autofree char *endless = g_strconcat("250 ", word, NULL);
	g_autoptr(GString) many = g_string_new(NULL);
	for (int i = 0; i < 101; i++)
		g_string_append(many, "250-x\r\n");

	assert_bad_reply("25 ok\r\n", 7, "no reply code");
	assert_bad_reply("\r\n", 2, "no reply code");
	assert_bad_reply("150 x\r\n", 7, "no reply code");
	assert_bad_reply("650 x\r\n", 7, "no reply code");
	assert_bad_reply("250x\r\n", 6, "no reply code");
	assert_bad_reply("250-a\r\n251 b\r\n", 14, "different codes");
	assert_bad_reply("250 a\0b\r\n", 9, "NUL");
	assert_bad_reply(endless, strlen(endless), "over 512");
	assert_bad_reply(many->str, many->len, "over 100 lines");
}
END_TEST

START_TEST(a_reply_is_escaped_for_logs_and_bounded)
{
	g_autoptr(GString) bytes = g_string_new(NULL);
	g_auto(SmtpReply) reply = {0};
	for (int i = 0; i < 99; i++)
		g_string_append(bytes, "250-\x1b[2Jsome text that goes on and on\r\n");
	g_string_append(bytes, "250\r\n");

	ck_assert(read_reply(bytes->str, bytes->len, &reply, NULL));

	ck_assert_int_eq(reply.code, 250);
	ck_assert_ptr_null(strchr(reply.text, '\x1b'));
	ck_assert_uint_le(strlen(reply.text), 4 * REPLY_TEXT_MAX);
}
END_TEST

START_TEST(waiting_times_follow_the_connect_timeout)
{
	SmtpTimeouts standard = smtp_timeouts(0);
	SmtpTimeouts tenth = smtp_timeouts(3000);

	ck_assert_int_eq(standard.command_ms, 300000);
	ck_assert_int_eq(standard.dot_ms, 600000);
	ck_assert_int_eq(tenth.dot_ms, 60000);
	ck_assert_int_gt(smtp_timeouts(1).quit_ms, 0);
}
END_TEST

CHECK_MAIN("dialogue", each_conversation_ends_as_it_must,
	   answers_that_drip_byte_by_byte_are_the_same_answers,
	   pipelining_says_sender_and_recipients_at_once_and_data_alone,
	   a_server_without_8bitmime_gets_quoted_printable,
	   many_recipients_are_named_in_batches_and_each_keeps_its_answer,
	   a_stream_that_breaks_while_we_write_is_unknown_only_from_the_dot_on,
	   an_answer_that_is_cut_short_is_never_a_yes, what_is_no_reply_is_a_broken_protocol,
	   a_reply_is_escaped_for_logs_and_bounded, waiting_times_follow_the_connect_timeout)
