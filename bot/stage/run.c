/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/stage.h"

#include "bot/base/autofd.h"
#include "bot/base/error.h"
#include "bot/base/failpoint.h"
#include "bot/base/fs.h"
#include "bot/base/log.h"
#include "bot/git/checkout.h"
#include "bot/run/engine.h"
#include "bot/run/resultfile.h"
#include "bot/stage/layout.h"
#include "bot/stage/suite.h"
#include "bot/store/jobs.h"
#include "bot/store/results.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define POLL_MS 1000
#define LEASE_EVERY_US (60 * CLOCK_US_PER_S)
#define MAX_SOURCE_BYTES ((uint64_t)4 * 1024 * 1024 * 1024)
#define MAX_STATS_BYTES (1024 * 1024)

/* One base run may fail by bad luck; a second says that the base or our lab is broken. */
#define BASE_FAILURES_MAX 2u

/* One job while it is being measured. */
typedef struct {
	StageContext *context;
	Engine *engine;
	Job *job;
	Workload *workload;
	JobSpec *spec;
	char *workload_hash;
	char *config_hash;
	int64_t lease_us; /* monotonic time of the last extension */
	bool stopped;
	char *broken; /* why the job fails for good; NULL */
} Lab;

static void lab_clear(Lab *lab)
{
	g_clear_pointer(&lab->workload, workload_free);
	g_clear_pointer(&lab->spec, jobspec_free);
	g_clear_pointer(&lab->workload_hash, g_free);
	g_clear_pointer(&lab->config_hash, g_free);
	g_clear_pointer(&lab->broken, g_free);
}

static bool keep_lease(Lab *lab, GError **error)
{
	int64_t now = g_get_monotonic_time();

	if (now - lab->lease_us < LEASE_EVERY_US)
		return true;
	lab->lease_us = now;
	return db_extend_leases(lab->context->db, error);
}

/* @out_result is filled unless the lab was stopped. */
static bool do_task(Lab *lab, const Task *task, TaskResult *out_result, GError **error)
{
	TaskState state = TASK_STATE_RUNNING;

	if (!engine_submit(lab->engine, task, error))
		return false;
	while (state == TASK_STATE_RUNNING) {
		if (!keep_lease(lab, error) ||
		    !engine_poll(lab->engine, task->key, POLL_MS, &state, error))
			return false;
		if (state == TASK_STATE_RUNNING && stage_stop_asked(lab->context)) {
			lab->stopped = true;
			return engine_cancel(lab->engine, task->key, error);
		}
	}
	failpoint("run.after_task");
	return engine_collect(lab->engine, task->key, out_result, error);
}

static char *describe(const TaskResult *result)
{
	return g_strdup_printf("%s: %s: %s", task_outcome_name(result->outcome),
			       result->step == NULL ? "-" : result->step,
			       result->detail == NULL ? "-" : result->detail);
}

/* ---- builds ---- */

static bool write_source_tar(Repo *repo, const JobCommit *commit, const char *path, GError **error)
{
	git_oid id;
	autofd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0) {
		bot_error_set_errno(error, errno, "cannot write %s", path);
		return false;
	}
	int rc = git_oid_fromstr(&id, commit->sha);
	if (rc < 0)
		return git_fail(error, rc, "commit %s of the job", commit->sha);
	return checkout_write_tar(repo, &id, fd, MAX_SOURCE_BYTES, error);
}

static char *build_key(const Lab *lab, const JobCommit *commit)
{
	const char *parts[] = {"build", lab->workload_hash, lab->job->spec_yaml, commit->tree,
			       NULL};
	return job_key(parts);
}

static bool build_is_there(const char *dir)
{
	g_autofree char *tar = g_build_filename(dir, "build.tar", NULL);
	return g_file_test(tar, G_FILE_TEST_IS_REGULAR);
}

static void note_broken_build(Lab *lab, const JobCommit *commit, const TaskResult *result)
{
	g_autofree char *what = describe(result);

	if (commit->role == COMMIT_BASE)
		lab->broken = g_strdup_printf("base or infrastructure broken: base %.12s: %s",
					      commit->sha, what);
	else
		lab->broken =
			g_strdup_printf("%s commit %.12s does not build while the base does: %s",
					commit_role_name(commit->role), commit->sha, what);
}

