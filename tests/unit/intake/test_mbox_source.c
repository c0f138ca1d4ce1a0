/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/clock.h"
#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/intake/source.h"
#include "mailparse/limits.h"
#include "tests/unit/check_main.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

/* 2024-01-10 12:00:00 UTC */
#define NOON_S INT64_C(1704888000)
#define NOON_LINE "From ann@example.org Wed Jan 10 12:00:00 2024\n"
#define LATER_LINE "From bo@example.org Wed Jan 10 12:00:10 2024\n"
#define LORE_LINE "From mboxrd@z Thu Jan  1 00:00:00 1970\n"
#define QUIET_S 60

typedef struct {
	char *folder;
	char *path;
	char *url;
	Source *source;
	SourceBatch batch;
	GError *error;
	char *cursor; /* of the last batch that had one */
	GHashTable *known;
} Scene;

static Scene set_scene(const char *scheme)
{
	Scene scene = {.folder = g_dir_make_tmp("mbox-XXXXXX", NULL)};

	scene.path = g_build_filename(scene.folder, "list", NULL);
	scene.url = g_strconcat(scheme, ":", scene.path, NULL);
	scene.known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return scene;
}

static void strike(Scene *scene)
{
	source_batch_clear(&scene->batch);
	source_close(scene->source);
	g_clear_error(&scene->error);
	ck_assert(fs_remove_tree(scene->folder, NULL));
	g_hash_table_unref(scene->known);
	g_free(scene->folder);
	g_free(scene->path);
	g_free(scene->url);
	g_free(scene->cursor);
}

static void touch(const Scene *scene, int64_t age_s)
{
	int64_t now_s = g_get_real_time() / G_USEC_PER_SEC;
	struct utimbuf times = {.actime = now_s - age_s, .modtime = now_s - age_s};

	ck_assert_int_eq(utime(scene->path, &times), 0);
}

/* Written whole long enough ago. */
static void write_bytes(const Scene *scene, const char *bytes, size_t len)
{
	ck_assert(g_file_set_contents(scene->path, bytes, (gssize)len, NULL));
	touch(scene, QUIET_S);
}

static void write_file(const Scene *scene, const char *text)
{
	write_bytes(scene, text, strlen(text));
}

static void append(const Scene *scene, const char *text, int64_t age_s)
{
	int fd = open(scene->path, O_WRONLY | O_APPEND);

	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	touch(scene, age_s);
}

static bool is_known(const char *locator, void *payload)
{
	return g_hash_table_contains(payload, locator);
}

static void open_with(Scene *scene, SourceOptions options)
{
	g_clear_pointer(&scene->source, source_close);
	options.name = "list";
	options.url = scene->url;
	options.is_known = is_known;
	options.payload = scene->known;
	if (options.stop_fd == 0)
		options.stop_fd = -1;
	scene->source = source_open(&options, &scene->error);
	ck_assert_msg(scene->source != NULL, "%s", scene->error ? scene->error->message : "");
}

static void next_of(Scene *scene, size_t max_mails)
{
	source_batch_clear(&scene->batch);
	bool fine = source_next(scene->source, max_mails, &scene->batch, &scene->error);
	ck_assert_msg(fine, "%s", scene->error ? scene->error->message : "");
}

/* As the stage does: stored, then acknowledged. */
static void ack(Scene *scene)
{
	for (guint i = 0; i < scene->batch.mails->len; i++) {
		const SourceMail *mail = g_ptr_array_index(scene->batch.mails, i);
		g_hash_table_add(scene->known, g_strdup(mail->locator));
	}
	if (scene->batch.cursor) {
		g_free(scene->cursor);
		scene->cursor = g_strdup(scene->batch.cursor);
	}
	ck_assert(source_ack(scene->source, &scene->error));
}

static void reopen(Scene *scene)
{
	open_with(scene, (SourceOptions){.cursor = scene->cursor});
}

/* The mails of the batch, each in braces; "!" for one that is refused. */
static void assert_batch(const Scene *scene, const char *want)
{
	g_autoptr(GString) found = g_string_new(NULL);

	for (guint i = 0; i < scene->batch.mails->len; i++) {
		const SourceMail *mail = g_ptr_array_index(scene->batch.mails, i);
		gsize len = 0;
		const char *data = mail->bytes ? g_bytes_get_data(mail->bytes, &len) : "";

		ck_assert_uint_eq(strlen(mail->locator), 64);
		g_string_append_c(found, '{');
		g_string_append_len(found, data, (gssize)len);
		g_string_append(found, mail->refused ? "!}" : "}");
	}
	ck_assert_msg(strcmp(found->str, want) == 0, "got %s", found->str);
}

static const SourceMail *mail_at(const Scene *scene, guint index)
{
	ck_assert_uint_lt(index, scene->batch.mails->len);
	return g_ptr_array_index(scene->batch.mails, index);
}

