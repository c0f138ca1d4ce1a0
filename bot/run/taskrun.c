/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/run/taskrun.h"

#include "bot/base/autofd.h"
#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/run/outcome.h"
#include "bot/run/resultfile.h"
#include "bot/run/sandbox.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define LOG_MAX_BYTES (1024 * 1024)
#define STATUS_MAX_BYTES 4096
/* One time for both sides of a comparison, so that a date in a binary is no difference. */
#define SOURCE_DATE_EPOCH "1577836800"

/* The files of a task in the making. */
typedef struct {
	const Task *task;
	char *part_dir;
	char *values_path;
	char *out_path; /* build.tar, or the lines of parse */
	int input_fd;
	int out_fd;
	int log_fd;
	int status_fd;
} Files;

static void files_clear(Files *files)
{
	g_free(files->part_dir);
	g_free(files->values_path);
	g_free(files->out_path);
	autofd_close(&files->input_fd);
	autofd_close(&files->out_fd);
	autofd_close(&files->log_fd);
	autofd_close(&files->status_fd);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Files, files_clear)

static int create_file(const char *path, GError **error)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);

	if (fd < 0)
		bot_error_set_errno(error, errno, "cannot create %s", path);
	return fd;
}

static bool open_files(const Task *task, Files *files, GError **error)
{
	g_autofree char *log_path = NULL;

	files->task = task;
	files->part_dir = g_strconcat(task->result_dir, TASKRUN_PART_SUFFIX, NULL);
	files->values_path = g_build_filename(files->part_dir, "values", NULL);
	files->out_path = task->kind == TASK_BUILD
				  ? g_build_filename(files->part_dir, TASKRUN_BUILD_TAR, NULL)
				  : g_strdup(files->values_path);
	log_path = g_build_filename(files->part_dir, TASKRUN_LOG, NULL);
	if (!fs_remove_tree(files->part_dir, error) || !fs_make_dir(files->part_dir, 0755, error))
		return false;
	files->out_fd = create_file(files->out_path, error);
	if (files->out_fd < 0)
		return false;
	files->log_fd = create_file(log_path, error);
	if (files->log_fd < 0)
		return false;
	files->status_fd = memfd_create("status", MFD_CLOEXEC);
	if (files->status_fd < 0)
		bot_error_set_errno(error, errno, "memfd_create");
	return files->status_fd >= 0;
}

/* ---- the sandbox ---- */

static GPtrArray *new_environment(const Task *task, const TaskRunOptions *options)
{
	GPtrArray *env = g_ptr_array_new_with_free_func(g_free);
	static const char *const fixed[] = {
		"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
		"LC_ALL=C",
		"TZ=UTC",
		"HOME=/tmp",
		"TMPDIR=/tmp",
		"OUT=/box/out",
		("SOURCE_DATE_EPOCH=" SOURCE_DATE_EPOCH),
	};

	for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++)
		g_ptr_array_add(env, g_strdup(fixed[i]));
	g_ptr_array_add(env, g_strdup_printf("NPROC=%u", g_get_num_processors()));
	if (options->cpus != NULL)
		g_ptr_array_add(env, g_strdup_printf("PIN_CPUS=%s", options->cpus));
	for (guint i = 0; i < task->spec->params->len; i++) {
		const JobParam *param = g_ptr_array_index(task->spec->params, i);
		g_autofree char *name = jobspec_env_name(param->key);

		g_ptr_array_add(env, g_strdup_printf("%s=%s", name, param->value));
	}
	g_ptr_array_add(env, NULL);
	return env;
}

static bool run_sandbox(const Files *files, const TaskRunOptions *options, SandboxResult *result,
			GError **error)
{
	const Task *task = files->task;
	const Workload *workload = task->workload;
	bool is_build = task->kind == TASK_BUILD;
	g_autoptr(GPtrArray) env = new_environment(task, options);
	g_autofree char *scripts = fs_share_path("sandbox", NULL);
	const char *argv[] = {"/bin/sh", is_build ? "/scripts/build.sh" : "/scripts/run.sh", NULL};
	SandboxBind binds[] = {{scripts, "/scripts"}, {workload->dir, "/workload"}};
	SandboxOptions sandbox = {
		.argv = argv,
		.env = (const char *const *)env->pdata,
		.binds = binds,
		.n_binds = G_N_ELEMENTS(binds),
		.work_dir = "/box",
		.stdin_fd = files->input_fd,
		.stdout_fd = files->out_fd,
		.max_stdout_bytes = is_build ? workload->disk_bytes : RESULTFILE_MAX_BYTES,
		.log_fd = files->log_fd,
		.max_log_bytes = LOG_MAX_BYTES,
		.status_fd = files->status_fd,
		.max_status_bytes = STATUS_MAX_BYTES,
		.memory_bytes = workload->memory_bytes,
		.disk_bytes = workload->disk_bytes,
		.n_processes = workload->n_processes,
		.timeout_ms = is_build ? workload->build_timeout_ms : workload->run_timeout_ms,
		.uid = options->uid,
		.stop_fd = options->stop_fd,
	};

	return sandbox_run(&sandbox, result, error);
}

