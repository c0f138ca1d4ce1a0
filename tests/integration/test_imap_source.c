/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * test_imap_source - the IMAP source against a real Dovecot.
 *
 * One server for all tests, a mailbox of its own for each.  Needs root and Dovecot; is skipped
 * without.
 */

#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/base/spawn.h"
#include "bot/intake/source.h"
#include "mailparse/limits.h"

#include <check.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <utime.h>

/* Set once before the tests and only read by them. */
static struct {
	char *dir;
	char *scripts;
	char *imap_port;
	char *imaps_port;
} dovecot;

/* Runs a script of tests/servers; returns its output, or NULL when it failed. */
static char *run_script(const char *script, const char *const *args)
{
	g_autoptr(GPtrArray) argv = g_ptr_array_new();
	g_autofree char *path = g_build_filename(dovecot.scripts, script, NULL);
	g_auto(SpawnResult) result = {0};
	g_autoptr(GError) error = NULL;

	g_ptr_array_add(argv, path);
	for (size_t i = 0; args[i]; i++)
		g_ptr_array_add(argv, (void *)(uintptr_t)args[i]);
	g_ptr_array_add(argv, NULL);
	SpawnOptions options = {
		.argv = (const char *const *)argv->pdata, .timeout_ms = 40000, .max_output = 65536};
	if (!spawn_run(&options, &result, &error) || result.exit_code != 0) {
		fprintf(stderr, "%s: %s\n", script, error ? error->message : result.err);
		return NULL;
	}
	return g_strdup(result.out);
}

static bool server(const char *command)
{
	const char *args[] = {command, dovecot.dir, dovecot.imap_port, dovecot.imaps_port, NULL};
	g_autofree char *out = run_script("dovecot.sh", args);
	return out != NULL;
}

/* The folder of a mailbox, made if need be ("Maildir++": subfolders begin with a dot). */
static char *folder_of(const char *mailbox)
{
	static const char *const parts[] = {"tmp", "new", "cur"};
	char *folder = g_strdup_printf("%s/Maildir/.%s", dovecot.dir, mailbox);

	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
		g_autofree char *path = g_build_filename(folder, parts[i], NULL);
		ck_assert(fs_make_dir(path, 0777, NULL));
		ck_assert_int_eq(g_chmod(path, 0777), 0);
	}
	ck_assert_int_eq(g_chmod(folder, 0777), 0);
	return folder;
}

/* Delivers as a mail server does; @arrived_s 0: now. */
static void deliver(const char *mailbox, const char *name, const char *bytes, gssize len,
		    time_t arrived_s)
{
	g_autofree char *folder = folder_of(mailbox);
	g_autofree char *tmp = g_build_filename(folder, "tmp", name, NULL);
	g_autofree char *path = g_build_filename(folder, "new", name, NULL);
	struct utimbuf times = {.actime = arrived_s, .modtime = arrived_s};

	ck_assert(g_file_set_contents_full(tmp, bytes, len, G_FILE_SET_CONTENTS_NONE, 0644, NULL));
	if (arrived_s)
		ck_assert_int_eq(utime(tmp, &times), 0);
	ck_assert_int_eq(g_rename(tmp, path), 0);
}

static void deliver_numbered(const char *mailbox, unsigned number)
{
	g_autofree char *name = g_strdup_printf("%09u.host", number);
	g_autofree char *mail = g_strdup_printf(
		"From: a@example.org\r\nMessage-ID: <%u@example.org>\r\n\r\nA001 OK %u\r\n", number,
		number);
	deliver(mailbox, name, mail, -1, 0);
}

typedef struct {
	Source *source;
	GPtrArray *mails; /* all that were handed out and acknowledged */
	char *cursor;
	char *anomaly;
	GError *error;
} Scene;

static bool open_at(Scene *scene, const char *scheme, const char *mailbox, SourceOptions options)
{
	g_autofree char *ca_file = g_build_filename(dovecot.dir, "tls.crt", NULL);
	const char *port = strcmp(scheme, "imaps") == 0 ? dovecot.imaps_port : dovecot.imap_port;
	g_autofree char *url = g_strdup_printf("%s://localhost:%s/%s", scheme, port, mailbox);

	if (!scene->mails)
		scene->mails = g_ptr_array_new_with_free_func((GDestroyNotify)source_mail_free);
	options.name = "list";
	options.url = url;
	options.user = "tester";
	if (!options.password)
		options.password = "secret";
	if (!options.ca_file)
		options.ca_file = ca_file;
	options.stop_fd = -1;
	scene->source = source_open(&options, &scene->error);
	return scene->source != NULL;
}

