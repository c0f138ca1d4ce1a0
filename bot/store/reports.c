/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/results.h"

#include "bot/store/private.h"
#include "bot/store/query.h"

void stored_comparison_free(StoredComparison *comparison)
{
	if (comparison == NULL)
		return;
	g_free(comparison->key);
	g_free(comparison->unit);
	g_free(comparison->direction);
	g_free(comparison->verdict);
	g_free(comparison->note);
	g_free(comparison);
}

static bool clear_comparisons(Db *db, int64_t job_row, unsigned family, GError **error)
{
	g_autoptr(Query) query =
		query_new(db, "DELETE FROM comparisons WHERE job_row = :job AND family = :family");

	query_set_int(query, ":job", job_row);
	query_set_int(query, ":family", family);
	return query_run(query, error);
}

static void set_comparison(Query *query, const StoredComparison *one)
{
	query_set_int(query, ":position", one->position);
	query_set_text(query, ":key", one->key);
	query_set_text(query, ":unit", one->unit);
	query_set_text(query, ":direction", one->direction);
	query_set_text(query, ":verdict", one->verdict);
	query_set_real(query, ":p", one->p);
	query_set_int(query, ":has_percent", one->has_percent);
	query_set_int(query, ":has_interval", one->has_interval);
	query_set_real(query, ":shift", one->shift);
	query_set_real(query, ":low", one->low);
	query_set_real(query, ":high", one->high);
	query_set_real(query, ":smallest", one->smallest_effect);
	query_set_int(query, ":n_base", one->n_base);
	query_set_int(query, ":n_head", one->n_head);
	query_set_int(query, ":n_plan", one->n_plan);
	query_set_text(query, ":note", one->note);
}

bool comparisons_save(Db *db, int64_t job_row, unsigned family, const GPtrArray *comparisons,
		      GError **error)
{
	if (!clear_comparisons(db, job_row, family, error))
		return false;
	g_autoptr(Query) query = query_new(
		db,
		"INSERT INTO comparisons (job_row, family, position, key, ordinal, unit,"
		" direction, verdict, p, has_percent, has_interval, shift, low, high,"
		" smallest_effect, n_base, n_head, n_plan, note)"
		" VALUES (:job, :family, :position, :key, :ordinal, :unit, :direction, :verdict,"
		" :p, :has_percent, :has_interval, :shift, :low, :high, :smallest, :n_base,"
		" :n_head, :n_plan, :note)");
	for (guint i = 0; i < comparisons->len; i++) {
		query_restart(query);
		query_set_int(query, ":job", job_row);
		query_set_int(query, ":family", family);
		query_set_int(query, ":ordinal", i);
		set_comparison(query, g_ptr_array_index(comparisons, i));
		if (!query_run(query, error))
			return false;
	}
	return true;
}

static StoredComparison *read_comparison(Query *query)
{
	StoredComparison *one = g_new0(StoredComparison, 1);

	one->family = (unsigned)query_int(query, "family");
	one->position = (unsigned)query_int(query, "position");
	one->key = query_text(query, "key");
	one->unit = query_text(query, "unit");
	one->direction = query_text(query, "direction");
	one->verdict = query_text(query, "verdict");
	one->p = query_real(query, "p");
	one->has_percent = query_int(query, "has_percent") != 0;
	one->has_interval = query_int(query, "has_interval") != 0;
	one->shift = query_real(query, "shift");
	one->low = query_real(query, "low");
	one->high = query_real(query, "high");
	one->smallest_effect = query_real(query, "smallest_effect");
	one->n_base = (unsigned)query_int(query, "n_base");
	one->n_head = (unsigned)query_int(query, "n_head");
	one->n_plan = (unsigned)query_int(query, "n_plan");
	one->note = query_text(query, "note");
	return one;
}

GPtrArray *comparisons_list(Db *db, int64_t job_row, GError **error)
{
	g_autoptr(GPtrArray) all =
		g_ptr_array_new_with_free_func((GDestroyNotify)stored_comparison_free);
	g_autoptr(Query) query = query_new(
		db, "SELECT family, position, key, unit, direction, verdict, p, has_percent,"
		    " has_interval, shift, low, high, smallest_effect, n_base, n_head, n_plan, note"
		    " FROM comparisons WHERE job_row = :job ORDER BY family, ordinal");

	query_set_int(query, ":job", job_row);
	while (query_next(query))
		g_ptr_array_add(all, read_comparison(query));
	return query_finish(query, error) ? g_steal_pointer(&all) : NULL;
}

bool reports_save(Db *db, int64_t job_row, const char *outcome, const char *facts_json,
		  GError **error)
{
	g_autoptr(Query) query =
		query_new(db, "INSERT INTO reports (job_row, outcome, facts, saved_us)"
			      " VALUES (:job, :outcome, :facts, :now)"
			      " ON CONFLICT (job_row) DO UPDATE SET outcome = excluded.outcome,"
			      " facts = excluded.facts, saved_us = excluded.saved_us");

	query_set_int(query, ":job", job_row);
	query_set_text(query, ":outcome", outcome);
	query_set_text(query, ":facts", facts_json);
	query_set_int(query, ":now", clock_now_us(db->clock));
	return query_run(query, error);
}

char *reports_get(Db *db, int64_t job_row, char **out_outcome, GError **error)
{
	g_autofree char *facts = NULL;
	g_autofree char *outcome = NULL;
	g_autoptr(Query) query =
		query_new(db, "SELECT outcome, facts FROM reports WHERE job_row = :job");

	query_set_int(query, ":job", job_row);
	if (query_next(query)) {
		outcome = query_text(query, "outcome");
		facts = query_text(query, "facts");
	}
	if (out_outcome != NULL)
		*out_outcome = g_steal_pointer(&outcome);
	return query_finish(query, error) ? g_steal_pointer(&facts) : NULL;
}
