/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/run/sandbox.h"

#include "bot/base/autofd.h"
#include "bot/base/error.h"
#include "bot/run/cgroup.h"
#include "bot/run/launch.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define CHUNK_BYTES 65536
#define JSON_MAX_BYTES 4096
/* Of the log kept in memory too: bubblewrap's own complaint is its first line. */
#define COMPLAINT_MAX_BYTES 512
#define DEATH_TIMEOUT_MS 5000

/* What one sandbox needs while it runs. */
typedef struct {
	const SandboxOptions *options;
	SandboxResult *result;
	Launch launch;
	int init_pidfd; /* of the namespace's first process, -1 before bubblewrap has told us */
	bool killed;
	uint64_t n_out;
	uint64_t n_log;
	uint64_t n_status;
	GString *json;
	GString *complaint;
	int64_t start_us;
} Run;

static bool read_chunk(int *fd, char *chunk, size_t *out_len)
{
	ssize_t n = read(*fd, chunk, CHUNK_BYTES);

	*out_len = n > 0 ? (size_t)n : 0;
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		autofd_close(fd);
	return n > 0;
}

static bool write_whole(int fd, const char *bytes, size_t len, const char *what, GError **error)
{
	while (len > 0) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			bot_error_set_errno(error, errno, "cannot store the sandbox's %s", what);
			return false;
		}
		bytes += n;
		len -= (size_t)n;
	}
	return true;
}

/*
 * The namespace's first process takes everything in it along.  Before we know it, the outer process
 * is ours to kill and takes the first one along (--die-with-parent).
 */
static void kill_all(Run *run)
{
	run->killed = true;
	if (run->init_pidfd < 0 ||
	    syscall(SYS_pidfd_send_signal, run->init_pidfd, SIGKILL, NULL, 0) != 0)
		(void)kill(run->launch.pid, SIGKILL);
}

/* Keeps at most @max bytes of a stream whose first @n_seen have passed. */
static size_t room_left(uint64_t max, uint64_t n_seen, size_t len)
{
	return n_seen >= max ? 0 : (size_t)MIN((uint64_t)len, max - n_seen);
}

static bool pump_out(Run *run, GError **error)
{
	char chunk[CHUNK_BYTES];
	size_t len;

	if (!read_chunk(&run->launch.out_fd, chunk, &len))
		return true;
	size_t kept = room_left(run->options->max_stdout_bytes, run->n_out, len);
	run->n_out += len;
	if (kept < len && !run->killed) {
		run->result->output_limit = true;
		kill_all(run);
	}
	return write_whole(run->options->stdout_fd, chunk, kept, "output", error);
}

static bool pump_log(Run *run, GError **error)
{
	char chunk[CHUNK_BYTES];
	size_t len;

	if (!read_chunk(&run->launch.log_fd, chunk, &len))
		return true;
	if (run->complaint->len < COMPLAINT_MAX_BYTES)
		g_string_append_len(run->complaint, chunk,
				    (gssize)MIN(len, COMPLAINT_MAX_BYTES - run->complaint->len));
	if (run->options->log_fd < 0)
		return true;
	size_t kept = room_left(run->options->max_log_bytes, run->n_log, len);
	run->n_log += len;
	run->result->log_dropped += len - kept;
	return write_whole(run->options->log_fd, chunk, kept, "log", error);
}

static bool pump_status(Run *run, GError **error)
{
	char chunk[CHUNK_BYTES];
	size_t len;

	if (!read_chunk(&run->launch.status_fd, chunk, &len))
		return true;
	size_t kept = room_left(run->options->max_status_bytes, run->n_status, len);
	run->n_status += len;
	return write_whole(run->options->status_fd, chunk, kept, "status", error);
}

/* bubblewrap writes one JSON object a line: {"child-pid": 12, ...}, later {"exit-code": 0}. */
static bool find_number(const GString *json, const char *key, guint64 *out_number)
{
	g_autofree char *quoted = g_strdup_printf("\"%s\":", key);
	const char *at = strstr(json->str, quoted);

	if (at == NULL || strchr(at, '}') == NULL)
		return false;
	*out_number = g_ascii_strtoull(at + strlen(quoted), NULL, 10);
	return true;
}

