/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/clock.h"
#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/intake/source.h"
#include "mailparse/limits.h"
#include "tests/unit/check_main.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#define NOON_S INT64_C(1704888000)

typedef struct {
	char *path;
	char *url;
	Source *source;
	SourceBatch batch;
	GError *error;
} Scene;

static Scene set_scene(void)
{
	Scene scene = {.path = g_dir_make_tmp("maildir-XXXXXX", NULL)};
	static const char *const folders[] = {"tmp", "new", "cur"};

	for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
		g_autofree char *folder = g_build_filename(scene.path, folders[i], NULL);
		ck_assert_int_eq(g_mkdir(folder, 0700), 0);
	}
	scene.url = g_strconcat("maildir:", scene.path, NULL);
	return scene;
}

static void open_with(Scene *scene, SourceOptions options)
{
	g_clear_pointer(&scene->source, source_close);
	options.name = "list";
	options.url = scene->url;
	if (options.stop_fd == 0)
		options.stop_fd = -1;
	scene->source = source_open(&options, &scene->error);
	ck_assert_msg(scene->source != NULL, "%s", scene->error ? scene->error->message : "");
}

static void strike(Scene *scene)
{
	source_batch_clear(&scene->batch);
	source_close(scene->source);
	g_clear_error(&scene->error);
	ck_assert(fs_remove_tree(scene->path, NULL));
	g_free(scene->path);
	g_free(scene->url);
}

static char *path_of(const Scene *scene, const char *name)
{
	return g_build_filename(scene->path, name, NULL);
}

/* @name like "new/1.host", written in tmp and moved, with a time of noon plus @after_s. */
static void deliver(const Scene *scene, const char *name, const char *bytes, int64_t after_s)
{
	g_autofree char *tmp = path_of(scene, "tmp/x");
	g_autofree char *path = path_of(scene, name);
	struct utimbuf times = {.actime = NOON_S, .modtime = NOON_S + after_s};

	ck_assert(g_file_set_contents(tmp, bytes, -1, NULL));
	ck_assert_int_eq(utime(tmp, &times), 0);
	ck_assert_int_eq(g_rename(tmp, path), 0);
}

static void move(const Scene *scene, const char *from, const char *to)
{
	g_autofree char *from_path = path_of(scene, from);
	g_autofree char *to_path = path_of(scene, to);
	ck_assert_int_eq(g_rename(from_path, to_path), 0);
}

static void next_of(Scene *scene, size_t max_mails)
{
	source_batch_clear(&scene->batch);
	bool fine = source_next(scene->source, max_mails, &scene->batch, &scene->error);
	ck_assert_msg(fine, "%s", scene->error ? scene->error->message : "");
}

static void ack(Scene *scene)
{
	ck_assert(source_ack(scene->source, &scene->error));
}

/* The locators of the batch, joined by blanks. */
static void assert_batch(const Scene *scene, const char *locators)
{
	g_autoptr(GString) found = g_string_new(NULL);

	for (guint i = 0; i < scene->batch.mails->len; i++) {
		const SourceMail *mail = g_ptr_array_index(scene->batch.mails, i);
		g_string_append_printf(found, "%s%s", i ? " " : "", mail->locator);
	}
	ck_assert_str_eq(found->str, locators);
}

START_TEST(maildir_source_hands_out_mails_by_arrival_then_name_without_flags)
{
	Scene scene = set_scene();
	deliver(&scene, "new/3.host", "c", 20);
	deliver(&scene, "cur/9.host:2,S", "a", 10);
	deliver(&scene, "new/2.host", "b", 20);
	open_with(&scene, (SourceOptions){0});

	next_of(&scene, 500);

	assert_batch(&scene, "9.host 2.host 3.host");
	const SourceMail *first = g_ptr_array_index(scene.batch.mails, 0);
	ck_assert_int_eq(first->arrived_us, (NOON_S + 10) * CLOCK_US_PER_S);
	ck_assert_int_eq(first->size_bytes, 1);
	ck_assert_mem_eq(g_bytes_get_data(first->bytes, NULL), "a", 1);
	ck_assert_str_eq(scene.batch.cursor, "start=0");
	ck_assert_int_eq(scene.batch.behind, 0);
	ack(&scene);
	next_of(&scene, 500);
	assert_batch(&scene, "");
	ck_assert_ptr_null(scene.batch.cursor);
	strike(&scene);
}
END_TEST

