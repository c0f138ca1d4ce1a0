/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/store/series.h"

#include "bot/base/error.h"
#include "bot/store/doors.h"
#include "bot/store/lease.h"
#include "bot/store/patchmails.h"
#include "bot/store/private.h"
#include "bot/store/query.h"

#include <string.h>

void stored_series_free(StoredSeries *series)
{
	if (series == NULL)
		return;
	g_free(series->key);
	g_free(series->title);
	g_free(series->state);
	g_free(series->reason);
	g_free(series->list);
	g_free(series->base_commit);
	g_clear_pointer(&series->patch_rows, g_array_unref);
	g_free(series);
}

/* ---- saving ---- */

/* All entries of series->patches and the cover as (number, mail), 0 being the cover. */
static const PatchMail *mail_at(const Series *series, guint number)
{
	if (number == 0)
		return series->cover;
	return g_ptr_array_index(series->patches, number - 1);
}

static const char *change_id_of(const Series *series)
{
	for (guint i = 0; i <= series->patches->len && i <= 1; i++) {
		const PatchMail *mail = mail_at(series, i);
		/* Of patches only that of a lone one: Gerrit's Change-Id is one a patch. */
		if (mail != NULL && mail->change_id != NULL && (i == 0 || series->total == 1))
			return mail->change_id;
	}
	return NULL;
}

typedef struct {
	int64_t row;
	int rank;   /* higher is the better one to keep */
	bool loose; /* nothing was decided about it and nobody works on it */
} Candidate;

static bool collect_candidates(Query *query, const char *key, GArray *candidates, GError **error)
{
	while (query_next(query)) {
		const char *state = query_peek_text(query, "state");
		bool decided = strcmp(state, "planned") == 0 || strcmp(state, "declined") == 0 ||
			       strcmp(state, "poison") == 0;
		bool same_key = strcmp(query_peek_text(query, "key"), key) == 0;
		Candidate one = {query_int(query, "id"), decided * 2 + same_key,
				 !decided && query_peek_text(query, "lease_owner") == NULL};
		bool known = false;

		for (guint i = 0; i < candidates->len; i++)
			known |= g_array_index(candidates, Candidate, i).row == one.row;
		if (!known)
			g_array_append_val(candidates, one);
	}
	return query_finish(query, error);
}

/*
 * The rows that are this series already.  Its key may have changed since: a cover that comes last,
 * or patch 1 after patch 2, gives it another name.  So a row of the same revision that holds one of
 * its mails is it, too; a partial reroll has another revision and stays apart.
 */
static GArray *find_candidates(Db *db, const Series *series, GError **error)
{
	g_autoptr(GArray) candidates = g_array_new(FALSE, FALSE, sizeof(Candidate));
	g_autoptr(Query) by_key =
		query_new(db, "SELECT id, key, state, lease_owner FROM series WHERE key = :key");
	g_autoptr(Query) by_mail =
		query_new(db, "SELECT id, key, state, lease_owner FROM series_mails"
			      " JOIN series ON series.id = series_mails.series_row"
			      " WHERE series_mails.message_row = :mail AND revision = :revision");

	query_set_text(by_key, ":key", series->key);
	if (!collect_candidates(by_key, series->key, candidates, error))
		return NULL;
	for (guint i = 0; i <= series->patches->len; i++) {
		const PatchMail *mail = mail_at(series, i);

		if (mail == NULL)
			continue;
		query_restart(by_mail);
		query_set_int(by_mail, ":mail", mail->message_row);
		query_set_int(by_mail, ":revision", series->revision);
		if (!collect_candidates(by_mail, series->key, candidates, error))
			return NULL;
	}
	return g_steal_pointer(&candidates);
}

static bool drop_series(Db *db, int64_t row, GError **error)
{
	g_autoptr(Query) query = query_new(db, "DELETE FROM series WHERE id = :row");

	query_set_int(query, ":row", row);
	return query_run(query, error);
}

/* The best candidate; the loose others were fragments of it and go. 0 when there is none. */
static bool choose_row(Db *db, const GArray *candidates, int64_t *out_row, GError **error)
{
	const Candidate *best = NULL;

	for (guint i = 0; i < candidates->len; i++) {
		const Candidate *one = &g_array_index(candidates, Candidate, i);
		if (best == NULL || one->rank > best->rank ||
		    (one->rank == best->rank && one->row < best->row))
			best = one;
	}
	*out_row = best == NULL ? 0 : best->row;
	for (guint i = 0; i < candidates->len; i++) {
		const Candidate *one = &g_array_index(candidates, Candidate, i);
		if (one != best && one->loose && !drop_series(db, one->row, error))
			return false;
	}
	return true;
}