/* The first process waits for our byte, so its number still means that process. */
static void open_init(Run *run)
{
	guint64 pid = 0;

	if (run->init_pidfd >= 0 || !find_number(run->json, "child-pid", &pid) || pid <= 1 ||
	    pid > G_MAXINT)
		return;
	run->init_pidfd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
	if (run->killed) {
		kill_all(run);
		return;
	}
	if (write(run->launch.go_fd, "g", 1) != 1)
		return; /* it has died already; its end is seen elsewhere */
	autofd_close(&run->launch.go_fd);
}

static void pump_json(Run *run)
{
	char chunk[CHUNK_BYTES];
	size_t len;

	if (!read_chunk(&run->launch.json_fd, chunk, &len))
		return;
	g_string_append_len(run->json, chunk,
			    (gssize)MIN(len, JSON_MAX_BYTES - MIN(run->json->len, JSON_MAX_BYTES)));
	open_init(run);
}

static bool pump(Run *run, const struct pollfd *fds, GError **error)
{
	if (fds[0].revents != 0)
		pump_json(run);
	return (fds[1].revents == 0 || pump_out(run, error)) &&
	       (fds[2].revents == 0 || pump_log(run, error)) &&
	       (fds[3].revents == 0 || pump_status(run, error));
}

static int time_left_ms(const Run *run)
{
	int64_t elapsed_ms = (g_get_monotonic_time() - run->start_us) / 1000;
	int64_t left = run->options->timeout_ms - elapsed_ms;

	return (int)CLAMP(left, 0, 1000 * 1000);
}

/* Why it must end now, if it must. */
static void check_end(Run *run, bool stop_requested)
{
	if (run->killed)
		return;
	run->result->stopped = stop_requested;
	run->result->timed_out = !stop_requested && time_left_ms(run) == 0;
	if (run->result->stopped || run->result->timed_out)
		kill_all(run);
}

/* Until the outer process has ended. */
static bool watch(Run *run, GError **error)
{
	int64_t killed_us = 0;

	for (;;) {
		struct pollfd fds[] = {
			{run->launch.json_fd, POLLIN, 0},
			{run->launch.out_fd, POLLIN, 0},
			{run->launch.log_fd, POLLIN, 0},
			{run->launch.status_fd, POLLIN, 0},
			{run->killed ? -1 : run->options->stop_fd, POLLIN, 0},
			{run->launch.pidfd, POLLIN, 0},
		};
		int timeout_ms = run->killed ? 100 : time_left_ms(run);

		if (poll(fds, G_N_ELEMENTS(fds), timeout_ms) < 0 && errno != EINTR) {
			bot_error_set_errno(error, errno, "poll");
			return false;
		}
		if (!pump(run, fds, error))
			return false;
		if (fds[5].revents != 0)
			return true;
		check_end(run, fds[4].revents != 0);
		if (run->killed && killed_us == 0)
			killed_us = g_get_monotonic_time();
		/* The outer process should have reaped the first one and gone by now. */
		if (killed_us != 0 &&
		    g_get_monotonic_time() - killed_us > DEATH_TIMEOUT_MS * 1000 / 2)
			(void)kill(run->launch.pid, SIGKILL);
	}
}

static bool reap(Run *run, int *out_status, GError **error)
{
	struct rusage usage;

	while (wait4(run->launch.pid, out_status, 0, &usage) < 0) {
		if (errno != EINTR) {
			bot_error_set_errno(error, errno, "waiting for the sandbox");
			return false;
		}
	}
	run->result->user_s = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6;
	run->result->system_s =
		(double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6;
	run->result->elapsed_s = (double)(g_get_monotonic_time() - run->start_us) / 1e6;
	return true;
}

/*
 * A process that is the first of a PID namespace counts as ended only when the kernel has killed
 * and reaped all others there, so this is the proof that none is left.
 */
static bool wait_for_death(Run *run, GError **error)
{
	struct pollfd fd = {run->init_pidfd, POLLIN, 0};

	if (run->init_pidfd < 0)
		return true;
	(void)syscall(SYS_pidfd_send_signal, run->init_pidfd, SIGKILL, NULL, 0);
	if (poll(&fd, 1, DEATH_TIMEOUT_MS) == 1)
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT,
		    "the sandbox's processes do not end %d s after SIGKILL (kernel or disk stuck?)",
		    DEATH_TIMEOUT_MS / 1000);
	return false;
}

