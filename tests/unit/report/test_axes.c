/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "../check_main.h"

#include "bot/report/axes.h"

START_TEST(axes_stand_in_byte_order_of_key_and_value)
{
	/* '2' and '-' sort before '=', '_' after it. */
	const Axis axes[] = {{"nr_task", "1"}, {"fs2", "nfs"}, {"nr", "3"},
			     {"fs", "xfs"},    {"n-r", "2"},   {"disk", "1HDD"}};

	g_autofree char *lines = axes_lines(axes, G_N_ELEMENTS(axes));

	ck_assert_str_eq(lines, "disk/fs2/fs/n-r/nr/nr_task:\n  1HDD/nfs/xfs/2/3/1\n");
	ck_assert_str_eq(axes[0].key, "nr_task");
}
END_TEST

START_TEST(axes_of_a_real_kind_stand_as_the_robot_prints_them)
{
	const Axis axes[] = {{"testcase", "stress"}, {"test", "touch"},     {"testtime", "60s"},
			     {"nr_threads", "100%"}, {"kconfig", "x86_64"}, {"disk", "1HDD"},
			     {"compiler", "gcc-12"}};

	g_autofree char *lines = axes_lines(axes, G_N_ELEMENTS(axes));

	ck_assert_str_eq(lines, "compiler/disk/kconfig/nr_threads/test/testcase/testtime:\n"
				"  gcc-12/1HDD/x86_64/100%/touch/stress/60s\n");
}
END_TEST

START_TEST(no_axes_still_make_two_lines)
{
	g_autofree char *lines = axes_lines(NULL, 0);

	ck_assert_str_eq(lines, ":\n  \n");
}
END_TEST

CHECK_MAIN("axes", axes_stand_in_byte_order_of_key_and_value,
	   axes_of_a_real_kind_stand_as_the_robot_prints_them, no_axes_still_make_two_lines)