static void set_series(Query *query, const Series *series, const char *author)
{
	query_set_text(query, ":key", series->key);
	query_set_text(query, ":title", series->title);
	query_set_text(query, ":author", author);
	query_set_int(query, ":revision", series->revision);
	query_set_int(query, ":total", series->total);
	query_set_text(query, ":state",
		       series->state == SERIES_COMPLETE     ? "complete"
		       : series->state == SERIES_INCOMPLETE ? "incomplete"
							    : "superseded");
	query_set_text(query, ":base", series->base_commit);
	query_set_text(query, ":change", change_id_of(series));
	query_set_text(query, ":previous", series->previous);
}

static bool insert_series(Db *db, const Series *series, const char *author, int64_t *out_row,
			  GError **error)
{
	g_autoptr(Query) query =
		query_new(db, "INSERT INTO series (key, title, author, revision, total, state,"
			      " base_commit, change_id, previous, arrived_us)"
			      " VALUES (:key, :title, :author, :revision, :total, :state,"
			      " :base, :change, :previous, 0)");

	set_series(query, series, author);
	if (!query_run(query, error))
		return false;
	*out_row = query_last_row(db);
	return true;
}

/* OR IGNORE of the key alone: a decided series that has it keeps it, ours keeps its old one. */
static bool update_series(Db *db, int64_t row, const Series *series, const char *author,
			  GError **error)
{
	g_autoptr(Query) query = query_new(
		db, "UPDATE series SET"
		    " key = CASE WHEN EXISTS (SELECT 1 FROM series AS other"
		    "   WHERE other.key = :key AND other.id <> :row) THEN key ELSE :key END,"
		    " title = :title, author = :author, revision = :revision, total = :total,"
		    " state = CASE WHEN state IN ('incomplete', 'complete', 'superseded')"
		    "   THEN :state ELSE state END,"
		    " base_commit = :base, change_id = :change, previous = :previous"
		    " WHERE id = :row");

	set_series(query, series, author);
	query_set_int(query, ":row", row);
	return query_run(query, error);
}

static bool save_mails(Db *db, int64_t row, const Series *series, GError **error)
{
	g_autoptr(Query) clear = query_new(db, "DELETE FROM series_mails WHERE series_row = :row");
	g_autoptr(Query) insert =
		query_new(db, "INSERT INTO series_mails (series_row, number, message_row)"
			      " VALUES (:row, :number, :mail)");

	query_set_int(clear, ":row", row);
	if (!query_run(clear, error))
		return false;
	for (guint i = 0; i <= series->patches->len; i++) {
		const PatchMail *mail = mail_at(series, i);

		if (mail == NULL)
			continue;
		query_restart(insert);
		query_set_int(insert, ":row", row);
		query_set_int(insert, ":number", i);
		query_set_int(insert, ":mail", mail->message_row);
		if (!query_run(insert, error))
			return false;
	}
	return true;
}

static bool read_state(Db *db, int64_t row, char **out_state, GError **error)
{
	g_autoptr(Query) query = query_new(db, "SELECT state FROM series WHERE id = :row");

	*out_state = NULL;
	query_set_int(query, ":row", row);
	if (query_next(query))
		*out_state = query_text(query, "state");
	return query_finish(query, error);
}

/* A mail of the later series says that it takes the place of a mail of the earlier one. */
#define NAMES_AS_BEFORE(later, earlier)                                                            \
	"EXISTS (SELECT 1 FROM series_mails AS new_part"                                           \
	" JOIN patch_mails AS new_mail ON new_mail.message_row = new_part.message_row"             \
	"   AND new_mail.replaces IS NOT NULL"                                                     \
	" JOIN series_mails AS old_part ON old_part.series_row = " earlier ".id"                   \
	" JOIN messages AS old_mail ON old_mail.id = old_part.message_row"                         \
	" WHERE new_part.series_row = " later ".id AND instr(char(10) || new_mail.replaces"        \
	"   || char(10), char(10) || old_mail.message_id || char(10)) > 0)"

