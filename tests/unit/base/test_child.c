/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/child.h"

#include "bot/base/error.h"
#include "tests/unit/check_main.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

typedef enum { SUCCEED, FAIL, HANG, DIE } How;

static bool work(gpointer data, GError **error)
{
	switch (*(How *)data) {
	case SUCCEED:
		return true;
	case FAIL:
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFLICT, "the sea is rough");
		return false;
	case HANG:
		pause();
		break;
	case DIE:
		raise(SIGKILL);
		break;
	}
	return true;
}

static void assert_fails(How how, ChildOptions options, BotError code, const char *message)
{
	g_autoptr(GError) error = NULL;
	int64_t before_us = g_get_monotonic_time();

	options.what = "rowing";
	ck_assert(!child_run(work, &how, &options, &error));
	ck_assert(g_error_matches(error, BOT_ERROR, (int)code));
	ck_assert_str_eq(error->message, message);
	ck_assert_int_lt(g_get_monotonic_time() - before_us, 20 * G_USEC_PER_SEC);
}

START_TEST(child_brings_back_success_and_errors_with_their_code)
{
	ChildOptions options = {.what = "rowing", .timeout_ms = 30000};
	How how = SUCCEED;

	ck_assert(child_run(work, &how, &options, NULL));
	assert_fails(FAIL, options, BOT_ERROR_CONFLICT, "rowing: the sea is rough");
	assert_fails(DIE, options, BOT_ERROR_TRANSIENT,
		     "rowing: its process died; it may have met a limit of memory or time");
}
END_TEST

START_TEST(child_that_hangs_is_ended_by_time_or_by_a_wish_to_stop)
{
	int pipe_fds[2];

	assert_fails(HANG, (ChildOptions){.timeout_ms = 50}, BOT_ERROR_TRANSIENT,
		     "rowing took too long, or was stopped");
	assert_fails(
		HANG, (ChildOptions){.timeout_ms = 50, .timeout_key = "oar.timeout"},
		BOT_ERROR_TRANSIENT,
		"rowing took too long, or was stopped (oar.timeout says how long it may take)");
	ck_assert_int_eq(pipe(pipe_fds), 0);
	ck_assert_int_eq(write(pipe_fds[1], "x", 1), 1);
	assert_fails(HANG, (ChildOptions){.timeout_ms = 60000, .stop_fd = pipe_fds[0]},
		     BOT_ERROR_TRANSIENT, "rowing took too long, or was stopped");
}
END_TEST

CHECK_MAIN("child", child_brings_back_success_and_errors_with_their_code,
	   child_that_hangs_is_ended_by_time_or_by_a_wish_to_stop)