static void assert_open(Scene *scene, const char *scheme, const char *mailbox,
			SourceOptions options)
{
	bool fine = open_at(scene, scheme, mailbox, options);
	ck_assert_msg(fine, "%s", scene->error ? scene->error->message : "");
}

static void strike(Scene *scene)
{
	g_clear_pointer(&scene->source, source_close);
	g_clear_pointer(&scene->mails, g_ptr_array_unref);
	g_clear_pointer(&scene->cursor, g_free);
	g_clear_pointer(&scene->anomaly, g_free);
	g_clear_error(&scene->error);
}

/* One batch, acknowledged; false on error. */
static bool take_batch(Scene *scene, guint *out_n)
{
	g_auto(SourceBatch) batch = {0};

	if (!source_next(scene->source, 500, &batch, &scene->error))
		return false;
	*out_n = batch.mails->len;
	g_ptr_array_extend_and_steal(scene->mails, g_steal_pointer(&batch.mails));
	if (batch.cursor) {
		g_free(scene->cursor);
		scene->cursor = g_steal_pointer(&batch.cursor);
	}
	if (batch.anomaly)
		scene->anomaly = g_steal_pointer(&batch.anomaly);
	return source_ack(scene->source, &scene->error);
}

static bool drain(Scene *scene)
{
	guint n = 0;

	do {
		if (!take_batch(scene, &n))
			return false;
	} while (n > 0);
	return true;
}

static void assert_drain(Scene *scene)
{
	bool fine = drain(scene);
	ck_assert_msg(fine, "%s", scene->error ? scene->error->message : "");
}

/* Waits and drains until @n mails are there, at most 30 s; errors on the way are forgiven. */
static void assert_receives(Scene *scene, guint n)
{
	int64_t end_us = g_get_monotonic_time() + 30 * G_USEC_PER_SEC;

	while (scene->mails->len < n && g_get_monotonic_time() < end_us) {
		if (source_wait(scene->source, 5000, &scene->error) && drain(scene))
			continue;
		g_clear_error(&scene->error);
		g_usleep(50 * 1000);
	}
	ck_assert_uint_eq(scene->mails->len, n);
}

static void assert_numbered(const Scene *scene, guint i, unsigned number)
{
	const SourceMail *mail = g_ptr_array_index(scene->mails, i);
	g_autofree char *end = g_strdup_printf("\r\n\r\nA001 OK %u\r\n", number);
	gsize len;
	const char *bytes = g_bytes_get_data(mail->bytes, &len);

	ck_assert_uint_ge(len, strlen(end));
	ck_assert_mem_eq(bytes + len - strlen(end), end, strlen(end));
}

START_TEST(imap_source_logs_in_over_tls_and_starttls_by_plain_and_login)
{
	static const char *const schemes[] = {"imaps", "imap"};
	static const char *const mechanisms[] = {"PLAIN", "LOGIN", NULL};
	deliver_numbered("logins", 1);

	for (size_t i = 0; i < G_N_ELEMENTS(schemes); i++) {
		for (size_t j = 0; j < G_N_ELEMENTS(mechanisms); j++) {
			Scene scene = {0};
			assert_open(&scene, schemes[i], "logins",
				    (SourceOptions){.mechanism = mechanisms[j]});
			assert_drain(&scene);
			ck_assert_uint_eq(scene.mails->len, 1);
			assert_numbered(&scene, 0, 1);
			strike(&scene);
		}
	}
}
END_TEST

static void assert_refused(const char *scheme, SourceOptions options, const char *words)
{
	Scene scene = {0};
	g_free(folder_of("refused"));

	ck_assert(!open_at(&scene, scheme, "refused", options));

	ck_assert_msg(g_error_matches(scene.error, BOT_ERROR, BOT_ERROR_PERMANENT), "%s",
		      scene.error->message);
	ck_assert_msg(strstr(scene.error->message, words) != NULL, "%s", scene.error->message);
	strike(&scene);
}