/* "[RFC PATCH v2]" goes before the "[PATCH]" that was posted after it. */
#define RFC_BEFORE(rfc, posting)                                                                   \
	"EXISTS (SELECT 1 FROM messages AS rfc_mail"                                               \
	" JOIN patch_mails AS rfc_part ON rfc_part.message_row = rfc_mail.id AND rfc_part.rfc = 1" \
	" JOIN messages AS real_mail ON real_mail.message_id = " posting ".key"                    \
	" JOIN patch_mails AS real_part ON real_part.message_row = real_mail.id"                   \
	"   AND real_part.rfc = 0 AND real_part.posted_us > rfc_part.posted_us"                    \
	" WHERE rfc_mail.message_id = " rfc ".key)"

/* "[PATCH 6.1.y]" and "[PATCH 5.15.y]" are one backport for two kernels. */
#define OTHER_KERNEL(later, earlier)                                                               \
	"EXISTS (SELECT 1 FROM messages AS a_mail"                                                 \
	" JOIN patch_mails AS a_part ON a_part.message_row = a_mail.id"                            \
	" JOIN messages AS b_mail ON b_mail.message_id = " earlier ".key"                          \
	" JOIN patch_mails AS b_part ON b_part.message_row = b_mail.id"                            \
	"   AND b_part.tags <> a_part.tags AND b_part.tags GLOB '*[0-9].[0-9]*'"                   \
	" WHERE a_mail.message_id = " later ".key AND a_part.tags GLOB '*[0-9].[0-9]*')"

#define SAME_TITLE(later, earlier)                                                                 \
	later ".title <> '' AND " later ".title = " earlier ".title COLLATE NOCASE"

#define SAME_WORK(later, earlier)                                                                  \
	"(" later ".change_id = " earlier                                                          \
	".change_id OR " NAMES_AS_BEFORE(later, earlier) " OR (" SAME_TITLE(                       \
		later,                                                                             \
		earlier) " AND NOT " RFC_BEFORE(later,                                             \
						earlier) "   AND NOT " OTHER_KERNEL(later,         \
										    earlier) "))"

/*
 * Two series are revisions of one work when the later names the earlier as its previous one, when
 * both have the same change id, or when one person gave both the same title, or names the earlier
 * in words ("Supersedes:", "Link to v1:").  `later` is over them.
 */
#define IS_LATER_REVISION(later, earlier)                                                          \
	"(" later ".id <> " earlier ".id AND (" later ".previous = " earlier ".key"                \
	" OR (" later ".author = " earlier ".author"                                               \
	"   AND ((" later ".revision > " earlier ".revision AND " SAME_WORK(                       \
		later, earlier) ")"                                                                \
				"     OR (" later ".revision = " earlier ".revision"               \
				"       AND " NAMES_AS_BEFORE(later, earlier) ")))))"

bool series_has_newer(Db *db, int64_t row)
{
	g_autoptr(Query) query =
		query_new(db, "SELECT later.id FROM series AS earlier, series AS later"
			      " WHERE earlier.id = :row"
			      " AND " IS_LATER_REVISION("later", "earlier") " LIMIT 1");

	query_set_int(query, ":row", row);
	return query_next(query);
}

static bool supersede(Db *db, const char *sql, int64_t row, GError **error)
{
	g_autoptr(Query) query = query_new(db, sql);
	g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(int64_t));

	query_set_int(query, ":row", row);
	while (query_next(query)) {
		int64_t one = query_int(query, "id");
		g_array_append_val(rows, one);
	}
	if (!query_finish(query, error))
		return false;
	for (guint i = 0; i < rows->len; i++) {
		if (!event_add(db, "series.superseded", "series", g_array_index(rows, int64_t, i),
			       error, "a later revision is here"))
			return false;
	}
	return true;
}

/* Of what is unplanned: a series that plan works on at this moment is left to plan. */
static bool supersede_older(Db *db, int64_t row, GError **error)
{
	return supersede(db,
			 "UPDATE series SET state = 'superseded'"
			 " WHERE state IN ('incomplete', 'complete') AND lease_owner IS NULL"
			 " AND EXISTS (SELECT 1 FROM series AS later WHERE later.id = :row"
			 "   AND " IS_LATER_REVISION("later", "series") ")"
									" RETURNING id",
			 row, error);
}

/* Mail of an old revision may come in after the new one. */
static bool supersede_itself(Db *db, int64_t row, GError **error)
{
	if (!series_has_newer(db, row))
		return true;
	return supersede(db,
			 "UPDATE series SET state = 'superseded'"
			 " WHERE id = :row AND state IN ('incomplete', 'complete')"
			 " AND lease_owner IS NULL RETURNING id",
			 row, error);
}

