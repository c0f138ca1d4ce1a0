/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/run/engine.h"
#include "bot/run/resultfile.h"
#include "tests/unit/check_main.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define SANDBOX_UID (60000 + (unsigned)getpid() % 5000)

/* A result root, a workload made for one test, an engine. */
typedef struct {
	char *root;
	char *result_dir;
	char *source_tar;
	Workload *workload;
	GPtrArray *specs;
	Engine *engine;
	int stop[2];
	Task task;
} Lab;

static void put(const char *dir, const char *name, const char *text, mode_t mode)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);

	ck_assert(g_file_set_contents(path, text, -1, NULL));
	ck_assert_int_eq(chmod(path, mode), 0);
}

static char *put_script(const char *text)
{
	return g_strdup_printf("#!/bin/sh\n%s\n", text);
}

static void make_tar(const char *dir, const char *tar)
{
	const char *argv[] = {"tar", "-cf", tar, "-C", dir, ".", NULL};
	int status = -1;

	ck_assert(g_spawn_sync(NULL, (char **)(gpointer)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
			       NULL, NULL, &status, NULL));
	ck_assert_int_eq(status, 0);
}

static void open_engine(Lab *lab)
{
	g_autoptr(GError) error = NULL;
	EngineOptions options = {.uid = SANDBOX_UID, .stop_fd = lab->stop[0], .root = lab->root};

	lab->engine = engine_open("local", &options, &error);
	ck_assert_ptr_nonnull(lab->engine);
}

static void lab_init(Lab *lab, TaskKind kind, const char *build, const char *run)
{
	g_autoptr(GError) error = NULL;
	static const char job[] = "testcase: probe\ngreeting: two words\nnr-words: 5\n";

	*lab = (Lab){.root = g_dir_make_tmp("lorebot-XXXXXX", NULL)};
	g_autofree char *dir = g_build_filename(lab->root, "probe", NULL);
	g_autofree char *source = g_build_filename(lab->root, "source", NULL);
	g_autofree char *build_script = put_script(build);
	g_autofree char *run_script = put_script(run);
	ck_assert_int_eq(mkdir(dir, 0755), 0);
	ck_assert_int_eq(mkdir(source, 0755), 0);
	put(dir, "workload.yaml",
	    "description: a probe\nmetrics:\n  - {key: speed, unit: m/s, direction: higher}\n"
	    "limits: {memory: 64M, disk: 16M, processes: 16, build_seconds: 10, run_seconds: 10}\n",
	    0644);
	put(dir, "build", build_script, 0755);
	put(dir, "run", run_script, 0755);
	put(dir, "parse", "#!/bin/sh\ncat\n", 0755);
	put(source, "hello.txt", "hello\n", 0644);
	lab->source_tar = g_build_filename(lab->root, "source.tar", NULL);
	make_tar(source, lab->source_tar);
	lab->workload = workload_load(dir, &error);
	ck_assert_msg(lab->workload != NULL, "%s", error != NULL ? error->message : "");
	lab->specs = jobspec_parse(job, strlen(job), "job", NULL);
	lab->result_dir = g_build_filename(lab->root, "results", "k", NULL);
	ck_assert_int_eq(pipe(lab->stop), 0);
	open_engine(lab);
	lab->task = (Task){kind,
			   "0123abcd",
			   lab->workload,
			   g_ptr_array_index(lab->specs, 0),
			   lab->source_tar,
			   lab->result_dir};
}

static void lab_clear(Lab *lab)
{
	engine_close(lab->engine);
	workload_free(lab->workload);
	g_ptr_array_unref(lab->specs);
	ck_assert(fs_remove_tree(lab->root, NULL));
	close(lab->stop[0]);
	close(lab->stop[1]);
	g_free(lab->root);
	g_free(lab->result_dir);
	g_free(lab->source_tar);
}

static void submit(Lab *lab)
{
	g_autoptr(GError) error = NULL;
	bool ok = engine_submit(lab->engine, &lab->task, &error);

	ck_assert_msg(ok, "%s", error != NULL ? error->message : "");
}

static TaskState wait_end(Lab *lab, int timeout_ms)
{
	TaskState state = TASK_STATE_UNKNOWN;

	ck_assert(engine_poll(lab->engine, lab->task.key, timeout_ms, &state, NULL));
	return state;
}