START_TEST(imap_source_refuses_a_certificate_of_another_issuer_or_name)
{
	g_autofree char *other = g_build_filename(dovecot.dir, "other", NULL);
	g_autofree char *ca_file = g_build_filename(other, "tls.crt", NULL);
	const char *args[] = {other, "mail.example.org", NULL};
	g_autofree char *out = run_script("mkcert.sh", args);
	ck_assert_ptr_nonnull(out);

	assert_refused("imaps", (SourceOptions){.ca_file = ca_file}, "certificate");
	assert_refused("imap", (SourceOptions){.ca_file = ca_file}, "certificate");
	assert_refused("imaps", (SourceOptions){.ca_file = "/etc/ssl/certs/ca-certificates.crt"},
		       "certificate");
}
END_TEST

START_TEST(imap_source_says_that_the_login_was_refused)
{
	assert_refused("imaps", (SourceOptions){.password = "wrong"}, "as tester");
	assert_refused("imap", (SourceOptions){.password = "wrong"}, "login was refused");
}
END_TEST

START_TEST(imap_source_says_that_there_is_no_such_mailbox)
{
	Scene scene = {0};

	ck_assert(!open_at(&scene, "imaps", "nowhere", (SourceOptions){0}));

	ck_assert(g_error_matches(scene.error, BOT_ERROR, BOT_ERROR_CONFIG));
	strike(&scene);
}
END_TEST

START_TEST(imap_source_takes_a_thousand_mails_each_once_and_in_order)
{
	Scene scene = {0};
	for (unsigned i = 1; i <= 1000; i++)
		deliver_numbered("thousand", i);
	assert_open(&scene, "imaps", "thousand", (SourceOptions){0});

	assert_drain(&scene);

	ck_assert_uint_eq(scene.mails->len, 1000);
	for (guint i = 0; i < 1000; i++)
		assert_numbered(&scene, i, i + 1);
	/* Nothing was marked: Dovecot would have moved a seen mail to cur/ with a flag. */
	g_autofree char *cur = g_build_filename(dovecot.dir, "Maildir/.thousand/cur", NULL);
	g_autoptr(GDir) dir = g_dir_open(cur, 0, NULL);
	ck_assert_ptr_null(g_dir_read_name(dir));
	strike(&scene);
}
END_TEST

START_TEST(imap_source_takes_eight_bit_bytes_and_large_mails_and_refuses_huge_ones)
{
	static const char odd[] = "Subject: \xe4\xf6\r\n\r\n\xff\x80{5}\r\n)\r\n.\r\n";
	g_autofree char *large = g_strnfill(2 * 1024 * 1024, 'x');
	g_autofree char *huge = g_strnfill(MAIL_MAX_BYTES + 1, 'x');
	Scene scene = {0};
	memcpy(large, "Subject: l\r\n\r\n", 14);
	memcpy(huge, "Subject: h\r\n\r\n", 14);
	deliver("odd", "1.host", odd, sizeof odd - 1, 0);
	deliver("odd", "2.host", huge, -1, 0);
	deliver("odd", "3.host", large, -1, 0);
	assert_open(&scene, "imaps", "odd", (SourceOptions){0});

	assert_drain(&scene);

	ck_assert_uint_eq(scene.mails->len, 3);
	const SourceMail *first = g_ptr_array_index(scene.mails, 0);
	ck_assert_uint_eq(g_bytes_get_size(first->bytes), sizeof odd - 1);
	ck_assert_mem_eq(g_bytes_get_data(first->bytes, NULL), odd, sizeof odd - 1);
	const SourceMail *second = g_ptr_array_index(scene.mails, 1);
	ck_assert_ptr_null(second->bytes);
	ck_assert_ptr_nonnull(strstr(second->refused, "more than the 16 MB"));
	const SourceMail *third = g_ptr_array_index(scene.mails, 2);
	ck_assert_mem_eq(g_bytes_get_data(third->bytes, NULL), large, 2 * 1024 * 1024);
	strike(&scene);
}
END_TEST