START_TEST(maildir_source_changes_nothing_in_the_folder)
{
	Scene scene = set_scene();
	deliver(&scene, "new/1.host", "a", 0);
	open_with(&scene, (SourceOptions){0});

	next_of(&scene, 500);
	ack(&scene);

	g_autofree char *path = path_of(&scene, "new/1.host");
	struct stat info;
	ck_assert_int_eq(stat(path, &info), 0);
	ck_assert_int_eq(info.st_mtime, NOON_S);
	strike(&scene);
}
END_TEST

START_TEST(maildir_source_cuts_batches_and_tells_how_many_wait)
{
	Scene scene = set_scene();
	deliver(&scene, "new/1.host", "a", 1);
	deliver(&scene, "new/2.host", "b", 2);
	deliver(&scene, "new/3.host", "c", 3);
	open_with(&scene, (SourceOptions){0});

	next_of(&scene, 2);
	assert_batch(&scene, "1.host 2.host");
	ck_assert_int_eq(scene.batch.behind, 1);
	ack(&scene);
	next_of(&scene, 2);

	assert_batch(&scene, "3.host");
	ck_assert_int_eq(scene.batch.behind, 0);
	strike(&scene);
}
END_TEST

START_TEST(maildir_source_hands_out_a_batch_again_until_it_is_acknowledged)
{
	Scene scene = set_scene();
	deliver(&scene, "new/1.host", "a", 1);
	deliver(&scene, "new/2.host", "b", 2);
	open_with(&scene, (SourceOptions){0});

	next_of(&scene, 1);
	next_of(&scene, 1);
	assert_batch(&scene, "1.host");
	ack(&scene);
	next_of(&scene, 1);

	assert_batch(&scene, "2.host");
	strike(&scene);
}
END_TEST

START_TEST(maildir_source_never_hands_out_what_arrived_before_the_start)
{
	Scene scene = set_scene();
	deliver(&scene, "cur/old.host:2,", "a", -1);
	deliver(&scene, "cur/edge.host:2,", "b", 0);
	open_with(&scene, (SourceOptions){.start_us = NOON_S * CLOCK_US_PER_S});

	next_of(&scene, 500);
	assert_batch(&scene, "edge.host");
	ack(&scene);
	g_autofree char *cursor = g_strdup(scene.batch.cursor);
	move(&scene, "cur/old.host:2,", "cur/old.host:2,S");
	next_of(&scene, 500);
	assert_batch(&scene, "");

	/* Later the start is that of the cursor. */
	open_with(&scene, (SourceOptions){.cursor = cursor, .start_us = 0});
	next_of(&scene, 500);
	assert_batch(&scene, "edge.host");
	ck_assert_ptr_null(scene.batch.cursor);
	strike(&scene);
}
END_TEST

static bool knows_two(const char *locator, void *payload)
{
	(void)payload;
	return strcmp(locator, "2.host") == 0;
}

START_TEST(maildir_source_skips_what_is_known)
{
	Scene scene = set_scene();
	deliver(&scene, "new/1.host", "a", 1);
	deliver(&scene, "new/2.host", "b", 2);
	open_with(&scene, (SourceOptions){.is_known = knows_two});

	next_of(&scene, 500);

	assert_batch(&scene, "1.host");
	strike(&scene);
}
END_TEST

START_TEST(maildir_source_finds_mails_that_are_moved_between_scan_and_read)
{
	Scene scene = set_scene();
	deliver(&scene, "new/1.host", "a", 1);
	deliver(&scene, "new/2.host", "b", 2);
	deliver(&scene, "new/3.host", "c", 3);
	open_with(&scene, (SourceOptions){0});
	next_of(&scene, 1);
	ack(&scene);

	/* A mail reader opens the folder, and one mail is deleted. */
	move(&scene, "new/2.host", "cur/2.host:2,");
	move(&scene, "new/3.host", "cur/3.host:2,S");
	move(&scene, "new/1.host", "cur/1.host:2,S");
	g_autofree char *gone = path_of(&scene, "cur/2.host:2,");
	ck_assert_int_eq(g_unlink(gone), 0);
	next_of(&scene, 500);

	assert_batch(&scene, "3.host");
	ck_assert_int_eq(scene.batch.behind, 0);
	strike(&scene);
}
END_TEST

