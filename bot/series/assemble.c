/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/series/assemble.h"

#include "bot/series/cluster.h"
#include "mailparse/limits.h"

#include <string.h>

/* What is no part of a series: answers, forwarded mail, a patch prefix without a patch. */
static bool is_part(const PatchMail *mail)
{
	const SubjectPrefix *prefix = mail->prefix;

	return prefix->is_patch && !prefix->is_reply && !prefix->is_forward && !prefix->is_pull &&
	       prefix->number <= SERIES_MAX_PATCHES && prefix->total <= SERIES_MAX_PATCHES &&
	       (mail->has_diff || prefix->number == 0);
}

/* ---- from clusters to series ---- */

static PatchMail *head_of(const Cluster *cluster, guint highest)
{
	for (guint number = 0; number < highest; number++) {
		if (cluster_mail(cluster, number) != NULL)
			return cluster_mail(cluster, number);
	}
	return cluster_mail(cluster, highest);
}

static char *base_commit_of(const Cluster *cluster, guint highest)
{
	for (guint number = 0; number <= highest; number++) {
		const PatchMail *mail = cluster_mail(cluster, number);
		if (mail != NULL && mail->base_commit != NULL)
			return g_strdup(mail->base_commit);
	}
	return NULL;
}

static Series *series_of(const Cluster *cluster)
{
	Series *series = g_new0(Series, 1);
	guint highest = cluster_highest(cluster);
	const PatchMail *head = head_of(cluster, highest);

	series->key = g_strdup(head->message_id);
	series->title = g_strdup(head->prefix->title);
	series->author = head->from == NULL ? NULL : mailbox_copy(head->from);
	series->revision = head->prefix->revision;
	/* "6/5" is an afterthought to a series of five. */
	series->total = MAX(MAX(head->prefix->total, highest), 1);
	series->cover = cluster_mail(cluster, 0);
	series->patches = g_ptr_array_new();
	for (guint number = 1; number <= series->total; number++)
		g_ptr_array_add(series->patches, cluster_mail(cluster, number));
	series->base_commit = base_commit_of(cluster, highest);
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

/* A series and where it comes from; `head` is its cover, else its lowest own patch. */
typedef struct {
	Series *series;
	const Cluster *cluster;
	const PatchMail *head;
} Posting;

static bool same_person(const PatchMail *a, const PatchMail *b)
{
	if (a->from == NULL || b->from == NULL)
		return a->from == b->from;
	return mailbox_equal(a->from, b->from) && (strstr(a->from->name, " via ") == NULL ||
						   strcmp(a->from->name, b->from->name) == 0);
}

static bool same_change(const PatchMail *a, const PatchMail *b)
{
	return a->change_id != NULL && g_strcmp0(a->change_id, b->change_id) == 0;
}

/*
 * Does @newer replace @older?  By a higher revision in the same thread, with the same title or with
 * the same change id; without one, by the same title later: somebody forgot the "v2".
 */
static bool replaces(const Posting *newer, const Posting *older)
{
	bool title = g_ascii_strcasecmp(newer->series->title, older->series->title) == 0;
	bool change = same_change(newer->head, older->head);

	/* Anybody can write somebody else's change id. */
	if (!same_person(newer->head, older->head))
		return false;
	if (newer->series->revision != older->series->revision)
		return newer->series->revision > older->series->revision &&
		       (title || change || newer->cluster->thread == older->cluster->thread);
	return (title || change) && patch_mail_compare(&newer->head, &older->head) > 0;
}

static bool is_later(const Posting *a, const Posting *b)
{
	if (a->series->revision != b->series->revision)
		return a->series->revision > b->series->revision;
	return patch_mail_compare(&a->head, &b->head) > 0;
}

static const Posting *previous_of(const Posting *posting, const GArray *postings)
{
	const Posting *best = NULL;

	for (guint i = 0; i < postings->len; i++) {
		const Posting *older = &g_array_index(postings, Posting, i);
		if (older != posting && replaces(posting, older) &&
		    (best == NULL || is_later(older, best)))
			best = older;
	}
	return best;
}

/*
 * Only some patches sent anew, each in answer to the patch it replaces: the others still stand.
 * A usual new version answers the old cover or nothing, and waits for its own parts.
 */
static bool is_partial_reroll(const Posting *posting, const Posting *previous)
{
	const Series *series = posting->series;

	if (series->cover != NULL || series->total != previous->series->total ||
	    series->revision == previous->series->revision || series_is_complete(series))
		return false;
	for (guint i = 0; i < series->patches->len; i++) {
		const PatchMail *mail = series->patches->pdata[i];
		const PatchMail *old = previous->series->patches->pdata[i];
		if (mail == NULL)
			continue;
		if (old == NULL || mail->references->len == 0 ||
		    strcmp(mail->references->pdata[0], old->message_id) != 0)
			return false;
	}
	return true;
}

static void fill_from(Series *series, const Series *previous)
{
	for (guint i = 0; i < series->patches->len; i++) {
		if (series->patches->pdata[i] == NULL)
			series->patches->pdata[i] = previous->patches->pdata[i];
	}
}

static gint compare_postings(gconstpointer a, gconstpointer b)
{
	return is_later(a, b) ? 1 : -1;
}

/* Older revisions first, since a partial reroll may stand on another one. */
static void link_revisions(GArray *postings)
{
	g_array_sort(postings, compare_postings);
	for (guint i = 0; i < postings->len; i++) {
		Posting *posting = &g_array_index(postings, Posting, i);
		const Posting *previous = previous_of(posting, postings);

		posting->series->state = SERIES_INCOMPLETE;
		if (previous != NULL) {
			posting->series->previous = g_strdup(previous->series->key);
			previous->series->state = SERIES_SUPERSEDED;
			if (is_partial_reroll(posting, previous))
				fill_from(posting->series, previous->series);
		}
		if (series_is_complete(posting->series))
			posting->series->state = SERIES_COMPLETE;
	}
}

/* Not only the one before: v1 and v2 both make way for v3, which names v2. */
static void supersede_all(const GArray *postings)
{
	for (guint i = 0; i < postings->len; i++) {
		const Posting *newer = &g_array_index(postings, Posting, i);
		for (guint k = 0; k < postings->len; k++) {
			const Posting *older = &g_array_index(postings, Posting, k);
			if (i != k && replaces(newer, older))
				older->series->state = SERIES_SUPERSEDED;
		}
	}
}

static GPtrArray *list_parts(const GPtrArray *mails)
{
	GPtrArray *parts = g_ptr_array_new();

	for (guint i = 0; i < mails->len; i++) {
		if (is_part(mails->pdata[i]))
			g_ptr_array_add(parts, mails->pdata[i]);
	}
	return parts;
}

GPtrArray *series_assemble(const GPtrArray *mails)
{
	GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)series_free);
	g_autoptr(GPtrArray) parts = list_parts(mails);
	g_autoptr(GArray) postings = g_array_new(FALSE, FALSE, sizeof(Posting));
	g_auto(Clusters) clusters = {0};

	clusters_build(parts, &clusters);
	for (guint i = 0; i < clusters.all->len; i++) {
		const Cluster *cluster = clusters.all->pdata[i];
		Posting posting = {series_of(cluster), cluster,
				   head_of(cluster, cluster_highest(cluster))};
		g_array_append_val(postings, posting);
		g_ptr_array_add(all, posting.series);
	}
	link_revisions(postings);
	supersede_all(postings);
	return all;
}
