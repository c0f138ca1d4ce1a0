/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/run/launch.h"

#include "bot/base/autofd.h"
#include "bot/base/error.h"
#include "bot/run/bwrap_args.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define STATUS_INSIDE 3
#define MAX_FILES_OPEN 1024
/* Above everything that has a fixed number in the child. */
#define FIRST_FREE_FD 10
#define MAX_BINDS 16

typedef enum {
	STEP_JOIN,
	STEP_NAMESPACE,
	STEP_BIND,
	STEP_LIMITS,
	STEP_DROP,
	STEP_DESCRIPTORS,
	STEP_EXEC,
} Step;

static const char *const step_texts[] = {
	[STEP_JOIN] = "cannot wait for the parent",
	[STEP_NAMESPACE] = "cannot make a mount namespace (root without CAP_SYS_ADMIN?)",
	[STEP_BIND] = ("cannot bind a declared path below " BWRAP_STAGE_DIR),
	[STEP_LIMITS] = "cannot set resource limits",
	[STEP_DROP] = "cannot become the sandbox's user",
	[STEP_DESCRIPTORS] = "cannot arrange file descriptors",
	[STEP_EXEC] = "cannot start bubblewrap (too many processes of the sandbox's user?)",
};

/* The child's ends, and what it needs to know; all made before the fork. */
typedef struct {
	const SandboxOptions *options;
	const char *bwrap;
	GPtrArray *argv;
	bool as_root;
	bool has_cgroup;
	pid_t parent;
	int in_fd;
	int out_fd;
	int log_fd;
	int status_fd;
	BwrapFds bwrap_fds;
	int error_fd;
	int start_fd; /* EOF: the parent has put us into the cgroup */
} Child;

const char *launch_failure_text(const LaunchFailure *failure)
{
	if (failure->step < 0 || (size_t)failure->step >= G_N_ELEMENTS(step_texts))
		return "failed";
	return step_texts[failure->step];
}

static void init_launch(Launch *launch)
{
	*launch = (Launch){-1, -1, -1, -1, -1, -1, -1, -1};
}

void launch_clear(Launch *launch)
{
	autofd_close(&launch->pidfd);
	autofd_close(&launch->out_fd);
	autofd_close(&launch->log_fd);
	autofd_close(&launch->status_fd);
	autofd_close(&launch->json_fd);
	autofd_close(&launch->error_fd);
	autofd_close(&launch->go_fd);
}

static void child_clear(Child *child)
{
	autofd_close(&child->in_fd);
	autofd_close(&child->out_fd);
	autofd_close(&child->log_fd);
	autofd_close(&child->status_fd);
	autofd_close(&child->bwrap_fds.json);
	autofd_close(&child->bwrap_fds.block);
	autofd_close(&child->error_fd);
	autofd_close(&child->start_fd);
	for (size_t i = 0; i < BWRAP_N_ETC_FILES; i++)
		autofd_close(&child->bwrap_fds.etc[i]);
	g_clear_pointer(&child->argv, g_ptr_array_unref);
}

static void init_child(Child *child, const SandboxOptions *options, const Cgroup *cgroup)
{
	*child = (Child){.options = options,
			 .as_root = geteuid() == 0,
			 .has_cgroup = cgroup != NULL,
			 .parent = getpid(),
			 .in_fd = -1,
			 .out_fd = -1,
			 .log_fd = -1,
			 .status_fd = -1,
			 .bwrap_fds = {.json = -1, .block = -1},
			 .error_fd = -1,
			 .start_fd = -1};
	for (size_t i = 0; i < BWRAP_N_ETC_FILES; i++)
		child->bwrap_fds.etc[i] = -1;
}

/* ---- in the child: only system calls between fork and exec ---- */

static G_GNUC_NORETURN void fail_child(const Child *child, Step step)
{
	LaunchFailure failure = {(int)step, errno};

	if (write(child->error_fd, &failure, sizeof(failure)) < 0)
		_exit(126);
	_exit(127);
}

static void wait_for_start(const Child *child)
{
	char byte;

	while (read(child->start_fd, &byte, 1) < 0) {
		if (errno != EINTR)
			fail_child(child, STEP_JOIN);
	}
}

static bool bind_one(int fd, const char *target)
{
	char source[64];
	struct stat st;

	if (fstat(fd, &st) != 0)
		return false;
	if (S_ISDIR(st.st_mode)) {
		if (mkdir(target, 0755) != 0)
			return false;
	} else {
		int file = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

		if (file < 0)
			return false;
		close(file);
	}
	snprintf(source, sizeof(source), "/proc/self/fd/%d", fd);
	return mount(source, target, NULL, MS_BIND, NULL) == 0;
}