static bool build_one(Lab *lab, Repo *repo, const JobCommit *commit, GError **error)
{
	const char *state_dir = db_state_dir(lab->context->db);
	g_autofree char *dir = layout_build_dir(state_dir, lab->job, commit->position);
	g_autofree char *source = g_strconcat(dir, ".src.tar", NULL);
	g_autofree char *key = build_key(lab, commit);
	g_auto(TaskResult) result = {0};
	Task task = {.kind = TASK_BUILD,
		     .key = key,
		     .workload = lab->workload,
		     .spec = lab->spec,
		     .input_tar = source,
		     .result_dir = dir};

	if (build_is_there(dir))
		return true;
	log_info("run.building", "job %" G_GINT64_FORMAT ": %s %.12s %s", lab->job->row,
		 commit_role_name(commit->role), commit->sha, commit->subject);
	if (!write_source_tar(repo, commit, source, error))
		return false;
	bool ok = do_task(lab, &task, &result, error);
	(void)unlink(source);
	if (!ok || lab->stopped)
		return ok;
	if (result.outcome == TASK_INFRA) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT, "build: %s", result.detail);
		return false;
	}
	if (result.outcome != TASK_OK)
		note_broken_build(lab, commit, &result);
	return true;
}

static bool build_all(Lab *lab, GError **error)
{
	const char *state_dir = db_state_dir(lab->context->db);
	g_autofree char *repo_path = g_build_filename(state_dir, "repo.git", NULL);
	g_autofree char *job_dir = layout_job_dir(state_dir, lab->job);
	g_autoptr(Repo) repo = repo_open(repo_path, error);

	if (repo == NULL || !fs_make_dir(job_dir, 0700, error))
		return false;
	for (guint i = 0; i < lab->job->commits->len; i++) {
		if (!build_one(lab, repo, lab->job->commits->pdata[i], error))
			return false;
		if (lab->broken != NULL || lab->stopped)
			return true;
	}
	return true;
}

/* ---- runs ---- */

static char *run_key(const Lab *lab, const StoredRun *run)
{
	g_autofree char *place =
		g_strdup_printf("%u/%u/%u", run->family, run->position, run->round);
	const char *parts[] = {"run", lab->job->key, place, NULL};
	return job_key(parts);
}

/* Numbers of a run that went well: their hash, and the headline values for the store. */
static bool read_numbers(Lab *lab, const char *dir, StoredRun *run, GPtrArray *keys, GArray *values,
			 GError **error)
{
	g_autofree char *path = g_build_filename(dir, "stats.json", NULL);
	g_autoptr(GBytes) bytes = fs_read(path, MAX_STATS_BYTES, error);
	g_autoptr(GPtrArray) all = bytes == NULL ? NULL : resultfile_read(path, error);

	if (all == NULL)
		return false;
	run->stats_sha256 = g_compute_checksum_for_bytes(G_CHECKSUM_SHA256, bytes);
	for (guint i = 0; i < lab->workload->headline->len; i++) {
		const WorkloadMetric *metric = lab->workload->headline->pdata[i];
		g_autofree char *key = g_strconcat(lab->workload->testcase, ".", metric->key, NULL);
		for (guint j = 0; j < all->len; j++) {
			const ResultValue *value = all->pdata[j];
			if (strcmp(value->key, key) == 0) {
				g_ptr_array_add(keys, g_strdup(key));
				g_array_append_val(values, value->value);
			}
		}
	}
	return true;
}

static bool commit_run(Lab *lab, const StoredRun *run, const GPtrArray *keys, const GArray *values,
		       GError **error)
{
	Db *db = lab->context->db;

	if (!db_begin(db, error))
		return false;
	if (!runs_finish(db, run, (const char *const *)keys->pdata,
			 (const double *)(gpointer)values->data, keys->len, error)) {
		db_rollback(db);
		return false;
	}
	failpoint("run.before_commit");
	return db_commit(db, error);
}

