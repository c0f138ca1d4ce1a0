/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * engine_local - tasks on this machine, one at a time.
 *
 * submit forks a supervisor, which runs taskrun_execute() and exits; poll waits on its pidfd.  The
 * supervisor is told to stop by its end of a pipe closing, so it stops also when we die; the
 * parent-death signal is there for the case that it hangs.
 */

#include "bot/base/autofd.h"
#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/base/log.h"
#include "bot/run/cgroup.h"
#include "bot/run/engine_ops.h"
#include "bot/run/outcome.h"
#include "bot/run/taskrun.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define LOCK_FILE "engine.lock"
#define LOCK_RETRY_MS 100
#define STOP_TIMEOUT_MS 2500
#define STOP_INSIDE 3
#define MAX_WALK_DEPTH 4

typedef struct {
	char *result_dir;
	TaskKind kind;
	pid_t pid; /* of the supervisor, 0 when it has ended or was not needed */
	int pidfd;
	int stop_fd;   /* write end; closing it stops the task                     */
	int exit_code; /* of the supervisor                                        */
} Entry;

typedef struct {
	Engine base;
	unsigned uid;
	int stop_fd;
	char *root;          /* (nullable) */
	char *cpus;          /* (nullable) */
	GHashTable *entries; /* key -> Entry */
} LocalEngine;

static LocalEngine *local(Engine *engine)
{
	return (LocalEngine *)engine;
}

static void entry_free(Entry *entry)
{
	g_free(entry->result_dir);
	autofd_close(&entry->pidfd);
	autofd_close(&entry->stop_fd);
	g_free(entry);
}

static Engine *open_local(const EngineOptions *options, GError **error)
{
	(void)error;
	LocalEngine *engine = g_new0(LocalEngine, 1);

	engine->base.ops = &engine_local_ops;
	engine->uid = options->uid;
	engine->stop_fd = options->stop_fd;
	engine->root = g_strdup(options->root);
	engine->cpus = g_strdup(options->cpus);
	engine->entries =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)entry_free);
	return &engine->base;
}

/* ---- the supervisor ---- */

/* Its own process group: Ctrl-C at a terminal is for the parent to act on. */
static bool detach(pid_t parent)
{
	sigset_t none;

	sigemptyset(&none);
	for (int signum = 1; signum < NSIG; signum++)
		(void)signal(signum, SIG_DFL);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)setpgid(0, 0);
	return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
}

/* Sockets and databases of the parent are not ours to hold open. */
static bool keep_only(int stop_fd)
{
	return dup2(stop_fd, STOP_INSIDE) == STOP_INSIDE &&
	       fcntl(STOP_INSIDE, F_SETFD, FD_CLOEXEC) == 0 &&
	       syscall(SYS_close_range, STOP_INSIDE + 1U, ~0U, 0) == 0;
}

/* The build stage and the run stage are two processes; a build beside a benchmark would be
 * measured. */
static bool take_turn(const char *root, int stop_fd, int *out_lock_fd, bool *out_stopped,
		      GError **error)
{
	g_autofree char *path = g_build_filename(root, LOCK_FILE, NULL);
	autofd int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct pollfd stop = {stop_fd, POLLIN, 0};

	if (fd < 0) {
		bot_error_set_errno(error, errno, "cannot open %s", path);
		return false;
	}
	*out_stopped = false;
	while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno != EWOULDBLOCK && errno != EINTR) {
			bot_error_set_errno(error, errno, "cannot lock %s", path);
			return false;
		}
		if (poll(&stop, 1, LOCK_RETRY_MS) > 0) {
			*out_stopped = true;
			return true;
		}
	}
	*out_lock_fd = autofd_steal(&fd);
	return true;
}

static bool supervise_task(const LocalEngine *engine, const Task *task, GError **error)
{
	TaskRunOptions options = {.uid = engine->uid, .cpus = engine->cpus, .stop_fd = STOP_INSIDE};
	autofd int lock_fd = -1;
	bool stopped = false;

	if (engine->root != NULL &&
	    !take_turn(engine->root, STOP_INSIDE, &lock_fd, &stopped, error))
		return false;
	return stopped || taskrun_execute(task, &options, &stopped, error);
}

static G_GNUC_NORETURN void supervise(const LocalEngine *engine, const Task *task, int stop_fd,
				      pid_t parent)
{
	g_autoptr(GError) error = NULL;

	if (!detach(parent) || !keep_only(stop_fd))
		_exit(2);
	if (supervise_task(engine, task, &error))
		_exit(0);
	log_error("run.failed", "task %s: %s", task->key, error->message);
	_exit(error->code == BOT_ERROR_TRANSIENT ? 75 : 1);
}