/* All are opened first: one of them may lie below BWRAP_STAGE_DIR itself, which is then covered. */
static void stage_binds(const Child *child)
{
	const SandboxOptions *options = child->options;
	int fds[MAX_BINDS];

	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		fail_child(child, STEP_NAMESPACE);
	for (size_t i = 0; i < options->n_binds; i++) {
		fds[i] = open(options->binds[i].outside, O_PATH | O_CLOEXEC);
		if (fds[i] < 0)
			fail_child(child, STEP_BIND);
	}
	if (mount("tmpfs", BWRAP_STAGE_DIR, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=64k") !=
	    0)
		fail_child(child, STEP_BIND);
	for (size_t i = 0; i < options->n_binds; i++) {
		char target[64];

		snprintf(target, sizeof(target), BWRAP_STAGE_DIR "/%zu", i);
		if (!bind_one(fds[i], target))
			fail_child(child, STEP_BIND);
	}
}

static bool limit(int resource, uint64_t value)
{
	struct rlimit rlimit = {value, value};

	return setrlimit((__rlimit_resource_t)resource, &rlimit) == 0;
}

/* Three processes are bubblewrap's own. With a cgroup these are only a second belt. */
static void set_limits(const Child *child)
{
	const SandboxOptions *options = child->options;
	uint64_t n_processes = (uint64_t)options->n_processes + 3;
	bool ok = limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, options->disk_bytes) &&
		  limit(RLIMIT_NOFILE, MAX_FILES_OPEN) && limit(RLIMIT_MEMLOCK, 65536) &&
		  limit(RLIMIT_NPROC, child->has_cgroup ? n_processes * 4 + 64 : n_processes);

	if (ok && !child->has_cgroup)
		ok = limit(RLIMIT_AS, options->memory_bytes);
	if (!ok)
		fail_child(child, STEP_LIMITS);
}

/* When memory runs out on the whole machine, the sandbox goes first. */
static void volunteer_for_oom(void)
{
	autofd int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "1000", 4) != 4)
		return;
}

/* The change of user clears the death signal, so that comes last. */
static void drop_privileges(const Child *child)
{
	unsigned uid = child->options->uid;

	if (child->as_root && (setgroups(0, NULL) != 0 || setresgid(uid, uid, uid) != 0 ||
			       setresuid(uid, uid, uid) != 0))
		fail_child(child, STEP_DROP);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != child->parent)
		fail_child(child, STEP_DROP);
}

static bool pass_on(int fd)
{
	return fcntl(fd, F_SETFD, 0) == 0;
}

/* Of all that the parent has open (database, mail server) nothing may reach the sandbox. */
static void arrange_descriptors(const Child *child)
{
	bool ok = dup2(child->in_fd, 0) == 0 && dup2(child->out_fd, 1) == 1 &&
		  dup2(child->log_fd, 2) == 2 &&
		  syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) == 0 &&
		  pass_on(child->bwrap_fds.json) && pass_on(child->bwrap_fds.block);

	for (size_t i = 0; i < BWRAP_N_ETC_FILES; i++)
		ok = ok && pass_on(child->bwrap_fds.etc[i]);
	if (ok && child->status_fd >= 0)
		ok = dup2(child->status_fd, STATUS_INSIDE) == STATUS_INSIDE;
	if (!ok)
		fail_child(child, STEP_DESCRIPTORS);
}

static void reset_signals(void)
{
	sigset_t none;

	for (int signum = 1; signum < NSIG; signum++)
		(void)signal(signum, SIG_DFL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static G_GNUC_NORETURN void run_child(const Child *child)
{
	char path[] = "PATH=/usr/bin:/bin";
	char *const env[] = {path, NULL};

	wait_for_start(child);
	reset_signals();
	umask(022);
	if (child->as_root)
		stage_binds(child);
	volunteer_for_oom();
	set_limits(child);
	drop_privileges(child);
	arrange_descriptors(child);
	execve(child->bwrap, (char *const *)child->argv->pdata, env);
	fail_child(child, STEP_EXEC);
}

/* ---- in the parent ---- */

static int move_up(int fd)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
	int saved = errno;

	close(fd);
	errno = saved;
	return moved;
}

/* Both ends have numbers that cannot collide with 0 to 3 in the child. */
static bool make_pipe(int *out_read, int *out_write)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	*out_read = move_up(ends[0]);
	*out_write = move_up(ends[1]);
	return *out_read >= 0 && *out_write >= 0;
}

static bool make_output(int wanted, int *out_read, int *out_write)
{
	if (wanted >= 0)
		return make_pipe(out_read, out_write);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	*out_write = null >= 0 ? move_up(null) : -1;
	return *out_write >= 0;
}