static TaskResult finish(Lab *lab)
{
	g_autoptr(GError) error = NULL;
	TaskResult result = {.outcome = TASK_INFRA};

	submit(lab);
	ck_assert_int_eq(wait_end(lab, 30000), TASK_STATE_DONE);
	bool ok = engine_collect(lab->engine, lab->task.key, &result, &error);
	ck_assert_msg(ok, "%s", error != NULL ? error->message : "");
	return result;
}

static bool has_file(const Lab *lab, const char *name)
{
	g_autofree char *path = g_build_filename(lab->result_dir, name, NULL);

	return g_file_test(path, G_FILE_TEST_EXISTS);
}

static char *read_file(const Lab *lab, const char *name)
{
	g_autofree char *path = g_build_filename(lab->result_dir, name, NULL);
	char *text = NULL;

	ck_assert(g_file_get_contents(path, &text, NULL, NULL));
	return text;
}

static bool part_is_left(const Lab *lab)
{
	g_autofree char *part = g_strconcat(lab->result_dir, ".part", NULL);

	return g_file_test(part, G_FILE_TEST_EXISTS);
}

static void assert_ends(const TaskResult *result, TaskOutcome outcome, const char *step,
			const char *detail)
{
	ck_assert_msg(result->outcome == outcome, "%s in %s: %s",
		      task_outcome_name(result->outcome), result->step, result->detail);
	ck_assert_str_eq(result->step, step);
	ck_assert_msg(strstr(result->detail, detail) != NULL, "%s", result->detail);
}

START_TEST(a_build_and_a_run_make_a_stats_file)
{
	Lab lab;
	lab_init(&lab, TASK_BUILD, "test \"$greeting\" = 'two words' && cp hello.txt $OUT",
		 "echo \"speed: 4$nr_words\"; cat hello.txt >&2");
	g_auto(TaskResult) built = finish(&lab);
	assert_ends(&built, TASK_OK, "pack", "");
	g_autofree char *tar = g_build_filename(lab.result_dir, "build.tar", NULL);
	g_autofree char *run_dir = g_build_filename(lab.root, "results", "r", NULL);
	lab.task.kind = TASK_RUN;
	lab.task.key = "beef";
	lab.task.input_tar = tar;
	lab.task.result_dir = run_dir;

	g_auto(TaskResult) result = finish(&lab);

	assert_ends(&result, TASK_OK, "parse", "");
	g_autofree char *stats = g_build_filename(run_dir, "stats.json", NULL);
	g_autoptr(GPtrArray) values = resultfile_read(stats, NULL);
	ck_assert_ptr_nonnull(values);
	ck_assert_double_eq(resultfile_find(values, "probe.speed")->value, 45);
	g_autofree char *log_path = g_build_filename(run_dir, "log", NULL);
	g_autofree char *log = NULL;
	ck_assert(g_file_get_contents(log_path, &log, NULL, NULL));
	ck_assert_str_eq(log, "hello\nspeed: 45\n");
	ck_assert_str_ne(result.limited_by, "");
	lab_clear(&lab);
}
END_TEST

START_TEST(a_failing_step_is_named_with_its_status)
{
	Lab lab;
	lab_init(&lab, TASK_BUILD, "echo 'no rule' >&2; exit 2", "true");

	g_auto(TaskResult) result = finish(&lab);

	assert_ends(&result, TASK_FAILED, "build", "exit status 2");
	g_autofree char *log = read_file(&lab, "log");
	ck_assert_str_eq(log, "no rule\n");
	ck_assert(!has_file(&lab, "build.tar"));
	lab_clear(&lab);
}
END_TEST

START_TEST(a_failing_prepare_is_named)
{
	Lab lab;
	lab_init(&lab, TASK_BUILD, "true", "true");
	put(lab.workload->dir, "prepare", "#!/bin/sh\nexit 5\n", 0755);

	g_auto(TaskResult) result = finish(&lab);

	assert_ends(&result, TASK_FAILED, "prepare", "exit status 5");
	lab_clear(&lab);
}
END_TEST

