/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/wish.h"

#include "tests/unit/check_main.h"

START_TEST(wishes_are_told_by_key_and_value)
{
	static const char *const rows[][2] = {
		{"Could you run it 20 times?", "runs=20"},
		{"Please give it at least 12 more runs.", "runs=12"},
		{"Can you repeat the test a few more times?", "runs=more"},
		{"Can you test it with more runs?", "runs=more"},
		{"Please boot with mitigations=off and test again.", "boot=mitigations=off"},
		{"Can you try it with \"nosmt\" on the kernel command line?", "boot=nosmt"},
		{"Could you add slub_debug=FZ to the kernel command line and retest?",
		 "boot=slub_debug=FZ"},
		{"Can you boot the kernel with the option i915.enable_psr=0?",
		 "boot=i915.enable_psr=0"},
		{"Can you test with the fs mounted with noatime,nobarrier?",
		 "mount=noatime,nobarrier"},
		{"Please mount the filesystem with -o nobarrier and test.", "mount=nobarrier"},
		{"Can you mount with noatime,nodiratime and retest?", "mount=noatime,nodiratime"},
		{"Could you test without the stripe mount option?", "mount=stripe"},
		{"Please test with CONFIG_KASAN=y.", "config=CONFIG_KASAN=y"},
		{"Please test with CONFIG_KASAN and CONFIG_FOO=m",
		 "config=CONFIG_KASAN=y config=CONFIG_FOO=m"},
		{"Can you retest without CONFIG_PREEMPT?", "config=CONFIG_PREEMPT=n"},
		{"Can you retest with CONFIG_PREEMPT disabled?", "config=CONFIG_PREEMPT=n"},
		{"Could you try this with clang-17?", "compiler=clang-17"},
		{"Could you build it with gcc 13.2 and test?", "compiler=gcc 13.2"},
		{"Can you test this on arm64 too?", "arch=arm64"},
		{"Can you run the fio benchmark with this patch?", "workload=fio"},
		{"Can you try some other workloads with this?", "workload=other"},
		{"Can you run the same benchmark with this patch?", ""},
		{"Could you test the patch below?", ""},
		{"Can you run this test on branch wish?", ""},
		{"Could you please try the following patch on your machine?", ""},
		{"Does it boot with this patch?", ""},
		{"Can you boot with this patch and report?", ""},
		{"Please test this, I reproduced it 10 times.", ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_auto(GStrv) wishes = wish_read(rows[i][0]);
		g_autofree char *all = g_strjoinv(" ", wishes);
		ck_assert_msg(g_strcmp0(all, rows[i][1]) == 0, "%s: %s", rows[i][0], all);
	}
}
END_TEST

START_TEST(wishes_are_counted)
{
	g_autoptr(GString) text = g_string_new("Please test with");

	for (guint i = 0; i < 500; i++)
		g_string_append_printf(text, " CONFIG_X%u", i);
	g_auto(GStrv) wishes = wish_read(text->str);
	ck_assert_uint_eq(g_strv_length(wishes), 20);
}
END_TEST

CHECK_MAIN("wish", wishes_are_told_by_key_and_value, wishes_are_counted)
