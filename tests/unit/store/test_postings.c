/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * As the understand stage does it, mail by mail: whatever the order of arrival, the same whole
 * series stand in the database at the end.
 */
#include "bot/series/assemble.h"
#include "bot/store/private.h"
#include "tests/unit/store/fixture.h"

static bool holds(const Series *series, int64_t row)
{
	if (series->cover != NULL && series->cover->message_row == row)
		return true;
	for (guint i = 0; i < series->patches->len; i++) {
		const PatchMail *mail = series->patches->pdata[i];
		if (mail != NULL && mail->message_row == row)
			return true;
	}
	return false;
}

static void place(Db *db, int64_t row)
{
	g_autoptr(GPtrArray) related = related_to(db, row, NULL);
	ck_assert_ptr_nonnull(related);
	g_autoptr(GPtrArray) all = series_assemble(related);

	for (guint i = 0; i < all->len; i++) {
		int64_t series_row = 0;
		if (!holds(all->pdata[i], row))
			continue;
		OK(db_begin(db, error));
		OK(series_save(db, all->pdata[i], &series_row, error));
		OK(db_commit(db, error));
	}
}

static gint compare_text(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static char *describe_series(Db *db, int64_t row)
{
	g_autoptr(StoredSeries) series = series_get(db, row, NULL);
	g_autoptr(GString) text = g_string_new(NULL);

	if (series == NULL)
		return NULL;
	g_string_append_printf(text, "%s v%u %s:", series->key, series->revision, series->state);
	for (guint i = 0; i < series->patch_rows->len; i++) {
		g_autoptr(StoredMessage) mail =
			messages_get(db, g_array_index(series->patch_rows, int64_t, i), NULL);
		if (mail == NULL)
			return NULL;
		g_string_append_printf(text, " %s", mail->message_id);
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

/* The series without a hole, sorted. */
static char *whole_series(Db *db)
{
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);

	for (int64_t row = 1; row <= 40; row++) {
		char *text = describe_series(db, row);
		if (text != NULL)
			g_ptr_array_add(texts, text);
	}
	g_ptr_array_sort(texts, compare_text);
	g_ptr_array_add(texts, NULL);
	return g_strjoinv("; ", (GStrv)texts->pdata);
}

static void arrive(const PatchSpec *specs, const guint *order, guint n, const char *expected)
{
	FIXTURE(f);

	for (guint i = 0; i < n; i++) {
		g_autoptr(PatchMail) mail = add_patch(f.db, &specs[order[i]]);
		place(f.db, mail->message_row);
	}
	g_autofree char *text = whole_series(f.db);
	ck_assert_str_eq(text, expected);
}

/* Heap's algorithm, every k-th order, so that big sets stay quick. */
static void permute(const PatchSpec *specs, guint *order, guint k, guint n, guint *count,
		    guint step, const char *expected)
{
	if (k <= 1) {
		if ((*count)++ % step == 0)
			arrive(specs, order, n, expected);
		return;
	}
	for (guint i = 0; i < k; i++) {
		permute(specs, order, k - 1, n, count, step, expected);
		guint other = k % 2 == 0 ? i : 0;
		guint kept = order[other];
		order[other] = order[k - 1];
		order[k - 1] = kept;
	}
}

static void in_any_order(const PatchSpec *specs, guint n, guint step, const char *expected)
{
	guint order[8], count = 0;

	for (guint i = 0; i < n; i++)
		order[i] = i;
	permute(specs, order, n, n, &count, step, expected);
}

#define IN_ANY_ORDER(specs, step, expected) in_any_order(specs, G_N_ELEMENTS(specs), step, expected)

START_TEST(a_series_with_cover)
{
	static const PatchSpec specs[] = {
		{"c", "[PATCH 0/2] a", NULL, NULL, NOW_US},
		{"1", "[PATCH 1/2] b", "c", NULL, NOW_US + 1},
		{"2", "[PATCH 2/2] c", "c", NULL, NOW_US + 2},
	};
	IN_ANY_ORDER(specs, 1, "c v1 complete: 1 2");
}
END_TEST

START_TEST(a_series_and_its_second_version_in_another_thread)
{
	static const PatchSpec specs[] = {
		{"1", "[PATCH 1/2] b", NULL, NULL, NOW_US},
		{"2", "[PATCH 2/2] c", "1", NULL, NOW_US + 1},
		{"n1", "[PATCH v2 1/2] b", NULL, NULL, NOW_US + HOUR_US},
		{"n2", "[PATCH v2 2/2] c", "n1", NULL, NOW_US + HOUR_US + 1},
	};
	IN_ANY_ORDER(specs, 5, "1 v1 superseded: 1 2; n1 v2 complete: n1 n2");
}
END_TEST

START_TEST(two_series_of_one_size_at_once)
{
	static const PatchSpec specs[] = {
		{"a", "[PATCH 0/2] a", NULL, NULL, NOW_US},
		{"a1", "[PATCH 1/2] b", "a", NULL, NOW_US + 1},
		{"a2", "[PATCH 2/2] c", "a", NULL, NOW_US + 2},
		{"b", "[PATCH 0/2] d", NULL, NULL, NOW_US + 3},
		{"b1", "[PATCH 1/2] e", "b", NULL, NOW_US + 4},
		{"b2", "[PATCH 2/2] f", "b", NULL, NOW_US + 5},
	};
	IN_ANY_ORDER(specs, 101, "a v1 complete: a1 a2; b v1 complete: b1 b2");
}
END_TEST

START_TEST(a_series_whose_rest_came_as_a_new_thread)
{
	static const PatchSpec specs[] = {
		{"1", "[PATCH 1/4] a", NULL, NULL, NOW_US},
		{"2", "[PATCH 2/4] b", "1", NULL, NOW_US + 1},
		{"3", "[PATCH 3/4] c", NULL, NULL, NOW_US + HOUR_US},
		{"4", "[PATCH 4/4] d", "3", NULL, NOW_US + HOUR_US + 1},
	};
	IN_ANY_ORDER(specs, 5, "1 v1 complete: 1 2 3 4");
}
END_TEST

START_TEST(a_part_that_was_sent_anew)
{
	static const PatchSpec specs[] = {
		{"1", "[PATCH v2 1/2] a", NULL, NULL, NOW_US},
		{"2", "[PATCH v2 2/2] b", "1", NULL, NOW_US + 1},
		{"n2", "[PATCH v3 2/2] b", "2", NULL, NOW_US + HOUR_US},
	};
	static const guint in_order[] = {0, 1, 2}, swapped[] = {1, 0, 2};

	arrive(specs, in_order, 3, "1 v2 superseded: 1 2; n2 v3 complete: 1 n2");
	arrive(specs, swapped, 3, "1 v2 superseded: 1 2; n2 v3 complete: 1 n2");
}
END_TEST

START_TEST(a_long_series_is_placed_in_good_time)
{
	FIXTURE(f);
	gint64 begin = g_get_monotonic_time();

	for (int i = 0; i <= 60; i++) {
		g_autofree char *id = g_strdup_printf("%d@x", i);
		g_autofree char *subject = g_strdup_printf("[PATCH %d/60] a", i);
		PatchSpec spec = {id, subject, i == 0 ? NULL : "0@x", NULL, NOW_US + i};
		g_autoptr(PatchMail) mail = add_patch(f.db, &spec);
		place(f.db, mail->message_row);
	}

	g_autoptr(StoredSeries) series = series_find_by_message(f.db, 1, NULL);
	ck_assert_str_eq(series->state, "complete");
	ck_assert_int_lt(g_get_monotonic_time() - begin, 30 * CLOCK_US_PER_S);
}
END_TEST

#define N_CROSSED 1000
#define N_NAMED 300

/* Steps of SQLite's machine since the last call: what a statement costs, whatever the computer. */
static int64_t work_of(Db *db)
{
	GHashTableIter iter;
	gpointer statement;
	int64_t steps = 0;

	g_hash_table_iter_init(&iter, db->facts.statements);
	while (g_hash_table_iter_next(&iter, NULL, &statement))
		steps += sqlite3_stmt_status(((Statement *)statement)->stmt,
					     SQLITE_STMTSTATUS_VM_STEP, 1);
	return steps;
}

/* Mail @number of a thousand, each of which names hundreds of the others. */
static void add_crossed(Db *db, int number)
{
	g_autofree char *id = g_strdup_printf("%d@x", number);
	g_autofree char *subject = g_strdup_printf("[PATCH %d/%d] a", number, N_CROSSED);
	g_autofree char *text = g_strdup_printf("Message-ID: <%s>\n\n%s\n", id, id);
	PatchSpec spec = {id, subject, NULL, NULL, NOW_US + number};
	g_autoptr(PatchMail) mail = make_patch(&spec);
	g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
	Incoming incoming = {.source = "lab", .locator = id, .bytes = bytes, .message_id = id};
	IncomingOutcome outcome;

	for (int i = 1; i <= N_NAMED; i++)
		g_ptr_array_add(mail->references,
				g_strdup_printf("%d@x", 1 + (number + i * 7) % N_CROSSED));
	MessageFacts facts = {.kind = "patch",
			      .subject = subject,
			      .from = mail->from,
			      .references = mail->references,
			      .patch_mail = mail};
	OK(messages_record(db, &incoming, &outcome, error));
	OK(messages_understood(db, number, &facts, error));
}

/* Places all @rows as the understand stage does. Returns: how often the store was asked */
static unsigned place_all(Db *db, GArray *rows)
{
	unsigned n_asked = 0;

	while (rows->len > 0) {
		g_autoptr(GArray) reached = g_array_new(FALSE, FALSE, sizeof(int64_t));
		g_autoptr(GPtrArray) related = messages_related(db, rows, reached, NULL);

		ck_assert_ptr_nonnull(related);
		ck_assert_uint_gt(reached->len, 0);
		n_asked++;
		for (guint i = 0; i < reached->len; i++) {
			for (guint k = rows->len; k > 0; k--) {
				if (g_array_index(rows, int64_t, k - 1) ==
				    g_array_index(reached, int64_t, i))
					g_array_remove_index(rows, k - 1);
			}
		}
	}
	return n_asked;
}

START_TEST(mails_that_all_name_each_other_are_read_a_few_times_and_not_once_each)
{
	FIXTURE(f);
	g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(int64_t));
	g_autoptr(GPtrArray) all = NULL;
	g_autoptr(GPtrArray) related = NULL;

	OK(db_begin(f.db, error));
	for (int number = 1; number <= N_CROSSED; number++) {
		int64_t row = number;
		add_crossed(f.db, number);
		g_array_append_val(rows, row);
	}
	OK(db_commit(f.db, error));
	work_of(f.db);

	unsigned n_asked = place_all(f.db, rows);
	int64_t steps = work_of(f.db);
	related = related_to(f.db, 1, NULL);
	all = series_assemble(related);

	ck_assert_uint_le(n_asked, 4);
	ck_assert_msg(steps < 3000000, "%" G_GINT64_FORMAT " steps", steps);
	ck_assert_uint_eq(all->len, 1);
	ck_assert(series_is_complete(all->pdata[0]));
}
END_TEST

CHECK_MAIN("postings", a_series_with_cover, a_series_and_its_second_version_in_another_thread,
	   two_series_of_one_size_at_once, a_series_whose_rest_came_as_a_new_thread,
	   a_part_that_was_sent_anew, a_long_series_is_placed_in_good_time,
	   mails_that_all_name_each_other_are_read_a_few_times_and_not_once_each)