static void read_all(Scene *scene, const char *want)
{
	next_of(scene, 500);
	assert_batch(scene, want);
	ack(scene);
}

START_TEST(mbox_source_hands_out_mails_in_order_and_then_nothing)
{
	Scene scene = set_scene("mbox");
	write_file(&scene, NOON_LINE "A: 1\n\na\n\n" LATER_LINE "B: 1\n\n>From b\n");
	open_with(&scene, (SourceOptions){0});

	read_all(&scene, "{A: 1\n\na\n}{B: 1\n\n>From b\n}");

	ck_assert_int_eq(mail_at(&scene, 0)->arrived_us, NOON_S * CLOCK_US_PER_S);
	ck_assert_int_eq(mail_at(&scene, 1)->arrived_us, (NOON_S + 10) * CLOCK_US_PER_S);
	ck_assert_int_eq(mail_at(&scene, 0)->size_bytes, 8);
	ck_assert_int_eq(scene.batch.behind, 0);
	ck_assert_ptr_null(scene.batch.anomaly);
	read_all(&scene, "");
	ck_assert_ptr_null(scene.batch.cursor);
	reopen(&scene);
	read_all(&scene, "");
	ck_assert_ptr_null(scene.batch.cursor);
	strike(&scene);
}
END_TEST

START_TEST(mbox_source_unescapes_only_an_mboxrd)
{
	Scene scene = set_scene("mboxrd");
	write_file(&scene, LORE_LINE "A: 1\n\n>From a\n>>From b\n> From c\n\n");
	open_with(&scene, (SourceOptions){0});

	read_all(&scene, "{A: 1\n\nFrom a\n>From b\n> From c\n}");

	strike(&scene);
}
END_TEST

START_TEST(mbox_source_keeps_nul_bytes_and_carriage_returns)
{
	static const char mail[] = "A: 1\r\n\r\na\0b\r\n\n\n";
	Scene scene = set_scene("mboxrd");
	g_autoptr(GString) file = g_string_new(NOON_LINE);
	g_string_append_len(file, mail, sizeof mail - 1);
	g_string_append(file, LATER_LINE "B: 1\n\nb\n\n");
	write_bytes(&scene, file->str, file->len);
	open_with(&scene, (SourceOptions){0});

	next_of(&scene, 500);

	ck_assert_uint_eq(scene.batch.mails->len, 2);
	gsize len;
	const char *data = g_bytes_get_data(mail_at(&scene, 0)->bytes, &len);
	ck_assert_uint_eq(len, sizeof mail - 2);
	ck_assert_mem_eq(data, mail, len);
	strike(&scene);
}
END_TEST

START_TEST(mbox_source_takes_the_date_header_where_the_separator_has_no_time)
{
	Scene scene = set_scene("mboxrd");
	write_file(&scene, LORE_LINE "Date: Wed, 10 Jan 2024 13:00:00 +0100\n\na\n\n"
				     "From 0123 Mon Sep 17 00:00:00 2001\n"
				     "Date: Wed, 10 Jan 2024 12:00:00 +0000\n\nb\n\n"
				     "From x Wed Jan 10 12:00:00 2074\n"
				     "Date: Wed, 10 Jan 2024 12:00:00 +0000\n\nc\n\n" LORE_LINE
				     "Date: Wed, 10 Jan 2074 12:00:00 +0000\n\nd\n\n");
	struct utimbuf times = {.actime = NOON_S, .modtime = NOON_S + 7};
	ck_assert_int_eq(utime(scene.path, &times), 0);
	open_with(&scene, (SourceOptions){0});

	next_of(&scene, 500);

	ck_assert_uint_eq(scene.batch.mails->len, 4);
	for (guint i = 0; i < 3; i++)
		ck_assert_int_eq(mail_at(&scene, i)->arrived_us, NOON_S * CLOCK_US_PER_S);
	ck_assert_int_eq(mail_at(&scene, 3)->arrived_us, (NOON_S + 7) * CLOCK_US_PER_S);
	strike(&scene);
}
END_TEST

/* A separator without a zone is in that of its writer, which may be any. */
START_TEST(mbox_source_gives_no_mail_a_time_before_it_was_sent)
{
	static const struct {
		const char *date;
		int64_t want_s;
	} cases[] = {
		{"Wed, 10 Jan 2024 08:00:00 -0800", NOON_S + 4 * 3600},
		{"Thu, 11 Jan 2024 02:00:00 +0000", NOON_S + 14 * 3600},
		{"Thu, 11 Jan 2024 02:00:01 +0000", NOON_S}, /* no zone is so far: a wrong clock */
		{"Wed, 10 Jan 2024 11:59:59 +0000", NOON_S},
		{"Thu, 01 Jan 1970 00:00:00 +0000", NOON_S},
		{"soon", NOON_S},
	};
	g_autoptr(GString) file = g_string_new(NULL);
	Scene scene = set_scene("mbox");
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		g_string_append_printf(file, NOON_LINE "Date: %s\n\na\n\n", cases[i].date);
	write_file(&scene, file->str);
	open_with(&scene, (SourceOptions){0});

	next_of(&scene, 500);

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
		ck_assert_msg(mail_at(&scene, i)->arrived_us == cases[i].want_s * CLOCK_US_PER_S,
			      "%s: got %" G_GINT64_FORMAT, cases[i].date,
			      mail_at(&scene, i)->arrived_us / CLOCK_US_PER_S);
	strike(&scene);
}
END_TEST