static bool finish_run(Lab *lab, StoredRun *run, const TaskResult *result, const char *dir,
		       GError **error)
{
	g_autoptr(GPtrArray) keys = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(double));
	g_autoptr(GError) why = NULL;

	run->outcome = g_strdup(task_outcome_name(result->outcome));
	run->state = g_strdup(result->outcome == TASK_OK ? "done" : "failed");
	run->detail = result->outcome == TASK_OK ? NULL : describe(result);
	if (result->outcome == TASK_OK && !read_numbers(lab, dir, run, keys, values, &why)) {
		g_free(run->state);
		run->state = g_strdup("failed");
		run->detail = g_strdup_printf("result file: %s", why->message);
	}
	run->machine = g_strdup(lab->context->config->run.tbox_group);
	run->workload_hash = g_strdup(lab->workload_hash);
	run->config_hash = g_strdup(lab->config_hash);
	run->ended_us = clock_now_us(lab->context->clock);
	return commit_run(lab, run, keys, values, error);
}

static bool run_one(Lab *lab, StoredRun *run, GError **error)
{
	const char *state_dir = db_state_dir(lab->context->db);
	g_autofree char *build = layout_build_dir(state_dir, lab->job, run->position);
	g_autofree char *tar = g_build_filename(build, "build.tar", NULL);
	g_autofree char *key = run_key(lab, run);
	g_autofree char *relative =
		layout_run_dir(lab->job, run->family, run->position, run->round);
	g_autofree char *dir = g_build_filename(state_dir, relative, NULL);
	g_autofree char *parent = g_path_get_dirname(dir);
	g_auto(TaskResult) result = {0};
	Task task = {.kind = TASK_RUN,
		     .key = key,
		     .workload = lab->workload,
		     .spec = lab->spec,
		     .input_tar = tar,
		     .result_dir = dir};

	run->started_us = clock_now_us(lab->context->clock);
	if (!fs_make_dir(parent, 0700, error) || !do_task(lab, &task, &result, error) ||
	    lab->stopped)
		return lab->stopped;
	if (result.outcome == TASK_INFRA) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT, "run: %s", result.detail);
		return false;
	}
	g_free(run->result_dir);
	run->result_dir = g_steal_pointer(&relative);
	g_clear_pointer(&run->state, g_free);
	return finish_run(lab, run, &result, dir, error);
}

static void judge_base_failures(Lab *lab, const GPtrArray *runs)
{
	unsigned failures = 0;
	const char *detail = "";

	for (guint i = 0; i < runs->len; i++) {
		const StoredRun *run = runs->pdata[i];
		if (run->position == 0 && g_strcmp0(run->state, "failed") == 0) {
			failures++;
			detail = run->detail;
		}
	}
	if (failures >= BASE_FAILURES_MAX)
		lab->broken = g_strdup_printf(
			"base or infrastructure broken: %u base runs failed, last: %s", failures,
			detail);
}

static bool run_family(Lab *lab, GError **error)
{
	Db *db = lab->context->db;
	uint32_t seed = (uint32_t)g_ascii_strtoull(lab->job->key + 56, NULL, 16);

	if (!db_begin(db, error))
		return false;
	if (!runs_plan(db, lab->job, lab->job->family, seed + lab->job->family, error)) {
		db_rollback(db);
		return false;
	}
	if (!db_commit(db, error))
		return false;

	g_autoptr(GPtrArray) runs = runs_list(db, lab->job->row, lab->job->family, error);
	if (runs == NULL)
		return false;
	log_info("run.measuring", "job %" G_GINT64_FORMAT ": %s, family %u, %u runs", lab->job->row,
		 lab->job->testcase, lab->job->family, runs->len);
	for (guint i = 0; i < runs->len && !lab->stopped && lab->broken == NULL; i++) {
		StoredRun *run = runs->pdata[i];
		if (g_strcmp0(run->state, "planned") == 0) {
			if (!run_one(lab, run, error))
				return false;
			log_info("run.sampled", "job %" G_GINT64_FORMAT ": run %u of %u",
				 lab->job->row, i + 1, runs->len);
		}
		judge_base_failures(lab, runs);
	}
	return true;
}

