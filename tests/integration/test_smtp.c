/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * test_smtp - sending against a server that misbehaves as told, and against a real Postfix.
 *
 * Postfix with Dovecot for the login needs root; those tests are skipped without.
 */

#include "bot/base/fs.h"
#include "bot/base/spawn.h"
#include "bot/send/smtp.h"
#include "mailparse/message.h"

#include <check.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char mail_text[] = "From: bot@example.org\n"
				"To: ann@example.org\n"
				"Subject: =?UTF-8?q?z=C3=A4hle?=\n"
				"Message-ID: <1@example.org>\n"
				"MIME-Version: 1.0\n"
				"Content-Type: text/plain; charset=utf-8\n"
				"Content-Transfer-Encoding: 8bit\n"
				"\n"
				"z\xc3\xa4hle W\xc3\xb6rter\n"
				".\n"
				"..\n"
				".dot\n"
				"trailing blanks  \n"
				"From here on\n";

static OutgoingMail *mail_to(const char *const *addresses)
{
	OutgoingMail *mail = g_new0(OutgoingMail, 1);

	mail->bytes = g_bytes_new_static(mail_text, strlen(mail_text));
	mail->envelope_from = mailbox_new(NULL, "bot@example.org", NULL);
	mail->recipients = g_ptr_array_new_with_free_func((GDestroyNotify)mailbox_free);
	for (size_t i = 0; addresses[i] != NULL; i++)
		g_ptr_array_add(mail->recipients, mailbox_new(NULL, addresses[i], NULL));
	return mail;
}

static void send_mail(const LinkOptions *options, const char *const *addresses, SmtpResult *result)
{
	g_autoptr(OutgoingMail) mail = mail_to(addresses);
	g_autoptr(GError) error = NULL;

	bool ok = smtp_send(options, "bot.example.org", mail, result, &error);

	ck_assert_msg(ok, "%s", error != NULL ? error->message : "");
	ck_assert_ptr_nonnull(result->reply);
}

/* ---- the server that misbehaves ---- */

typedef struct {
	GPid pid;
	char *url;
	char *path; /* gets the mail */
} Evil;

static char *script_path(const char *script)
{
	return g_build_filename(g_getenv("LOREBOT_TEST_DATA"), "servers", script, NULL);
}

static void evil_start(Evil *evil, const char *mode)
{
	g_autofree char *script = script_path("smtp-evil.py");
	g_autofree char *mode_copy = g_strdup(mode);
	int out = -1;
	char line[16] = "";
	size_t len = 0;

	int fd = g_file_open_tmp("evil-XXXXXX", &evil->path, NULL);
	ck_assert_int_ge(fd, 0);
	close(fd);
	char *argv[] = {script, mode_copy, evil->path, NULL};
	ck_assert(g_spawn_async_with_pipes(NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
					   &evil->pid, NULL, &out, NULL, NULL));
	while (strchr(line, '\n') == NULL) {
		ssize_t n = read(out, line + len, sizeof(line) - 1 - len);
		ck_assert_int_gt(n, 0);
		len += (size_t)n;
	}
	close(out);
	evil->url = g_strdup_printf("smtp://127.0.0.1:%d", atoi(line));
}

static void evil_stop(Evil *evil)
{
	kill(evil->pid, SIGTERM);
	waitpid(evil->pid, NULL, 0);
	unlink(evil->path);
	g_free(evil->url);
	g_free(evil->path);
}

typedef struct {
	const char *mode;
	SmtpOutcome outcome;
	const char *reply; /* part of it */
} EvilCase;