/* All writers are dead: what is left in the pipes is finite. */
static bool drain(Run *run, GError **error)
{
	bool ok = true;

	while (run->launch.json_fd >= 0)
		pump_json(run);
	while (ok && run->launch.out_fd >= 0)
		ok = pump_out(run, error);
	while (ok && run->launch.log_fd >= 0)
		ok = pump_log(run, error);
	while (ok && run->launch.status_fd >= 0)
		ok = pump_status(run, error);
	return ok;
}

static bool check_launch(Run *run, GError **error)
{
	LaunchFailure failure;

	if (read(run->launch.error_fd, &failure, sizeof(failure)) != sizeof(failure))
		return true;
	bot_error_set_errno(error, failure.errnum, "sandbox: %s", launch_failure_text(&failure));
	return false;
}

/* bubblewrap tells an exit code only when argv did start. */
static bool settle(Run *run, int status, GError **error)
{
	guint64 exit_code = 0;

	if (!check_launch(run, error))
		return false;
	if (run->killed) {
		run->result->exit_code = -1;
		run->result->signal = SIGKILL;
		return true;
	}
	if (find_number(run->json, "exit-code", &exit_code)) {
		run->result->exit_code = (int)MIN(exit_code, 255);
		return true;
	}
	if (WIFSIGNALED(status) && run->result->memory_limit) {
		run->result->exit_code = 128 + WTERMSIG(status);
		return true;
	}
	g_strchomp(run->complaint->str);
	g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT,
		    "the sandbox does not start on this host: %s",
		    *run->complaint->str != '\0' ? run->complaint->str
						 : "bubblewrap ended without a word");
	return false;
}

static bool run_launched(Run *run, const Cgroup *cgroup, GError **error)
{
	g_autoptr(GError) first = NULL;
	int status = 0;

	if (!watch(run, &first)) {
		kill_all(run);
		/* The pipes are not read any more: no writer may wait for them. */
		(void)kill(run->launch.pid, SIGKILL);
	}
	bool ok = reap(run, &status, first == NULL ? &first : NULL) && first == NULL;
	if (run->launch.json_fd >= 0)
		pump_json(run);
	ok = wait_for_death(run, ok ? &first : NULL) && ok;
	run->result->memory_limit = cgroup != NULL && cgroup_hit_memory(cgroup);
	ok = ok && drain(run, &first) && settle(run, status, &first);
	if (!ok && first != NULL)
		g_propagate_error(error, g_steal_pointer(&first));
	return ok;
}

static void close_run(Run *run)
{
	launch_clear(&run->launch);
	autofd_close(&run->init_pidfd);
	g_string_free(run->json, TRUE);
	g_string_free(run->complaint, TRUE);
}

bool sandbox_run(const SandboxOptions *options, SandboxResult *out_result, GError **error)
{
	g_autoptr(Cgroup) cgroup = cgroup_new(&(CgroupLimits){
		options->memory_bytes + options->disk_bytes, options->n_processes + 3});
	Run run = {.options = options,
		   .result = out_result,
		   .init_pidfd = -1,
		   .json = g_string_new(NULL),
		   .complaint = g_string_new(NULL),
		   .start_us = g_get_monotonic_time()};

	*out_result =
		(SandboxResult){.limited_by = cgroup != NULL ? cgroup_kind(cgroup) : "rlimit"};
	bool ok = launch_start(options, cgroup, &run.launch, error) &&
		  run_launched(&run, cgroup, error);
	close_run(&run);
	return ok;
}

bool sandbox_probe(unsigned uid, const char **out_limited_by, GError **error)
{
	static const char *const argv[] = {"/usr/bin/true", NULL};
	SandboxResult result;
	SandboxOptions options = {.argv = argv,
				  .work_dir = "/box",
				  .stdin_fd = -1,
				  .stdout_fd = -1,
				  .log_fd = -1,
				  .status_fd = -1,
				  .memory_bytes = 64 * 1024 * 1024,
				  .disk_bytes = 8 * 1024 * 1024,
				  .n_processes = 4,
				  .timeout_ms = 10 * 1000,
				  .uid = uid,
				  .stop_fd = -1};

	if (!sandbox_run(&options, &result, error))
		return false;
	if (result.exit_code != 0) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT,
			    "true ended with status %d in a sandbox", result.exit_code);
		return false;
	}
	*out_limited_by = result.limited_by;
	return true;
}
