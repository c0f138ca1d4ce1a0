/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/autofd.h"
#include "bot/base/error.h"
#include "bot/run/cgroup.h"
#include "bot/run/sandbox.h"
#include "tests/unit/check_main.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* Of no account on any system, and not that of a test running beside this one. */
#define SANDBOX_UID (60000 + (unsigned)getpid() % 5000)
#define MIB (1024 * 1024)

typedef struct {
	SandboxOptions options;
	SandboxResult result;
	const char *argv[4];
	int out_fd;
	int log_fd;
	char *out;
	char *log;
} Box;

static char *read_all(int fd)
{
	struct stat st;

	ck_assert_int_eq(fstat(fd, &st), 0);
	char *text = g_malloc0((gsize)st.st_size + 1);
	ck_assert_int_eq(pread(fd, text, (size_t)st.st_size, 0), st.st_size);
	return text;
}

static void box_init(Box *box, const char *script)
{
	*box = (Box){.out_fd = memfd_create("out", MFD_CLOEXEC),
		     .log_fd = memfd_create("log", MFD_CLOEXEC),
		     .argv = {"/bin/sh", "-c", script, NULL}};
	box->options = (SandboxOptions){.argv = box->argv,
					.work_dir = "/box",
					.stdin_fd = -1,
					.stdout_fd = box->out_fd,
					.max_stdout_bytes = MIB,
					.log_fd = box->log_fd,
					.max_log_bytes = MIB,
					.status_fd = -1,
					.memory_bytes = 256 * MIB,
					.disk_bytes = 16 * MIB,
					.n_processes = 32,
					.timeout_ms = 20000,
					.uid = SANDBOX_UID,
					.stop_fd = -1};
}

static void box_run(Box *box)
{
	g_autoptr(GError) error = NULL;
	bool ok = sandbox_run(&box->options, &box->result, &error);

	ck_assert_msg(ok, "%s", error != NULL ? error->message : "");
	box->out = read_all(box->out_fd);
	box->log = read_all(box->log_fd);
}

static void box_clear(Box *box)
{
	close(box->out_fd);
	close(box->log_fd);
	g_free(box->out);
	g_free(box->log);
}

/* Processes of this machine whose command line holds @mark. */
static unsigned count_processes(const char *mark)
{
	g_autoptr(GDir) dir = g_dir_open("/proc", 0, NULL);
	const char *name;
	unsigned n = 0;

	while ((name = g_dir_read_name(dir)) != NULL) {
		g_autofree char *path = g_build_filename("/proc", name, "cmdline", NULL);
		g_autofree char *text = NULL;
		gsize len = 0;

		if (!g_ascii_isdigit(*name) || !g_file_get_contents(path, &text, &len, NULL))
			continue;
		if (memmem(text, len, mark, strlen(mark)) != NULL)
			n++;
	}
	return n;
}

/* A number of seconds that stands once in the process list: parallel tests run sleeps too. */
static char *new_mark(void)
{
	return g_strdup_printf("%d%09u", (int)getpid(), g_random_int() % 1000000000);
}

START_TEST(a_sandbox_hands_back_output_log_and_exit_code)
{
	Box box;
	box_init(&box, "echo out; echo log >&2; exit 7");

	box_run(&box);

	ck_assert_str_eq(box.out, "out\n");
	ck_assert_str_eq(box.log, "log\n");
	ck_assert_int_eq(box.result.exit_code, 7);
	ck_assert_int_eq(box.result.signal, 0);
	box_clear(&box);
}
END_TEST

START_TEST(a_sandbox_feeds_standard_input)
{
	Box box;
	autofd int input = memfd_create("in", MFD_CLOEXEC);
	ck_assert_int_eq(write(input, "hello", 5), 5);
	ck_assert_int_eq(lseek(input, 0, SEEK_SET), 0);
	box_init(&box, "cat");
	box.options.stdin_fd = input;

	box_run(&box);

	ck_assert_str_eq(box.out, "hello");
	box_clear(&box);
}
END_TEST

