/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/jobs.h"

#include "bot/base/backoff.h"
#include "bot/base/error.h"
#include "bot/store/lease.h"
#include "bot/store/private.h"
#include "bot/store/query.h"

#define JOB_COLUMNS                                                                                \
	"id, key, kind, state, series_row, request_row, parent_job_row, list, tree, testcase,"     \
	" spec_yaml, runs, family, n_families, base_how, base_reason, ref, reason, created_us,"    \
	" applied_us"

static bool save_commits(Db *db, int64_t row, const GPtrArray *commits, GError **error)
{
	g_autoptr(Query) clear = query_new(db, "DELETE FROM job_commits WHERE job_row = :row");
	g_autoptr(Query) insert = query_new(
		db, "INSERT INTO job_commits (job_row, position, role, sha, tree, subject)"
		    " VALUES (:row, :position, :role, :sha, :tree, :subject)");

	query_set_int(clear, ":row", row);
	if (!query_run(clear, error))
		return false;
	for (guint i = 0; commits != NULL && i < commits->len; i++) {
		const JobCommit *commit = g_ptr_array_index(commits, i);

		query_restart(insert);
		query_set_int(insert, ":row", row);
		query_set_int(insert, ":position", commit->position);
		query_set_text(insert, ":role", commit_role_name(commit->role));
		query_set_text(insert, ":sha", commit->sha);
		query_set_text(insert, ":tree", commit->tree);
		query_set_text(insert, ":subject", commit->subject);
		if (!query_run(insert, error))
			return false;
	}
	return true;
}

static bool save_family(Db *db, int64_t row, unsigned family, GError **error)
{
	g_autoptr(Query) query = query_new(db, "INSERT INTO families (job_row, family, created_us)"
					       " VALUES (:row, :family, :now)"
					       " ON CONFLICT DO NOTHING");

	query_set_int(query, ":row", row);
	query_set_int(query, ":family", family);
	query_set_int(query, ":now", clock_now_us(db->clock));
	return query_run(query, error);
}

static bool find_key(Db *db, const char *key, int64_t *out_row, GError **error)
{
	g_autoptr(Query) query = query_new(db, "SELECT id FROM jobs WHERE key = :key");

	query_set_text(query, ":key", key);
	*out_row = query_next(query) ? query_int(query, "id") : 0;
	return query_finish(query, error);
}

static void set_job(Query *query, const Job *job)
{
	query_set_text(query, ":key", job->key);
	query_set_text(query, ":kind", job_kind_name(job->kind));
	query_set_text(query, ":state", job_state_name(job->state));
	query_set_row(query, ":series", job->series_row);
	query_set_row(query, ":request", job->request_row);
	query_set_row(query, ":parent", job->parent_job_row);
	query_set_text(query, ":list", job->list);
	query_set_text(query, ":tree", job->tree);
	query_set_text(query, ":testcase", job->testcase);
	query_set_text(query, ":spec", job->spec_yaml);
	query_set_int(query, ":runs", job->runs);
	query_set_int(query, ":family", job->family);
	query_set_int(query, ":n_families", job->n_families);
	query_set_text(query, ":base_how", job->base_how);
	query_set_text(query, ":base_reason", job->base_reason);
	query_set_text(query, ":ref", job->ref);
	query_set_text(query, ":reason", job->reason);
	query_set_int(query, ":applied", job->applied_us);
}

static bool insert_job(Db *db, const Job *job, int64_t *out_row, GError **error)
{
	g_autoptr(Query) query = query_new(
		db, "INSERT INTO jobs (key, kind, state, series_row, request_row, parent_job_row,"
		    " list, tree, testcase, spec_yaml, runs, family, n_families, base_how,"
		    " base_reason, ref, reason, created_us, applied_us)"
		    " VALUES (:key, :kind, :state, :series, :request, :parent, :list, :tree,"
		    " :testcase, :spec, :runs, :family, :n_families, :base_how, :base_reason, :ref,"
		    " :reason, :created, :applied)");

	set_job(query, job);
	query_set_int(query, ":created",
		      job->created_us != 0 ? job->created_us : clock_now_us(db->clock));
	if (!query_run(query, error))
		return false;
	*out_row = query_last_row(db);
	return true;
}

