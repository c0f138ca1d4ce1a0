/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Property: whatever was mailed, the order of arrival does not change what it becomes. */
#include "tests/unit/series/fixture.h"

#define N_CASES 400
#define MAX_MAILS 12

static const char *pick(GRand *random, const char *const *words, guint n)
{
	return words[g_rand_int_range(random, 0, (gint32)n)];
}

static char *random_subject(GRand *random)
{
	static const char *const versions[] = {"", "", "", " v2", " v3"};
	static const char *const resends[] = {"", "", "", "", " RESEND"};
	static const char *const titles[] = {"a", "b", "c"};
	int total = g_rand_int_range(random, 1, 4);
	int number = g_rand_int_range(random, 0, total + 1 + g_rand_int_range(random, 0, 2));

	if (g_rand_int_range(random, 0, 6) == 0)
		return g_strdup_printf("[PATCH%s%s] %s", pick(random, versions, 5),
				       pick(random, resends, 5), pick(random, titles, 3));
	return g_strdup_printf("[PATCH%s%s %d/%d] %s", pick(random, versions, 5),
			       pick(random, resends, 5), number, total, pick(random, titles, 3));
}

/* References to mails that are there, to mails that never come, and to itself; by a gateway, too.
 */
static char *random_refs(GRand *random)
{
	int n = g_rand_int_range(random, 0, 3);
	g_autoptr(GString) refs = g_string_new(g_rand_int_range(random, 0, 4) == 0 ? "~" : "");

	for (int i = 0; i < n; i++)
		g_string_append_printf(refs, "%sm%d", i == 0 ? "" : " ",
				       g_rand_int_range(random, 0, MAX_MAILS + 3));
	return g_string_free(g_steal_pointer(&refs), FALSE);
}

static PatchMail *random_mail(GRand *random, int number)
{
	static const char *const diffs[] = {"d1", "d2", "d3", "d4", "d5", "d6", "d7", "-"};
	g_autofree char *id = g_strdup_printf("m%d", number);
	g_autofree char *subject = random_subject(random);
	g_autofree char *refs = random_refs(random);
	Row row = {id,
		   subject,
		   *refs == '\0' ? NULL : refs,
		   g_rand_int_range(random, 0, 4000),
		   g_rand_int_range(random, 0, 5) == 0 ? "Bo <bo@example.org>" : NULL,
		   pick(random, diffs, 8),
		   NULL};

	return mail_of(&row);
}

static void shuffle(GRand *random, GPtrArray *mails)
{
	for (guint i = mails->len; i > 1; i--) {
		guint k = (guint)g_rand_int_range(random, 0, (gint32)i);
		gpointer swap = mails->pdata[i - 1];
		mails->pdata[i - 1] = mails->pdata[k];
		mails->pdata[k] = swap;
	}
}

static void check_series(const Series *series)
{
	ck_assert_uint_eq(series->patches->len, series->total);
	ck_assert(series->cover == NULL || series->cover->prefix->number == 0);
	ck_assert(series->state != SERIES_COMPLETE || series_is_complete(series));
	for (guint i = 0; i < series->patches->len; i++) {
		const PatchMail *mail = series->patches->pdata[i];
		if (mail == NULL)
			continue;
		ck_assert_uint_eq(mail->prefix->number, i + 1);
		ck_assert_uint_le(mail->prefix->revision, series->revision);
		ck_assert(mail->has_diff);
	}
}

START_TEST(any_order_of_arrival_gives_the_same_series)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(20260131);

	for (int n = 0; n < N_CASES; n++) {
		g_autoptr(GPtrArray) mails =
			g_ptr_array_new_with_free_func((GDestroyNotify)patch_mail_free);
		int n_mails = g_rand_int_range(random, 1, MAX_MAILS + 1);
		for (int i = 0; i < n_mails; i++)
			g_ptr_array_add(mails, random_mail(random, i));
		g_autofree char *first = assembled(mails);

		for (int round = 0; round < 8; round++) {
			shuffle(random, mails);
			g_autofree char *again = assembled(mails);
			ck_assert_str_eq(again, first);
		}
	}
}
END_TEST

START_TEST(every_series_is_sound)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(7);

	for (int n = 0; n < N_CASES; n++) {
		g_autoptr(GPtrArray) mails =
			g_ptr_array_new_with_free_func((GDestroyNotify)patch_mail_free);
		for (int i = 0; i < MAX_MAILS; i++)
			g_ptr_array_add(mails, random_mail(random, i));

		g_autoptr(GPtrArray) all = series_assemble(mails);

		for (guint i = 0; i < all->len; i++)
			check_series(all->pdata[i]);
	}
}
END_TEST

CHECK_MAIN("arrival", any_order_of_arrival_gives_the_same_series, every_series_is_sound)
