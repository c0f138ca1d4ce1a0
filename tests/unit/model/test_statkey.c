/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/model/statkey.h"
#include "tests/unit/check_main.h"

START_TEST(statkey_knows_counts_of_failures)
{
	const char *const failures[] = {
		"stress-ng.fpunch.fail",
		"stress-ng.fpunch.pass",
		"ltp.abs01.warn",
		"kunit.list.error.2",
		"dmesg.BUG:kernel_hang_in_boot_stage",
		"kmsg.usb_disconnect",
		"last_state.is_incomplete_run",
		"stderr.has_stderr",
		"xfstests.generic.454.fail",
		"trinity.child_killed_by_signal",
		"kmemleak.comm.unreferenced_object.x",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(failures); i++)
		ck_assert_msg(statkey_is_failure(failures[i]), "%s", failures[i]);
}
END_TEST

START_TEST(statkey_takes_nothing_else_for_failures)
{
	const char *const others[] = {
		"stress-ng.touch.ops_per_sec", "net.x.fail_count", "proc-vmstat.compact_fail",
		"dmesg.timestamp:last",        "kmsg.timestamp:x", "dmesg.bootstage:last",
		"xfstests.time.fail",          "failure.rate",     ".fail",
		"perf-stat.i.page-faults",     "killed_by",        "",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
		ck_assert_msg(!statkey_is_failure(others[i]), "%s", others[i]);
}
END_TEST

START_TEST(statkey_knows_shares)
{
	ck_assert(statkey_is_difference("mpstat.cpu.all.idle%"));
	ck_assert(statkey_is_difference("perf-profile.self.cycles-pp.memcpy"));
	ck_assert(!statkey_is_difference("vmstat.cpu.id"));
	ck_assert(!statkey_is_difference("perf-stat.i.ipc"));
}
END_TEST

START_TEST(statkey_tells_tests_from_monitors)
{
	ck_assert(statkey_is_of_test("stress-ng.touch.ops"));
	ck_assert(statkey_is_of_test("perf-stat-like.x"));
	ck_assert(!statkey_is_of_test("perf-stat.i.cpi"));
	ck_assert(!statkey_is_of_test("boot-time.boot"));
	ck_assert(!statkey_is_of_test("time.elapsed_time"));
}
END_TEST

START_TEST(statkey_group_ends_at_the_first_dot)
{
	ck_assert_uint_eq(statkey_group_len("cpuidle..time"), 7);
	ck_assert_uint_eq(statkey_group_len("alone"), 5);
}
END_TEST

CHECK_MAIN("statkey", statkey_knows_counts_of_failures, statkey_takes_nothing_else_for_failures,
	   statkey_knows_shares, statkey_tells_tests_from_monitors,
	   statkey_group_ends_at_the_first_dot)
