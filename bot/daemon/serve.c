/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/daemon/serve.h"

#include "bot/base/autofd.h"
#include "bot/base/backoff.h"
#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/base/log.h"
#include "bot/stage/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_US (4 * G_USEC_PER_SEC)

/* A child that lived this long is healthy: its next failure starts the backoff anew. */
#define HEALTHY_US (60 * G_USEC_PER_SEC)

typedef struct {
	char *name;          /* "understand", "intake lab"                                       */
	GPtrArray *argv;     /* NULL-terminated                                                  */
	pid_t pid;           /* 0: not running                                                   */
	int pid_fd;          /* readable when it ended; -1                                       */
	int64_t started_us;  /* monotonic                                                        */
	int64_t start_at_us; /* when to start it again                                           */
	unsigned failures;
} Child;

static void child_free(gpointer data)
{
	Child *child = data;

	autofd_close(&child->pid_fd);
	g_ptr_array_unref(child->argv);
	g_free(child->name);
	g_free(child);
}

static Child *child_new(const ServeOptions *options, const char *stage, const char *source)
{
	Child *child = g_new0(Child, 1);

	child->pid_fd = -1;
	child->name = source == NULL ? g_strdup(stage) : g_strdup_printf("%s %s", stage, source);
	child->argv = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(child->argv, g_strdup(options->program));
	g_ptr_array_add(child->argv, g_strdup("--config"));
	g_ptr_array_add(child->argv, g_strdup(options->config_path));
	if (options->verbose)
		g_ptr_array_add(child->argv, g_strdup("-v"));
	g_ptr_array_add(child->argv, g_strdup(stage));
	if (source != NULL) {
		g_ptr_array_add(child->argv, g_strdup("--source"));
		g_ptr_array_add(child->argv, g_strdup(source));
	}
	g_ptr_array_add(child->argv, NULL);
	return child;
}

static GPtrArray *make_children(const ServeOptions *options)
{
	GPtrArray *children = g_ptr_array_new_with_free_func(child_free);

	for (guint i = 0; i < options->config->sources->len; i++) {
		const SourceSection *source = options->config->sources->pdata[i];
		g_ptr_array_add(children, child_new(options, "intake", source->name));
	}
	for (const Stage *stage = stage_all(); stage->name != NULL; stage++) {
		if (strcmp(stage->name, "intake") != 0)
			g_ptr_array_add(children, child_new(options, stage->name, NULL));
	}
	return children;
}

static void exec_child(const Child *child, pid_t parent)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1); /* the supervisor died before the line above */
	execv(child->argv->pdata[0], (char *const *)child->argv->pdata);
	_exit(127);
}

static bool start_child(Child *child, GError **error)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid == 0)
		exec_child(child, parent);
	if (pid < 0) {
		bot_error_set_errno(error, errno, "cannot start %s", child->name);
		return false;
	}
	child->pid = pid;
	child->started_us = g_get_monotonic_time();
	/* pidfd_open has no wrapper in glibc 2.36's headers that C11 code can rely on. */
	child->pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (child->pid_fd < 0) {
		bot_error_set_errno(error, errno, "cannot watch %s", child->name);
		return false;
	}
	log_debug("serve.started", "%s, pid %d", child->name, (int)pid);
	return true;
}

static void describe_end(const Child *child, int status)
{
	if (WIFSIGNALED(status))
		log_warning("serve.child_died", "%s was killed by signal %d", child->name,
			    WTERMSIG(status));
	else
		log_warning("serve.child_ended", "%s ended with status %d", child->name,
			    WEXITSTATUS(status));
}

static void reap_child(Child *child, GRand *random)
{
	int status = 0;

	if (child->pid == 0 || waitpid(child->pid, &status, WNOHANG) != child->pid)
		return;
	int64_t now = g_get_monotonic_time();
	describe_end(child, status);
	if (now - child->started_us > HEALTHY_US)
		child->failures = 0;
	child->pid = 0;
	autofd_close(&child->pid_fd);
	child->start_at_us = now + backoff_delay_ms(++child->failures, random) * 1000;
}