static const EvilCase evil_cases[] = {
	{"ok", SMTP_ACCEPTED, "250 2.0.0 queued"},
	{"slow", SMTP_ACCEPTED, "250 2.0.0 queued"},
	{"plain", SMTP_ACCEPTED, "250 2.0.0 queued"},
	{"drop", SMTP_UNKNOWN, "after the final dot"},
	{"hang", SMTP_UNKNOWN, "after the final dot"},
	{"garbage", SMTP_UNKNOWN, "after the final dot"},
	{"endless", SMTP_UNKNOWN, "after the final dot"},
	{"4xx", SMTP_DEFERRED, "451 4.3.0 try later"},
	{"5xx", SMTP_REFUSED, "554 5.7.1 not this / 5.7.1 really not"},
	{"421", SMTP_DEFERRED, "421 4.3.2"},
	{"421-dot", SMTP_DEFERRED, "421 4.3.2"},
	{"early-yes", SMTP_DEFERRED, "250 queued"},
	{"endless-greeting", SMTP_DEFERRED, ""},
};

START_TEST(a_server_that_misbehaves_settles_as_it_must)
{
	const EvilCase *row = &evil_cases[_i];
	const char *const to[] = {"ann@example.org", "max@example.org", NULL};
	g_auto(SmtpResult) result = {0};
	Evil evil = {0};
	evil_start(&evil, row->mode);
	/* Waits are cut as the connect timeout is: the final dot's to 10 s. */
	LinkOptions options = {.url = evil.url, .clear_text = true, .connect_timeout_ms = 500};

	send_mail(&options, to, &result);

	evil_stop(&evil);
	ck_assert_msg(result.outcome == row->outcome, "%s: %u, %s", row->mode, result.outcome,
		      result.reply);
	ck_assert_msg(strstr(result.reply, row->reply) != NULL, "%s: %s", row->mode, result.reply);
}
END_TEST

/* When the reset comes is a race with our dot: it is never a yes, and never a no for good. */
START_TEST(a_reset_in_the_mail_is_neither_yes_nor_no)
{
	const char *const to[] = {"ann@example.org", NULL};
	g_auto(SmtpResult) result = {0};
	Evil evil = {0};
	evil_start(&evil, "rst-mid");
	LinkOptions options = {.url = evil.url, .clear_text = true, .connect_timeout_ms = 3000};

	send_mail(&options, to, &result);

	evil_stop(&evil);
	ck_assert(result.outcome == SMTP_DEFERRED || result.outcome == SMTP_UNKNOWN);
}
END_TEST

START_TEST(each_recipient_keeps_what_the_server_said)
{
	const char *const to[] = {"never@example.org", "ann@example.org", "later@example.org",
				  NULL};
	g_auto(SmtpResult) result = {0};
	Evil evil = {0};
	evil_start(&evil, "mixed");
	LinkOptions options = {.url = evil.url, .clear_text = true, .connect_timeout_ms = 3000};

	send_mail(&options, to, &result);

	evil_stop(&evil);
	ck_assert_int_eq(result.outcome, SMTP_ACCEPTED);
	ck_assert_int_eq(result.codes[0], 550);
	ck_assert_int_eq(result.codes[1], 250);
	ck_assert_int_eq(result.codes[2], 450);
	ck_assert_str_eq(result.texts[0], "5.1.1 nobody / 5.1.1 of that name");
}
END_TEST

START_TEST(the_server_gets_the_bytes_of_the_wire_form)
{
	const char *const to[] = {"ann@example.org", NULL};
	g_auto(SmtpResult) result = {0};
	Evil evil = {0};
	evil_start(&evil, "ok");
	LinkOptions options = {.url = evil.url, .clear_text = true, .connect_timeout_ms = 3000};

	send_mail(&options, to, &result);

	g_autofree char *got = NULL;
	ck_assert(g_file_get_contents(evil.path, &got, NULL, NULL));
	evil_stop(&evil);
	ck_assert_ptr_nonnull(strstr(got,
				     "\r\n\r\nz\xc3\xa4hle W\xc3\xb6rter\r\n..\r\n...\r\n..dot\r\n"
				     "trailing blanks  \r\nFrom here on\r\n"));
}
END_TEST