/* ---- what it means ---- */

static const char *known_step(const char *name)
{
	static const char *const steps[] = {"unpack", "prepare", "build", "pack", "run", "parse"};

	for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
		if (strcmp(name, steps[i]) == 0)
			return steps[i];
	}
	return NULL;
}

/*
 * "begin STEP" and "limit disk", one a line, from our script.  A stranger's code that finds the
 * script's descriptor can write there too; it then only says something untrue of its own run.
 */
static void read_status(int fd, const char **out_step, bool *out_disk_full)
{
	char text[STATUS_MAX_BYTES + 1] = "";
	ssize_t n = pread(fd, text, STATUS_MAX_BYTES, 0);

	*out_step = "";
	*out_disk_full = false;
	text[MAX(n, 0)] = '\0';
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line != NULL; line++) {
		const char *step = g_str_has_prefix(*line, "begin ") ? known_step(*line + 6) : NULL;

		if (step != NULL)
			*out_step = step;
		if (strcmp(*line, "limit disk") == 0)
			*out_disk_full = true;
	}
}

static char *format_mib(uint64_t bytes)
{
	return g_strdup_printf("%" G_GUINT64_FORMAT " MiB", (guint64)(bytes / (1024 * 1024)));
}

static void set_limit(TaskResult *result, const char *what, uint64_t bytes)
{
	g_autofree char *size = format_mib(bytes);

	result->outcome = TASK_LIMIT;
	result->detail = g_strdup_printf("%s (limit %s)", what, size);
}

static void judge(const Files *files, const SandboxResult *sandbox, TaskResult *result)
{
	const Workload *workload = files->task->workload;
	const char *step = "";
	bool disk_full = false;

	read_status(files->status_fd, &step, &disk_full);
	result->step = g_strdup(step);
	if (sandbox->timed_out) {
		result->outcome = TASK_TIMEOUT;
		result->detail = g_strdup_printf("not done after %.0f s", sandbox->elapsed_s);
	} else if (sandbox->output_limit) {
		set_limit(result, "too much output",
			  files->task->kind == TASK_BUILD ? workload->disk_bytes
							  : RESULTFILE_MAX_BYTES);
	} else if (sandbox->exit_code == 0) {
		result->outcome = TASK_OK;
	} else if (sandbox->memory_limit) {
		set_limit(result, "out of memory", workload->memory_bytes + workload->disk_bytes);
	} else if (disk_full) {
		set_limit(result, "disk full", workload->disk_bytes);
	} else if (sandbox->exit_code > 128) {
		result->outcome = TASK_FAILED;
		result->detail =
			g_strdup_printf("killed by signal %d (%s)", sandbox->exit_code - 128,
					g_strsignal(sandbox->exit_code - 128));
	} else {
		result->outcome = TASK_FAILED;
		result->detail = g_strdup_printf("exit status %d", sandbox->exit_code);
	}
}

/* A run without any of the metrics it was made for has measured nothing. */
static bool check_headline(const Workload *workload, const GPtrArray *values, GError **error)
{
	for (guint i = 0; i < workload->headline->len; i++) {
		const WorkloadMetric *metric = g_ptr_array_index(workload->headline, i);
		g_autofree char *key = g_strdup_printf("%s.%s", workload->testcase, metric->key);

		if (resultfile_find(values, key) != NULL)
			return true;
	}
	const WorkloadMetric *first = g_ptr_array_index(workload->headline, 0);
	g_set_error(error, BOT_ERROR, BOT_ERROR_PEER, "no value for %s", first->key);
	return false;
}