static bool save_row(Db *db, const Series *series, int64_t *row, GError **error)
{
	g_autofree char *author = patchmail_poster(series->author);

	return *row == 0 ? insert_series(db, series, author, row, error)
			 : update_series(db, *row, series, author, error);
}

static bool is_decided(const char *state)
{
	return g_strcmp0(state, "planned") == 0 || g_strcmp0(state, "declined") == 0;
}

bool series_save(Db *db, const Series *series, int64_t *out_row, GError **error)
{
	g_autofree char *before = NULL;
	g_autofree char *after = NULL;
	g_autoptr(GArray) candidates = find_candidates(db, series, error);

	if (candidates == NULL || !choose_row(db, candidates, out_row, error) ||
	    !read_state(db, *out_row, &before, error))
		return false;
	/* What is decided stays as it was decided: a late mail, of whomever, must not change what a
	 * report is about nor whom it goes to. */
	if (is_decided(before))
		return true;
	if (!save_row(db, series, out_row, error) || !save_mails(db, *out_row, series, error) ||
	    !doors_settle_series(db, *out_row, error) || !supersede_older(db, *out_row, error) ||
	    !supersede_itself(db, *out_row, error) || !read_state(db, *out_row, &after, error))
		return false;
	if (g_strcmp0(before, after) == 0 || strcmp(after, "superseded") == 0)
		return true;
	g_autofree char *name = g_strconcat("series.", after, NULL);
	return event_add(db, name, "series", *out_row, error, "v%u, %u %s: %s", series->revision,
			 series->total, series->total == 1 ? "patch" : "patches", series->title);
}

/* ---- reading ---- */

static const char get_sql[] =
	"SELECT id, key, title, revision, total, state, list, base_commit,"
	" coalesce((SELECT max(" DOORS_AGE_US ") FROM series_mails AS part"
	"   JOIN messages ON messages.id = part.message_row"
	"   WHERE part.series_row = series.id AND part.number > 0), 0) AS arrived_us,"
	" CASE state WHEN 'complete' THEN " DOORS_WHY_WAITING " ELSE reason END AS reason"
	" FROM series WHERE id = :row";

static StoredSeries *read_series(Query *query)
{
	StoredSeries *series = g_new0(StoredSeries, 1);

	series->row = query_int(query, "id");
	series->key = query_text(query, "key");
	series->title = query_text(query, "title");
	series->revision = (unsigned)query_int(query, "revision");
	series->total = (unsigned)query_int(query, "total");
	series->state = query_text(query, "state");
	series->reason = query_text(query, "reason");
	series->list = query_text(query, "list");
	series->base_commit = query_text(query, "base_commit");
	series->arrived_us = query_int(query, "arrived_us");
	series->patch_rows = g_array_new(FALSE, TRUE, sizeof(int64_t));
	g_array_set_size(series->patch_rows, series->total);
	return series;
}

static bool read_mails(Db *db, StoredSeries *series, GError **error)
{
	g_autoptr(Query) query = query_new(
		db, "SELECT number, message_row FROM series_mails WHERE series_row = :row");

	query_set_int(query, ":row", series->row);
	while (query_next(query)) {
		int64_t number = query_int(query, "number");
		int64_t mail = query_int(query, "message_row");

		if (number == 0)
			series->cover_row = mail;
		else if (number <= series->patch_rows->len)
			g_array_index(series->patch_rows, int64_t, number - 1) = mail;
	}
	return query_finish(query, error);
}

StoredSeries *series_get(Db *db, int64_t row, GError **error)
{
	g_autoptr(StoredSeries) series = NULL;
	g_autoptr(Query) query = query_new(db, get_sql);

	query_set_int(query, ":row", row);
	if (query_next(query))
		series = read_series(query);
	if (!query_finish(query, error))
		return NULL;
	if (series == NULL) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
			    "there is no series %" G_GINT64_FORMAT, row);
		return NULL;
	}
	return read_mails(db, series, error) ? g_steal_pointer(&series) : NULL;
}

StoredSeries *series_find_by_message(Db *db, int64_t message_row, GError **error)
{
	int64_t row = 0;
	/* Of several the one that was made for this mail, not a reroll that took it over. */
	g_autoptr(Query) query = query_new(
		db, "SELECT series_row FROM series_mails JOIN series ON series.id = series_row"
		    " WHERE message_row = :mail ORDER BY revision, series_row LIMIT 1");

	query_set_int(query, ":mail", message_row);
	if (query_next(query))
		row = query_int(query, "series_row");
	if (!query_finish(query, error) || row == 0)
		return NULL;
	return series_get(db, row, error);
}