START_TEST(maildir_source_names_links_pipes_and_folders_and_opens_none)
{
	Scene scene = set_scene();
	g_autofree char *link_path = path_of(&scene, "new/1.link");
	g_autofree char *pipe_path = path_of(&scene, "new/2.pipe");
	g_autofree char *dir_path = path_of(&scene, "new/3.dir");
	ck_assert_int_eq(symlink("/etc/passwd", link_path), 0);
	ck_assert_int_eq(mkfifo(pipe_path, 0600), 0);
	ck_assert_int_eq(mkdir(dir_path, 0700), 0);
	deliver(&scene, "new/.hidden", "a", 1); /* no mail by its name, so nothing to tell */
	deliver(&scene, "new/4.host", "b", 2);
	open_with(&scene, (SourceOptions){0});

	next_of(&scene, 500);

	assert_batch(&scene, "4.host");
	ck_assert_str_eq(scene.batch.anomaly, "new/1.link cannot be read (it is a link); "
					      "new/2.pipe cannot be read (it is no file); "
					      "new/3.dir cannot be read (it is a folder)");
	ack(&scene);
	deliver(&scene, "new/5.host", "c", 3);
	ck_assert_int_eq(g_unlink(link_path), 0);
	deliver(&scene, "new/1.link", "d", 4);
	next_of(&scene, 500);
	assert_batch(&scene, "5.host 1.link");
	ck_assert_ptr_null(scene.batch.anomaly);
	strike(&scene);
}
END_TEST

START_TEST(maildir_source_refuses_a_file_over_the_limit_without_reading_it)
{
	Scene scene = set_scene();
	g_autofree char *path = path_of(&scene, "new/1.host");
	deliver(&scene, "new/1.host", "a", 1);
	deliver(&scene, "new/2.host", "b", 2);
	ck_assert_int_eq(truncate(path, (off_t)MAIL_MAX_BYTES + 1), 0);
	struct utimbuf times = {.actime = NOON_S, .modtime = NOON_S};
	ck_assert_int_eq(utime(path, &times), 0);
	open_with(&scene, (SourceOptions){0});

	next_of(&scene, 500);

	assert_batch(&scene, "1.host 2.host");
	const SourceMail *refused = g_ptr_array_index(scene.batch.mails, 0);
	ck_assert_ptr_null(refused->bytes);
	ck_assert_str_eq(refused->refused, "16.0 MB, more than the 16 MB a mail may have");
	ck_assert_int_eq(refused->size_bytes, (int64_t)MAIL_MAX_BYTES + 1);
	strike(&scene);
}
END_TEST

START_TEST(maildir_source_holds_no_more_than_32_mib_in_a_batch)
{
	Scene scene = set_scene();
	for (int i = 1; i <= 4; i++) {
		g_autofree char *name = g_strdup_printf("new/%d.host", i);
		g_autofree char *path = path_of(&scene, name);
		deliver(&scene, name, "a", i);
		ck_assert_int_eq(truncate(path, (off_t)12 * 1024 * 1024), 0);
	}
	open_with(&scene, (SourceOptions){0});

	next_of(&scene, 500);

	ck_assert_uint_eq(scene.batch.mails->len, 2);
	ck_assert_int_eq(scene.batch.behind, 2);
	strike(&scene);
}
END_TEST

START_TEST(maildir_source_hands_out_an_empty_file_as_an_empty_mail)
{
	Scene scene = set_scene();
	deliver(&scene, "new/1.host", "", 1);
	open_with(&scene, (SourceOptions){0});

	next_of(&scene, 500);

	assert_batch(&scene, "1.host");
	const SourceMail *mail = g_ptr_array_index(scene.batch.mails, 0);
	ck_assert_uint_eq(g_bytes_get_size(mail->bytes), 0);
	ck_assert_ptr_null(mail->refused);
	strike(&scene);
}
END_TEST

START_TEST(maildir_source_waits_for_a_file_that_is_still_written)
{
	Scene scene = set_scene();
	g_autofree char *path = path_of(&scene, "new/slow");
	deliver(&scene, "new/whole", "a", 0);
	FILE *file = fopen(path, "w");
	open_with(&scene, (SourceOptions){0});

	/* Empty, then half; the others are not held up. */
	next_of(&scene, 500);
	assert_batch(&scene, "whole");
	ack(&scene);
	ck_assert(fputs("Subject: x\n", file) >= 0 && fflush(file) == 0);
	ck_assert(source_wait(scene.source, 5000, &scene.error));
	next_of(&scene, 500);
	assert_batch(&scene, "");

	ck_assert(fputs("\nbody\n", file) >= 0 && fclose(file) == 0);
	ck_assert(source_wait(scene.source, 5000, &scene.error));
	next_of(&scene, 500);
	assert_batch(&scene, "slow");
	const SourceMail *mail = scene.batch.mails->pdata[0];
	ck_assert_uint_eq(g_bytes_get_size(mail->bytes), strlen("Subject: x\n\nbody\n"));
	strike(&scene);
}
END_TEST