START_TEST(a_sandbox_inherits_no_variable_and_gets_those_given)
{
	Box box;
	const char *env[] = {"PATH=/usr/bin", "WORDS=two words", NULL};
	g_setenv("LOREBOT_SECRET", "hunter2", TRUE);
	box_init(&box, "echo $WORDS; env | grep -c SECRET");
	box.options.env = env;

	box_run(&box);

	ck_assert_str_eq(box.out, "two words\n0\n");
	box_clear(&box);
}
END_TEST

START_TEST(a_sandbox_inherits_no_descriptor)
{
	Box box;
	autofd int secret = memfd_create("secret", 0); /* no close-on-exec */
	ck_assert_int_ge(secret, 0);
	box_init(&box, "ls /proc/self/fd | tr '\\n' ' '");

	box_run(&box);

	ck_assert_str_eq(box.out, "0 1 2 3 "); /* 3 is the listed folder itself */
	box_clear(&box);
}
END_TEST

START_TEST(a_sandbox_sees_a_declared_folder_that_its_user_cannot_walk_to)
{
	Box box;
	g_autofree char *private = g_dir_make_tmp("lorebot-XXXXXX", NULL); /* mode 0700 */
	g_autofree char *inner = g_build_filename(private, "tools", NULL);
	g_autofree char *file = g_build_filename(inner, "name", NULL);
	ck_assert_int_eq(mkdir(inner, 0755), 0);
	ck_assert(g_file_set_contents(file, "here\n", -1, NULL));
	ck_assert_int_eq(chmod(file, 0644), 0);
	SandboxBind binds[] = {{inner, "/tools"}};
	box_init(&box, "cat /tools/name; touch /tools/name 2>/dev/null || echo read-only");
	box.options.binds = binds;
	box.options.n_binds = 1;

	box_run(&box);

	ck_assert_str_eq(box.out, "here\nread-only\n");
	box_clear(&box);
	(void)unlink(file);
	(void)rmdir(inner);
	(void)rmdir(private);
}
END_TEST

START_TEST(a_sandbox_cannot_read_the_hosts_secrets)
{
	Box box;
	box_init(&box, "cat /etc/shadow; ls /root /home /var /tmp; cat /proc/1/root/etc/shadow;"
		       "grep -v -e ^root -e ^bot /etc/passwd; true");

	box_run(&box);

	ck_assert_str_eq(box.out, "/tmp:\n");
	box_clear(&box);
}
END_TEST

START_TEST(a_sandbox_cannot_write_outside_its_working_place)
{
	Box box;
	box_init(&box, "for d in / /usr /etc /dev /bin /proc /proc/sys/kernel; do"
		       " touch $d/planted && echo $d; done; touch here && echo box");

	box_run(&box);

	ck_assert_str_eq(box.out, "box\n");
	box_clear(&box);
}
END_TEST

START_TEST(a_sandbox_has_no_network)
{
	Box box;
	box_init(&box, "grep -c : /proc/net/dev;"
		       "exec 9<>/dev/tcp/1.1.1.1/53 && echo connected; true");
	box.argv[0] = "/bin/bash";

	box_run(&box);

	ck_assert_str_eq(box.out, "1\n"); /* lo alone */
	box_clear(&box);
}
END_TEST

START_TEST(a_sandbox_has_no_capability_and_cannot_get_a_namespace_of_its_own)
{
	Box box;
	box_init(&box, "grep -E 'CapEff|CapBnd|NoNewPrivs' /proc/self/status | tr '\\n' ' ';"
		       "unshare -Ur true && echo namespace; mknod n c 1 3 && echo device; true");

	box_run(&box);

	ck_assert_str_eq(box.out, "CapEff:\t0000000000000000 CapBnd:\t0000000000000000 "
				  "NoNewPrivs:\t1 ");
	box_clear(&box);
}
END_TEST

