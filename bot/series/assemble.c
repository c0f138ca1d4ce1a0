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

/* What the patches say, not their cover, should the two differ. */
static guint total_of(const Cluster *cluster, const PatchMail *head)
{
	guint total = 0;

	for (guint i = 0; i < cluster->mails->len; i++) {
		const SubjectPrefix *prefix = ((PatchMail *)cluster->mails->pdata[i])->prefix;
		if (prefix->number > 0)
			total = MAX(total, prefix->total);
	}
	return total > 0 ? total : MAX(head->prefix->total, 1);
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
	series->total = MAX(total_of(cluster, head), highest);
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

/* A series and where it comes from. */
typedef struct {
	Series *series;
	const Cluster *cluster;
	const PatchMail *head;  /* the cover, else the lowest own patch                           */
	const char *title;      /* interned, in lower case                                        */
	const char *person;     /* interned: who posted it                                        */
	const char *name;       /* interned, in lower case: a full name of the poster, else NULL  */
	const char *change;     /* interned change id; NULL                                       */
	const Series *answered; /* that @head names as its parent; NULL                           */
} Posting;

typedef struct {
	GArray *postings;   /* (element-type Posting) older ones first          */
	GStringChunk *text; /* what is interned: compared by its address        */
	GHashTable *by_id;  /* Message-ID -> PatchMail, of whatever was mailed  */
	GHashTable *holder; /* Message-ID -> Series, of its own mails           */
} Assembly;

static void assembly_clear(Assembly *assembly)
{
	g_clear_pointer(&assembly->postings, g_array_unref);
	g_clear_pointer(&assembly->text, g_string_chunk_free);
	g_clear_pointer(&assembly->by_id, g_hash_table_unref);
	g_clear_pointer(&assembly->holder, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Assembly, assembly_clear)

static Posting *posting_at(const Assembly *assembly, guint position)
{
	return &g_array_index(assembly->postings, Posting, position);
}

static const char *intern_low(Assembly *assembly, const char *text)
{
	g_autofree char *low = g_ascii_strdown(text, -1);

	return g_string_chunk_insert_const(assembly->text, low);
}

/* A list that rewrites addresses has one for all: there the name tells people apart. */
static const char *intern_person(Assembly *assembly, const Mailbox *from)
{
	if (from == NULL)
		return intern_low(assembly, "");
	bool is_rewritten = strstr(from->name, " via ") != NULL;
	g_autofree char *person = g_strconcat(from->addr, is_rewritten ? "\n" : "",
					      is_rewritten ? from->name : "", NULL);
	return intern_low(assembly, person);
}

static const char *intern_name(Assembly *assembly, const Mailbox *from)
{
	if (from == NULL || strchr(from->name, ' ') == NULL || strstr(from->name, " via ") != NULL)
		return NULL;
	return intern_low(assembly, from->name);
}

static void add_posting(Assembly *assembly, const Cluster *cluster)
{
	const PatchMail *head = head_of(cluster, cluster_highest(cluster));
	const char *change = head->change_id;
	Posting posting = {
		.series = series_of(cluster),
		.cluster = cluster,
		.head = head,
		.title = intern_low(assembly, head->prefix->title),
		.person = intern_person(assembly, head->from),
		.name = intern_name(assembly, head->from),
		.change =
			change == NULL ? NULL : g_string_chunk_insert_const(assembly->text, change),
	};

	g_array_append_val(assembly->postings, posting);
	for (guint i = 0; i < cluster->mails->len; i++) {
		PatchMail *mail = cluster->mails->pdata[i];
		g_hash_table_insert(assembly->holder, mail->message_id, posting.series);
	}
}

static void find_answered(Assembly *assembly)
{
	for (guint i = 0; i < assembly->postings->len; i++) {
		Posting *posting = posting_at(assembly, i);
		const GPtrArray *ids = posting->head->references;
		if (ids->len > 0)
			posting->answered = g_hash_table_lookup(assembly->holder, ids->pdata[0]);
	}
}

/* Is the mail @id one of @series? */
static bool holds_id(const Assembly *assembly, const Series *series, const char *id)
{
	const PatchMail *mail = g_hash_table_lookup(assembly->by_id, id);
	guint number = mail == NULL ? 0 : mail->prefix->number;
	const PatchMail *own = series->cover;

	if (number > 0)
		own = number <= series->patches->len ? series->patches->pdata[number - 1] : NULL;
	return mail != NULL && own != NULL && strcmp(own->message_id, id) == 0;
}

#define MAX_TALK 64 /* mails between a patch and the one it replaces */

/*
 * The nearest mail of @series that @mail answers, with talk between them or not; NULL.  Some
 * mailers name only the mail they answer, so the walk goes on from there.
 */
static const char *answered_of(const Assembly *assembly, const Series *series,
			       const PatchMail *mail)
{
	for (guint n = 0; mail != NULL && mail->references->len > 0 && n < MAX_TALK; n++) {
		const GPtrArray *ids = mail->references;
		for (guint i = 0; i < ids->len; i++) {
			if (holds_id(assembly, series, ids->pdata[i]))
				return ids->pdata[i];
		}
		mail = g_hash_table_lookup(assembly->by_id, ids->pdata[ids->len - 1]);
	}
	return NULL;
}

/*
 * Who writes from two addresses is known by his full name, where one posting answers the other: a
 * name alone says nothing, many people share one.
 */
static bool same_person(const Posting *newer, const Posting *older)
{
	return newer->person == older->person ||
	       (newer->name != NULL && newer->name == older->name &&
		newer->cluster->thread == older->cluster->thread &&
		newer->series->revision > older->series->revision);
}

static bool holds_patch_id(const Cluster *cluster, const char *patch_id)
{
	for (guint i = 0; i < cluster->mails->len; i++) {
		const PatchMail *mail = cluster->mails->pdata[i];
		if (mail->prefix->number > 0 && g_strcmp0(mail->patch_id, patch_id) == 0)
			return true;
	}
	return false;
}

/* At least half of the patches of @older are in @newer, unchanged. */
static bool has_patches_of(const Posting *newer, const Posting *older)
{
	const GPtrArray *mails = older->cluster->mails;
	guint shared = 0;

	for (guint i = 0; i < mails->len; i++) {
		const PatchMail *mail = mails->pdata[i];
		if (mail->prefix->number > 0 && mail->patch_id != NULL)
			shared += holds_patch_id(newer->cluster, mail->patch_id);
	}
	return shared > 0 && shared * 2 >= older->series->total;
}

/* "Supersedes: <id>", "Link to v1: URL", of a mail of @older. */
static bool names_as_before(const Assembly *assembly, const Posting *newer, const Posting *older)
{
	const GPtrArray *mails = newer->cluster->mails;

	for (guint i = 0; i < mails->len; i++) {
		GStrv ids = ((PatchMail *)mails->pdata[i])->replaces;
		for (guint k = 0; ids != NULL && ids[k] != NULL; k++) {
			if (holds_id(assembly, older->series, ids[k]))
				return true;
		}
	}
	return false;
}

/* It answers another single patch of the thread, which it is a version of. */
static bool answers_sibling(const Posting *newer, const Posting *older)
{
	const Series *answered = newer->answered;

	return answered != NULL && answered != older->series && answered->total == 1 &&
	       older->series->total == 1 && answered->revision == older->series->revision;
}

/* "6.1.y", "v5.15", "stable-5.10": the first tag that names a kernel; NULL. */
static const char *kernel_of(const PatchMail *mail)
{
	GStrv tags = mail->prefix->tags;

	for (guint i = 0; tags != NULL && tags[i] != NULL; i++) {
		for (const char *dot = strchr(tags[i], '.'); dot != NULL;
		     dot = strchr(dot + 1, '.')) {
			if (dot > tags[i] && g_ascii_isdigit(dot[-1]) && g_ascii_isdigit(dot[1]))
				return tags[i];
		}
	}
	return NULL;
}

/* The same backport for another kernel is no other version of it. */
static bool are_for_other_kernels(const Posting *newer, const Posting *older)
{
	const char *a = kernel_of(newer->head);
	const char *b = kernel_of(older->head);

	return a != NULL && b != NULL && strcmp(a, b) != 0;
}

/*
 * Does @newer replace @older?  By a higher revision with the same title or the same change id, or
 * one that is no earlier in the same thread or with the same patches, or that names it; without
 * one, by the same title or by name later: somebody forgot the "v2".
 */
static bool replaces(const Assembly *assembly, const Posting *newer, const Posting *older)
{
	/* Anybody can write somebody else's change id, or name his posting. */
	if (!same_person(newer, older) || are_for_other_kernels(newer, older))
		return false;
	bool same = newer->title == older->title ||
		    (newer->change != NULL && newer->change == older->change) ||
		    names_as_before(assembly, newer, older);
	bool not_before = newer->head->date_us >= older->head->date_us;
	bool newer_rfc = newer->head->prefix->rfc, older_rfc = older->head->prefix->rfc;

	/* "[RFC PATCH v2]" goes before "[PATCH]" of two days later. */
	if (newer_rfc != older_rfc && not_before != newer_rfc &&
	    newer->series->revision != older->series->revision)
		return same && not_before;

	if (newer->series->revision == older->series->revision)
		return same && patch_mail_compare(&newer->head, &older->head) > 0;
	return newer->series->revision > older->series->revision &&
	       (same || (not_before && ((newer->cluster->thread == older->cluster->thread &&
					 !answers_sibling(newer, older)) ||
					has_patches_of(newer, older))));
}

static bool is_later(const Posting *a, const Posting *b)
{
	if (a->series->revision != b->series->revision)
		return a->series->revision > b->series->revision;
	return patch_mail_compare(&a->head, &b->head) > 0;
}

static const Posting *previous_of(const Assembly *assembly, const Posting *posting)
{
	const Posting *best = NULL;

	for (guint i = 0; i < assembly->postings->len; i++) {
		const Posting *older = posting_at(assembly, i);
		if (older == posting || !replaces(assembly, posting, older))
			continue;
		if (best == NULL || replaces(assembly, older, best) ||
		    (!replaces(assembly, best, older) && is_later(older, best)))
			best = older;
	}
	return best;
}

/*
 * Only some patches sent anew, each in answer to the patch it replaces or to the talk about that
 * one: the others still stand.  A usual new version answers the old cover or nothing, and waits for
 * its own parts.
 */
static bool is_partial_reroll(const Assembly *assembly, const Posting *posting,
			      const Posting *previous)
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
		const char *answered = answered_of(assembly, previous->series, mail);
		if (old == NULL || g_strcmp0(answered, old->message_id) != 0)
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

static void link_posting(const Assembly *assembly, const Posting *posting)
{
	const Posting *previous = previous_of(assembly, posting);
	Series *series = posting->series;

	series->state = SERIES_INCOMPLETE;
	if (previous != NULL) {
		series->previous = g_strdup(previous->series->key);
		series->guessed =
			series->revision == previous->series->revision &&
			(posting->change == NULL || posting->change != previous->change) &&
			!names_as_before(assembly, posting, previous);
		previous->series->state = SERIES_SUPERSEDED;
		if (is_partial_reroll(assembly, posting, previous))
			fill_from(series, previous->series);
	}
	if (series_is_complete(series))
		series->state = SERIES_COMPLETE;
}

/* Not only the one before: v1 and v2 both make way for v3, which names v2. */
static void supersede_all(const Assembly *assembly)
{
	for (guint i = 0; i < assembly->postings->len; i++) {
		const Posting *newer = posting_at(assembly, i);
		for (guint k = 0; k < assembly->postings->len; k++) {
			const Posting *older = posting_at(assembly, k);
			if (i != k && replaces(assembly, newer, older))
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

static void assembly_init(Assembly *assembly, const Clusters *clusters, const GPtrArray *mails)
{
	assembly->postings = g_array_new(FALSE, FALSE, sizeof(Posting));
	assembly->text = g_string_chunk_new(4096);
	assembly->by_id = g_hash_table_new(g_str_hash, g_str_equal);
	assembly->holder = g_hash_table_new(g_str_hash, g_str_equal);
	for (guint i = 0; i < mails->len; i++) {
		PatchMail *mail = mails->pdata[i];
		g_hash_table_insert(assembly->by_id, mail->message_id, mail);
	}
	for (guint i = 0; i < clusters->all->len; i++)
		add_posting(assembly, clusters->all->pdata[i]);
	find_answered(assembly);
}

GPtrArray *series_assemble(const GPtrArray *mails)
{
	GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)series_free);
	g_autoptr(GPtrArray) parts = list_parts(mails);
	g_auto(Assembly) assembly = {0};
	g_auto(Clusters) clusters = {0};

	clusters_build(parts, mails, &clusters);
	assembly_init(&assembly, &clusters, mails);
	for (guint i = 0; i < assembly.postings->len; i++)
		g_ptr_array_add(all, posting_at(&assembly, i)->series);
	/* Older revisions first, since a partial reroll may stand on another one. */
	g_array_sort(assembly.postings, compare_postings);
	for (guint i = 0; i < assembly.postings->len; i++)
		link_posting(&assembly, posting_at(&assembly, i));
	supersede_all(&assembly);
	return all;
}