/* On a host west of UTC, which has written a separator hours before it counts as one. */
START_TEST(mbox_source_loses_no_new_mail_from_the_west_when_the_file_is_rewritten)
{
	Scene scene = set_scene("mbox");
	int64_t start_us = (NOON_S + 3600) * CLOCK_US_PER_S;
	write_file(&scene, NOON_LINE "Date: Wed, 10 Jan 2024 12:00:00 +0000\n\na\n\n");
	open_with(&scene, (SourceOptions){.start_us = start_us});
	read_all(&scene, "");

	write_file(&scene, "From b Wed Jan 10 05:00:00 2024\n"
			   "Date: Wed, 10 Jan 2024 13:00:00 +0000\n\nb\n\n");
	next_of(&scene, 500);

	assert_batch(&scene, "{Date: Wed, 10 Jan 2024 13:00:00 +0000\n\nb\n}");
	strike(&scene);
}
END_TEST

START_TEST(mbox_source_starting_now_takes_only_what_comes_whatever_its_date)
{
	Scene scene = set_scene("mbox");
	write_file(&scene, NOON_LINE "A: 1\n\na\n\n" LATER_LINE "B: 1\n\nb\n\n");
	open_with(&scene, (SourceOptions){.start_us = (NOON_S + 20) * CLOCK_US_PER_S});
	read_all(&scene, "");
	ck_assert_ptr_nonnull(scene.batch.cursor);

	append(&scene, NOON_LINE "C: 1\n\nc\n\n", QUIET_S);

	read_all(&scene, "{C: 1\n\nc\n}");
	strike(&scene);
}
END_TEST

START_TEST(mbox_source_starting_in_the_past_takes_what_arrived_since)
{
	Scene scene = set_scene("mbox");
	write_file(&scene, LATER_LINE "A: 1\n\na\n\n" NOON_LINE "B: 1\n\nb\n\n");
	open_with(&scene, (SourceOptions){.start_us = (NOON_S + 5) * CLOCK_US_PER_S});

	read_all(&scene, "{A: 1\n\na\n}");

	strike(&scene);
}
END_TEST

START_TEST(mbox_source_cuts_batches_and_hands_them_out_until_acknowledged)
{
	Scene scene = set_scene("mbox");
	write_file(&scene,
		   NOON_LINE "A: 1\n\na\n\n" NOON_LINE "B: 1\n\nb\n\n" NOON_LINE "C: 1\n\nc\n\n");
	open_with(&scene, (SourceOptions){0});

	next_of(&scene, 2);
	assert_batch(&scene, "{A: 1\n\na\n}{B: 1\n\nb\n}");
	ck_assert_int_eq(scene.batch.behind, -1);
	next_of(&scene, 2);
	assert_batch(&scene, "{A: 1\n\na\n}{B: 1\n\nb\n}");
	ack(&scene);
	reopen(&scene);
	next_of(&scene, 2);

	assert_batch(&scene, "{C: 1\n\nc\n}");
	ck_assert_int_eq(scene.batch.behind, 0);
	strike(&scene);
}
END_TEST

START_TEST(mbox_source_does_not_hand_out_a_mail_that_is_still_being_written)
{
	Scene scene = set_scene("mbox");
	write_file(&scene, NOON_LINE "A: 1\n\na\n\n");
	open_with(&scene, (SourceOptions){0});
	read_all(&scene, "{A: 1\n\na\n}");

	append(&scene, "From bo@example.org Wed Jan", 0);
	read_all(&scene, "");
	append(&scene, " 10 12:00:10 2024", 0);
	read_all(&scene, "");
	append(&scene, "\nB: 1\n", 0);
	read_all(&scene, "");
	append(&scene, "\n", 0);
	read_all(&scene, "");
	append(&scene, "b\n", 0);
	read_all(&scene, "");
	ck_assert_ptr_null(scene.batch.anomaly);
	append(&scene, "\n", 0);

	read_all(&scene, "{B: 1\n\nb\n}");
	strike(&scene);
}
END_TEST

START_TEST(mbox_source_takes_the_last_mail_when_nobody_has_written_for_a_while)
{
	Scene scene = set_scene("mbox");
	write_file(&scene, NOON_LINE "A: 1\n\na\n");
	touch(&scene, 0);
	open_with(&scene, (SourceOptions){0});
	read_all(&scene, "");

	touch(&scene, QUIET_S);

	read_all(&scene, "{A: 1\n\na\n}");
	append(&scene, "\n" LATER_LINE "B: 1\n\nb", QUIET_S);
	read_all(&scene, "{B: 1\n\nb}");
	ck_assert_ptr_null(scene.batch.anomaly);
	strike(&scene);
}
END_TEST