/* ---- in the caller ---- */

static Entry *find_entry(LocalEngine *engine, const char *key)
{
	return g_hash_table_lookup(engine->entries, key);
}

static bool is_running(const Entry *entry)
{
	return entry->pid > 0;
}

/* Has the supervisor ended?  Waits up to @timeout_ms; @stop_fd -1 or a reason to stop waiting. */
static bool wait_for_end(Entry *entry, int timeout_ms, int stop_fd, bool *out_stop)
{
	struct pollfd fds[] = {{entry->pidfd, POLLIN, 0}, {stop_fd, POLLIN, 0}};
	int64_t end_us = g_get_monotonic_time() + (int64_t)timeout_ms * 1000;
	int left_ms = timeout_ms;
	int status = 0;

	while (poll(fds, G_N_ELEMENTS(fds), left_ms) < 0 && errno == EINTR) {
		if (timeout_ms >= 0)
			left_ms = (int)MAX((end_us - g_get_monotonic_time()) / 1000, 0);
	}
	*out_stop = fds[1].revents != 0;
	if (fds[0].revents == 0)
		return false;
	while (waitpid(entry->pid, &status, 0) < 0 && errno == EINTR)
		;
	entry->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	entry->pid = 0;
	return true;
}

static bool has_payload(const Entry *entry)
{
	g_autofree char *path = g_build_filename(
		entry->result_dir, entry->kind == TASK_BUILD ? TASKRUN_BUILD_TAR : TASKRUN_STATS,
		NULL);

	return g_file_test(path, G_FILE_TEST_IS_REGULAR);
}

/* A result from before: @out_complete says whether it stands. */
static bool look_at_result(const Entry *entry, bool *out_complete, GError **error)
{
	g_autofree char *path = g_build_filename(entry->result_dir, OUTCOME_FILE, NULL);
	g_autoptr(GError) reason = NULL;
	g_auto(TaskResult) result = {.outcome = TASK_INFRA};

	*out_complete = false;
	if (!g_file_test(entry->result_dir, G_FILE_TEST_EXISTS))
		return true;
	if (!outcome_read(path, &result, &reason) ||
	    (result.outcome == TASK_OK && !has_payload(entry))) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CORRUPT,
			    "%s holds no whole result%s%s; remove it to have the task run again",
			    entry->result_dir, reason != NULL ? ": " : "",
			    reason != NULL ? reason->message : "");
		return false;
	}
	*out_complete = result.outcome != TASK_INFRA;
	return *out_complete || fs_remove_tree(entry->result_dir, error);
}

static bool check_idle(const LocalEngine *engine, GError **error)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, engine->entries);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		if (is_running(value)) {
			g_set_error_literal(
				error, BOT_ERROR, BOT_ERROR_TRANSIENT,
				"the local engine runs one task at a time; wait for its "
				"end");
			return false;
		}
	}
	return true;
}

static bool fork_supervisor(const LocalEngine *engine, const Task *task, Entry *entry,
			    GError **error)
{
	int ends[2];
	pid_t parent = getpid();

	if (pipe2(ends, O_CLOEXEC) != 0) {
		bot_error_set_errno(error, errno, "cannot make a pipe for the supervisor");
		return false;
	}
	autofd int stop_read = ends[0];
	entry->stop_fd = ends[1];
	entry->pid = fork();
	if (entry->pid == 0)
		supervise(engine, task, stop_read, parent);
	if (entry->pid < 0) {
		entry->pid = 0;
		bot_error_set_errno(error, EAGAIN, "cannot fork a supervisor");
		return false;
	}
	entry->pidfd = (int)syscall(SYS_pidfd_open, entry->pid, 0);
	if (entry->pidfd >= 0)
		return true;
	bot_error_set_errno(error, errno, "pidfd_open (Linux 5.3 or later is needed)");
	(void)kill(entry->pid, SIGKILL);
	while (waitpid(entry->pid, NULL, 0) < 0 && errno == EINTR)
		;
	return false;
}

static bool submit_local(Engine *engine, const Task *task, GError **error)
{
	Entry *old = find_entry(local(engine), task->key);
	bool complete = false;

	if (old != NULL && is_running(old))
		return true;
	if (!check_idle(local(engine), error))
		return false;

	Entry *entry = g_new0(Entry, 1);
	entry->result_dir = g_strdup(task->result_dir);
	entry->kind = task->kind;
	entry->pidfd = -1;
	entry->stop_fd = -1;
	if (!look_at_result(entry, &complete, error) ||
	    (!complete && !fork_supervisor(local(engine), task, entry, error))) {
		entry_free(entry);
		return false;
	}
	g_hash_table_replace(local(engine)->entries, g_strdup(task->key), entry);
	return true;
}