START_TEST(a_crash_is_told_by_its_signal)
{
	Lab lab;
	lab_init(&lab, TASK_RUN, "true", "kill -SEGV $$");

	g_auto(TaskResult) result = finish(&lab);

	assert_ends(&result, TASK_FAILED, "run", "signal 11");
	lab_clear(&lab);
}
END_TEST

START_TEST(a_run_that_hangs_is_a_timeout)
{
	Lab lab;
	lab_init(&lab, TASK_RUN, "true", "trap '' TERM; setsid sleep 1000 & sleep 1000");
	lab.workload->run_timeout_ms = 1000;

	g_auto(TaskResult) result = finish(&lab);

	assert_ends(&result, TASK_TIMEOUT, "run", "not done after");
	lab_clear(&lab);
}
END_TEST

START_TEST(a_run_that_fills_its_disk_is_a_limit)
{
	Lab lab;
	lab_init(&lab, TASK_RUN, "true", "exec dd if=/dev/zero of=fill bs=1M");

	g_auto(TaskResult) result = finish(&lab);

	assert_ends(&result, TASK_LIMIT, "run", "disk full (limit 16 MiB)");
	lab_clear(&lab);
}
END_TEST

START_TEST(a_build_larger_than_its_disk_is_a_limit)
{
	Lab lab;
	/* A sparse file takes no room inside, and would take a lot of it outside. */
	lab_init(&lab, TASK_BUILD,
		 "ulimit -f unlimited; truncate -s 15M $OUT/a; cp $OUT/a $OUT/b;"
		 "truncate -s 15M $OUT/c",
		 "true");

	g_auto(TaskResult) result = finish(&lab);

	assert_ends(&result, TASK_LIMIT, "pack", "too much output");
	ck_assert(!has_file(&lab, "build.tar"));
	lab_clear(&lab);
}
END_TEST

START_TEST(a_build_tar_that_is_a_bomb_fails_to_unpack)
{
	Lab lab;
	lab_init(&lab, TASK_RUN, "true", "true");
	g_autofree char *big = g_build_filename(lab.root, "source", "big", NULL);
	int fd = open(big, O_WRONLY | O_CREAT, 0644);
	ck_assert_int_eq(ftruncate(fd, 100 * 1024 * 1024), 0);
	close(fd);
	g_autofree char *source = g_build_filename(lab.root, "source", NULL);
	make_tar(source, lab.source_tar);

	g_auto(TaskResult) result = finish(&lab);

	ck_assert_str_eq(result.step, "unpack");
	ck_assert_int_ne(result.outcome, TASK_OK);
	lab_clear(&lab);
}
END_TEST

START_TEST(tricks_with_links_in_a_tar_touch_nothing_outside)
{
	Lab lab;
	lab_init(&lab, TASK_RUN, "true", "true");
	g_autofree char *source = g_build_filename(lab.root, "source", NULL);
	g_autofree char *link = g_build_filename(source, "etc", NULL);
	g_autofree char *target = g_build_filename(lab.root, "target", NULL);
	ck_assert_int_eq(mkdir(target, 0777), 0);
	ck_assert_int_eq(chmod(target, 0777), 0);
	ck_assert_int_eq(symlink(target, link), 0);
	/* The archive holds the link first, then a file that goes through it. */
	g_autofree char *script = g_strdup_printf(
		"cd %s && tar -cf ../source.tar etc && rm etc && mkdir etc && echo x > etc/planted "
		"&& tar -rf ../source.tar etc/planted && tar -Prf ../source.tar "
		"../source/hello.txt",
		source);
	const char *argv[] = {"sh", "-c", script, NULL};
	int status = -1;
	ck_assert(g_spawn_sync(NULL, (char **)(gpointer)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
			       NULL, NULL, &status, NULL));
	ck_assert_int_eq(status, 0);

	g_auto(TaskResult) result = finish(&lab);

	g_autofree char *planted = g_build_filename(target, "planted", NULL);
	ck_assert(!g_file_test(planted, G_FILE_TEST_EXISTS));
	ck_assert_int_ne(result.outcome, TASK_OK);
	lab_clear(&lab);
}
END_TEST