/* Lines of parse to stats.json; what they lack or break is the workload's failure, not ours. */
static bool store_values(const Files *files, TaskResult *result, GError **error)
{
	const Workload *workload = files->task->workload;
	g_autofree char *stats_path = g_build_filename(files->part_dir, TASKRUN_STATS, NULL);
	g_autoptr(GBytes) bytes = fs_read(files->values_path, RESULTFILE_MAX_BYTES, error);
	g_autoptr(GError) reason = NULL;
	gsize len;

	if (bytes == NULL)
		return false;
	const char *text = g_bytes_get_data(bytes, &len);
	g_autoptr(GPtrArray) values =
		resultfile_parse_lines(text != NULL ? text : "", len, workload->testcase, &reason);
	if (values == NULL || !check_headline(workload, values, &reason)) {
		result->outcome = TASK_FAILED;
		result->detail = g_strdup(reason->message);
		return true;
	}
	return resultfile_write(stats_path, values, error);
}

static void set_infra(TaskResult *result, const GError *reason)
{
	task_result_clear(result);
	result->outcome = TASK_INFRA;
	result->step = g_strdup("");
	result->detail = g_strndup(reason->message, 900);
}

/* ---- the folder ---- */

static void note_dropped(int log_fd, uint64_t n_dropped)
{
	if (n_dropped > 0)
		dprintf(log_fd, "\n[%" G_GUINT64_FORMAT " more bytes dropped]\n",
			(guint64)n_dropped);
}

static bool sync_fd(int fd, const char *what, GError **error)
{
	if (fsync(fd) == 0)
		return true;
	bot_error_set_errno(error, errno, "cannot sync %s", what);
	return false;
}

static bool publish(const Files *files, GError **error)
{
	const char *result_dir = files->task->result_dir;
	g_autofree char *parent = g_path_get_dirname(result_dir);
	autofd int parent_fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (rename(files->part_dir, result_dir) != 0) {
		bot_error_set_errno(error, errno, "cannot rename %s", files->part_dir);
		return false;
	}
	return sync_fd(parent_fd, parent, error);
}

static bool finish(const Files *files, TaskResult *result, GError **error)
{
	bool keep_tar = result->outcome == TASK_OK && files->task->kind == TASK_BUILD;
	g_autofree char *outcome_path = g_build_filename(files->part_dir, OUTCOME_FILE, NULL);

	if (result->detail == NULL)
		result->detail = g_strdup("");
	if (!keep_tar && unlink(files->out_path) != 0) {
		bot_error_set_errno(error, errno, "cannot remove %s", files->out_path);
		return false;
	}
	return sync_fd(files->log_fd, "the log", error) &&
	       (!keep_tar || sync_fd(files->out_fd, files->out_path, error)) &&
	       outcome_write(outcome_path, result, error) && publish(files, error);
}

static void keep_times(TaskResult *result, const SandboxResult *sandbox)
{
	result->elapsed_s = sandbox->elapsed_s;
	result->user_s = sandbox->user_s;
	result->system_s = sandbox->system_s;
	result->limited_by = g_strdup(sandbox->limited_by != NULL ? sandbox->limited_by : "rlimit");
}

static bool execute(Files *files, const TaskRunOptions *options, bool *out_stopped, GError **error)
{
	const Task *task = files->task;
	g_auto(TaskResult) result = {.outcome = TASK_INFRA};
	g_autoptr(GError) reason = NULL;
	SandboxResult sandbox = {.limited_by = NULL};

	files->input_fd = open(task->input_tar, O_RDONLY | O_CLOEXEC);
	if (files->input_fd < 0) {
		bot_error_set_errno(&reason, errno, "cannot open %s", task->input_tar);
		set_infra(&result, reason);
	} else if (!run_sandbox(files, options, &sandbox, &reason)) {
		set_infra(&result, reason);
	} else if (sandbox.stopped) {
		*out_stopped = true;
		return true;
	} else {
		judge(files, &sandbox, &result);
	}
	keep_times(&result, &sandbox);
	note_dropped(files->log_fd, sandbox.log_dropped);
	if (result.outcome == TASK_OK && task->kind == TASK_RUN &&
	    !store_values(files, &result, error))
		return false;
	return finish(files, &result, error);
}

bool taskrun_execute(const Task *task, const TaskRunOptions *options, bool *out_stopped,
		     GError **error)
{
	g_auto(Files) files = {.input_fd = -1, .out_fd = -1, .log_fd = -1, .status_fd = -1};

	*out_stopped = false;
	bool ok = open_files(task, &files, error) && execute(&files, options, out_stopped, error);
	if (!ok || *out_stopped) {
		g_autoptr(GError) reason = NULL;

		if (!fs_remove_tree(files.part_dir, &reason) && ok)
			g_propagate_error(error, g_steal_pointer(&reason));
		ok = ok && reason == NULL;
	}
	return ok;
}
