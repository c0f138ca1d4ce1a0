/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/child.h"

#include "bot/base/autofd.h"
#include "bot/base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define REPORT_MAX_BYTES 4096

/* AddressSanitizer maps terabytes that count as heap. */
#if defined(__SANITIZE_ADDRESS__)
#define HAS_SHADOW_MEMORY
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SHADOW_MEMORY
#endif
#endif

static void limit(__rlimit_resource_t resource, rlim_t value)
{
	struct rlimit rlimit = {value, value};

	(void)setrlimit(resource, &rlimit);
}

/* Not the address space: packs of mirrors are mapped whole. */
static void bound_heap(void)
{
#ifndef HAS_SHADOW_MEMORY
	limit(RLIMIT_DATA, (rlim_t)4 * 1024 * 1024 * 1024);
#endif
}

static void bind_child(const ChildOptions *options)
{
	unsigned seconds = (unsigned)(options->timeout_ms / 1000 + 1);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGALRM, SIG_DFL);
	/* A write over the limit must be an error that is told, not a death that is not. */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	alarm(seconds);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, seconds);
	bound_heap();
	if (options->max_file_bytes > 0)
		limit(RLIMIT_FSIZE, options->max_file_bytes);
}

/* First byte: 'k' all well, 'e' an error; then its code and its message. */
static void send_report(int fd, bool ok, const GError *error)
{
	g_autofree char *text = ok ? g_strdup("k")
				   : g_strdup_printf("e%d %s", error ? error->code : BOT_ERROR_BUG,
						     error ? error->message : "no reason given");
	size_t len = MIN(strlen(text), REPORT_MAX_BYTES);

	/* At most PIPE_BUF bytes into an empty pipe: one write takes all. */
	if (write(fd, text, len) < 0)
		_exit(2);
}

static G_NORETURN void be_child(ChildWork work, gpointer data, const ChildOptions *options, int fd)
{
	g_autoptr(GError) error = NULL;
	bool ok;

	bind_child(options);
	ok = work(data, &error);
	send_report(fd, ok, error);
	_exit(0);
}

static int left_ms(int64_t deadline_us)
{
	int64_t left = (deadline_us - g_get_monotonic_time()) / 1000;

	return (int)CLAMP(left, 0, 60000);
}

/* Returns: bytes read until the child closed its end; -1 when deadline or stop came first */
static ssize_t read_report(int fd, int stop_fd, char *report, int64_t deadline_us)
{
	size_t len = 0;

	for (;;) {
		struct pollfd pollers[] = {{fd, POLLIN, 0}, {stop_fd, POLLIN, 0}};
		int n = poll(pollers, G_N_ELEMENTS(pollers), left_ms(deadline_us));

		if (n > 0 && pollers[0].revents != 0) {
			ssize_t got = read(fd, report + len, REPORT_MAX_BYTES - len);
			if (got == 0 || (got < 0 && errno != EINTR))
				return (ssize_t)len;
			len += got > 0 ? (size_t)got : 0;
			if (len == REPORT_MAX_BYTES)
				return (ssize_t)len;
		} else if (n > 0 || g_get_monotonic_time() >= deadline_us) {
			return -1;
		}
	}
}

static bool judge_report(char *report, ssize_t len, const ChildOptions *options, GError **error)
{
	char *rest = NULL;

	if (len < 0) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT,
			    "%s took too long, or was stopped%s%s%s", options->what,
			    options->timeout_key == NULL ? "" : " (",
			    options->timeout_key == NULL ? "" : options->timeout_key,
			    options->timeout_key == NULL ? "" : " says how long it may take)");
		return false;
	}
	report[len] = '\0';
	if (report[0] == 'k')
		return true;
	if (report[0] != 'e') {
		g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT,
			    "%s: its process died; it may have met a limit of memory or time",
			    options->what);
		return false;
	}
	int code = (int)g_ascii_strtoll(report + 1, &rest, 10);
	g_set_error(error, BOT_ERROR, code, "%s: %s", options->what, rest + (*rest == ' ' ? 1 : 0));
	return false;
}

bool child_run(ChildWork work, gpointer data, const ChildOptions *options, GError **error)
{
	char report[REPORT_MAX_BYTES + 1] = "";
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0) {
		bot_error_set_errno(error, errno, "cannot make a pipe");
		return false;
	}

	autofd int in = fds[0];
	pid_t pid = fork();
	if (pid == 0)
		be_child(work, data, options, fds[1]);
	int fork_errno = errno;
	close(fds[1]);
	if (pid < 0) {
		bot_error_set_errno(error, fork_errno, "cannot start a process");
		return false;
	}
	/* Here too, so that the kill below finds the group whoever runs first. */
	setpgid(pid, pid);
	int64_t deadline_us = g_get_monotonic_time() + options->timeout_ms * 1000;
	ssize_t len =
		read_report(in, options->stop_fd > 0 ? options->stop_fd : -1, report, deadline_us);
	kill(-pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	return judge_report(report, len, options, error);
}
