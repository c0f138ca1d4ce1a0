/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * check_main - the main() of every unit test program: one suite, TAP on standard output.
 *
 * main returns 0 even when a test fails: meson reads the TAP lines, and an exit status of 1 would
 * turn a FAIL into an ERROR.
 */

#include <check.h>
#include <glib.h>
#include <stdlib.h>

#define CHECK_MAIN(suite_name, ...)                                                                \
	int main(void)                                                                             \
	{                                                                                          \
		Suite *suite = suite_create(suite_name);                                           \
		TCase *tcase = tcase_create(suite_name);                                           \
		const TTest *tests[] = {__VA_ARGS__};                                              \
		tcase_set_timeout(tcase, 60);                                                      \
		for (size_t i = 0; i < G_N_ELEMENTS(tests); i++)                                   \
			tcase_add_test(tcase, tests[i]);                                           \
		suite_add_tcase(suite, tcase);                                                     \
		SRunner *runner = srunner_create(suite);                                           \
		srunner_set_tap(runner, "-");                                                      \
		srunner_run_all(runner, CK_SILENT);                                                \
		srunner_free(runner);                                                              \
		return 0;                                                                          \
	}
