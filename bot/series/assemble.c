/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/series/assemble.h"

#include "mailparse/limits.h"

#include <string.h>

/* A posting without threading that a slow mail host cuts in two still arrives within this time. */
#define UNTHREADED_WINDOW_US (INT64_C(24) * 60 * 60 * 1000000)

/* A series while it grows: slots by number, 0 is the cover. */
typedef struct {
	const PatchMail *first;  /* the first mail placed: poster, revision, total                */
	GPtrArray *slots;        /* (element-type PatchMail) NULL where missing                   */
	GHashTable *ids;         /* Message-IDs in it, and ids its mails refer to                 */
	unsigned total;
} Draft;

static void draft_free(gpointer data)
{
	Draft *draft = data;

	g_ptr_array_unref(draft->slots);
	g_hash_table_unref(draft->ids);
	g_free(draft);
}

/* By date, then by id: so the result does not depend on the order of arrival. */
static gint compare_mails(gconstpointer a, gconstpointer b)
{
	const PatchMail *left = *(const PatchMail *const *)a;
	const PatchMail *right = *(const PatchMail *const *)b;

	if (left->date_us != right->date_us)
		return left->date_us < right->date_us ? -1 : 1;
	return strcmp(left->message_id, right->message_id);
}

static bool same_poster(const PatchMail *a, const PatchMail *b)
{
	if (a->from == NULL || b->from == NULL)
		return a->from == b->from;
	return mailbox_equal(a->from, b->from) &&
	       /* One rewritten list address may stand for many people. */
	       (strstr(a->from->name, " via ") == NULL || strcmp(a->from->name, b->from->name) == 0);
}

static bool same_tags(const SubjectPrefix *a, const SubjectPrefix *b)
{
	return a->rfc == b->rfc && g_strv_equal((const char *const *)a->tags, (const char *const *)b->tags);
}

static const PatchMail *slot(const Draft *draft, unsigned number)
{
	return number < draft->slots->len ? draft->slots->pdata[number] : NULL;
}

/* "6/5" grows a total; otherwise the totals must be the same. */
static bool total_fits(const Draft *draft, const SubjectPrefix *prefix)
{
	unsigned stated = draft->first->prefix->total;
	return stated == prefix->total;
}

static bool could_hold(const Draft *draft, const PatchMail *mail)
{
	const PatchMail *first = draft->first;

	return mail->prefix->numbered && first->prefix->numbered && same_poster(first, mail) &&
	       first->prefix->revision == mail->prefix->revision &&
	       total_fits(draft, mail->prefix) && slot(draft, mail->prefix->number) == NULL;
}

/* How near in the thread: 0 is its parent; G_MAXUINT: not in this thread. */
static unsigned thread_distance(const Draft *draft, const PatchMail *mail)
{
	for (guint i = 0; i < mail->references->len; i++) {
		if (g_hash_table_contains(draft->ids, mail->references->pdata[i]))
			return i;
	}
	return g_hash_table_contains(draft->ids, mail->message_id) ? 0 : G_MAXUINT;
}

static bool close_in_time(const Draft *draft, const PatchMail *mail)
{
	return ABS(mail->date_us - draft->first->date_us) <= UNTHREADED_WINDOW_US;
}

/* A cover opens a series of its own, unless patches before it point at it. */
static bool cover_belongs(const Draft *draft, const PatchMail *mail)
{
	return mail->prefix->number != 0 || g_hash_table_contains(draft->ids, mail->message_id) ||
	       mail->references->len == 0;
}

static Draft *find_draft(const GPtrArray *drafts, const PatchMail *mail)
{
	Draft *best = NULL;
	unsigned best_distance = G_MAXUINT;

	for (guint i = 0; i < drafts->len; i++) {
		Draft *draft = drafts->pdata[i];
		if (!could_hold(draft, mail) || !cover_belongs(draft, mail))
			continue;
		unsigned distance = thread_distance(draft, mail);
		if (distance == G_MAXUINT &&
		    !(close_in_time(draft, mail) && same_tags(draft->first->prefix, mail->prefix)))
			continue;
		/* The nearest in the thread; of the others the latest. */
		if (best == NULL || distance < best_distance || distance == G_MAXUINT) {
			if (best != NULL && distance == G_MAXUINT && best_distance != G_MAXUINT)
				continue;
			best = draft;
			best_distance = distance;
		}
	}
	return best;
}

static void place(Draft *draft, PatchMail *mail)
{
	unsigned number = mail->prefix->number;

	if (number >= draft->slots->len)
		g_ptr_array_set_size(draft->slots, (gint)number + 1);
	draft->slots->pdata[number] = mail;
	draft->total = MAX(draft->total, number);
	g_hash_table_add(draft->ids, mail->message_id);
	/* Its parent may be the cover that is still on its way. */
	if (mail->references->len > 0)
		g_hash_table_add(draft->ids, mail->references->pdata[0]);
}

static Draft *draft_new(PatchMail *mail)
{
	Draft *draft = g_new0(Draft, 1);

	draft->first = mail;
	draft->total = MAX(1u, mail->prefix->total);
	draft->slots = g_ptr_array_new();
	g_ptr_array_set_size(draft->slots, (gint)draft->total + 1);
	draft->ids = g_hash_table_new(g_str_hash, g_str_equal);
	place(draft, mail);
	return draft;
}