START_TEST(an_endless_loop_is_killed_at_its_timeout)
{
	Box box;
	box_init(&box, "while :; do :; done");
	box.options.timeout_ms = 700;

	box_run(&box);

	ck_assert(box.result.timed_out);
	ck_assert_int_eq(box.result.exit_code, -1);
	ck_assert_int_eq(box.result.signal, SIGKILL);
	ck_assert_double_lt(box.result.elapsed_s, 5);
	ck_assert_double_gt(box.result.user_s, 0.05);
	box_clear(&box);
}
END_TEST

START_TEST(a_daemon_that_ignores_term_does_not_outlive_a_timeout)
{
	Box box;
	g_autofree char *mark = new_mark();
	g_autofree char *script = g_strdup_printf(
		"trap '' TERM HUP INT; setsid sh -c 'trap \"\" TERM HUP INT; sleep %s' & "
		"setsid setsid sleep %s & sleep 1000",
		mark, mark);
	box_init(&box, script);
	box.options.timeout_ms = 1000;

	box_run(&box);

	ck_assert(box.result.timed_out);
	ck_assert_uint_eq(count_processes(mark), 0);
	box_clear(&box);
}
END_TEST

START_TEST(a_daemon_does_not_outlive_a_normal_end)
{
	Box box;
	g_autofree char *mark = new_mark();
	g_autofree char *script = g_strdup_printf("setsid sleep %s >/dev/null 2>&1 & exit 0", mark);
	box_init(&box, script);

	box_run(&box);

	ck_assert_int_eq(box.result.exit_code, 0);
	ck_assert_uint_eq(count_processes(mark), 0);
	box_clear(&box);
}
END_TEST

START_TEST(a_readable_stop_descriptor_ends_a_sandbox_at_once)
{
	Box box;
	int ends[2];
	ck_assert_int_eq(pipe(ends), 0);
	box_init(&box, "trap '' TERM; sleep 1000");
	box.options.stop_fd = ends[0];
	pid_t pid = fork();
	if (pid == 0) {
		g_usleep(300 * 1000);
		_exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
	}

	box_run(&box);

	ck_assert(box.result.stopped);
	ck_assert(!box.result.timed_out);
	ck_assert_double_lt(box.result.elapsed_s, 5);
	waitpid(pid, NULL, 0);
	box_clear(&box);
}
END_TEST

START_TEST(a_sandbox_dies_with_the_process_that_runs_it)
{
	Box box;
	int ends[2];
	char line[64] = "";
	g_autofree char *mark = new_mark();
	g_autofree char *script =
		g_strdup_printf("trap '' TERM; setsid sleep %s & echo up; sleep %s", mark, mark);
	ck_assert_int_eq(pipe(ends), 0);
	box_init(&box, script);
	box.options.stdout_fd = ends[1];
	pid_t pid = fork();
	if (pid == 0) {
		(void)!sandbox_run(&box.options, &box.result, NULL);
		_exit(1);
	}
	ck_assert_int_gt(read(ends[0], line, sizeof(line)), 0);
	ck_assert_uint_gt(count_processes(mark), 0);

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);

	for (int i = 0; i < 50 && count_processes(mark) > 0; i++)
		g_usleep(100 * 1000);
	ck_assert_uint_eq(count_processes(mark), 0);
	(void)cgroup_sweep(); /* nobody was left to remove the dead sandbox's own group */
	box_clear(&box);
}
END_TEST

START_TEST(a_fork_bomb_is_held_by_the_process_limit)
{
	Box box;
	box_init(&box, "(f() { f | f & }; f; while sleep 9 & do :; done) 2>/dev/null;"
		       "set -- /proc/[0-9]*; echo $#");

	box_run(&box);

	ck_assert_int_le(atoi(box.out), 36);
	ck_assert_int_ge(atoi(box.out), 1);
	box_clear(&box);
}
END_TEST

static const char memory_hog[] = "import sys\n"
				 "try:\n"
				 "  a = [bytearray(1 << 20) for i in range(600)]\n"
				 "except MemoryError: sys.exit(9)\n"
				 "print('had it')\n";