bool jobs_insert(Db *db, const Job *job, int64_t *out_row, bool *out_new, GError **error)
{
	g_autofree char *name = g_strconcat("job.", job_state_name(job->state), NULL);

	if (!find_key(db, job->key, out_row, error))
		return false;
	*out_new = *out_row == 0;
	if (!*out_new)
		return true;
	return insert_job(db, job, out_row, error) &&
	       save_commits(db, *out_row, job->commits, error) &&
	       save_family(db, *out_row, MAX(job->family, 1), error) &&
	       event_add(db, name, "job", *out_row, error, "%s of tree %s", job->testcase,
			 job->tree == NULL ? "(none)" : job->tree);
}

static Job *read_job(Query *query)
{
	Job *job = g_new0(Job, 1);

	job->row = query_int(query, "id");
	job->key = query_text(query, "key");
	job->kind = job_kind_from_name(query_peek_text(query, "kind"));
	job->state = job_state_from_name(query_peek_text(query, "state"));
	job->series_row = query_int(query, "series_row");
	job->request_row = query_int(query, "request_row");
	job->parent_job_row = query_int(query, "parent_job_row");
	job->list = query_text(query, "list");
	job->tree = query_text(query, "tree");
	job->testcase = query_text(query, "testcase");
	job->spec_yaml = query_text(query, "spec_yaml");
	job->runs = (unsigned)query_int(query, "runs");
	job->family = (unsigned)query_int(query, "family");
	job->n_families = (unsigned)query_int(query, "n_families");
	job->base_how = query_text(query, "base_how");
	job->base_reason = query_text(query, "base_reason");
	job->ref = query_text(query, "ref");
	job->reason = query_text(query, "reason");
	job->created_us = query_int(query, "created_us");
	job->applied_us = query_int(query, "applied_us");
	job->commits = g_ptr_array_new_with_free_func((GDestroyNotify)job_commit_free);
	return job;
}

static bool read_commits(Db *db, Job *job, GError **error)
{
	g_autoptr(Query) query =
		query_new(db, "SELECT position, role, sha, tree, subject FROM job_commits"
			      " WHERE job_row = :row ORDER BY position");

	query_set_int(query, ":row", job->row);
	while (query_next(query)) {
		JobCommit *commit = g_new0(JobCommit, 1);

		commit->position = (unsigned)query_int(query, "position");
		commit->role = commit_role_from_name(query_peek_text(query, "role"));
		commit->sha = query_text(query, "sha");
		commit->tree = query_text(query, "tree");
		commit->subject = query_text(query, "subject");
		g_ptr_array_add(job->commits, commit);
	}
	return query_finish(query, error);
}

Job *jobs_get(Db *db, int64_t row, GError **error)
{
	g_autoptr(Job) job = NULL;
	g_autoptr(Query) query = query_new(db, "SELECT " JOB_COLUMNS " FROM jobs WHERE id = :row");

	query_set_int(query, ":row", row);
	if (query_next(query))
		job = read_job(query);
	if (!query_finish(query, error))
		return NULL;
	if (job == NULL) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
			    "there is no job %" G_GINT64_FORMAT, row);
		return NULL;
	}
	return read_commits(db, job, error) ? g_steal_pointer(&job) : NULL;
}

GPtrArray *jobs_list(Db *db, bool finished_too, GError **error)
{
	g_autoptr(GPtrArray) jobs = g_ptr_array_new_with_free_func((GDestroyNotify)job_free);
	g_autoptr(Query) query =
		query_new(db, "SELECT " JOB_COLUMNS " FROM jobs"
			      " WHERE :all OR state IN ('planned', 'built', 'ran') ORDER BY id");

	query_set_int(query, ":all", finished_too);
	while (query_next(query))
		g_ptr_array_add(jobs, read_job(query));
	if (!query_finish(query, error))
		return NULL;
	for (guint i = 0; i < jobs->len; i++) {
		if (!read_commits(db, g_ptr_array_index(jobs, i), error))
			return NULL;
	}
	return g_steal_pointer(&jobs);
}