/* The same number of the same posting once more: a resend of a part that is there already. */
static bool is_repeat(const Draft *draft, const PatchMail *mail)
{
	const PatchMail *there = slot(draft, mail->prefix->number);

	return there != NULL && same_poster(there, mail) &&
	       there->prefix->revision == mail->prefix->revision &&
	       there->prefix->total == mail->prefix->total &&
	       strcmp(there->prefix->title, mail->prefix->title) == 0 &&
	       g_strcmp0(there->patch_id, mail->patch_id) == 0 && close_in_time(draft, mail) &&
	       same_tags(there->prefix, mail->prefix);
}

static bool is_known_repeat(const GPtrArray *drafts, const PatchMail *mail)
{
	for (guint i = 0; i < drafts->len; i++) {
		if (is_repeat(drafts->pdata[i], mail))
			return true;
	}
	return false;
}

static bool is_part(const PatchMail *mail)
{
	return mail->prefix->is_patch && !mail->is_reply && !mail->prefix->is_forward &&
	       mail->prefix->number <= SERIES_MAX_PATCHES && mail->prefix->total <= SERIES_MAX_PATCHES &&
	       (mail->has_diff || mail->prefix->number == 0);
}

static GPtrArray *make_drafts(const GPtrArray *mails)
{
	g_autoptr(GPtrArray) sorted = g_ptr_array_new();
	GPtrArray *drafts = g_ptr_array_new_with_free_func(draft_free);

	for (guint i = 0; i < mails->len; i++) {
		if (is_part(mails->pdata[i]))
			g_ptr_array_add(sorted, mails->pdata[i]);
	}
	g_ptr_array_sort(sorted, compare_mails);
	for (guint i = 0; i < sorted->len; i++) {
		PatchMail *mail = sorted->pdata[i];
		Draft *draft = find_draft(drafts, mail);
		if (draft != NULL)
			place(draft, mail);
		else if (!is_known_repeat(drafts, mail))
			g_ptr_array_add(drafts, draft_new(mail));
	}
	return drafts;
}

/* ---- from drafts to series ---- */

static const PatchMail *head_of(const Draft *draft)
{
	for (guint i = 0; i < draft->slots->len; i++) {
		if (draft->slots->pdata[i] != NULL)
			return draft->slots->pdata[i];
	}
	return draft->first;
}

static Series *finish(const Draft *draft)
{
	Series *series = g_new0(Series, 1);
	const PatchMail *head = head_of(draft);

	series->key = g_strdup(head->message_id);
	series->title = g_strdup(head->prefix->title);
	series->author = head->from == NULL ? NULL : mailbox_copy(head->from);
	series->revision = head->prefix->revision;
	series->total = draft->total;
	series->cover = draft->slots->pdata[0];
	series->patches = g_ptr_array_new();
	for (unsigned number = 1; number <= draft->total; number++)
		g_ptr_array_add(series->patches, (gpointer)(gsize)slot(draft, number));
	for (guint i = 0; i < draft->slots->len && series->base_commit == NULL; i++) {
		const PatchMail *mail = draft->slots->pdata[i];
		if (mail != NULL)
			series->base_commit = g_strdup(mail->base_commit);
	}
	series->state = series_is_complete(series) ? SERIES_COMPLETE : SERIES_INCOMPLETE;
	return series;
}

bool series_is_complete(const Series *series)
{
	for (guint i = 0; i < series->patches->len; i++) {
		if (series->patches->pdata[i] == NULL)
			return false;
	}
	return series->patches->len > 0;
}

/* ---- revisions ---- */

static const PatchMail *head_mail(const Series *series)
{
	if (series->cover != NULL)
		return series->cover;
	for (guint i = 0; i < series->patches->len; i++) {
		if (series->patches->pdata[i] != NULL)
			return series->patches->pdata[i];
	}
	return NULL;
}

static bool is_earlier_revision(const Series *older, const Series *newer)
{
	const PatchMail *old_head = head_mail(older);
	const PatchMail *new_head = head_mail(newer);
	bool same_change = old_head->change_id != NULL &&
			   g_strcmp0(old_head->change_id, new_head->change_id) == 0;

	if (!same_poster(old_head, new_head) && !same_change)
		return false;
	if (!same_change && g_ascii_strcasecmp(older->title, newer->title) != 0)
		return false;
	if (older->revision != newer->revision)
		return older->revision < newer->revision;
	/* A second posting that forgot its "v2": the later one counts. */
	return compare_mails(&old_head, &new_head) < 0;
}

static bool is_later_than(const Series *a, const Series *b)
{
	const PatchMail *head_a = head_mail(a);
	const PatchMail *head_b = head_mail(b);

	if (a->revision != b->revision)
		return a->revision > b->revision;
	return compare_mails(&head_a, &head_b) > 0;
}

static void link_revisions(GPtrArray *all)
{
	for (guint i = 0; i < all->len; i++) {
		Series *series = all->pdata[i];
		const Series *previous = NULL;
		for (guint j = 0; j < all->len; j++) {
			const Series *older = all->pdata[j];
			if (i != j && is_earlier_revision(older, series) &&
			    (previous == NULL || is_later_than(older, previous)))
				previous = older;
		}
		series->previous = previous == NULL ? NULL : g_strdup(previous->key);
	}
	for (guint i = 0; i < all->len; i++) {
		const Series *newer = all->pdata[i];
		for (guint j = 0; j < all->len && newer->previous != NULL; j++) {
			Series *older = all->pdata[j];
			if (i != j && is_earlier_revision(older, newer))
				older->state = SERIES_SUPERSEDED;
		}
	}
}

GPtrArray *series_assemble(const GPtrArray *mails)
{
	g_autoptr(GPtrArray) drafts = make_drafts(mails);
	GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)series_free);

	for (guint i = 0; i < drafts->len; i++)
		g_ptr_array_add(all, finish(drafts->pdata[i]));
	link_revisions(all);
	return all;
}
