/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/processes.h"
#include "tests/unit/store/fixture.h"

static void save(Db *db, const char *name, int64_t pid, unsigned failures, const char *reason)
{
	StoredProcess process = {.name = (char *)(gsize)name,
				 .pid = pid,
				 .failures = failures,
				 .reason = (char *)(gsize)reason,
				 .next_try_us = pid == 0 ? NOW_US + 1 : 0};

	OK(processes_save(db, &process, error));
}

START_TEST(the_newest_state_of_each_process_is_kept)
{
	FIXTURE(f);
	save(f.db, "build", 7, 0, NULL);
	save(f.db, "run", 8, 0, NULL);
	clock_set(f.clock, NOW_US + HOUR_US);
	save(f.db, "build", 0, 2, "killed by signal 9");

	g_autoptr(GPtrArray) list = processes_list(f.db, NULL);

	ck_assert_uint_eq(list->len, 2);
	const StoredProcess *build = g_ptr_array_index(list, 0);
	const StoredProcess *run = g_ptr_array_index(list, 1);
	ck_assert_str_eq(build->name, "build");
	ck_assert_int_eq(build->pid, 0);
	ck_assert_uint_eq(build->failures, 2);
	ck_assert_str_eq(build->reason, "killed by signal 9");
	ck_assert_int_eq(build->since_us, NOW_US + HOUR_US);
	ck_assert_int_eq(build->next_try_us, NOW_US + 1);
	ck_assert_int_eq(run->pid, 8);
	ck_assert_ptr_null(run->reason);
}
END_TEST

START_TEST(a_new_supervisor_begins_with_none)
{
	FIXTURE(f);
	save(f.db, "build", 7, 0, NULL);

	OK(processes_clear(f.db, error));

	g_autoptr(GPtrArray) list = processes_list(f.db, NULL);
	ck_assert_uint_eq(list->len, 0);
}
END_TEST

CHECK_MAIN("processes", the_newest_state_of_each_process_is_kept, a_new_supervisor_begins_with_none)
