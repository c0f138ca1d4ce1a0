/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/spawn.h"

#include "tests/unit/check_main.h"

#include <signal.h>
#include <string.h>

static bool run(SpawnOptions options, SpawnResult *result, GError **error)
{
	if (options.max_output == 0)
		options.max_output = 1000;
	return spawn_run(&options, result, error);
}

START_TEST(output_error_and_status_of_a_child_are_told_apart)
{
	const char *argv[] = {"sh", "-c", "echo out; echo err >&2; exit 3", NULL};
	g_auto(SpawnResult) result = {0};

	ck_assert(run((SpawnOptions){.argv = argv}, &result, NULL));

	ck_assert_int_eq(result.exit_code, 3);
	ck_assert_str_eq(result.out, "out\n");
	ck_assert_str_eq(result.err, "err\n");
}
END_TEST

START_TEST(a_child_reads_what_it_is_given)
{
	const char *argv[] = {"tr", "a-z", "A-Z", NULL};
	g_autoptr(GBytes) input = g_bytes_new_static("shout", 5);
	g_auto(SpawnResult) result = {0};

	ck_assert(run((SpawnOptions){.argv = argv, .input = input}, &result, NULL));

	ck_assert_str_eq(result.out, "SHOUT");
}
END_TEST

START_TEST(a_child_that_takes_too_long_is_killed_with_its_children)
{
	const char *argv[] = {"sh", "-c", "sleep 60 & sleep 60", NULL};
	g_auto(SpawnResult) result = {0};

	ck_assert(run((SpawnOptions){.argv = argv, .timeout_ms = 200}, &result, NULL));

	ck_assert(result.timed_out);
	ck_assert_int_eq(result.signal, SIGKILL);
}
END_TEST

START_TEST(a_flood_is_cut_and_said_to_be)
{
	const char *argv[] = {"sh", "-c", "head -c 100000 /dev/zero | tr '\\0' x", NULL};
	g_auto(SpawnResult) result = {0};

	ck_assert(run((SpawnOptions){.argv = argv, .max_output = 10}, &result, NULL));

	ck_assert_uint_eq(result.out_len, 10);
	ck_assert(result.out_truncated);
	ck_assert_int_eq(result.exit_code, 0);
}
END_TEST

START_TEST(a_missing_program_is_an_error_that_names_it)
{
	const char *argv[] = {"no-such-program-here", NULL};
	g_auto(SpawnResult) result = {0};
	g_autoptr(GError) error = NULL;

	ck_assert(!run((SpawnOptions){.argv = argv}, &result, &error));

	ck_assert_ptr_nonnull(strstr(error->message, "no-such-program-here"));
}
END_TEST

START_TEST(nothing_passes_through_a_shell)
{
	const char *argv[] = {"echo", "$(id); `id`", NULL};
	g_auto(SpawnResult) result = {0};

	ck_assert(run((SpawnOptions){.argv = argv}, &result, NULL));

	ck_assert_str_eq(result.out, "$(id); `id`\n");
}
END_TEST

CHECK_MAIN("spawn", output_error_and_status_of_a_child_are_told_apart,
	   a_child_reads_what_it_is_given, a_child_that_takes_too_long_is_killed_with_its_children,
	   a_flood_is_cut_and_said_to_be, a_missing_program_is_an_error_that_names_it,
	   nothing_passes_through_a_shell)
