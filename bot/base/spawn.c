/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/spawn.h"

#include "bot/base/autofd.h"
#include "bot/base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

typedef struct {
	int fd; /* -1 when closed */
	GString *kept;
	size_t max;
	bool truncated;
} Drain;

static bool make_pipe(int fds[2], GError **error)
{
	if (pipe2(fds, O_CLOEXEC) == 0)
		return true;
	bot_error_set_errno(error, errno, "cannot make a pipe");
	return false;
}

static void child_exec(const SpawnOptions *options, int in, int out, int err)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(126);
	if (options->cwd != NULL && chdir(options->cwd) != 0)
		_exit(126);
	if (options->env != NULL)
		execvpe(options->argv[0], (char *const *)(gconstpointer)options->argv,
			(char *const *)(gconstpointer)options->env);
	else
		execvp(options->argv[0], (char *const *)(gconstpointer)options->argv);
	_exit(127);
}

static void drain_some(Drain *drain)
{
	char chunk[16384];
	ssize_t n = read(drain->fd, chunk, sizeof(chunk));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		autofd_close(&drain->fd);
		return;
	}
	size_t room = drain->max - MIN(drain->max, drain->kept->len);
	g_string_append_len(drain->kept, chunk, (gssize)MIN(room, (size_t)n));
	drain->truncated |= (size_t)n > room;
}

static void feed_some(int *fd, GBytes *input, size_t *done)
{
	size_t len = 0;
	const char *bytes = g_bytes_get_data(input, &len);
	ssize_t n = *done < len ? write(*fd, bytes + *done, len - *done) : 0;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0)
		*done += (size_t)n;
	if (n < 0 || *done == len)
		autofd_close(fd);
}

static int left_ms(int64_t deadline_us)
{
	if (deadline_us == 0)
		return -1;
	int64_t left = (deadline_us - g_get_monotonic_time()) / 1000;
	return (int)CLAMP(left, 0, 60000);
}

static bool pump(const SpawnOptions *options, int in, Drain *out, Drain *err, int64_t deadline_us)
{
	size_t fed = 0;

	while (out->fd >= 0 || err->fd >= 0) {
		struct pollfd fds[3] = {
			{out->fd, POLLIN, 0}, {err->fd, POLLIN, 0}, {in, POLLOUT, 0}};
		int n = poll(fds, 3, left_ms(deadline_us));
		if (deadline_us != 0 && g_get_monotonic_time() >= deadline_us) {
			autofd_close(&in);
			return false;
		}
		if (n <= 0)
			continue;
		if (fds[0].revents)
			drain_some(out);
		if (fds[1].revents)
			drain_some(err);
		if (fds[2].revents)
			feed_some(&in, options->input, &fed);
	}
	autofd_close(&in);
	return true;
}

static int open_input(const SpawnOptions *options, int *out_feed, GError **error)
{
	int fds[2];

	*out_feed = -1;
	if (options->input == NULL)
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (!make_pipe(fds, error))
		return -1;
	fcntl(fds[1], F_SETFL, O_NONBLOCK);
	*out_feed = fds[1];
	return fds[0];
}

static void reap(pid_t pid, bool kill_first, SpawnResult *result)
{
	int status = 0;

	if (kill_first)
		kill(-pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	result->timed_out = kill_first;
	result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	result->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool ignore_broken_pipe(void)
{
	/* A child that does not read its input must give us EPIPE, not a signal. */
	return signal(SIGPIPE, SIG_IGN) != SIG_ERR;
}

bool spawn_run(const SpawnOptions *options, SpawnResult *out_result, GError **error)
{
	int out[2] = {-1, -1}, err[2] = {-1, -1}, feed = -1;
	autofd int in = open_input(options, &feed, error);

	memset(out_result, 0, sizeof(*out_result));
	ignore_broken_pipe();
	if (in < 0 || !make_pipe(out, error))
		return false;
	if (!make_pipe(err, error)) {
		close(out[0]);
		close(out[1]);
		return false;
	}

	pid_t pid = fork();
	if (pid == 0)
		child_exec(options, in, out[1], err[1]);
	int fork_errno = errno;
	close(out[1]);
	close(err[1]);

	Drain drain_out = {out[0], g_string_new(NULL), options->max_output, false};
	Drain drain_err = {err[0], g_string_new(NULL), options->max_output, false};
	if (pid > 0) {
		int64_t deadline = options->timeout_ms == 0
					   ? 0
					   : g_get_monotonic_time() + options->timeout_ms * 1000;
		bool in_time = pump(options, feed, &drain_out, &drain_err, deadline);
		reap(pid, !in_time, out_result);
	}
	autofd_close(&drain_out.fd);
	autofd_close(&drain_err.fd);

	out_result->out_len = drain_out.kept->len;
	out_result->out = g_string_free(drain_out.kept, FALSE);
	out_result->err = g_string_free(drain_err.kept, FALSE);
	out_result->out_truncated = drain_out.truncated;
	if (pid < 0 || out_result->exit_code == 127) {
		bot_error_set_errno(error, pid < 0 ? fork_errno : ENOENT, "cannot start %s",
				    options->argv[0]);
		spawn_result_clear(out_result);
		return false;
	}
	return true;
}

void spawn_result_clear(SpawnResult *result)
{
	g_clear_pointer(&result->out, g_free);
	g_clear_pointer(&result->err, g_free);
}