START_TEST(imap_source_starts_at_the_time_of_first_contact)
{
	const time_t start_s = 1704888000;
	Scene scene = {0};
	deliver("start", "1.host", "Subject: old\r\n\r\nx\r\n", -1, start_s - 1);
	deliver("start", "2.host", "Subject: new\r\n\r\nx\r\n", -1, start_s);
	assert_open(&scene, "imaps", "start",
		    (SourceOptions){.start_us = (int64_t)start_s * G_USEC_PER_SEC});

	assert_drain(&scene);
	ck_assert_uint_eq(scene.mails->len, 1);
	const SourceMail *mail = g_ptr_array_index(scene.mails, 0);
	ck_assert_int_eq(mail->arrived_us, (int64_t)start_s * G_USEC_PER_SEC);
	/* What comes after first contact counts, though its time is older (a mail moved here). */
	deliver("start", "3.host", "Subject: moved\r\n\r\nx\r\n", -1, start_s - 100000);
	assert_receives(&scene, 2);
	strike(&scene);
}
END_TEST

START_TEST(imap_source_goes_on_from_its_cursor_after_a_restart_of_the_program)
{
	Scene scene = {0};
	deliver_numbered("again", 1);
	assert_open(&scene, "imaps", "again", (SourceOptions){0});
	assert_drain(&scene);
	g_autofree char *cursor = g_strdup(scene.cursor);
	strike(&scene);
	deliver_numbered("again", 2);

	assert_open(&scene, "imaps", "again", (SourceOptions){.cursor = cursor});
	assert_drain(&scene);

	ck_assert_uint_eq(scene.mails->len, 1);
	assert_numbered(&scene, 0, 2);
	strike(&scene);
}
END_TEST

static void *deliver_later(void *payload)
{
	(void)payload;
	g_usleep(300 * 1000);
	deliver_numbered("idle", 1);
	return NULL;
}

START_TEST(imap_source_wakes_up_from_idle_for_new_mail)
{
	Scene scene = {0};
	g_free(folder_of("idle"));
	assert_open(&scene, "imaps", "idle", (SourceOptions){0});
	assert_drain(&scene);
	int64_t before_us = g_get_monotonic_time();

	GThread *thread = g_thread_new("deliver", deliver_later, NULL);
	bool fine = source_wait(scene.source, 40000, &scene.error);
	g_thread_join(thread);

	ck_assert(fine);
	/* Far less than the timeout, so it was not that which ended the wait. */
	ck_assert_int_lt(g_get_monotonic_time() - before_us, 20 * G_USEC_PER_SEC);
	assert_drain(&scene);
	ck_assert_uint_eq(scene.mails->len, 1);
	assert_numbered(&scene, 0, 1);
	strike(&scene);
}
END_TEST

/* Takes the server down by @command while we IDLE, and up again. */
static void assert_survives(const char *mailbox, const char *command)
{
	Scene scene = {0};
	guint n;
	deliver_numbered(mailbox, 1);
	assert_open(&scene, "imaps", mailbox, (SourceOptions){0});
	assert_drain(&scene);
	ck_assert(source_wait(scene.source, 200, &scene.error));

	ck_assert(server(command));
	ck_assert(!source_wait(scene.source, 20000, &scene.error));
	ck_assert_msg(g_error_matches(scene.error, BOT_ERROR, BOT_ERROR_TRANSIENT), "%s",
		      scene.error->message);
	g_clear_error(&scene.error);
	ck_assert(!take_batch(&scene, &n));
	ck_assert(g_error_matches(scene.error, BOT_ERROR, BOT_ERROR_TRANSIENT));
	g_clear_error(&scene.error);
	deliver_numbered(mailbox, 2);
	ck_assert(server("start"));

	assert_receives(&scene, 2);
	assert_numbered(&scene, 1, 2);
	ck_assert_ptr_null(scene.anomaly);
	strike(&scene);
}

START_TEST(imap_source_comes_back_after_the_server_was_stopped)
{
	assert_survives("stopped", "stop");
}
END_TEST

START_TEST(imap_source_comes_back_after_the_server_was_killed)
{
	assert_survives("killed", "kill");
}
END_TEST