START_TEST(a_server_without_starttls_gets_no_mail)
{
	const char *const to[] = {"ann@example.org", NULL};
	g_auto(SmtpResult) result = {0};
	Evil evil = {0};
	evil_start(&evil, "ok");
	LinkOptions options = {.url = evil.url,
			       .user = "tester",
			       .password = "secret",
			       .connect_timeout_ms = 3000};

	send_mail(&options, to, &result);

	g_autofree char *got = NULL;
	ck_assert(g_file_get_contents(evil.path, &got, NULL, NULL));
	evil_stop(&evil);
	ck_assert_int_eq(result.outcome, SMTP_DEFERRED);
	ck_assert_str_eq(got, "");
}
END_TEST

START_TEST(no_server_at_all_means_later)
{
	const char *const to[] = {"ann@example.org", NULL};
	g_auto(SmtpResult) result = {0};
	LinkOptions options = {
		.url = "smtp://127.0.0.1:1", .clear_text = true, .connect_timeout_ms = 3000};

	send_mail(&options, to, &result);

	ck_assert_int_eq(result.outcome, SMTP_DEFERRED);
	ck_assert_int_eq(result.codes[0], 0);
}
END_TEST

START_TEST(a_mail_that_is_none_is_refused_before_anything_is_said)
{
	const char *const to[] = {"ann@example.org", NULL};
	g_autoptr(OutgoingMail) mail = mail_to(to);
	g_auto(SmtpResult) result = {0};
	g_autoptr(GError) error = NULL;
	LinkOptions options = {.url = "smtp://127.0.0.1:1", .clear_text = true};
	g_bytes_unref(mail->bytes);
	mail->bytes = g_bytes_new_static("a\r\n.\r\n", 6);

	ck_assert(!smtp_send(&options, "bot.example.org", mail, &result, &error));

	ck_assert_ptr_nonnull(error);
	ck_assert_int_eq(result.outcome, SMTP_REFUSED);
	ck_assert_ptr_nonnull(result.reply);
}
END_TEST

START_TEST(a_name_of_ours_that_could_say_more_is_not_said)
{
	const char *const to[] = {"ann@example.org", NULL};
	g_autoptr(OutgoingMail) mail = mail_to(to);
	g_auto(SmtpResult) result = {0};
	LinkOptions options = {.url = "smtp://127.0.0.1:1", .clear_text = true};

	ck_assert(smtp_send(&options, "x\r\nMAIL FROM:<y>", mail, &result, NULL));

	ck_assert_int_eq(result.outcome, SMTP_DEFERRED);
	ck_assert_ptr_nonnull(strstr(result.reply, "EHLO"));
}
END_TEST

/* ---- Postfix, with Dovecot for the login ---- */

/* Set once before the tests and only read by them. */
static struct {
	char *dir;
	char *url;
	char *ca_file;
	char *maildir;
} postfix;

static char *run_script(const char *script, const char *const *args)
{
	g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
	g_auto(SpawnResult) result = {0};
	g_autoptr(GError) error = NULL;

	g_ptr_array_add(argv, script_path(script));
	for (size_t i = 0; args[i] != NULL; i++)
		g_ptr_array_add(argv, g_strdup(args[i]));
	g_ptr_array_add(argv, NULL);
	SpawnOptions options = {
		.argv = (const char *const *)argv->pdata, .timeout_ms = 60000, .max_output = 65536};
	if (!spawn_run(&options, &result, &error) || result.exit_code != 0) {
		fprintf(stderr, "%s: %s\n", script, error != NULL ? error->message : result.err);
		return NULL;
	}
	return g_strdup(result.out);
}