START_TEST(mbox_source_leaves_a_mail_whose_writer_has_stalled_between_two_paragraphs)
{
	Scene scene = set_scene("mbox");
	write_file(&scene, NOON_LINE "A: 1\n\na\n\n");
	open_with(&scene, (SourceOptions){0});
	read_all(&scene, "{A: 1\n\na\n}");
	int fd = open(scene.path, O_WRONLY | O_APPEND);

	append(&scene, LATER_LINE "B: 1\n\none\n\n", 0);
	read_all(&scene, "");
	append(&scene, "two\n\n", 0);
	read_all(&scene, "");
	ck_assert_ptr_null(scene.batch.anomaly);
	close(fd);

	read_all(&scene, "{B: 1\n\none\n\ntwo\n}");
	strike(&scene);
}
END_TEST

START_TEST(mbox_source_takes_the_last_mail_of_a_file_that_somebody_keeps_open)
{
	Scene scene = set_scene("mbox");
	write_file(&scene, NOON_LINE "A: 1\n\na\n\n");
	int fd = open(scene.path, O_RDWR);
	open_with(&scene, (SourceOptions){0});

	read_all(&scene, "{A: 1\n\na\n}");

	close(fd);
	strike(&scene);
}
END_TEST

START_TEST(mbox_source_reads_a_mail_again_that_grew_after_it_was_read)
{
	Scene scene = set_scene("mbox");
	write_file(&scene, NOON_LINE "A: 1\n\na\n\n" NOON_LINE "B: 1\n\nb\n\n");
	open_with(&scene, (SourceOptions){0});
	read_all(&scene, "{A: 1\n\na\n}{B: 1\n\nb\n}");

	append(&scene, "more\n\n" NOON_LINE "C: 1\n\nc\n\n", QUIET_S);
	read_all(&scene, "{B: 1\n\nb\n\nmore\n}{C: 1\n\nc\n}");

	g_autofree char *want = g_strdup_printf(
		"the last mail of %s went on after it was read: read again from the "
		"start, that mail as another copy",
		scene.path);
	ck_assert_str_eq(scene.batch.anomaly, want);
	read_all(&scene, "");
	ck_assert_ptr_null(scene.batch.anomaly);
	strike(&scene);
}
END_TEST

#define CL_BODY "one\n\nFrom here at 12:00 on\n\ntwo\n"

START_TEST(mbox_source_names_a_mail_that_a_line_which_mboxcl_does_not_escape_cuts)
{
	static const struct {
		const char *length;
		const char *next;
		bool told;
	} cases[] = {
		{"Content-Length: 32\n", "\n" LATER_LINE "B: 1\n\nb\n\n", true},
		{"content-length:32\r\n", "\n\n" LATER_LINE "B: 1\n\nb\n\n", true},
		{"Content-Length: 33\n", "\n" LATER_LINE "B: 1\n\nb\n\n", true},
		{"Content-Length: 32\n", "\n", true},
		{"Content-Length: 32\n", "", true},
		/* No mail ends there. */
		{"Content-Length: 30\n", "\n" LATER_LINE "B: 1\n\nb\n\n", false},
		{"Content-Length: 40\n", "\n" LATER_LINE "B: 1\n\nb\n\n", false},
		{"Content-Length: 4000\n", "\n" LATER_LINE "B: 1\n\nb\n\n", false},
		{"Content-Length: 99999999999999999999\n", "\n" LATER_LINE "B: 1\n\nb\n\n", false},
		{"Content-Length: -1\n", "\n" LATER_LINE "B: 1\n\nb\n\n", false},
		{"Content-Length: x\n", "\n" LATER_LINE "B: 1\n\nb\n\n", false},
		/* That is where it was cut: an empty line ends its first piece. */
		{"Content-Length: 4\n", "\n" LATER_LINE "B: 1\n\nb\n\n", false},
		{"X-Length: 32\n", "\n" LATER_LINE "B: 1\n\nb\n\n", false},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		Scene scene = set_scene("mbox");
		g_autofree char *text =
			g_strconcat(NOON_LINE "A: 1\n\na\n\n" NOON_LINE, cases[i].length,
				    "\n" CL_BODY, cases[i].next, NULL);
		write_file(&scene, text);
		open_with(&scene, (SourceOptions){0});
		g_autofree char *want = g_strdup_printf(
			"%s looks like mboxcl: the mail at byte 55 is cut in two by a line \"From "
			"\" "
			"of its text, for Content-Length is not trusted; have it written as mboxrd "
			"or as a Maildir",
			scene.path);

		next_of(&scene, 1);

		/* Though the batch ends before that mail: at first contact all is told. */
		assert_batch(&scene, "{A: 1\n\na\n}");
		ck_assert_msg(g_strcmp0(scene.batch.anomaly, cases[i].told ? want : NULL) == 0,
			      "%s: %s", cases[i].length, scene.batch.anomaly);
		strike(&scene);
	}
}
END_TEST

