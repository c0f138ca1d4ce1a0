/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/toldjob.h"

#include "tests/unit/check_main.h"

#define HASH "0123456789abcdef0123456789abcdef01234567"

START_TEST(a_comparison_of_the_kernel_test_robot_is_read)
{
	g_autoptr(ToldJob) job =
		toldjob_read("robot noticed a 6.7% improvement of gauge.ops on:\n\n\n"
			     "commit: " HASH " (\"[PATCH] gauge: go\")\n"
			     "url: https://github.com/lab/linux/commits/gauge\n"
			     "base: https://git.example.org/linux.git 3c999d1ae3c7\n"
			     "patch link: https://lore.example.org/all/1@example.org/\n\n"
			     "testcase: gauge\n"
			     "test machine: 64 threads 2 sockets with 256G memory\n"
			     "parameters:\n\n\tnr_threads: 100%\n\tfs: ext4\n\ttest: touch\n\n\n"
			     "commit: \n  3c999d1ae3 (\"x\")\n  0123456789 (\"gauge: go\")\n\n"
			     "test: not this\n");

	ck_assert_ptr_nonnull(job);
	ck_assert_str_eq(job->commit, HASH);
	ck_assert_str_eq(job->base, "https://git.example.org/linux.git 3c999d1ae3c7");
	ck_assert_str_eq(job->testcase, "gauge");
	ck_assert_str_eq(job->machine, "64 threads 2 sockets with 256G memory");
	g_autofree char *parameters = g_strjoinv(" ", job->parameters);
	ck_assert_str_eq(parameters, "nr_threads=100% fs=ext4 test=touch");
}
END_TEST

START_TEST(a_build_report_is_read_in_quotes_too)
{
	g_autoptr(ToldJob) job = toldjob_read(
		"On Monday, robot wrote:\n> Hi Ann,\n>\n"
		"> tree:   https://git.example.org/ann/linux.git wip-foo\n"
		"> head:   fedcba9876543210\n"
		"> commit: " HASH " [3/5] gauge: go\n"
		"> config: x86_64-randconfig-001 (https://lab.example.org/config)\n"
		"> compiler: gcc-12\n"
		"> reproduce (this is a W=1 build): (https://lab.example.org/reproduce)\n>\n"
		"> If you fix the issue, kindly add following tag\n"
		"\nCould you run this again?\n");

	ck_assert_ptr_nonnull(job);
	ck_assert_str_eq(job->commit, HASH);
	ck_assert_str_eq(job->tree, "https://git.example.org/ann/linux.git");
	ck_assert_str_eq(job->branch, "wip-foo");
	ck_assert_str_eq(job->config, "x86_64-randconfig-001 (https://lab.example.org/config)");
	ck_assert_str_eq(job->compiler, "gcc-12");
	ck_assert_str_eq(job->reproducer, "https://lab.example.org/reproduce");
}
END_TEST

START_TEST(a_report_of_a_crash_finder_is_read)
{
	g_autoptr(ToldJob) job =
		toldjob_read("Hello,\n\nthe robot found the following issue on:\n\n"
			     "HEAD commit:    0123456789ab Merge tag 'x' of y\n"
			     "git tree:       upstream\n"
			     "console output: https://crash.example.org/log\n"
			     "kernel config:  https://crash.example.org/config?x=1\n"
			     "dashboard link: https://crash.example.org/bug?extid=1\n"
			     "compiler:       clang version 17.0.6\n"
			     "C reproducer:   https://crash.example.org/repro.c\n"
			     "syz repro:      https://crash.example.org/repro.syz\n");

	ck_assert_ptr_nonnull(job);
	ck_assert_str_eq(job->commit, "0123456789ab");
	ck_assert_str_eq(job->tree, "upstream");
	ck_assert_str_eq(job->config, "https://crash.example.org/config?x=1");
	ck_assert_str_eq(job->compiler, "clang version 17.0.6");
	ck_assert_str_eq(job->reproducer, "https://crash.example.org/repro.c");
}
END_TEST

START_TEST(reports_of_build_farms_are_read)
{
	static const char *const texts[] = {
		"## Build\n* kernel: 6.9.0-rc1\n* git: https://git.example.org/stable\n"
		"* git branch: next\n* git commit: " HASH "\n* git describe: v6.9-rc1-5-g0123\n"
		"* test details: https://farm.example.org/1\n* test suite: kselftest\n",
		"Tree: next\nBranch: next\nGit Describe: next-1\nGit Commit: " HASH "\n"
		"Git URL: https://git.example.org/next\nTest suite: boot\n",
		"       Kernel repo: https://git.example.org/next\n            Commit: " HASH
		" - Merge tag\n branch: next\n",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(ToldJob) job = toldjob_read(texts[i]);
		ck_assert_msg(job != NULL, "%s", texts[i]);
		ck_assert_str_eq(job->commit, HASH);
		ck_assert_str_eq(job->branch, "next");
	}
}
END_TEST

START_TEST(talk_tells_no_job)
{
	static const char *const texts[] = {
		"",
		"commit: \n",
		"commit: " HASH "\n",
		"testcase: gauge\nconfig: x\n",
		"Note: the base commit is fine\nSee: http://x.example.org\n",
		"commit: none of them\ntestcase: gauge\n",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(ToldJob) job = toldjob_read(texts[i]);
		ck_assert_msg(job == NULL, "%s", texts[i]);
	}
}
END_TEST

START_TEST(long_values_and_many_parameters_are_bounded)
{
	g_autoptr(GString) text = g_string_new("commit: " HASH "\nconfig: ");

	for (guint i = 0; i < 1000; i++)
		g_string_append_c(text, 'x');
	g_string_append(text, "\ntestcase: gauge\nparameters:\n");
	for (guint i = 0; i < 1000; i++)
		g_string_append_printf(text, "\tk%u: v\n", i);
	g_autoptr(ToldJob) job = toldjob_read(text->str);
	ck_assert_ptr_nonnull(job);
	ck_assert_ptr_null(job->config);
	ck_assert_uint_eq(g_strv_length(job->parameters), 50);
}
END_TEST

CHECK_MAIN("toldjob", a_comparison_of_the_kernel_test_robot_is_read,
	   a_build_report_is_read_in_quotes_too, a_report_of_a_crash_finder_is_read,
	   reports_of_build_farms_are_read, talk_tells_no_job,
	   long_values_and_many_parameters_are_bounded)