static bool start_servers(void)
{
	const char *const three[] = {"3", NULL};
	g_autofree char *out = run_script("freeport.sh", three);
	g_auto(GStrv) ports = out == NULL ? NULL : g_strsplit(g_strstrip(out), " ", -1);

	postfix.dir = g_dir_make_tmp("smtp-XXXXXX", NULL);
	if (ports == NULL || g_strv_length(ports) != 3 || postfix.dir == NULL)
		return false;
	if (g_chmod(postfix.dir, 0755) != 0) /* the servers have users of their own */
		return false;
	g_autofree char *dovecot_dir = g_build_filename(postfix.dir, "dc", NULL);
	g_autofree char *postfix_dir = g_build_filename(postfix.dir, "pf", NULL);
	g_autofree char *socket = g_build_filename(dovecot_dir, "run", "auth-smtp", NULL);
	postfix.url = g_strdup_printf("smtp://localhost:%s", ports[2]);
	postfix.ca_file = g_build_filename(postfix_dir, "tls.crt", NULL);
	postfix.maildir = g_build_filename(postfix_dir, "Maildir", "new", NULL);
	const char *const dovecot_args[] = {"start", dovecot_dir, ports[0], ports[1], NULL};
	const char *const postfix_args[] = {"start", postfix_dir, ports[2], socket, NULL};
	g_autofree char *first = run_script("dovecot.sh", dovecot_args);
	g_autofree char *second = first == NULL ? NULL : run_script("postfix.sh", postfix_args);
	return second != NULL;
}

static void stop_servers(void)
{
	if (postfix.dir == NULL)
		return;
	g_autofree char *dovecot_dir = g_build_filename(postfix.dir, "dc", NULL);
	g_autofree char *postfix_dir = g_build_filename(postfix.dir, "pf", NULL);
	const char *const dovecot_args[] = {"stop", dovecot_dir, NULL};
	const char *const postfix_args[] = {"stop", postfix_dir, NULL};
	g_free(run_script("postfix.sh", postfix_args));
	g_free(run_script("dovecot.sh", dovecot_args));
	(void)!fs_remove_tree(postfix.dir, NULL);
}

static LinkOptions postfix_options(void)
{
	return (LinkOptions){.url = postfix.url,
			     .user = "tester",
			     .password = "secret",
			     .ca_file = postfix.ca_file};
}

/* Takes the mail that Postfix delivers; it does so after it has answered us. */
static GBytes *take_delivered(void)
{
	for (int tries = 0; tries < 1000; tries++) {
		g_autoptr(GDir) dir = g_dir_open(postfix.maildir, 0, NULL);
		const char *name = dir == NULL ? NULL : g_dir_read_name(dir);
		if (name != NULL) {
			g_autofree char *path = g_build_filename(postfix.maildir, name, NULL);
			GBytes *bytes = fs_read(path, 1 << 20, NULL);
			ck_assert_int_eq(unlink(path), 0);
			return bytes;
		}
		g_usleep(20 * 1000);
	}
	ck_abort_msg("nothing was delivered to %s", postfix.maildir);
	return NULL;
}

START_TEST(postfix_delivers_what_was_composed_byte_for_byte)
{
	const char *const to[] = {"ann@example.org", NULL};
	LinkOptions options = postfix_options();
	g_auto(SmtpResult) result = {0};

	send_mail(&options, to, &result);

	ck_assert_msg(result.outcome == SMTP_ACCEPTED, "%s", result.reply);
	g_autoptr(GBytes) delivered = take_delivered();
	gsize len = 0;
	const guint8 *bytes = g_bytes_get_data(delivered, &len);
	g_autoptr(Message) message = message_parse(bytes, len, NULL);
	const MessagePart *part = g_ptr_array_index(message->parts, 0);
	const char *body = strstr(mail_text, "\n\n") + 2;
	g_autoptr(GBytes) wanted = g_bytes_new_static(body, strlen(body));
	ck_assert(g_bytes_equal(part->bytes, wanted));
	ck_assert_str_eq(message->subject, "z\xc3\xa4hle");
	ck_assert_str_eq(message->message_id, "1@example.org");
}
END_TEST