START_TEST(a_memory_hog_does_not_get_more_than_its_limit)
{
	Box box;
	box_init(&box, memory_hog);
	box.argv[0] = "/usr/bin/python3";
	box.options.memory_bytes = 128 * MIB;

	box_run(&box);

	ck_assert_str_eq(box.out, "");
	ck_assert_int_ne(box.result.exit_code, 0);
	ck_assert_int_eq(box.result.memory_limit, strcmp(box.result.limited_by, "rlimit") != 0);
	box_clear(&box);
}
END_TEST

START_TEST(a_disk_filler_meets_a_full_disk_in_every_place)
{
	Box box;
	box_init(&box, "for d in /box /tmp /dev/shm; do"
		       " dd if=/dev/zero of=$d/fill bs=1M count=64 2>/dev/null || echo full; done;"
		       "cat /box/fill /tmp/fill /dev/shm/fill | wc -c");

	box_run(&box);

	ck_assert_str_eq(box.out, "full\nfull\nfull\n16777216\n");
	box_clear(&box);
}
END_TEST

START_TEST(a_flood_of_output_is_cut_and_killed)
{
	Box box;
	box_init(&box, "cat /dev/zero");
	box.options.max_stdout_bytes = 1000;

	box_run(&box);

	struct stat st;
	ck_assert_int_eq(fstat(box.out_fd, &st), 0);
	ck_assert_int_eq(st.st_size, 1000);
	ck_assert(box.result.output_limit);
	ck_assert_int_eq(box.result.signal, SIGKILL);
	box_clear(&box);
}
END_TEST

START_TEST(output_of_exactly_the_limit_is_no_flood)
{
	Box box;
	box_init(&box, "head -c 1000 /dev/zero");
	box.options.max_stdout_bytes = 1000;

	box_run(&box);

	ck_assert(!box.result.output_limit);
	ck_assert_int_eq(box.result.exit_code, 0);
	box_clear(&box);
}
END_TEST

START_TEST(a_flood_of_log_is_dropped_and_counted)
{
	Box box;
	box_init(&box, "head -c 3000000 /dev/zero >&2; echo done");
	box.options.max_log_bytes = 1000;

	box_run(&box);

	struct stat st;
	ck_assert_int_eq(fstat(box.log_fd, &st), 0);
	ck_assert_int_eq(st.st_size, 1000);
	ck_assert_uint_eq(box.result.log_dropped, 2999000);
	ck_assert_str_eq(box.out, "done\n");
	box_clear(&box);
}
END_TEST

START_TEST(a_scripts_status_comes_back_apart_from_its_output)
{
	Box box;
	autofd int status = memfd_create("status", MFD_CLOEXEC);
	box_init(&box, "echo begin build >&3; echo out");
	box.options.status_fd = status;
	box.options.max_status_bytes = 8;

	box_run(&box);

	g_autofree char *text = read_all(status);
	ck_assert_str_eq(text, "begin bu");
	ck_assert_str_eq(box.out, "out\n");
	box_clear(&box);
}
END_TEST

START_TEST(a_program_that_does_not_exist_is_an_error_not_a_result)
{
	Box box;
	g_autoptr(GError) error = NULL;
	box_init(&box, "true");
	box.argv[0] = "/nonexistent/program";

	bool ok = sandbox_run(&box.options, &box.result, &error);

	ck_assert(!ok);
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PERMANENT));
	ck_assert_ptr_nonnull(strstr(error->message, "/nonexistent/program"));
	box_clear(&box);
}
END_TEST

START_TEST(a_declared_path_that_does_not_exist_is_an_error)
{
	Box box;
	g_autoptr(GError) error = NULL;
	SandboxBind binds[] = {{"/nonexistent/folder", "/tools"}};
	box_init(&box, "true");
	box.options.binds = binds;
	box.options.n_binds = 1;

	bool ok = sandbox_run(&box.options, &box.result, &error);

	ck_assert(!ok);
	ck_assert_ptr_nonnull(error);
	box_clear(&box);
}
END_TEST