static bool cancel_local(Engine *engine, const char *key, GError **error)
{
	Entry *entry = find_entry(local(engine), key);
	bool stop = false;

	if (entry == NULL || !is_running(entry))
		return true;
	autofd_close(&entry->stop_fd);
	if (!wait_for_end(entry, STOP_TIMEOUT_MS, -1, &stop)) {
		(void)kill(entry->pid, SIGKILL);
		(void)wait_for_end(entry, -1, -1, &stop);
	}
	g_autofree char *part = g_strconcat(entry->result_dir, TASKRUN_PART_SUFFIX, NULL);
	g_hash_table_remove(local(engine)->entries, key);
	return fs_remove_tree(part, error);
}

static bool poll_local(Engine *engine, const char *key, int timeout_ms, TaskState *out_state,
		       GError **error)
{
	(void)error;
	Entry *entry = find_entry(local(engine), key);
	bool stop = false;

	*out_state = entry == NULL ? TASK_STATE_UNKNOWN : TASK_STATE_DONE;
	if (entry == NULL || !is_running(entry))
		return true;
	if (!wait_for_end(entry, timeout_ms, local(engine)->stop_fd, &stop))
		*out_state = TASK_STATE_RUNNING;
	return true;
}

/* The supervisor has said why in the log. */
static void set_lost(const Entry *entry, TaskResult *out_result)
{
	*out_result = (TaskResult){
		.outcome = TASK_INFRA,
		.step = g_strdup(""),
		.detail = g_strdup_printf("the task's supervisor ended with status %d and left no "
					  "result",
					  entry->exit_code),
		.limited_by = g_strdup(""),
	};
}

static bool collect_local(Engine *engine, const char *key, TaskResult *out_result, GError **error)
{
	const Entry *entry = find_entry(local(engine), key);

	if (entry == NULL || is_running(entry)) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND, "task %s is not done", key);
		return false;
	}
	if (!g_file_test(entry->result_dir, G_FILE_TEST_EXISTS)) {
		set_lost(entry, out_result);
		return true;
	}
	g_autofree char *path = g_build_filename(entry->result_dir, OUTCOME_FILE, NULL);
	return outcome_read(path, out_result, error);
}

static bool remove_parts(const char *dir, unsigned depth, GError **error)
{
	g_autoptr(GDir) handle = g_dir_open(dir, 0, NULL);
	const char *name;

	while (handle != NULL && (name = g_dir_read_name(handle)) != NULL) {
		g_autofree char *path = g_build_filename(dir, name, NULL);
		bool is_dir = g_file_test(path, G_FILE_TEST_IS_DIR) &&
			      !g_file_test(path, G_FILE_TEST_IS_SYMLINK);

		if (is_dir && g_str_has_suffix(name, TASKRUN_PART_SUFFIX)) {
			if (!fs_remove_tree(path, error))
				return false;
		} else if (is_dir && depth < MAX_WALK_DEPTH &&
			   !remove_parts(path, depth + 1, error)) {
			return false;
		}
	}
	return true;
}

/* Half-done folders may be another process's work in progress: only who has the turn may clean. */
static bool reconcile_local(Engine *engine, GError **error)
{
	const char *root = local(engine)->root;
	autofd int lock_fd = -1;
	unsigned n_groups = cgroup_sweep();

	if (n_groups > 0)
		log_warning("run.swept", "removed %u control groups that a killed process left",
			    n_groups);
	if (root == NULL)
		return true;
	g_autofree char *path = g_build_filename(root, LOCK_FILE, NULL);
	lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (lock_fd < 0) {
		bot_error_set_errno(error, errno, "cannot open %s", path);
		return false;
	}
	if (flock(lock_fd, LOCK_EX | LOCK_NB) != 0)
		return true;
	return remove_parts(root, 0, error);
}

static void close_local(Engine *engine)
{
	g_autoptr(GList) keys = g_hash_table_get_keys(local(engine)->entries);

	for (const GList *key = keys; key != NULL; key = key->next) {
		g_autofree char *name = g_strdup(key->data);
		g_autoptr(GError) error = NULL;

		if (!cancel_local(engine, name, &error))
			log_warning("run.cancel_failed", "task %s: %s", name, error->message);
	}
	g_hash_table_unref(local(engine)->entries);
	g_free(local(engine)->root);
	g_free(local(engine)->cpus);
	g_free(engine);
}

const EngineOps engine_local_ops = {
	.name = "local",
	.open = open_local,
	.submit = submit_local,
	.poll = poll_local,
	.cancel = cancel_local,
	.collect = collect_local,
	.reconcile = reconcile_local,
	.close = close_local,
};