START_TEST(postfix_takes_the_good_of_mixed_recipients)
{
	const char *const to[] = {"never@example.org", "ann@example.org", "later@example.org",
				  "eve@example.net", NULL};
	LinkOptions options = postfix_options();
	g_auto(SmtpResult) result = {0};

	send_mail(&options, to, &result);

	ck_assert_int_eq(result.outcome, SMTP_ACCEPTED);
	ck_assert_int_eq(result.codes[0], 550 + 4 * (result.codes[0] == 554));
	ck_assert_int_eq(result.codes[1], 250);
	ck_assert_int_eq(result.codes[2] / 100, 4);
	g_autoptr(GBytes) delivered = take_delivered();
	ck_assert_ptr_nonnull(delivered);
}
END_TEST

START_TEST(postfix_refuses_for_good_and_for_now)
{
	const char *const never[] = {"never@example.org", NULL};
	const char *const later[] = {"later@example.org", NULL};
	LinkOptions options = postfix_options();
	g_auto(SmtpResult) for_good = {0};
	g_auto(SmtpResult) for_now = {0};

	send_mail(&options, never, &for_good);
	send_mail(&options, later, &for_now);

	ck_assert_msg(for_good.outcome == SMTP_REFUSED, "%s", for_good.reply);
	ck_assert_msg(for_now.outcome == SMTP_DEFERRED, "%s", for_now.reply);
}
END_TEST

START_TEST(a_wrong_password_or_certificate_lets_the_mail_wait)
{
	const char *const to[] = {"ann@example.org", NULL};
	LinkOptions password = postfix_options();
	LinkOptions certificate = postfix_options();
	g_auto(SmtpResult) first = {0};
	g_auto(SmtpResult) second = {0};
	password.password = "wrong";
	certificate.ca_file = NULL;

	send_mail(&password, to, &first);
	send_mail(&certificate, to, &second);

	ck_assert_msg(first.outcome == SMTP_DEFERRED, "%s", first.reply);
	ck_assert_msg(second.outcome == SMTP_DEFERRED, "%s", second.reply);
	ck_assert_ptr_null(strstr(first.reply, "wrong\""));
}
END_TEST

static TCase *evil_tcase(void)
{
	TCase *tcase = tcase_create("misbehaving server");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, a_server_that_misbehaves_settles_as_it_must, 0,
			    G_N_ELEMENTS(evil_cases));
	tcase_add_test(tcase, a_reset_in_the_mail_is_neither_yes_nor_no);
	tcase_add_test(tcase, each_recipient_keeps_what_the_server_said);
	tcase_add_test(tcase, the_server_gets_the_bytes_of_the_wire_form);
	tcase_add_test(tcase, a_server_without_starttls_gets_no_mail);
	tcase_add_test(tcase, no_server_at_all_means_later);
	tcase_add_test(tcase, a_mail_that_is_none_is_refused_before_anything_is_said);
	tcase_add_test(tcase, a_name_of_ours_that_could_say_more_is_not_said);
	return tcase;
}

static TCase *postfix_tcase(void)
{
	TCase *tcase = tcase_create("Postfix");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, postfix_delivers_what_was_composed_byte_for_byte);
	tcase_add_test(tcase, postfix_takes_the_good_of_mixed_recipients);
	tcase_add_test(tcase, postfix_refuses_for_good_and_for_now);
	tcase_add_test(tcase, a_wrong_password_or_certificate_lets_the_mail_wait);
	return tcase;
}

int main(void)
{
	bool may_start = geteuid() == 0 && g_file_test("/usr/sbin/postfix", G_FILE_TEST_EXISTS);
	bool has_postfix = may_start && start_servers();
	Suite *suite = suite_create("smtp");

	suite_add_tcase(suite, evil_tcase());
	if (has_postfix)
		suite_add_tcase(suite, postfix_tcase());
	else
		fprintf(stderr, "# SKIP: Postfix and Dovecot cannot be started here\n");
	SRunner *runner = srunner_create(suite);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	srunner_free(runner);
	if (may_start)
		stop_servers();
	return may_start && !has_postfix;
}