START_TEST(mbox_source_names_a_cut_mail_that_comes_later_too)
{
	Scene scene = set_scene("mbox");
	write_file(&scene, NOON_LINE "A: 1\n\na\n\n");
	open_with(&scene, (SourceOptions){0});
	read_all(&scene, "{A: 1\n\na\n}");
	ck_assert_ptr_null(scene.batch.anomaly);

	append(&scene, NOON_LINE "Content-Length: 32\n\n" CL_BODY "\n" LATER_LINE "B: 1\n\nb\n\n",
	       QUIET_S);
	next_of(&scene, 500);

	ck_assert_uint_eq(scene.batch.mails->len, 3);
	ck_assert_ptr_nonnull(
		strstr(scene.batch.anomaly, "looks like mboxcl: the mail at byte 55"));
	strike(&scene);
}
END_TEST

START_TEST(mbox_source_reads_a_shorter_file_again_without_what_is_known)
{
	Scene scene = set_scene("mbox");
	write_file(&scene, NOON_LINE "A: 1\n\na\n\n" NOON_LINE "B: 1\n\nb\n\n");
	open_with(&scene, (SourceOptions){.start_us = NOON_S * CLOCK_US_PER_S});
	read_all(&scene, "{A: 1\n\na\n}{B: 1\n\nb\n}");

	/* A mail reader has deleted the first one; an old one was put there by hand. */
	write_file(&scene, "From x Wed Jan 10 11:00:00 2024\nO: 1\n\n\n" NOON_LINE "B: 1\n\nb\n\n");
	read_all(&scene, "");

	g_autofree char *want =
		g_strdup_printf("%s was rewritten: read again from the start", scene.path);
	ck_assert_str_eq(scene.batch.anomaly, want);
	ck_assert_ptr_nonnull(scene.batch.cursor);
	read_all(&scene, "");
	ck_assert_ptr_null(scene.batch.anomaly);
	append(&scene, NOON_LINE "C: 1\n\nc\n\n", QUIET_S);
	read_all(&scene, "{C: 1\n\nc\n}");
	strike(&scene);
}
END_TEST

START_TEST(mbox_source_notices_other_bytes_before_its_offset)
{
	Scene scene = set_scene("mbox");
	write_file(&scene, NOON_LINE "A: 1\n\na\n\n");
	open_with(&scene, (SourceOptions){0});
	read_all(&scene, "{A: 1\n\na\n}");
	reopen(&scene);

	write_file(&scene, NOON_LINE "X: 1\n\nx\n\n");
	read_all(&scene, "{X: 1\n\nx\n}");
	ck_assert_ptr_nonnull(scene.batch.anomaly);
	read_all(&scene, "");

	ck_assert_ptr_null(scene.batch.anomaly);
	strike(&scene);
}
END_TEST

START_TEST(mbox_source_follows_a_file_that_is_emptied_and_filled_again)
{
	Scene scene = set_scene("mbox");
	write_file(&scene, NOON_LINE "A: 1\n\na\n\n");
	open_with(&scene, (SourceOptions){0});
	read_all(&scene, "{A: 1\n\na\n}");

	write_file(&scene, "");
	read_all(&scene, "");
	ck_assert_ptr_nonnull(scene.batch.anomaly);
	read_all(&scene, "");
	ck_assert_ptr_null(scene.batch.anomaly);
	append(&scene, LATER_LINE "B: 1\n\nb\n\n", QUIET_S);

	read_all(&scene, "{B: 1\n\nb\n}");
	ck_assert_ptr_null(scene.batch.anomaly);
	strike(&scene);
}
END_TEST

typedef struct {
	const char *told;
	void (*take)(const Scene *scene, int fd);
} Lock;

static void lock_by_fcntl(const Scene *scene, int fd)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	(void)scene;
	ck_assert_int_eq(fcntl(fd, F_OFD_SETLK, &whole), 0);
}

static void lock_by_flock(const Scene *scene, int fd)
{
	(void)scene;
	ck_assert_int_eq(flock(fd, LOCK_EX | LOCK_NB), 0);
}

static void lock_by_file(const Scene *scene, int fd)
{
	g_autofree char *path = g_strconcat(scene->path, ".lock", NULL);

	(void)fd;
	ck_assert(g_file_set_contents(path, "1", 1, NULL));
}

static void unlock(const Scene *scene, int fd)
{
	g_autofree char *path = g_strconcat(scene->path, ".lock", NULL);

	(void)g_unlink(path);
	close(fd);
}

static const Lock locks[] = {
	{"lslocks tells by which", lock_by_fcntl},
	{"lslocks tells by which", lock_by_flock},
	{"the file of that name with .lock behind it is its mark", lock_by_file},
};