START_TEST(a_device_in_a_tar_fails_to_unpack)
{
	Lab lab;
	lab_init(&lab, TASK_RUN, "true", "echo 'speed: 1'");
	g_autofree char *source = g_build_filename(lab.root, "source", NULL);
	g_autofree char *device = g_build_filename(source, "kmem", NULL);
	if (mknod(device, S_IFCHR | 0666, (dev_t)(1 << 8 | 1)) == 0) {
		make_tar(source, lab.source_tar);

		g_auto(TaskResult) result = finish(&lab);

		assert_ends(&result, TASK_FAILED, "unpack", "exit status 2");
	}
	lab_clear(&lab);
}
END_TEST

START_TEST(a_truncated_tar_fails_to_unpack)
{
	Lab lab;
	lab_init(&lab, TASK_RUN, "true", "echo 'speed: 1'");
	ck_assert_int_eq(truncate(lab.source_tar, 1026), 0);

	g_auto(TaskResult) result = finish(&lab);

	assert_ends(&result, TASK_FAILED, "unpack", "exit status 2");
	lab_clear(&lab);
}
END_TEST

START_TEST(lines_that_are_no_numbers_fail_in_parse)
{
	Lab lab;
	lab_init(&lab, TASK_RUN, "true", "echo 'speed: nan'");

	g_auto(TaskResult) result = finish(&lab);

	assert_ends(&result, TASK_FAILED, "parse", "results:1: the value is no finite");
	ck_assert(!has_file(&lab, "stats.json"));
	lab_clear(&lab);
}
END_TEST

START_TEST(a_run_without_any_headline_metric_fails_in_parse)
{
	Lab lab;
	lab_init(&lab, TASK_RUN, "true", "echo 'other: 1'");

	g_auto(TaskResult) result = finish(&lab);

	assert_ends(&result, TASK_FAILED, "parse", "no value for speed");
	lab_clear(&lab);
}
END_TEST

START_TEST(a_flood_of_lines_is_a_limit)
{
	Lab lab;
	lab_init(&lab, TASK_RUN, "true", "yes 'speed: 1' | head -c 3000000");

	g_auto(TaskResult) result = finish(&lab);

	assert_ends(&result, TASK_LIMIT, "parse", "too much output (limit 1 MiB)");
	lab_clear(&lab);
}
END_TEST

START_TEST(a_strangers_code_cannot_write_the_status_or_the_output)
{
	Lab lab;
	lab_init(&lab, TASK_RUN, "true",
		 "for fd in 3 4; do echo 'begin prepare' >&$fd; done 2>/dev/null; exit 3");

	g_auto(TaskResult) result = finish(&lab);

	assert_ends(&result, TASK_FAILED, "run", "exit status 3");
	lab_clear(&lab);
}
END_TEST

START_TEST(a_missing_input_is_our_fault_and_is_tried_again)
{
	Lab lab;
	lab_init(&lab, TASK_RUN, "true", "echo 'speed: 1'");
	g_autofree char *elsewhere = g_strconcat(lab.source_tar, ".moved", NULL);
	ck_assert_int_eq(rename(lab.source_tar, elsewhere), 0);
	g_auto(TaskResult) first = finish(&lab);
	assert_ends(&first, TASK_INFRA, "", "source.tar");
	ck_assert_int_eq(rename(elsewhere, lab.source_tar), 0);

	g_auto(TaskResult) second = finish(&lab);

	assert_ends(&second, TASK_OK, "parse", "");
	lab_clear(&lab);
}
END_TEST

START_TEST(a_task_that_is_done_is_not_run_again)
{
	Lab lab;
	lab_init(&lab, TASK_RUN, "true", "echo speed: $(date +%N | sed 's/^0*//')");
	g_auto(TaskResult) first = finish(&lab);
	assert_ends(&first, TASK_OK, "parse", "");
	g_autofree char *before = read_file(&lab, "stats.json");
	engine_close(lab.engine);
	open_engine(&lab);

	g_auto(TaskResult) second = finish(&lab);

	ck_assert_int_eq(second.outcome, TASK_OK);
	g_autofree char *after = read_file(&lab, "stats.json");
	ck_assert_str_eq(before, after);
	lab_clear(&lab);
}
END_TEST