bool jobs_ask_for(Db *db, int64_t row, int64_t request_row, const char *list, GError **error)
{
	g_autoptr(Query) query =
		query_new(db, "UPDATE jobs SET request_row = :request, list = :list, n_families = 1"
			      " WHERE id = :row AND request_row IS NULL"
			      " AND state IN ('planned', 'built', 'ran')");

	query_set_int(query, ":request", request_row);
	query_set_text(query, ":list", list);
	query_set_int(query, ":row", row);
	if (!query_run(query, error))
		return false;
	if (query_changes(db) == 0) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFLICT,
			    "job %" G_GINT64_FORMAT " is over or was asked for already", row);
		return false;
	}
	return event_add(db, "job.asked_for", "job", row, error,
			 "begun unasked, its report answers request %" G_GINT64_FORMAT,
			 request_row);
}

/* Jobs are claimed one by one, so none is counted dead with another and suspects need no care. */
static bool claim_job(Db *db, JobState state, int64_t *out_row, GError **error)
{
	g_autoptr(Query) query = query_new(
		db, "UPDATE jobs SET lease_owner = :owner, lease_until_us = :until"
		    " WHERE id = (SELECT id FROM jobs"
		    "   WHERE state = :state AND lease_owner IS NULL AND not_before_us <= :now"
		    "   ORDER BY id LIMIT 1)"
		    " RETURNING id");

	query_set_text(query, ":owner", db->owner);
	query_set_int(query, ":until", lease_until(db));
	query_set_text(query, ":state", job_state_name(state));
	query_set_int(query, ":now", clock_now_us(db->clock));
	*out_row = query_next(query) ? query_int(query, "id") : 0;
	return query_run(query, error);
}

Job *jobs_claim(Db *db, JobState state, GError **error)
{
	int64_t row = 0;

	if (!db_begin(db, error))
		return NULL;
	g_autoptr(Job) job = NULL;
	bool ok = claim_job(db, state, &row, error);
	if (ok && row != 0) {
		job = jobs_get(db, row, error);
		ok = job != NULL;
	}
	if (ok && db_commit(db, error))
		return g_steal_pointer(&job);
	db_rollback(db);
	return NULL;
}

static bool update_job(Db *db, const Job *job, GError **error)
{
	g_autoptr(Query) query = query_new(
		db, "UPDATE jobs SET state = :state, family = :family, base_how = :base_how,"
		    " base_reason = :base_reason, ref = :ref, reason = :reason,"
		    " applied_us = :applied, not_before_us = 0,"
		    " lease_owner = NULL, lease_until_us = NULL, deaths = 0"
		    " WHERE id = :row AND (lease_owner IS NULL OR lease_owner = :owner)");

	query_set_text(query, ":state", job_state_name(job->state));
	query_set_int(query, ":family", job->family);
	query_set_text(query, ":base_how", job->base_how);
	query_set_text(query, ":base_reason", job->base_reason);
	query_set_text(query, ":ref", job->ref);
	query_set_text(query, ":reason", job->reason);
	query_set_int(query, ":applied", job->applied_us);
	query_set_int(query, ":row", job->row);
	query_set_text(query, ":owner", db->owner);
	return query_run(query, error) && lease_ended(db, "job", job->row, error);
}

bool jobs_advance(Db *db, const Job *job, GError **error)
{
	g_autofree char *name = g_strconcat("job.", job_state_name(job->state), NULL);

	return update_job(db, job, error) && save_commits(db, job->row, job->commits, error) &&
	       save_family(db, job->row, MAX(job->family, 1), error) &&
	       event_add(db, name, "job", job->row, error, "%s",
			 job->reason == NULL ? "" : job->reason);
}