START_TEST(maildir_source_leaves_an_empty_file_until_it_is_a_minute_old)
{
	Scene scene = set_scene();
	g_autofree char *path = path_of(&scene, "new/empty");
	struct utimbuf minute_ago = {time(NULL) - 61, time(NULL) - 61};
	ck_assert(g_file_set_contents(path, "", 0, NULL));
	open_with(&scene, (SourceOptions){0});

	next_of(&scene, 500);
	assert_batch(&scene, "");
	ck_assert_int_eq(utime(path, &minute_ago), 0);
	ck_assert(source_wait(scene.source, 5000, &scene.error));
	next_of(&scene, 500);
	assert_batch(&scene, "empty");
	strike(&scene);
}
END_TEST

START_TEST(maildir_source_gives_no_mail_a_time_to_come)
{
	Scene scene = set_scene();
	deliver(&scene, "new/1", "a", 100 * 365 * 86400LL);
	open_with(&scene, (SourceOptions){0});

	next_of(&scene, 500);
	const SourceMail *mail = scene.batch.mails->pdata[0];
	ck_assert_int_le(mail->arrived_us, g_get_real_time());
	strike(&scene);
}
END_TEST

START_TEST(maildir_source_writes_odd_names_so_that_they_can_be_stored)
{
	Scene scene = set_scene();
	deliver(&scene, "new/1\n\xff.host", "a", 1);
	open_with(&scene, (SourceOptions){0});

	next_of(&scene, 500);

	assert_batch(&scene, "1\\n\\377.host");
	strike(&scene);
}
END_TEST

static void *deliver_later(void *payload)
{
	g_usleep(50 * 1000);
	deliver(payload, "new/late.host", "late", 1);
	return NULL;
}

/* Root may read any file: it tries as somebody else. */
static void become_nobody(const Scene *scene, bool nobody)
{
	static const char *const folders[] = {"", "new", "cur"};

	if (getuid() != 0)
		return;
	for (size_t i = 0; nobody && i < G_N_ELEMENTS(folders); i++) {
		g_autofree char *path = path_of(scene, folders[i]);
		ck_assert_int_eq(chown(path, 65534, 65534), 0);
	}
	ck_assert_int_eq(seteuid(nobody ? 65534 : 0), 0);
}

START_TEST(maildir_source_passes_over_a_file_that_it_may_not_read_until_it_may)
{
	Scene scene = set_scene();
	deliver(&scene, "new/1.host", "a", 1);
	deliver(&scene, "new/2.host", "b", 2);
	deliver(&scene, "cur/3.host:2,S", "c", 3);
	g_autofree char *one = path_of(&scene, "new/1.host");
	g_autofree char *three = path_of(&scene, "cur/3.host:2,S");
	g_autofree char *two = path_of(&scene, "new/2.host");
	ck_assert_int_eq(g_chmod(one, 0), 0);
	ck_assert_int_eq(g_chmod(two, 0644), 0);
	ck_assert_int_eq(g_chmod(three, 0), 0);
	become_nobody(&scene, true);
	open_with(&scene, (SourceOptions){0});

	next_of(&scene, 500);
	assert_batch(&scene, "2.host");
	ck_assert_str_eq(scene.batch.anomaly,
			 "new/1.host cannot be read (Permission denied; it is tried again); "
			 "cur/3.host cannot be read (Permission denied; it is tried again)");
	ack(&scene);
	next_of(&scene, 500);
	assert_batch(&scene, "");
	ck_assert_ptr_null(scene.batch.anomaly);
	become_nobody(&scene, false);
	ck_assert_int_eq(g_chmod(one, 0644), 0);
	deliver(&scene, "new/4.host", "d", 4);
	ck_assert_int_eq(g_chmod(three, 0644), 0);
	g_autofree char *four = path_of(&scene, "new/4.host");
	ck_assert_int_eq(g_chmod(four, 0644), 0);
	become_nobody(&scene, true);
	next_of(&scene, 500);
	become_nobody(&scene, false);

	assert_batch(&scene, "1.host 3.host 4.host");
	ck_assert_ptr_null(scene.batch.anomaly);
	strike(&scene);
}
END_TEST