/* Gives the mailbox the UIDVALIDITY after its own, as a rebuilt server might. */
static void change_uid_validity(const char *mailbox)
{
	g_autofree char *path =
		g_strdup_printf("%s/control/.%s/dovecot-uidlist", dovecot.dir, mailbox);
	g_autofree char *index = g_strdup_printf("%s/index/.%s", dovecot.dir, mailbox);
	g_autofree char *text = NULL;
	guint64 value;

	ck_assert(g_file_get_contents(path, &text, NULL, NULL));
	const char *start = strstr(text, " V");
	ck_assert_ptr_nonnull(start);
	value = g_ascii_strtoull(start + 2, NULL, 10);
	g_autofree char *changed =
		g_strdup_printf("3 V%" G_GUINT64_FORMAT "%s", value + 1, strchr(start + 2, ' '));
	ck_assert(g_file_set_contents(path, changed, -1, NULL));
	ck_assert_int_eq(g_chmod(path, 0666), 0);
	ck_assert(fs_remove_tree(index, NULL));
}

START_TEST(imap_source_scans_again_when_the_mailbox_was_made_anew)
{
	Scene scene = {0};
	deliver_numbered("validity", 1);
	assert_open(&scene, "imaps", "validity", (SourceOptions){0});
	assert_drain(&scene);
	ck_assert(server("stop"));
	change_uid_validity("validity");
	deliver_numbered("validity", 2);
	ck_assert(server("start"));

	/* The first mail comes again, under another locator: the store knows it by its bytes. */
	assert_receives(&scene, 3);

	ck_assert_ptr_nonnull(scene.anomaly);
	ck_assert(g_str_has_prefix(scene.anomaly, "UIDVALIDITY changed from "));
	const SourceMail *before = g_ptr_array_index(scene.mails, 0);
	const SourceMail *after = g_ptr_array_index(scene.mails, 1);
	ck_assert_str_ne(before->locator, after->locator);
	ck_assert(g_bytes_equal(before->bytes, after->bytes));
	assert_numbered(&scene, 2, 2);
	strike(&scene);
}
END_TEST

static bool start_server(void)
{
	g_autofree char *ports = NULL;
	const char *two[] = {"2", NULL};

	dovecot.scripts = g_build_filename(g_getenv("LOREBOT_TEST_DATA"), "servers", NULL);
	dovecot.dir = g_dir_make_tmp("dovecot-XXXXXX", NULL);
	ports = run_script("freeport.sh", two);
	g_auto(GStrv) words = ports ? g_strsplit(g_strchomp(ports), " ", 2) : NULL;
	if (!words || g_strv_length(words) != 2)
		return false;
	dovecot.imap_port = g_strdup(words[0]);
	dovecot.imaps_port = g_strdup(words[1]);
	return server("start");
}

static Suite *make_suite(void)
{
	const TTest *tests[] = {
		imap_source_logs_in_over_tls_and_starttls_by_plain_and_login,
		imap_source_refuses_a_certificate_of_another_issuer_or_name,
		imap_source_says_that_the_login_was_refused,
		imap_source_says_that_there_is_no_such_mailbox,
		imap_source_takes_a_thousand_mails_each_once_and_in_order,
		imap_source_takes_eight_bit_bytes_and_large_mails_and_refuses_huge_ones,
		imap_source_starts_at_the_time_of_first_contact,
		imap_source_goes_on_from_its_cursor_after_a_restart_of_the_program,
		imap_source_wakes_up_from_idle_for_new_mail,
		imap_source_comes_back_after_the_server_was_stopped,
		imap_source_comes_back_after_the_server_was_killed,
		imap_source_scans_again_when_the_mailbox_was_made_anew,
	};
	Suite *suite = suite_create("imap_source against Dovecot");
	TCase *tcase = tcase_create("imap_source");

	tcase_set_timeout(tcase, 90);
	for (size_t i = 0; i < G_N_ELEMENTS(tests); i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	g_autofree char *program = g_find_program_in_path("dovecot");
	if (geteuid() != 0 || !program) {
		printf("1..0 # SKIP needs root and Dovecot (dovecot-imapd)\n");
		return 0;
	}
	if (!start_server()) {
		printf("Bail out! Dovecot did not start\n");
		return 0;
	}
	SRunner *runner = srunner_create(make_suite());
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	srunner_free(runner);
	if (!server("stop") || !fs_remove_tree(dovecot.dir, NULL))
		fprintf(stderr, "Dovecot may still run in %s\n", dovecot.dir);
	g_free(dovecot.dir);
	g_free(dovecot.scripts);
	g_free(dovecot.imap_port);
	g_free(dovecot.imaps_port);
	return 0;
}