START_TEST(a_task_never_submitted_is_unknown)
{
	Lab lab;
	g_auto(TaskResult) result = {.outcome = TASK_INFRA};
	g_autoptr(GError) error = NULL;
	lab_init(&lab, TASK_RUN, "true", "true");

	ck_assert_int_eq(wait_end(&lab, 0), TASK_STATE_UNKNOWN);
	ck_assert(!engine_collect(lab.engine, "beef", &result, &error));
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_NOT_FOUND));
	ck_assert(engine_cancel(lab.engine, "beef", NULL));
	lab_clear(&lab);
}
END_TEST

START_TEST(a_second_task_must_wait_for_the_first)
{
	Lab lab;
	g_autoptr(GError) error = NULL;
	lab_init(&lab, TASK_RUN, "true", "sleep 1000");
	submit(&lab);
	lab.task.key = "beef";

	bool ok = engine_submit(lab.engine, &lab.task, &error);

	ck_assert(!ok);
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_TRANSIENT));
	lab_clear(&lab);
}
END_TEST

START_TEST(cancel_ends_a_running_task_and_leaves_nothing)
{
	Lab lab;
	lab_init(&lab, TASK_RUN, "true", "trap '' TERM; sleep 1000");
	submit(&lab);
	ck_assert_int_eq(wait_end(&lab, 300), TASK_STATE_RUNNING);
	int64_t start_us = g_get_monotonic_time();

	ck_assert(engine_cancel(lab.engine, lab.task.key, NULL));

	ck_assert_int_lt(g_get_monotonic_time() - start_us, 5000000);
	ck_assert_int_eq(wait_end(&lab, 0), TASK_STATE_UNKNOWN);
	ck_assert(!has_file(&lab, ""));
	ck_assert(!part_is_left(&lab));
	lab_clear(&lab);
}
END_TEST

START_TEST(a_stop_signal_ends_the_wait_for_a_task)
{
	Lab lab;
	lab_init(&lab, TASK_RUN, "true", "sleep 1000");
	submit(&lab);
	ck_assert_int_eq(write(lab.stop[1], "x", 1), 1);

	TaskState state = wait_end(&lab, -1);

	ck_assert_int_eq(state, TASK_STATE_RUNNING);
	lab_clear(&lab);
}
END_TEST

START_TEST(closing_an_engine_ends_its_task)
{
	Lab lab;
	lab_init(&lab, TASK_RUN, "true", "sleep 1000");
	submit(&lab);
	ck_assert_int_eq(wait_end(&lab, 300), TASK_STATE_RUNNING);

	engine_close(lab.engine);

	ck_assert(!part_is_left(&lab));
	open_engine(&lab);
	lab_clear(&lab);
}
END_TEST

START_TEST(tasks_of_two_engines_with_one_root_take_turns)
{
	Lab lab;
	lab_init(&lab, TASK_RUN, "true", "sleep 1000");
	EngineOptions options = {.uid = SANDBOX_UID, .stop_fd = -1, .root = lab.root};
	g_autoptr(Engine) other = engine_open("local", &options, NULL);
	TaskState state;
	submit(&lab);
	ck_assert_int_eq(wait_end(&lab, 500), TASK_STATE_RUNNING);
	g_autofree char *run_dir = g_build_filename(lab.root, "results", "r", NULL);
	g_autofree char *part = g_strconcat(run_dir, ".part", NULL);
	Task task = lab.task;
	task.key = "beef";
	task.result_dir = run_dir;

	ck_assert(engine_submit(other, &task, NULL));

	ck_assert(engine_poll(other, "beef", 700, &state, NULL));
	ck_assert_int_eq(state, TASK_STATE_RUNNING);
	ck_assert(!g_file_test(part, G_FILE_TEST_EXISTS)); /* it has not begun */
	lab_clear(&lab);
}
END_TEST

START_TEST(a_killed_stage_leaves_nothing_half_after_reconcile)
{
	Lab lab;
	lab_init(&lab, TASK_RUN, "true", "sleep 1000");
	pid_t pid = fork();
	if (pid == 0) {
		TaskState state;
		(void)!engine_submit(lab.engine, &lab.task, NULL);
		(void)!engine_poll(lab.engine, lab.task.key, -1, &state, NULL);
		_exit(0);
	}
	for (int i = 0; i < 100 && !part_is_left(&lab); i++)
		g_usleep(50 * 1000);
	ck_assert(part_is_left(&lab));

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	g_usleep(500 * 1000);
	ck_assert(engine_reconcile(lab.engine, NULL));

	ck_assert(!part_is_left(&lab));
	ck_assert(!has_file(&lab, ""));
	lab_clear(&lab);
}
END_TEST