START_TEST(maildir_source_wakes_up_for_new_mail)
{
	Scene scene = set_scene();
	open_with(&scene, (SourceOptions){0});
	next_of(&scene, 500);
	ack(&scene);
	int64_t before_us = g_get_monotonic_time();

	GThread *thread = g_thread_new("deliver", deliver_later, &scene);
	ck_assert(source_wait(scene.source, 30000, &scene.error));
	g_thread_join(thread);
	next_of(&scene, 500);

	assert_batch(&scene, "late.host");
	ck_assert_int_lt(g_get_monotonic_time() - before_us, 10 * G_USEC_PER_SEC);
	strike(&scene);
}
END_TEST

START_TEST(maildir_source_wait_is_cut_by_the_stop_descriptor)
{
	Scene scene = set_scene();
	int pipe_fds[2];
	ck_assert_int_eq(pipe(pipe_fds), 0);
	ck_assert_int_eq(write(pipe_fds[1], "x", 1), 1);
	open_with(&scene, (SourceOptions){.stop_fd = pipe_fds[0]});
	next_of(&scene, 500);
	ack(&scene);
	int64_t before_us = g_get_monotonic_time();

	ck_assert(source_wait(scene.source, 30000, &scene.error));

	ck_assert_int_lt(g_get_monotonic_time() - before_us, 10 * G_USEC_PER_SEC);
	strike(&scene);
}
END_TEST

START_TEST(maildir_source_comes_back_when_the_folder_does)
{
	Scene scene = set_scene();
	g_autofree char *folder = path_of(&scene, "new");
	g_autofree char *aside = path_of(&scene, "aside");
	open_with(&scene, (SourceOptions){0});
	next_of(&scene, 500);
	ack(&scene);

	source_batch_clear(&scene.batch);
	ck_assert_int_eq(g_rename(folder, aside), 0);
	ck_assert(!source_next(scene.source, 500, &scene.batch, &scene.error));
	ck_assert(g_error_matches(scene.error, BOT_ERROR, BOT_ERROR_TRANSIENT));
	g_clear_error(&scene.error);
	ck_assert_int_eq(g_mkdir(folder, 0700), 0);
	deliver(&scene, "new/1.host", "a", 1);
	next_of(&scene, 500);

	assert_batch(&scene, "1.host");
	strike(&scene);
}
END_TEST

START_TEST(maildir_source_refuses_a_folder_that_is_no_maildir_and_a_foreign_cursor)
{
	Scene scene = set_scene();
	SourceOptions none = {.name = "list", .url = "maildir:/nonexistent", .stop_fd = -1};
	SourceOptions foreign = {
		.name = "list", .url = scene.url, .cursor = "uidvalidity=3", .stop_fd = -1};
	g_autoptr(GError) no_dir = NULL;
	g_autoptr(GError) no_cursor = NULL;

	ck_assert_ptr_null(source_open(&none, &no_dir));
	ck_assert_ptr_null(source_open(&foreign, &no_cursor));

	ck_assert(g_error_matches(no_dir, BOT_ERROR, BOT_ERROR_CONFIG));
	ck_assert_ptr_nonnull(strstr(no_dir->message, "/nonexistent/new"));
	ck_assert(g_error_matches(no_cursor, BOT_ERROR, BOT_ERROR_CORRUPT));
	strike(&scene);
}
END_TEST

CHECK_MAIN("maildir_source", maildir_source_hands_out_mails_by_arrival_then_name_without_flags,
	   maildir_source_changes_nothing_in_the_folder,
	   maildir_source_cuts_batches_and_tells_how_many_wait,
	   maildir_source_hands_out_a_batch_again_until_it_is_acknowledged,
	   maildir_source_never_hands_out_what_arrived_before_the_start,
	   maildir_source_skips_what_is_known,
	   maildir_source_finds_mails_that_are_moved_between_scan_and_read,
	   maildir_source_names_links_pipes_and_folders_and_opens_none,
	   maildir_source_refuses_a_file_over_the_limit_without_reading_it,
	   maildir_source_holds_no_more_than_32_mib_in_a_batch,
	   maildir_source_hands_out_an_empty_file_as_an_empty_mail,
	   maildir_source_waits_for_a_file_that_is_still_written,
	   maildir_source_leaves_an_empty_file_until_it_is_a_minute_old,
	   maildir_source_gives_no_mail_a_time_to_come,
	   maildir_source_writes_odd_names_so_that_they_can_be_stored,
	   maildir_source_passes_over_a_file_that_it_may_not_read_until_it_may,
	   maildir_source_wakes_up_for_new_mail, maildir_source_wait_is_cut_by_the_stop_descriptor,
	   maildir_source_comes_back_when_the_folder_does,
	   maildir_source_refuses_a_folder_that_is_no_maildir_and_a_foreign_cursor)