StoredSeries *series_find_by_cover(Db *db, int64_t message_row, GError **error)
{
	int64_t row = 0;
	g_autoptr(Query) query = query_new(
		db, "SELECT series.id AS series_row FROM messages AS cover"
		    " JOIN patch_mails AS facts ON facts.message_row = cover.id"
		    "   AND facts.number = 0 AND facts.is_reply = 0"
		    " JOIN message_refs AS ref ON ref.ancestor = cover.message_id"
		    "   AND ref.position = 0"
		    " JOIN series_mails AS part ON part.message_row = ref.message_row"
		    " JOIN series ON series.id = part.series_row"
		    "   AND series.author = facts.poster AND series.revision = facts.revision"
		    "   AND series.total = facts.total"
		    " WHERE cover.id = :cover ORDER BY series.id LIMIT 1");

	query_set_int(query, ":cover", message_row);
	if (query_next(query))
		row = query_int(query, "series_row");
	if (!query_finish(query, error) || row == 0)
		return NULL;
	return series_get(db, row, error);
}

/* The index series_waiting is of these. */
#define WAITING_FOR_PLAN                                                                           \
	"state = 'complete' AND lease_owner IS NULL AND observe = 0 AND list IS NOT NULL"          \
	" AND " NO_BACKLOG

/*
 * One that takes over patches of the version before may be the beginning of a whole new version,
 * whose other parts are on their way.  `:until` is a lease from now.
 */
#define LENT_WAIT_US ((int64_t)60 * 60 * CLOCK_US_PER_S)
_Static_assert(DB_LEASE_US + LENT_WAIT_US == 4500000000, "as IS_SETTLED has it");
#define IS_SETTLED                                                                                 \
	"(arrived_us <= :until - 4500000000 OR NOT EXISTS (SELECT 1 FROM series_mails AS part"     \
	" JOIN patch_mails AS lent ON lent.message_row = part.message_row"                         \
	" WHERE part.series_row = series.id AND part.number > 0"                                   \
	" AND lent.revision < series.revision))"

static GPtrArray *claim_series(Db *db, unsigned limit, GError **error)
{
	g_autoptr(GPtrArray) all =
		g_ptr_array_new_with_free_func((GDestroyNotify)stored_series_free);
	g_autoptr(GArray) rows = lease_take(
		db,
		"SELECT deaths FROM series"
		" WHERE " WAITING_FOR_PLAN " ORDER BY id LIMIT 1",
		"UPDATE series SET lease_owner = :owner, lease_until_us = :until"
		" WHERE id IN (SELECT id FROM series"
		"   WHERE " WAITING_FOR_PLAN " AND (deaths > 0) = :suspect AND " IS_SETTLED
		" ORDER BY id LIMIT :limit)"
		" RETURNING id",
		limit, error);

	for (guint i = 0; rows != NULL && i < rows->len; i++) {
		StoredSeries *series = series_get(db, g_array_index(rows, int64_t, i), error);
		if (series == NULL)
			return NULL;
		g_ptr_array_add(all, series);
	}
	return rows == NULL ? NULL : g_steal_pointer(&all);
}

GPtrArray *series_claim(Db *db, unsigned limit, GError **error)
{
	if (!db_begin(db, error))
		return NULL;
	g_autoptr(GPtrArray) series = claim_series(db, limit, error);
	if (series != NULL && db_commit(db, error))
		return g_steal_pointer(&series);
	db_rollback(db);
	return NULL;
}

bool series_decide(Db *db, int64_t row, const char *state, const char *reason, GError **error)
{
	g_autofree char *name = g_strconcat("series.", state, NULL);
	g_autoptr(Query) query =
		query_new(db, "UPDATE series SET state = :state, reason = :reason,"
			      " lease_owner = NULL, lease_until_us = NULL, deaths = 0"
			      " WHERE id = :row AND (lease_owner IS NULL OR lease_owner = :owner)");

	query_set_text(query, ":state", state);
	query_set_text(query, ":reason", reason);
	query_set_int(query, ":row", row);
	query_set_text(query, ":owner", db->owner);
	return query_run(query, error) && lease_ended(db, "series", row, error) &&
	       event_add(db, name, "series", row, error, "%s", reason == NULL ? "" : reason);
}