START_TEST(reconcile_keeps_what_is_done_and_what_another_process_is_doing)
{
	Lab lab;
	lab_init(&lab, TASK_RUN, "true", "echo 'speed: 1'");
	g_auto(TaskResult) result = finish(&lab);
	ck_assert_int_eq(result.outcome, TASK_OK);
	g_autofree char *other_dir = g_build_filename(lab.root, "results", "r", NULL);
	g_autofree char *part = g_strconcat(other_dir, ".part", NULL);
	put(lab.workload->dir, "run", "#!/bin/sh\nsleep 1000\n", 0755);
	lab.task.key = "beef";
	lab.task.result_dir = other_dir;
	submit(&lab);
	for (int i = 0; i < 100 && !g_file_test(part, G_FILE_TEST_EXISTS); i++)
		g_usleep(50 * 1000);
	EngineOptions options = {.uid = SANDBOX_UID, .stop_fd = -1, .root = lab.root};
	g_autoptr(Engine) other = engine_open("local", &options, NULL);

	ck_assert(engine_reconcile(other, NULL));

	ck_assert(has_file(&lab, "stats.json"));
	ck_assert(g_file_test(part, G_FILE_TEST_EXISTS));
	lab_clear(&lab);
}
END_TEST

START_TEST(an_outcome_cut_anywhere_is_an_error_never_a_result)
{
	Lab lab;
	lab_init(&lab, TASK_RUN, "true", "echo 'speed: 1'");
	g_auto(TaskResult) result = finish(&lab);
	ck_assert_int_eq(result.outcome, TASK_OK);
	g_autofree char *text = read_file(&lab, "outcome.json");
	g_autofree char *path = g_build_filename(lab.result_dir, "outcome.json", NULL);
	size_t len = strlen(g_strchomp(text));

	for (size_t i = 0; i < len; i++) {
		g_auto(TaskResult) cut = {.outcome = TASK_INFRA};
		g_autoptr(GError) error = NULL;
		ck_assert(g_file_set_contents(path, text, (gssize)i, NULL));

		bool ok = engine_collect(lab.engine, lab.task.key, &cut, &error);

		ck_assert_msg(!ok, "%zu bytes of outcome.json are taken for a result", i);
		ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PEER));
	}
	lab_clear(&lab);
}
END_TEST

START_TEST(an_unreadable_result_is_not_overwritten)
{
	Lab lab;
	g_autoptr(GError) error = NULL;
	lab_init(&lab, TASK_RUN, "true", "echo 'speed: 1'");
	ck_assert(fs_make_dir(lab.result_dir, 0755, NULL));
	put(lab.result_dir, "outcome.json", "{\"outcome\": \"splendid\"}", 0644);

	bool ok = engine_submit(lab.engine, &lab.task, &error);

	ck_assert(!ok);
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_CORRUPT));
	ck_assert(has_file(&lab, "outcome.json"));
	lab_clear(&lab);
}
END_TEST

/* Builds and measures the demo project with an installed workload; the run's numbers. */
static GPtrArray *measure_demo(Lab *lab, const char *testcase, GPtrArray *specs)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *workload_dir = fs_share_path("workloads", testcase);
	g_autofree char *project = fs_share_path("demo", "wordcount");
	g_autofree char *tar = g_build_filename(lab->result_dir, "build.tar", NULL);
	g_autofree char *run_dir = g_build_filename(lab->root, "results", "r", NULL);
	g_autofree char *stats = g_build_filename(run_dir, "stats.json", NULL);
	g_autoptr(Workload) workload = workload_load(workload_dir, &error);

	ck_assert_msg(workload != NULL, "%s", error != NULL ? error->message : "");
	make_tar(project, lab->source_tar);
	lab->task.workload = workload;
	lab->task.spec = g_ptr_array_index(specs, 0);
	g_auto(TaskResult) built = finish(lab);
	assert_ends(&built, TASK_OK, "pack", "");

	lab->task.kind = TASK_RUN;
	lab->task.key = "beef";
	lab->task.input_tar = tar;
	lab->task.result_dir = run_dir;
	g_auto(TaskResult) result = finish(lab);
	assert_ends(&result, TASK_OK, "parse", "");
	GPtrArray *values = resultfile_read(stats, &error);
	ck_assert_msg(values != NULL, "%s", error != NULL ? error->message : "");
	return values;
}