static int make_data(const char *text)
{
	int fd = memfd_create("etc", MFD_CLOEXEC);

	if (fd < 0)
		return -1;
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text) || lseek(fd, 0, SEEK_SET) != 0) {
		close(fd);
		return -1;
	}
	return move_up(fd);
}

static bool make_input(int stdin_fd, int *out_fd)
{
	int fd = stdin_fd >= 0 ? fcntl(stdin_fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD)
			       : open("/dev/null", O_RDONLY | O_CLOEXEC);

	*out_fd = fd >= 0 && stdin_fd < 0 ? move_up(fd) : fd;
	return *out_fd >= 0;
}

static bool make_descriptors(Child *child, Launch *launch, int *start_fd)
{
	const SandboxOptions *options = child->options;
	bool ok = make_input(options->stdin_fd, &child->in_fd) &&
		  make_output(options->stdout_fd, &launch->out_fd, &child->out_fd) &&
		  make_pipe(&launch->log_fd, &child->log_fd) &&
		  make_pipe(&launch->json_fd, &child->bwrap_fds.json) &&
		  make_pipe(&launch->error_fd, &child->error_fd) &&
		  make_pipe(&child->bwrap_fds.block, &launch->go_fd) &&
		  make_pipe(&child->start_fd, start_fd);

	if (ok && options->status_fd >= 0)
		ok = make_pipe(&launch->status_fd, &child->status_fd);
	for (size_t i = 0; ok && i < BWRAP_N_ETC_FILES; i++) {
		child->bwrap_fds.etc[i] = make_data(bwrap_etc_text(i));
		ok = child->bwrap_fds.etc[i] >= 0;
	}
	return ok;
}

static bool check_options(const SandboxOptions *options, GError **error)
{
	if (geteuid() == 0 && options->uid == 0) {
		g_set_error_literal(
			error, BOT_ERROR, BOT_ERROR_PERMANENT,
			"a sandbox needs a uid of its own that is not 0: resource limits "
			"do not bind root");
		return false;
	}
	if (options->n_binds > MAX_BINDS) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_BUG, "more than %d declared paths",
			    MAX_BINDS);
		return false;
	}
	return true;
}

static bool fork_child(Child *child, const Cgroup *cgroup, Launch *launch, int *start_fd,
		       GError **error)
{
	launch->pid = fork();
	if (launch->pid == 0) {
		/* Else the child would hold the end whose closing it waits for. */
		autofd_close(start_fd);
		run_child(child);
	}
	if (launch->pid < 0) {
		bot_error_set_errno(error, EAGAIN, "cannot fork for the sandbox");
		return false;
	}
	if (cgroup != NULL && !cgroup_add(cgroup, launch->pid)) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT,
			    "cannot move the sandbox into its %s", cgroup_kind(cgroup));
		return false;
	}
	launch->pidfd = (int)syscall(SYS_pidfd_open, launch->pid, 0);
	if (launch->pidfd < 0) {
		bot_error_set_errno(error, errno, "pidfd_open (Linux 5.3 or later is needed)");
		return false;
	}
	return true;
}

static bool start(Child *child, const Cgroup *cgroup, Launch *launch, GError **error)
{
	autofd int start_fd = -1;
	g_autofree char *bwrap = g_find_program_in_path("bwrap");

	if (bwrap == NULL) {
		g_set_error_literal(error, BOT_ERROR, BOT_ERROR_PERMANENT,
				    "bwrap is not in PATH; install bubblewrap 0.8 or later");
		return false;
	}
	if (!make_descriptors(child, launch, &start_fd)) {
		bot_error_set_errno(error, EAGAIN, "cannot make pipes for the sandbox");
		return false;
	}
	child->bwrap = bwrap;
	child->argv = bwrap_args_new(bwrap, child->options, &child->bwrap_fds, child->as_root);
	return fork_child(child, cgroup, launch, &start_fd, error);
}

bool launch_start(const SandboxOptions *options, const Cgroup *cgroup, Launch *out_launch,
		  GError **error)
{
	Child child;

	init_launch(out_launch);
	if (!check_options(options, error))
		return false;
	init_child(&child, options, cgroup);
	bool ok = start(&child, cgroup, out_launch, error);
	child_clear(&child);
	if (!ok) {
		if (out_launch->pid > 0) {
			(void)kill(out_launch->pid, SIGKILL);
			while (waitpid(out_launch->pid, NULL, 0) < 0 && errno == EINTR)
				;
		}
		launch_clear(out_launch);
	}
	return ok;
}
