/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/daemon/serve.h"

#include "bot/base/autofd.h"
#include "bot/base/backoff.h"
#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/base/log.h"
#include "bot/stage/stage.h"
#include "bot/stage/suite.h"
#include "bot/store/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of the 5 seconds a stop may take, what the stages have; the rest is for reaping them. */
#define GRACE_US (3500 * (G_USEC_PER_SEC / 1000))

/* A supervisor that waits for a writer hears no signal: better show a state later. */
#define STORE_PATIENCE_MS 200
#define SAVE_AGAIN_MS 1000

typedef struct {
	char *name;          /* "understand", "intake lab"                                       */
	GPtrArray *argv;     /* NULL-terminated                                                  */
	pid_t pid;           /* 0: not running                                                   */
	int pid_fd;          /* readable when it ended; -1                                       */
	int64_t started_us;  /* monotonic                                                        */
	int64_t start_at_us; /* when to start it again                                           */
	unsigned failures;
	char *reason; /* how it ended last; NULL                                          */
	bool unsaved; /* the store does not show this state yet                           */
} Child;

#define EXIT_CONFIG 78

static void child_free(gpointer data)
{
	Child *child = data;

	autofd_close(&child->pid_fd);
	g_ptr_array_unref(child->argv);
	g_free(child->name);
	g_free(child->reason);
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

static bool is_readable(int fd)
{
	struct pollfd poll_fd = {fd, POLLIN, 0};
	return poll(&poll_fd, 1, 0) > 0;
}

static bool save_state(const ServeOptions *options, const Child *child, GError **error)
{
	int64_t left_us = child->start_at_us - g_get_monotonic_time();
	bool waits = child->pid == 0 && child->start_at_us > 0;
	StoredProcess process = {
		.name = child->name,
		.pid = child->pid,
		.failures = child->failures,
		.reason = child->reason,
		.next_try_us = waits ? clock_now_us(db_clock(options->db)) + left_us : 0,
	};

	return processes_save(options->db, &process, error);
}

/*
 * Only for the operator's eyes: a store that cannot be written now must neither stop nor delay the
 * supervisor.  Returns false when some are left to be saved.
 */
static bool save_states(const ServeOptions *options, const GPtrArray *children)
{
	for (guint i = 0; i < children->len; i++) {
		Child *child = children->pdata[i];
		g_autoptr(GError) failed = NULL;

		if (!child->unsaved)
			continue;
		if (is_readable(options->stop_fd))
			return false;
		if (!save_state(options, child, &failed)) {
			log_debug("serve.not_shown", "%s: %s", child->name, failed->message);
			return false;
		}
		child->unsaved = false;
	}
	return true;
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
	child->unsaved = true;
	return true;
}

static char *describe_end(int status)
{
	return WIFSIGNALED(status) ? g_strdup_printf("was killed by signal %d", WTERMSIG(status))
				   : g_strdup_printf("ended with status %d", WEXITSTATUS(status));
}

/* What the child has found in the files by now; its own message stands in the log. */
static void explain_config(const ServeOptions *options, const Child *child, GError **error)
{
	g_autoptr(GError) why = NULL;
	g_autoptr(Config) config = config_load(options->config_path, &why);

	if (config != NULL && suite_check_all(config, &why))
		g_set_error(&why, BOT_ERROR, BOT_ERROR_CONFIG,
			    "the configuration is at fault, the log says where; correct %s and "
			    "start serve again",
			    options->config_path);
	g_propagate_prefixed_error(error, g_steal_pointer(&why), "%s %s: ", child->name,
				   child->reason);
}

/* False when the child ended over the configuration: it would do so for ever. */
static bool reap_child(const ServeOptions *options, Child *child, GRand *random, GError **error)
{
	int status = 0;

	if (child->pid == 0 || waitpid(child->pid, &status, WNOHANG) != child->pid)
		return true;
	int64_t now = g_get_monotonic_time();
	bool config = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_CONFIG;
	g_free(child->reason);
	child->reason = describe_end(status);
	log_warning("serve.child_ended", "%s %s", child->name, child->reason);
	if (now - child->started_us > SERVE_HEALTHY_US)
		child->failures = 0;
	child->pid = 0;
	autofd_close(&child->pid_fd);
	child->failures++;
	child->start_at_us = config ? 0 : now + backoff_delay_ms(child->failures, random) * 1000;
	child->unsaved = true;
	if (config)
		explain_config(options, child, error);
	return !config;
}

static bool reap_all(const ServeOptions *options, const GPtrArray *children, GRand *random,
		     GError **error)
{
	for (guint i = 0; i < children->len; i++) {
		if (!reap_child(options, children->pdata[i], random, error))
			return false;
	}
	return true;
}

/* @out_wait_ms: until the next start that is due. */
static bool start_due(const ServeOptions *options, const GPtrArray *children, int *out_wait_ms,
		      GError **error)
{
	int64_t now = g_get_monotonic_time();

	*out_wait_ms = 60000;
	for (guint i = 0; i < children->len && !is_readable(options->stop_fd); i++) {
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

/* Of the open file, so that asking after it neither takes nor loses it. */
static struct flock whole_file(void)
{
	return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
}

static char *lock_path(const char *state_dir)
{
	return g_build_filename(state_dir, "run", "serve.lock", NULL);
}

bool serve_is_running(const char *state_dir)
{
	g_autofree char *path = lock_path(state_dir);
	struct flock lock = whole_file();
	autofd int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

	return fd >= 0 && fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* Only for who asks status: that a file which was edited is not yet in use. */
static char *config_note_path(const char *state_dir)
{
	return g_build_filename(state_dir, "run", "serve.config", NULL);
}

static void note_config(const Config *config)
{
	g_autofree char *path = config_note_path(config->bot.state_dir);
	g_autofree char *hash = config_hash(config);
	g_autoptr(GError) failed = NULL;

	if (!g_file_set_contents(path, hash, -1, &failed))
		log_debug("serve.not_shown", "%s", failed->message);
}

bool serve_began_with(const char *state_dir, const Config *config)
{
	g_autofree char *path = config_note_path(state_dir);
	g_autofree char *hash = config_hash(config);
	g_autofree char *began = NULL;

	return !g_file_get_contents(path, &began, NULL, NULL) || strcmp(began, hash) == 0;
}

static int take_lock(const char *state_dir, GError **error)
{
	g_autofree char *dir = g_build_filename(state_dir, "run", NULL);
	g_autofree char *path = lock_path(state_dir);
	struct flock lock = whole_file();

	if (!fs_make_dir(dir, 0700, error))
		return -1;
	autofd int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0) {
		bot_error_set_errno(error, errno, "cannot open %s", path);
		return -1;
	}
	if (fcntl(fd, F_OFD_SETLK, &lock) != 0) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT,
			    "another `lorebot serve` holds %s; stop it first", path);
		return -1;
	}
	return autofd_steal(&fd);
}

static bool supervise(const ServeOptions *options, const GPtrArray *children, GError **error)
{
	g_autoptr(GRand) random = g_rand_new();

	while (!is_readable(options->stop_fd)) {
		int wait_ms = 0;
		if (!start_due(options, children, &wait_ms, error))
			return false;
		if (!save_states(options, children))
			wait_ms = MIN(wait_ms, SAVE_AGAIN_MS);
		wait_for_event(children, options->stop_fd, wait_ms);
		if (!reap_all(options, children, random, error))
			return false;
	}
	return true;
}

bool serve_run(const ServeOptions *options, GError **error)
{
	autofd int lock = take_lock(options->config->bot.state_dir, error);
	if (lock < 0 || !processes_clear(options->db, error))
		return false;

	note_config(options->config);
	g_autoptr(GPtrArray) children = make_children(options);
	log_info("serve.up", "%u processes for %u sources", children->len,
		 options->config->sources->len);
	db_set_patience(options->db, STORE_PATIENCE_MS);
	bool ok = supervise(options, children, error);
	stop_children(children);
	/* Why it went down, for who asks status now. */
	if (!ok)
		(void)save_states(options, children);
	log_info("serve.down", "all stages have stopped");
	return ok;
}