START_TEST(root_is_refused_as_the_sandboxs_user)
{
	Box box;
	g_autoptr(GError) error = NULL;
	box_init(&box, "true");
	box.options.uid = 0;

	bool ok = sandbox_run(&box.options, &box.result, &error);

	ck_assert(geteuid() != 0 || !ok);
	box_clear(&box);
}
END_TEST

START_TEST(the_probe_says_which_limits_are_in_force)
{
	g_autoptr(GError) error = NULL;
	const char *limited_by = NULL;

	bool ok = sandbox_probe(SANDBOX_UID, &limited_by, &error);

	ck_assert_msg(ok, "%s", error != NULL ? error->message : "");
	ck_assert(g_str_has_prefix(limited_by, "cgroup") || strcmp(limited_by, "rlimit") == 0);
}
END_TEST

/* As an ordinary user no control group is writable; a root of tests becomes one for this. */
static int run_as_user(Box *box)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		if (geteuid() == 0 && (setresgid(SANDBOX_UID, SANDBOX_UID, SANDBOX_UID) != 0 ||
				       setresuid(SANDBOX_UID, SANDBOX_UID, SANDBOX_UID) != 0))
			_exit(2);
		bool ok = sandbox_run(&box->options, &box->result, NULL);
		_exit(ok && strcmp(box->result.limited_by, "rlimit") == 0 ? 0 : 3);
	}
	waitpid(pid, &status, 0);
	box->out = read_all(box->out_fd);
	box->log = read_all(box->log_fd);
	return WEXITSTATUS(status);
}

START_TEST(an_ordinary_user_gets_memory_and_process_limits_by_rlimits)
{
	Box box;
	box_init(&box,
		 "ulimit -v; (while sleep 9 & do :; done) 2>/dev/null;"
		 "set -- /proc/[0-9]*; echo $(($# > 25)) $(($# < 35)); cat /etc/shadow; exit 0");

	int status = run_as_user(&box);

	ck_assert_int_eq(status, 0);
	ck_assert_str_eq(box.out, "262144\n1 1\n");
	box_clear(&box);
}
END_TEST

CHECK_MAIN("sandbox", a_sandbox_hands_back_output_log_and_exit_code, a_sandbox_feeds_standard_input,
	   a_sandbox_inherits_no_variable_and_gets_those_given, a_sandbox_inherits_no_descriptor,
	   a_sandbox_sees_a_declared_folder_that_its_user_cannot_walk_to,
	   a_sandbox_cannot_read_the_hosts_secrets,
	   a_sandbox_cannot_write_outside_its_working_place, a_sandbox_has_no_network,
	   a_sandbox_has_no_capability_and_cannot_get_a_namespace_of_its_own,
	   an_endless_loop_is_killed_at_its_timeout,
	   a_daemon_that_ignores_term_does_not_outlive_a_timeout,
	   a_daemon_does_not_outlive_a_normal_end,
	   a_readable_stop_descriptor_ends_a_sandbox_at_once,
	   a_sandbox_dies_with_the_process_that_runs_it, a_fork_bomb_is_held_by_the_process_limit,
	   a_memory_hog_does_not_get_more_than_its_limit,
	   a_disk_filler_meets_a_full_disk_in_every_place, a_flood_of_output_is_cut_and_killed,
	   output_of_exactly_the_limit_is_no_flood, a_flood_of_log_is_dropped_and_counted,
	   a_scripts_status_comes_back_apart_from_its_output,
	   a_program_that_does_not_exist_is_an_error_not_a_result,
	   a_declared_path_that_does_not_exist_is_an_error, root_is_refused_as_the_sandboxs_user,
	   the_probe_says_which_limits_are_in_force,
	   an_ordinary_user_gets_memory_and_process_limits_by_rlimits)