START_TEST(mbox_source_leaves_a_locked_file_alone)
{
	for (size_t i = 0; i < G_N_ELEMENTS(locks); i++) {
		Scene scene = set_scene("mbox");
		write_file(&scene, NOON_LINE "A: 1\n\na\n\n");
		open_with(&scene, (SourceOptions){0});
		int fd = open(scene.path, O_RDWR);
		locks[i].take(&scene, fd);

		read_all(&scene, "");
		ck_assert_ptr_null(scene.batch.cursor);
		int64_t before_us = g_get_monotonic_time();
		ck_assert(source_wait(scene.source, 30000, &scene.error));
		ck_assert_int_lt(g_get_monotonic_time() - before_us, 10 * G_USEC_PER_SEC);
		ck_assert_int_gt(g_get_monotonic_time() - before_us, G_USEC_PER_SEC / 2);
		unlock(&scene, fd);

		read_all(&scene, "{A: 1\n\na\n}");
		ck_assert_ptr_null(scene.batch.anomaly);
		strike(&scene);
	}
}
END_TEST

START_TEST(mbox_source_says_by_what_a_file_is_locked_that_it_opens)
{
	for (size_t i = 0; i < G_N_ELEMENTS(locks); i++) {
		Scene scene = set_scene("mbox");
		SourceOptions options = {.name = "list", .url = scene.url, .stop_fd = -1};
		write_file(&scene, NOON_LINE "A: 1\n\na\n\n");
		int fd = open(scene.path, O_RDWR);
		locks[i].take(&scene, fd);
		g_autofree char *want =
			g_strdup_printf("source list: %s is locked by another program; %s",
					scene.path, locks[i].told);

		ck_assert_ptr_null(source_open(&options, &scene.error));
		ck_assert(g_error_matches(scene.error, BOT_ERROR, BOT_ERROR_TRANSIENT));
		ck_assert_str_eq(scene.error->message, want);

		unlock(&scene, fd);
		strike(&scene);
	}
}
END_TEST

START_TEST(mbox_source_passes_over_a_lock_file_that_was_forgotten)
{
	Scene scene = set_scene("mbox");
	write_file(&scene, NOON_LINE "A: 1\n\na\n\n");
	g_autofree char *path = g_strconcat(scene.path, ".lock", NULL);
	lock_by_file(&scene, -1);
	int64_t now_s = g_get_real_time() / G_USEC_PER_SEC;
	struct utimbuf times = {.actime = now_s, .modtime = now_s - 3600};
	ck_assert_int_eq(utime(path, &times), 0);
	open_with(&scene, (SourceOptions){0});

	read_all(&scene, "{A: 1\n\na\n}");

	strike(&scene);
}
END_TEST

START_TEST(mbox_source_holds_its_own_lock_only_while_it_reads)
{
	Scene scene = set_scene("mbox");
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	write_file(&scene, NOON_LINE "A: 1\n\na\n\n");
	open_with(&scene, (SourceOptions){0});
	read_all(&scene, "{A: 1\n\na\n}");

	int fd = open(scene.path, O_RDWR);
	ck_assert_int_eq(fcntl(fd, F_OFD_SETLK, &whole), 0);

	close(fd);
	strike(&scene);
}
END_TEST

START_TEST(mbox_source_refuses_a_mail_over_the_limit_and_passes_on)
{
	Scene scene = set_scene("mbox");
	g_autoptr(GString) file = g_string_new(NOON_LINE "A: 1\n\n");
	gsize head = strlen("A: 1\n\n");
	for (gsize i = head; i < MAIL_MAX_BYTES; i++)
		g_string_append_c(file, i % 80 == 0 ? '\n' : 'x');
	g_string_append(file, "\n\n" LATER_LINE "B: 1\n\nb\n\n");
	write_bytes(&scene, file->str, file->len);
	open_with(&scene, (SourceOptions){0});

	next_of(&scene, 500);

	assert_batch(&scene, "{!}{B: 1\n\nb\n}");
	ck_assert_str_eq(mail_at(&scene, 0)->refused,
			 "16.0 MB, more than the 16 MB a mail may have");
	ck_assert_int_eq(mail_at(&scene, 0)->size_bytes, (int64_t)MAIL_MAX_BYTES + 1);
	ck_assert_int_eq(mail_at(&scene, 0)->arrived_us, NOON_S * CLOCK_US_PER_S);
	ack(&scene);
	read_all(&scene, "");
	strike(&scene);
}
END_TEST