static bool end_lease(Db *db, int64_t row, int64_t not_before_us, GError **error)
{
	g_autoptr(Query) query =
		query_new(db, "UPDATE jobs SET not_before_us = :not_before,"
			      " lease_owner = NULL, lease_until_us = NULL, deaths = 0"
			      " WHERE id = :row AND (lease_owner IS NULL OR lease_owner = :owner)");

	query_set_int(query, ":not_before", not_before_us);
	query_set_int(query, ":row", row);
	query_set_text(query, ":owner", db->owner);
	return query_run(query, error) && lease_ended(db, "job", row, error);
}

bool jobs_give_back(Db *db, int64_t row, const char *why, GError **error)
{
	return end_lease(db, row, 0, error) &&
	       event_add(db, "job.given_back", "job", row, error, "%s", why);
}

/* How often it was postponed since something else happened to it. */
static bool count_postponed(Db *db, int64_t row, unsigned *out_n, GError **error)
{
	g_autoptr(Query) query =
		query_new(db, "SELECT count(*) AS n FROM events"
			      " WHERE subject_kind = 'job' AND subject_row = :row AND id >"
			      " (SELECT COALESCE(MAX(id), 0) FROM events WHERE subject_kind = 'job'"
			      "  AND subject_row = :row AND name <> 'job.postponed')");

	query_set_int(query, ":row", row);
	if (query_next(query))
		*out_n = (unsigned)query_int(query, "n");
	return query_finish(query, error);
}

bool jobs_postpone(Db *db, int64_t row, const char *why, GError **error)
{
	g_autoptr(GRand) random = g_rand_new();
	unsigned before = 0;

	if (!count_postponed(db, row, &before, error))
		return false;
	int64_t rest_us = backoff_delay_ms(before + 1, random) * (CLOCK_US_PER_S / 1000);
	return end_lease(db, row, clock_now_us(db->clock) + rest_us, error) &&
	       event_add(db, "job.postponed", "job", row, error, "%s", why);
}

static bool forget(Db *db, int64_t row, GError **error)
{
	static const char *const what[] = {
		("DELETE FROM run_values"
		 " WHERE run_row IN (SELECT id FROM runs WHERE job_row = :row)"),
		"DELETE FROM runs WHERE job_row = :row",
		"DELETE FROM comparisons WHERE job_row = :row",
		"DELETE FROM reports WHERE job_row = :row",
		"DELETE FROM families WHERE job_row = :row",
		"DELETE FROM job_commits WHERE job_row = :row",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(what); i++) {
		g_autoptr(Query) query = query_new(db, what[i]);

		query_set_int(query, ":row", row);
		if (!query_run(query, error))
			return false;
	}
	return save_family(db, row, 1, error);
}

static bool restart(Db *db, int64_t row, GError **error)
{
	g_autoptr(Query) query = query_new(
		db, "UPDATE jobs SET state = 'planned', family = 1, base_how = NULL,"
		    " base_reason = NULL, ref = NULL, reason = NULL, applied_us = 0,"
		    " not_before_us = 0, deaths = 0"
		    " WHERE id = :row AND state IN ('failed', 'poison') AND lease_owner IS NULL");

	query_set_int(query, ":row", row);
	return query_run(query, error);
}

bool jobs_restart(Db *db, int64_t row, const char *who, GError **error)
{
	g_autoptr(Job) job = jobs_get(db, row, error);

	if (job == NULL || !restart(db, row, error))
		return false;
	if (query_changes(db) == 0) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFLICT,
			    "job %" G_GINT64_FORMAT
			    " is %s; only a failed or poison job is tried again",
			    row, job_state_name(job->state));
		return false;
	}
	return forget(db, row, error) &&
	       event_add(db, "job.restarted", "job", row, error, "by %s; it was %s: %s", who,
			 job_state_name(job->state), job->reason == NULL ? "-" : job->reason);
}