static GPtrArray *load_suite(const char *file)
{
	g_autofree char *path = fs_share_path("suites", file);
	g_autoptr(GError) error = NULL;
	GPtrArray *specs = jobspec_load(path, &error);

	ck_assert_msg(specs != NULL, "%s", error != NULL ? error->message : "");
	return specs;
}

START_TEST(the_word_counter_is_built_and_measured)
{
	Lab lab;
	lab_init(&lab, TASK_BUILD, "true", "true");
	g_autoptr(GPtrArray) specs = load_suite("wordcount.yaml");

	g_autoptr(GPtrArray) values = measure_demo(&lab, "wordcount", specs);

	ck_assert_double_gt(resultfile_find(values, "wordcount.words_per_sec")->value, 1e5);
	ck_assert_double_gt(resultfile_find(values, "time.user_time")->value, 0);
	ck_assert_double_eq(resultfile_find(values, "wordcount.buckets")->value, 512);
	ck_assert_uint_ge(values->len, 12);
	lab_clear(&lab);
}
END_TEST

START_TEST(the_word_counters_tests_are_run_and_counted)
{
	Lab lab;
	lab_init(&lab, TASK_BUILD, "true", "true");
	g_autoptr(GPtrArray) specs = load_suite("make-check.yaml");

	g_autoptr(GPtrArray) values = measure_demo(&lab, "make-check", specs);

	ck_assert_double_eq(resultfile_find(values, "make-check.tests_passed")->value, 8);
	ck_assert_double_eq(resultfile_find(values, "make-check.tests_failed")->value, 0);
	ck_assert_double_gt(resultfile_find(values, "make-check.build_cpu_seconds")->value, 0);
	ck_assert_double_gt(resultfile_find(values, "make-check.check_cpu_seconds")->value, 0);
	lab_clear(&lab);
}
END_TEST

START_TEST(an_unknown_engine_is_a_config_error)
{
	g_autoptr(GError) error = NULL;

	Engine *engine = engine_open("cloud", &(EngineOptions){.stop_fd = -1}, &error);

	ck_assert_ptr_null(engine);
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_CONFIG));
}
END_TEST

CHECK_MAIN("engine", a_build_and_a_run_make_a_stats_file, a_failing_step_is_named_with_its_status,
	   a_failing_prepare_is_named, a_crash_is_told_by_its_signal, a_run_that_hangs_is_a_timeout,
	   a_run_that_fills_its_disk_is_a_limit, a_build_larger_than_its_disk_is_a_limit,
	   a_build_tar_that_is_a_bomb_fails_to_unpack,
	   tricks_with_links_in_a_tar_touch_nothing_outside, a_device_in_a_tar_fails_to_unpack,
	   a_truncated_tar_fails_to_unpack, lines_that_are_no_numbers_fail_in_parse,
	   a_run_without_any_headline_metric_fails_in_parse, a_flood_of_lines_is_a_limit,
	   a_strangers_code_cannot_write_the_status_or_the_output,
	   a_missing_input_is_our_fault_and_is_tried_again, a_task_that_is_done_is_not_run_again,
	   a_task_never_submitted_is_unknown, a_second_task_must_wait_for_the_first,
	   cancel_ends_a_running_task_and_leaves_nothing, a_stop_signal_ends_the_wait_for_a_task,
	   closing_an_engine_ends_its_task, tasks_of_two_engines_with_one_root_take_turns,
	   a_killed_stage_leaves_nothing_half_after_reconcile,
	   reconcile_keeps_what_is_done_and_what_another_process_is_doing,
	   an_outcome_cut_anywhere_is_an_error_never_a_result,
	   an_unreadable_result_is_not_overwritten, the_word_counter_is_built_and_measured,
	   the_word_counters_tests_are_run_and_counted, an_unknown_engine_is_a_config_error)