START_TEST(mbox_source_holds_no_more_than_32_mib_in_a_batch)
{
	Scene scene = set_scene("mbox");
	g_autofree char *body = g_strnfill((gsize)12 * 1024 * 1024, 'x');
	g_autoptr(GString) file = g_string_new(NULL);
	for (int i = 0; i < 4; i++)
		g_string_append_printf(file, NOON_LINE "A: %d\n\n%s\n\n", i, body);
	write_bytes(&scene, file->str, file->len);
	open_with(&scene, (SourceOptions){0});

	next_of(&scene, 500);
	ck_assert_uint_eq(scene.batch.mails->len, 2);
	ack(&scene);
	next_of(&scene, 500);

	ck_assert_uint_eq(scene.batch.mails->len, 2);
	strike(&scene);
}
END_TEST

START_TEST(mbox_source_refuses_what_is_no_mbox)
{
	static const char *const files[] = {"root:x:0:0::/root:/bin/sh\n", "\x1f\x8b\x08\x01\x02",
					    "A: 1\n\na\n\n" NOON_LINE "B: 1\n\nb\n", "Frob"};
	Scene scene = set_scene("mbox");

	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		write_file(&scene, files[i]);
		open_with(&scene, (SourceOptions){0});
		ck_assert(!source_next(scene.source, 500, &scene.batch, &scene.error));
		ck_assert(g_error_matches(scene.error, BOT_ERROR, BOT_ERROR_CONFIG));
		ck_assert_ptr_nonnull(strstr(scene.error->message, "is no mbox"));
		g_clear_error(&scene.error);
	}
	write_file(&scene, "\n\r\n" NOON_LINE "B: 1\n\nb\n");
	open_with(&scene, (SourceOptions){0});
	read_all(&scene, "{B: 1\n\nb\n}");
	strike(&scene);
}
END_TEST

/* Every cut of a file gives mails that are whole or none, and the rest later. */
START_TEST(mbox_source_loses_nothing_wherever_the_file_is_cut)
{
	static const char text[] = NOON_LINE "A: 1\n\na\n\n" LATER_LINE "B: 1\n\nb\n\n";

	for (size_t cut = 0; cut < strlen(text); cut++) {
		Scene scene = set_scene("mbox");
		write_bytes(&scene, text, cut);
		touch(&scene, 0);
		open_with(&scene, (SourceOptions){0});
		next_of(&scene, 500);
		guint n_before = scene.batch.mails->len;
		ack(&scene);
		append(&scene, text + cut, 0);
		next_of(&scene, 500);
		ck_assert_msg(n_before + scene.batch.mails->len == 2 && !scene.batch.anomaly,
			      "cut at %zu: %u and %u", cut, n_before, scene.batch.mails->len);
		strike(&scene);
	}
}
END_TEST

static void *shrink_later(void *payload)
{
	const Scene *scene = payload;

	for (int i = 0; i < 200; i++) {
		if (truncate(scene->path, i % 2 == 0 ? 1000 : 300000) != 0)
			break;
		g_usleep(500);
	}
	return NULL;
}

START_TEST(mbox_source_survives_truncation_while_it_reads)
{
	Scene scene = set_scene("mbox");
	g_autoptr(GString) file = g_string_new(NULL);
	while (file->len < 300000)
		g_string_append_printf(file, NOON_LINE "A: %zu\n\na\n\n", file->len);
	write_bytes(&scene, file->str, file->len);
	open_with(&scene, (SourceOptions){0});

	GThread *thread = g_thread_new("shrink", shrink_later, &scene);
	for (int i = 0; i < 20; i++) {
		next_of(&scene, 500);
		ack(&scene);
	}
	g_thread_join(thread);
	write_bytes(&scene, file->str, file->len);
	guint n_mails = 0;
	do {
		next_of(&scene, 500);
		n_mails = scene.batch.mails->len;
		ack(&scene);
	} while (n_mails > 0);

	/* All of the mails that are there in the end have been seen. */
	guint n_written = 0;
	for (const char *at = file->str; (at = strstr(at, "From ")) != NULL; at += 5)
		n_written++;
	ck_assert_uint_ge(g_hash_table_size(scene.known), n_written);
	strike(&scene);
}
END_TEST

static void *append_later(void *payload)
{
	g_usleep(50 * 1000);
	append(payload, LATER_LINE "B: 1\n\nb\n\n", 0);
	return NULL;
}

START_TEST(mbox_source_wakes_up_for_new_mail)
{
	Scene scene = set_scene("mbox");
	write_file(&scene, NOON_LINE "A: 1\n\na\n\n");
	open_with(&scene, (SourceOptions){0});
	read_all(&scene, "{A: 1\n\na\n}");
	read_all(&scene, "");
	int64_t before_us = g_get_monotonic_time();

	GThread *thread = g_thread_new("append", append_later, &scene);
	ck_assert(source_wait(scene.source, 30000, &scene.error));
	g_thread_join(thread);

	read_all(&scene, "{B: 1\n\nb\n}");
	ck_assert_int_lt(g_get_monotonic_time() - before_us, 10 * G_USEC_PER_SEC);
	strike(&scene);
}
END_TEST