/* @out_wait_ms: until the next start that is due. */
static bool start_due(const GPtrArray *children, int *out_wait_ms, GError **error)
{
	int64_t now = g_get_monotonic_time();

	*out_wait_ms = 60000;
	for (guint i = 0; i < children->len; i++) {
		Child *child = children->pdata[i];
		if (child->pid != 0)
			continue;
		int64_t left_ms = (child->start_at_us - now + 999) / 1000;
		if (left_ms <= 0) {
			if (!start_child(child, error))
				return false;
		} else {
			*out_wait_ms = (int)MIN(*out_wait_ms, left_ms);
		}
	}
	return true;
}

static void wait_for_event(const GPtrArray *children, int stop_fd, int wait_ms)
{
	g_autofree struct pollfd *fds = g_new0(struct pollfd, children->len + 1);

	for (guint i = 0; i < children->len; i++) {
		const Child *child = children->pdata[i];
		fds[i] = (struct pollfd){child->pid_fd, POLLIN, 0};
	}
	fds[children->len] = (struct pollfd){stop_fd, POLLIN, 0};
	(void)poll(fds, children->len + 1, wait_ms);
}

static bool is_readable(int fd)
{
	struct pollfd poll_fd = {fd, POLLIN, 0};
	return poll(&poll_fd, 1, 0) > 0;
}

static bool any_running(const GPtrArray *children)
{
	for (guint i = 0; i < children->len; i++) {
		const Child *child = children->pdata[i];
		if (child->pid != 0)
			return true;
	}
	return false;
}

static void signal_all(const GPtrArray *children, int signum)
{
	for (guint i = 0; i < children->len; i++) {
		const Child *child = children->pdata[i];
		if (child->pid != 0)
			kill(child->pid, signum);
	}
}

static void stop_children(const GPtrArray *children)
{
	int64_t deadline = g_get_monotonic_time() + GRACE_US;

	signal_all(children, SIGTERM);
	while (any_running(children)) {
		if (g_get_monotonic_time() > deadline) {
			log_warning("serve.killing", "some stages did not stop in time");
			signal_all(children, SIGKILL);
			deadline += GRACE_US;
		}
		wait_for_event(children, -1, 50);
		for (guint i = 0; i < children->len; i++) {
			Child *child = children->pdata[i];
			if (child->pid != 0 && waitpid(child->pid, NULL, WNOHANG) == child->pid) {
				child->pid = 0;
				autofd_close(&child->pid_fd);
			}
		}
	}
}

static int take_lock(const char *state_dir, GError **error)
{
	g_autofree char *dir = g_build_filename(state_dir, "run", NULL);
	g_autofree char *path = g_build_filename(dir, "serve.lock", NULL);

	if (!fs_make_dir(dir, 0700, error))
		return -1;
	autofd int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0) {
		bot_error_set_errno(error, errno, "cannot open %s", path);
		return -1;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT,
			    "another `lorebot serve` holds %s; stop it first", path);
		return -1;
	}
	return autofd_steal(&fd);
}

bool serve_run(const ServeOptions *options, GError **error)
{
	autofd int lock = take_lock(options->config->bot.state_dir, error);
	if (lock < 0)
		return false;

	g_autoptr(GPtrArray) children = make_children(options);
	g_autoptr(GRand) random = g_rand_new();
	bool ok = true;
	log_info("serve.up", "%u processes for %u sources", children->len,
		 options->config->sources->len);
	while (ok && !is_readable(options->stop_fd)) {
		int wait_ms = 0;
		ok = start_due(children, &wait_ms, error);
		if (!ok)
			break;
		wait_for_event(children, options->stop_fd, wait_ms);
		for (guint i = 0; i < children->len; i++)
			reap_child(children->pdata[i], random);
	}
	stop_children(children);
	log_info("serve.down", "all stages have stopped");
	return ok;
}