static bool lab_init(Lab *lab, StageContext *context, Engine *engine, Job *job, GError **error)
{
	memset(lab, 0, sizeof(*lab));
	lab->context = context;
	lab->engine = engine;
	lab->job = job;
	lab->workload = suite_workload(context->config, job->testcase, error);
	if (lab->workload == NULL)
		return false;
	g_autoptr(GPtrArray) specs =
		jobspec_parse(job->spec_yaml, strlen(job->spec_yaml), "stored job", error);
	if (specs == NULL)
		return false;
	lab->spec = g_ptr_array_steal_index(specs, 0);
	lab->workload_hash = workload_hash(lab->workload, error);
	lab->config_hash = config_hash(context->config);
	return lab->workload_hash != NULL;
}

/* ---- what became of it ---- */

static bool settle_job(Lab *lab, GError **error)
{
	Job *job = lab->job;
	Db *db = lab->context->db;

	if (lab->stopped)
		return jobs_give_back(db, job->row, "stopped", error);
	if (lab->broken != NULL) {
		job->state = JOB_FAILED;
		g_free(job->reason);
		job->reason = g_strdup(lab->broken);
		return jobs_advance(db, job, error) &&
		       event_add(db, "run.failed", "job", job->row, error, "%s", lab->broken);
	}
	job->state = JOB_RAN;
	return jobs_advance(db, job, error) && event_add(db, "run.measured", "job", job->row, error,
							 "family %u is whole", job->family);
}

static bool settle_error(Lab *lab, const GError *why, GError **error)
{
	Job *job = lab->job;
	Db *db = lab->context->db;

	if (g_error_matches(why, BOT_ERROR, BOT_ERROR_TRANSIENT))
		return jobs_postpone(db, job->row, why->message, error);
	job->state = JOB_FAILED;
	g_free(job->reason);
	job->reason = g_strdup_printf("base or infrastructure broken: %s", why->message);
	return jobs_advance(db, job, error) &&
	       event_add(db, "run.failed", "job", job->row, error, "%s", job->reason);
}

static bool run_job(StageContext *context, Engine *engine, Job *job, GError **error)
{
	Lab lab;
	g_autoptr(GError) why = NULL;
	bool ok = lab_init(&lab, context, engine, job, &why) && build_all(&lab, &why) &&
		  (lab.broken != NULL || lab.stopped || run_family(&lab, &why));

	if (!ok)
		log_warning("run.failed", "job %" G_GINT64_FORMAT ": %s", job->row, why->message);
	bool settled = db_begin(context->db, error) &&
		       (ok ? settle_job(&lab, error) : settle_error(&lab, why, error)) &&
		       db_commit(context->db, error);
	if (!settled)
		db_rollback(context->db);
	lab_clear(&lab);
	return settled;
}

static Engine *open_engine(const StageContext *context, GError **error)
{
	g_autofree char *root = g_build_filename(db_state_dir(context->db), "results", NULL);
	EngineOptions options = {
		.root = root, .uid = context->config->run.uid, .stop_fd = context->stop_fd};

	if (!fs_make_dir(root, 0700, error))
		return NULL;
	Engine *engine = engine_open(context->config->run.engine, &options, error);
	if (engine != NULL && !engine_reconcile(engine, error))
		g_clear_pointer(&engine, engine_close);
	return engine;
}

bool run_round(StageContext *context, unsigned limit, StageProgress *progress, GError **error)
{
	g_autoptr(Engine) engine = NULL;

	while ((limit == 0 || progress->done < limit) && !stage_stop_asked(context)) {
		g_autoptr(GError) claim_error = NULL;
		g_autoptr(Job) job = jobs_claim(context->db, JOB_BUILT, &claim_error);
		if (claim_error != NULL) {
			g_propagate_error(error, g_steal_pointer(&claim_error));
			return false;
		}
		if (job == NULL)
			return true;
		if (engine == NULL && (engine = open_engine(context, error)) == NULL)
			return false;
		if (!run_job(context, engine, job, error))
			return false;
		progress->done++;
		stage_wake(db_state_dir(context->db), "report");
	}
	return true;
}
