/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/autofd.h"
#include "bot/base/fs.h"
#include "bot/stage/slots.h"
#include "tests/unit/check_main.h"

#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>

typedef struct {
	const char *url;
	const char *user;
	unsigned max_connections;
	unsigned n_slots; /* expected */
} Row;

static void *text(const char *constant)
{
	return (void *)(uintptr_t)constant;
}

START_TEST(slots_are_needed_where_more_sources_share_a_server_and_a_user)
{
	static const Row rows[] = {
		/* Three of bot at one host, by any port and spelling; the least number holds. */
		{"imaps://imap.example.org/a", "bot", 8, 2},
		{"imaps://IMAP.example.org:993/b", "bot", 2, 2},
		{"imap://imap.example.org:143/c%20d", "bot", 8, 2},
		/* Another user, and another host. */
		{"imaps://imap.example.org/a", "other", 1, 0},
		{"imaps://mail.example.org/a", "bot", 1, 0},
		/* Nobody: anonymous sources share, too. */
		{"imaps://news.example.org/x.0", NULL, 1, 1},
		{"imaps://news.example.org/x.1", NULL, 1, 1},
		{"maildir:/var/mail/a", NULL, 1, 0},
		{"maildir:/var/mail/b", NULL, 1, 0},
	};
	SourceSection sections[G_N_ELEMENTS(rows)] = {0};
	Config config = {.sources = g_ptr_array_new()};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		sections[i].url = text(rows[i].url);
		sections[i].user = text(rows[i].user);
		sections[i].max_connections = rows[i].max_connections;
		g_ptr_array_add(config.sources, &sections[i]);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
		ck_assert_msg(slots_needed(&config, &sections[i]) == rows[i].n_slots, "%s",
			      rows[i].url);
	g_ptr_array_unref(config.sources);
}
END_TEST

static int take(const char *dir, const SourceSection *source)
{
	int fd = -1;

	ck_assert(slots_take(dir, source, 2, &fd, NULL));
	return fd;
}

START_TEST(slots_are_as_many_as_there_are_and_free_when_given_back_or_their_holder_dies)
{
	g_autofree char *dir = g_dir_make_tmp("slots-XXXXXX", NULL);
	SourceSection source = {.url = text("imaps://imap.example.org/a"), .user = text("bot")};
	SourceSection other = {.url = text("imaps://imap.example.org/a"), .user = text("../../x")};
	int pipe_fds[2];
	char byte;

	ck_assert_int_eq(pipe(pipe_fds), 0);
	pid_t pid = fork();
	if (pid == 0) {
		if (take(dir, &source) < 0 || write(pipe_fds[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	ck_assert_int_eq(read(pipe_fds[0], &byte, 1), 1);
	int second = take(dir, &source);

	ck_assert_int_ge(second, 0);
	ck_assert_int_lt(take(dir, &source), 0);
	autofd int apart = take(dir, &other);
	ck_assert_int_ge(apart, 0);
	autofd_close(&second);
	second = take(dir, &source);
	ck_assert_int_ge(second, 0);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	autofd int first = take(dir, &source);
	ck_assert_int_ge(first, 0);
	ck_assert_int_lt(take(dir, &source), 0);
	autofd_close(&second);
	ck_assert(fs_remove_tree(dir, NULL));
}
END_TEST

CHECK_MAIN("slots", slots_are_needed_where_more_sources_share_a_server_and_a_user,
	   slots_are_as_many_as_there_are_and_free_when_given_back_or_their_holder_dies)
