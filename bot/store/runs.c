/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/results.h"

#include "bot/base/error.h"
#include "bot/store/private.h"
#include "bot/store/query.h"

void stored_run_free(StoredRun *run)
{
	if (run == NULL)
		return;
	g_free(run->state);
	g_free(run->outcome);
	g_free(run->detail);
	g_free(run->result_dir);
	g_free(run->stats_sha256);
	g_free(run->machine);
	g_free(run->workload_hash);
	g_free(run->config_hash);
	g_free(run);
}

/* SplitMix64 (Steele, Lea, Flood 2014): small, and the same on every machine. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/*
 * The order of the positions within one round: Fisher and Yates.  Seeded by family and round, so a
 * round that is planned later comes out as if it had been planned at once.  The bias of the modulo
 * is below 2^-50 for the handful of positions there are.
 */
static void shuffle_round(uint32_t seed, unsigned family, unsigned round, unsigned *slots,
			  unsigned n)
{
	uint64_t state = ((uint64_t)seed << 32) ^ ((uint64_t)family << 20) ^ round;

	for (unsigned i = 0; i < n; i++)
		slots[i] = i;
	for (unsigned i = n; i > 1; i--) {
		unsigned other = (unsigned)(next_random(&state) % i);
		unsigned kept = slots[i - 1];
		slots[i - 1] = slots[other];
		slots[other] = kept;
	}
}

/* The first seed is kept: a second call must not mix two orders. */
static bool fix_seed(Db *db, int64_t job_row, unsigned family, uint32_t *seed, GError **error)
{
	g_autoptr(Query) query =
		query_new(db, "INSERT INTO families (job_row, family, seed, created_us)"
			      " VALUES (:job, :family, :seed, :now)"
			      " ON CONFLICT (job_row, family) DO UPDATE"
			      " SET seed = coalesce(seed, excluded.seed)"
			      " RETURNING seed");

	query_set_int(query, ":job", job_row);
	query_set_int(query, ":family", family);
	query_set_int(query, ":seed", *seed);
	query_set_int(query, ":now", clock_now_us(db->clock));
	if (query_next(query))
		*seed = (uint32_t)query_int(query, "seed");
	return query_run(query, error);
}

static bool plan_run(Query *query, int64_t job_row, unsigned family, unsigned round,
		     unsigned position, unsigned slot, GError **error)
{
	query_restart(query);
	query_set_int(query, ":job", job_row);
	query_set_int(query, ":family", family);
	query_set_int(query, ":position", position);
	query_set_int(query, ":round", round);
	query_set_int(query, ":slot", slot);
	return query_run(query, error);
}

bool runs_plan(Db *db, const Job *job, unsigned family, uint32_t seed, GError **error)
{
	unsigned n = job->commits == NULL ? 0 : job->commits->len;
	g_autofree unsigned *slots = g_new(unsigned, MAX(n, 1));

	if (!fix_seed(db, job->row, family, &seed, error))
		return false;
	g_autoptr(Query) query =
		query_new(db, "INSERT INTO runs (job_row, family, position, round, slot, state)"
			      " VALUES (:job, :family, :position, :round, :slot, 'planned')"
			      " ON CONFLICT DO NOTHING");
	for (unsigned round = 0; round < job->runs; round++) {
		shuffle_round(seed, family, round, slots, n);
		for (unsigned i = 0; i < n; i++) {
			const JobCommit *commit = g_ptr_array_index(job->commits, i);
			if (!plan_run(query, job->row, family, round, commit->position, slots[i],
				      error))
				return false;
		}
	}
	return true;
}

static StoredRun *read_run(Query *query)
{
	StoredRun *run = g_new0(StoredRun, 1);

	run->row = query_int(query, "id");
	run->job_row = query_int(query, "job_row");
	run->family = (unsigned)query_int(query, "family");
	run->position = (unsigned)query_int(query, "position");
	run->round = (unsigned)query_int(query, "round");
	run->slot = (unsigned)query_int(query, "slot");
	run->state = query_text(query, "state");
	run->outcome = query_text(query, "outcome");
	run->detail = query_text(query, "detail");
	run->result_dir = query_text(query, "result_dir");
	run->stats_sha256 = query_text(query, "stats_sha256");
	run->machine = query_text(query, "machine");
	run->workload_hash = query_text(query, "workload_hash");
	run->config_hash = query_text(query, "config_hash");
	run->started_us = query_int(query, "started_us");
	run->ended_us = query_int(query, "ended_us");
	return run;
}

GPtrArray *runs_list(Db *db, int64_t job_row, unsigned family, GError **error)
{
	g_autoptr(GPtrArray) runs = g_ptr_array_new_with_free_func((GDestroyNotify)stored_run_free);
	g_autoptr(Query) query = query_new(
		db, "SELECT id, job_row, family, position, round, slot, state, outcome, detail,"
		    " result_dir, stats_sha256, machine, workload_hash, config_hash, started_us,"
		    " ended_us FROM runs"
		    " WHERE job_row = :job AND family = :family ORDER BY round, slot");

	query_set_int(query, ":job", job_row);
	query_set_int(query, ":family", family);
	while (query_next(query))
		g_ptr_array_add(runs, read_run(query));
	return query_finish(query, error) ? g_steal_pointer(&runs) : NULL;
}

static bool update_run(Db *db, const StoredRun *run, GError **error)
{
	g_autoptr(Query) query = query_new(
		db, "UPDATE runs SET state = :state, outcome = :outcome, detail = :detail,"
		    " result_dir = :result_dir, stats_sha256 = :stats, machine = :machine,"
		    " workload_hash = :workload, config_hash = :config, started_us = :started,"
		    " ended_us = :ended"
		    " WHERE id = :row AND state = 'planned'");

	query_set_text(query, ":state", run->state);
	query_set_text(query, ":outcome", run->outcome);
	query_set_text(query, ":detail", run->detail);
	query_set_text(query, ":result_dir", run->result_dir);
	query_set_text(query, ":stats", run->stats_sha256);
	query_set_text(query, ":machine", run->machine);
	query_set_text(query, ":workload", run->workload_hash);
	query_set_text(query, ":config", run->config_hash);
	query_set_int(query, ":started", run->started_us);
	query_set_int(query, ":ended", run->ended_us);
	query_set_int(query, ":row", run->row);
	return query_run(query, error);
}

static bool save_values(Db *db, int64_t row, const char *const *keys, const double *values,
			size_t n, GError **error)
{
	g_autoptr(Query) query = query_new(db, "INSERT INTO run_values (run_row, key, value)"
					       " VALUES (:row, :key, :value)");

	for (size_t i = 0; i < n; i++) {
		query_restart(query);
		query_set_int(query, ":row", row);
		query_set_text(query, ":key", keys[i]);
		query_set_real(query, ":value", values[i]);
		if (!query_run(query, error))
			return false;
	}
	return true;
}

bool runs_finish(Db *db, const StoredRun *run, const char *const *keys, const double *values,
		 size_t n, GError **error)
{
	if (!update_run(db, run, error))
		return false;
	/* A duplicate never counts as another sample: the first complete one stays. */
	if (query_changes(db) == 0)
		return true;
	return save_values(db, run->row, keys, values, n, error);
}