START_TEST(mbox_source_wait_is_cut_by_the_stop_descriptor)
{
	Scene scene = set_scene("mbox");
	int pipe_fds[2];
	ck_assert_int_eq(pipe(pipe_fds), 0);
	ck_assert_int_eq(write(pipe_fds[1], "x", 1), 1);
	write_file(&scene, NOON_LINE "A: 1\n\na\n\n");
	open_with(&scene, (SourceOptions){.stop_fd = pipe_fds[0]});
	read_all(&scene, "{A: 1\n\na\n}");
	read_all(&scene, "");
	int64_t before_us = g_get_monotonic_time();

	ck_assert(source_wait(scene.source, 30000, &scene.error));

	ck_assert_int_lt(g_get_monotonic_time() - before_us, 10 * G_USEC_PER_SEC);
	strike(&scene);
}
END_TEST

START_TEST(mbox_source_says_what_is_wrong_with_file_or_cursor)
{
	static const struct {
		const char *cursor;
	} foreign[] = {{"start=3"},
		       {"offset=1 before=12 start=0 horizon=0"},
		       {"offset=-1 before= start=0 horizon=0"}};
	Scene scene = set_scene("mbox");
	SourceOptions options = {.name = "list", .url = scene.url, .stop_fd = -1};

	ck_assert_ptr_null(source_open(&options, &scene.error));
	ck_assert(g_error_matches(scene.error, BOT_ERROR, BOT_ERROR_CONFIG));
	ck_assert_ptr_nonnull(strstr(scene.error->message, scene.path));
	g_clear_error(&scene.error);
	write_file(&scene, "");
	for (size_t i = 0; i < G_N_ELEMENTS(foreign); i++) {
		options.cursor = foreign[i].cursor;
		ck_assert_ptr_null(source_open(&options, &scene.error));
		ck_assert(g_error_matches(scene.error, BOT_ERROR, BOT_ERROR_CORRUPT));
		g_clear_error(&scene.error);
	}

	open_with(&scene, (SourceOptions){0});
	ck_assert_int_eq(g_unlink(scene.path), 0);
	ck_assert(!source_next(scene.source, 500, &scene.batch, &scene.error));
	ck_assert(g_error_matches(scene.error, BOT_ERROR, BOT_ERROR_TRANSIENT));
	g_clear_error(&scene.error);
	ck_assert_int_eq(mkfifo(scene.path, 0600), 0);
	ck_assert(!source_next(scene.source, 500, &scene.batch, &scene.error));
	ck_assert(g_error_matches(scene.error, BOT_ERROR, BOT_ERROR_CONFIG));
	strike(&scene);
}
END_TEST

CHECK_MAIN("mbox_source", mbox_source_hands_out_mails_in_order_and_then_nothing,
	   mbox_source_unescapes_only_an_mboxrd, mbox_source_keeps_nul_bytes_and_carriage_returns,
	   mbox_source_takes_the_date_header_where_the_separator_has_no_time,
	   mbox_source_gives_no_mail_a_time_before_it_was_sent,
	   mbox_source_loses_no_new_mail_from_the_west_when_the_file_is_rewritten,
	   mbox_source_starting_now_takes_only_what_comes_whatever_its_date,
	   mbox_source_starting_in_the_past_takes_what_arrived_since,
	   mbox_source_cuts_batches_and_hands_them_out_until_acknowledged,
	   mbox_source_does_not_hand_out_a_mail_that_is_still_being_written,
	   mbox_source_takes_the_last_mail_when_nobody_has_written_for_a_while,
	   mbox_source_leaves_a_mail_whose_writer_has_stalled_between_two_paragraphs,
	   mbox_source_takes_the_last_mail_of_a_file_that_somebody_keeps_open,
	   mbox_source_reads_a_mail_again_that_grew_after_it_was_read,
	   mbox_source_names_a_mail_that_a_line_which_mboxcl_does_not_escape_cuts,
	   mbox_source_names_a_cut_mail_that_comes_later_too,
	   mbox_source_reads_a_shorter_file_again_without_what_is_known,
	   mbox_source_notices_other_bytes_before_its_offset,
	   mbox_source_follows_a_file_that_is_emptied_and_filled_again,
	   mbox_source_leaves_a_locked_file_alone,
	   mbox_source_says_by_what_a_file_is_locked_that_it_opens,
	   mbox_source_passes_over_a_lock_file_that_was_forgotten,
	   mbox_source_holds_its_own_lock_only_while_it_reads,
	   mbox_source_refuses_a_mail_over_the_limit_and_passes_on,
	   mbox_source_holds_no_more_than_32_mib_in_a_batch, mbox_source_refuses_what_is_no_mbox,
	   mbox_source_loses_nothing_wherever_the_file_is_cut,
	   mbox_source_survives_truncation_while_it_reads, mbox_source_wakes_up_for_new_mail,
	   mbox_source_wait_is_cut_by_the_stop_descriptor,
	   mbox_source_says_what_is_wrong_with_file_or_cursor)
