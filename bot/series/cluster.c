/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/series/cluster.h"

#include "bot/series/threads.h"

#include <string.h>

/* Of two copies of a mail the one to which no list added a tag comes first. */
static int compare_copies(const PatchMail *x, const PatchMail *y)
{
	guint n_x = x->prefix->tags == NULL ? 0 : g_strv_length(x->prefix->tags);
	guint n_y = y->prefix->tags == NULL ? 0 : g_strv_length(y->prefix->tags);

	return n_x != n_y ? (n_x < n_y ? -1 : 1) : strcmp(x->prefix->title, y->prefix->title);
}

gint patch_mail_compare(gconstpointer a, gconstpointer b)
{
	const PatchMail *x = *(const PatchMail *const *)a;
	const PatchMail *y = *(const PatchMail *const *)b;

	if (x->date_us != y->date_us)
		return x->date_us < y->date_us ? -1 : 1;
	int order = strcmp(x->message_id, y->message_id);
	return order != 0 ? order : compare_copies(x, y);
}

static gint cluster_compare(gconstpointer a, gconstpointer b)
{
	const Cluster *x = *(const Cluster *const *)a;
	const Cluster *y = *(const Cluster *const *)b;

	return patch_mail_compare(&x->mails->pdata[0], &y->mails->pdata[0]);
}

void cluster_free(Cluster *cluster)
{
	if (cluster == NULL)
		return;
	g_ptr_array_unref(cluster->mails);
	g_hash_table_unref(cluster->numbers);
	g_free(cluster);
}

PatchMail *cluster_mail(const Cluster *cluster, guint number)
{
	return g_hash_table_lookup(cluster->numbers, GUINT_TO_POINTER(number));
}

guint cluster_highest(const Cluster *cluster)
{
	guint highest = 0;

	for (guint i = 0; i < cluster->mails->len; i++)
		highest = MAX(highest, ((PatchMail *)cluster->mails->pdata[i])->prefix->number);
	return highest;
}

static void add_mail(Cluster *cluster, PatchMail *mail)
{
	g_ptr_array_add(cluster->mails, mail);
	g_hash_table_insert(cluster->numbers, GUINT_TO_POINTER(mail->prefix->number), mail);
	cluster->first_us = MIN(cluster->first_us, mail->date_us);
	cluster->last_us = MAX(cluster->last_us, mail->date_us);
}

static Cluster *cluster_new(PatchMail *mail, guint thread)
{
	Cluster *cluster = g_new0(Cluster, 1);

	cluster->mails = g_ptr_array_new();
	cluster->numbers = g_hash_table_new(NULL, NULL);
	cluster->thread = thread;
	cluster->first_us = cluster->last_us = mail->date_us;
	add_mail(cluster, mail);
	return cluster;
}

/* ---- the work at hand ---- */

typedef struct {
	GStringChunk *names;
	Threads threads;
	GPtrArray *clusters; /* (element-type Cluster), NULL where it went into another */
	GArray *into;        /* (element-type guint): of each cluster, itself or where it went */
	GHashTable *nodes;   /* (set, id) -> cluster position + 1, see node_name() */
	GHashTable *by_id;   /* id of a part -> position + 1 of its first cluster  */
} Work;

static guint find(Work *work, guint position)
{
	while (g_array_index(work->into, guint, position) != position)
		position = g_array_index(work->into, guint, position);
	return position;
}

static Cluster *at(const Work *work, guint position)
{
	return work->clusters->pdata[position];
}

static bool clash(const Cluster *a, const Cluster *b)
{
	const Cluster *few = a->mails->len < b->mails->len ? a : b;
	const Cluster *many = few == a ? b : a;

	for (guint i = 0; i < few->mails->len; i++) {
		if (cluster_mail(many, ((PatchMail *)few->mails->pdata[i])->prefix->number) != NULL)
			return true;
	}
	return false;
}

static const char *first_id(const Cluster *cluster)
{
	return ((PatchMail *)cluster->mails->pdata[0])->message_id;
}

/* The mails of @from go to @to; what answers either is one thread from then on. */
static void swallow(Work *work, guint to, guint from)
{
	threads_join(&work->threads, first_id(at(work, to)), first_id(at(work, from)));
	for (guint i = 0; i < at(work, from)->mails->len; i++)
		add_mail(at(work, to), at(work, from)->mails->pdata[i]);
	g_ptr_array_sort(at(work, to)->mails, patch_mail_compare);
	g_clear_pointer((Cluster **)&work->clusters->pdata[from], cluster_free);
	g_array_index(work->into, guint, from) = to;
}

static bool try_join(Work *work, guint a, guint b)
{
	a = find(work, a);
	b = find(work, b);
	if (a == b)
		return true;
	if (clash(at(work, a), at(work, b)))
		return false;
	swallow(work, MIN(a, b), MAX(a, b));
	return true;
}

/* One person: a rewritten address ("Ann via lab <lab@...>") stands for many, the name tells them.
 */
static void name_cluster(Work *work, Cluster *cluster, const PatchMail *mail)
{
	const char *addr = mail->from == NULL ? "" : mail->from->addr;
	const char *name = mail->from == NULL || strstr(mail->from->name, " via ") == NULL
				   ? ""
				   : mail->from->name;
	g_autofree char *low = g_ascii_strdown(addr, -1);
	g_autofree char *poster = g_strdup_printf("%s\n%s\n%u", low, name, mail->prefix->revision);
	g_autofree char *set = g_strdup_printf("%s\n%u", poster, mail->prefix->total);

	cluster->poster = g_string_chunk_insert_const(work->names, poster);
	cluster->set = g_string_chunk_insert_const(work->names, set);
}

static char *node_name(const Work *work, guint position, const char *id)
{
	return g_strconcat(at(work, position)->set, "\n", id, NULL);
}

static void add_cluster(Work *work, PatchMail *mail)
{
	guint position = work->clusters->len;
	Cluster *cluster = cluster_new(mail, threads_of(&work->threads, mail->message_id));

	name_cluster(work, cluster, mail);
	g_array_append_val(work->into, position);
	g_ptr_array_add(work->clusters, cluster);
	g_hash_table_insert(work->by_id, mail->message_id, GUINT_TO_POINTER(position + 1));
	g_hash_table_insert(work->nodes, node_name(work, position, mail->message_id),
			    GUINT_TO_POINTER(position + 1));
}

static const char *parent_of(const PatchMail *mail)
{
	const char *parent = mail->references->len == 0 ? NULL : mail->references->pdata[0];

	return parent == NULL || strcmp(parent, mail->message_id) == 0 ? NULL : parent;
}

/* A parent outside the set, or one never seen, still joins those who share it. */
static void join_parents(Work *work, const GPtrArray *mails)
{
	for (guint i = 0; i < mails->len; i++) {
		const char *parent = parent_of(mails->pdata[i]);

		if (parent == NULL)
			continue;
		g_autofree char *node = node_name(work, find(work, i), parent);
		gpointer known = g_hash_table_lookup(work->nodes, node);
		if (known != NULL)
			try_join(work, GPOINTER_TO_UINT(known) - 1, i);
		else
			g_hash_table_insert(work->nodes, g_steal_pointer(&node),
					    GUINT_TO_POINTER(i + 1));
	}
}

typedef bool (*MayJoin)(Work *work, const Cluster *earlier, const Cluster *later);

static bool same_thread(Work *work, const Cluster *earlier, const Cluster *later)
{
	(void)work;
	return earlier->thread == later->thread;
}

/* The cluster that holds the mail @id; NULL. */
static Cluster *holder_of(Work *work, const char *id)
{
	gpointer known = id == NULL ? NULL : g_hash_table_lookup(work->by_id, id);

	return known == NULL ? NULL : at(work, find(work, GPOINTER_TO_UINT(known) - 1));
}

/*
 * Every mail is a root or has its parent here: nothing says that it belongs elsewhere.  Nor do
 * References without In-Reply-To: whoever answers writes both, while some gateways give each mail
 * that leaves the house a reference of its own, to a mail that nobody ever sees.
 */
static bool is_whole_thread(Work *work, const Cluster *cluster)
{
	for (guint i = 0; i < cluster->mails->len; i++) {
		const PatchMail *mail = cluster->mails->pdata[i];
		const char *parent = mail->answers ? parent_of(mail) : NULL;

		if (parent != NULL && holder_of(work, parent) != cluster)
			return false;
	}
	return true;
}

static bool same_kind(const PatchMail *a, const PatchMail *b)
{
	return a->prefix->numbered && b->prefix->numbered && a->prefix->rfc == b->prefix->rfc &&
	       g_strv_equal((const char *const *)a->prefix->tags,
			    (const char *const *)b->prefix->tags);
}

/* "20260105.4711" of "20260105.4711-2-ann@example.org", as git numbers what it sends at once. */
static gsize stem_len(const char *id)
{
	const char *at = strchr(id, '@');
	gsize len = 0;

	for (const char *dash = strchr(id, '-'); dash && at && dash < at;
	     dash = strchr(dash + 1, '-')) {
		gsize n = strspn(dash + 1, "0123456789");
		if (n > 0 && dash[1 + n] == '-')
			len = (gsize)(dash - id);
	}
	return len;
}

static bool close_in_time(Work *work, const Cluster *earlier, const Cluster *later)
{
	return later->first_us - earlier->last_us <= CLUSTER_WINDOW_US &&
	       same_kind(earlier->mails->pdata[0], later->mails->pdata[0]) &&
	       is_whole_thread(work, earlier) && is_whole_thread(work, later);
}

/* Sent by one run of git: surer than two that stand near in time. */
static bool same_run(Work *work, const Cluster *earlier, const Cluster *later)
{
	gsize len = stem_len(first_id(earlier));

	return len > 0 && len == stem_len(first_id(later)) &&
	       strncmp(first_id(earlier), first_id(later), len) == 0 &&
	       close_in_time(work, earlier, later);
}

/* Each cluster goes to the latest earlier one of its set that may take it. */
static void join_where(Work *work, MayJoin may_join)
{
	for (guint i = 0; i < work->clusters->len; i++) {
		if (at(work, i) == NULL)
			continue;
		for (guint k = i; k > 0; k--) {
			const Cluster *earlier = at(work, k - 1);
			if (earlier != NULL && earlier->set == at(work, i)->set &&
			    may_join(work, earlier, at(work, i)) && try_join(work, k - 1, i))
				break;
		}
	}
}

/* ---- what was numbered wrong ---- */

#define ONE_POSTING_US (INT64_C(60) * 60 * 1000000)

/* "[PATCH 0/17]", and its patches are "[PATCH 1/16]", "[PATCH 2/16]", ... */
static bool is_odd_cover_of(const Cluster *cover, const Cluster *patches)
{
	return cover->mails->len == 1 && cluster_mail(cover, 0) != NULL &&
	       cluster_mail(patches, 0) == NULL;
}

/* "[PATCH] a", and in answer to it, at once, "[PATCH 2/3] b" and "[PATCH 3/3] c". */
static bool is_unnumbered_first_of(const Cluster *first, const Cluster *patches)
{
	const PatchMail *mail = first->mails->pdata[0];

	return first->mails->len == 1 && !mail->prefix->numbered &&
	       cluster_mail(patches, 0) == NULL && cluster_mail(patches, 1) == NULL &&
	       ABS(patches->first_us - mail->date_us) <= ONE_POSTING_US;
}

/* The part with the lowest number answers @head, and with it the cluster. */
static bool answers_mail(const Cluster *cluster, const PatchMail *head)
{
	const PatchMail *lowest = cluster->mails->pdata[0];

	for (guint i = 1; i < cluster->mails->len; i++) {
		const PatchMail *mail = cluster->mails->pdata[i];
		if (mail->prefix->number < lowest->prefix->number)
			lowest = mail;
	}
	return lowest->answers && g_strcmp0(parent_of(lowest), head->message_id) == 0;
}

/* The one cluster that hangs on @head; NULL when there is none, or more than one. */
static Cluster *only_child(Work *work, const Cluster *head)
{
	Cluster *found = NULL;

	for (guint i = 0; i < work->clusters->len; i++) {
		Cluster *one = at(work, i);
		if (one == NULL || one == head || one->poster != head->poster ||
		    one->set == head->set || !answers_mail(one, head->mails->pdata[0]))
			continue;
		if (found != NULL)
			return NULL;
		found = one;
	}
	return found;
}

static bool may_be_misnumbered(const Cluster *cluster)
{
	return cluster != NULL && cluster->mails->len == 1 &&
	       (cluster_mail(cluster, 0) != NULL ||
		!((PatchMail *)cluster->mails->pdata[0])->prefix->numbered);
}

static void join_misnumbered(Work *work)
{
	for (guint i = 0; i < work->clusters->len; i++) {
		const Cluster *head = at(work, i);
		const Cluster *rest = may_be_misnumbered(head) ? only_child(work, head) : NULL;

		if (rest == NULL ||
		    !(is_odd_cover_of(head, rest) || is_unnumbered_first_of(head, rest)))
			continue;
		const PatchMail *mail = rest->mails->pdata[0];
		gpointer known = g_hash_table_lookup(work->by_id, mail->message_id);
		swallow(work, find(work, GPOINTER_TO_UINT(known) - 1), i);
	}
}

/* ---- what came more than once ---- */

static bool same_title(const PatchMail *a, const PatchMail *b)
{
	return g_ascii_strcasecmp(a->prefix->title, b->prefix->title) == 0;
}

/* The same mail again: it carries the very same change, or none that can be compared. */
static bool repeats(const PatchMail *again, const PatchMail *first)
{
	bool comparable = again->patch_id != NULL && first->patch_id != NULL;

	return same_title(again, first) &&
	       (again->prefix->number == 0 ||
		(comparable ? strcmp(again->patch_id, first->patch_id) == 0
			    : again->prefix->resend));
}

/* Every mail of @again is in @first already, or is a part that @first lacks and a resend brings. */
static bool is_repeat_of(const Cluster *again, const Cluster *first)
{
	guint known = 0;

	for (guint i = 0; i < again->mails->len; i++) {
		const PatchMail *mail = again->mails->pdata[i];
		const PatchMail *there = cluster_mail(first, mail->prefix->number);

		if (there != NULL ? !repeats(mail, there) : !mail->prefix->resend)
			return false;
		known += there != NULL;
	}
	return known > 0;
}

static void take_missing(Cluster *first, const Cluster *again)
{
	for (guint i = 0; i < again->mails->len; i++) {
		PatchMail *mail = again->mails->pdata[i];
		if (cluster_mail(first, mail->prefix->number) == NULL)
			add_mail(first, mail);
	}
	g_ptr_array_sort(first->mails, patch_mail_compare);
}

static void drop_repeats(Work *work)
{
	for (guint i = 0; i < work->clusters->len; i++) {
		for (guint k = 0; at(work, i) != NULL && k < i; k++) {
			Cluster *first = at(work, k);
			if (first == NULL || first->set != at(work, i)->set ||
			    !is_repeat_of(at(work, i), first))
				continue;
			take_missing(first, at(work, i));
			g_clear_pointer((Cluster **)&work->clusters->pdata[i], cluster_free);
		}
	}
}

/* A cover that went out alone before the one the patches hang on: no series of its own. */
static bool is_lone_cover_of(const Cluster *lone, const Cluster *whole)
{
	return lone != whole && lone->mails->len == 1 && whole->mails->len > 1 &&
	       cluster_mail(lone, 0) != NULL && cluster_mail(whole, 0) != NULL &&
	       lone->set == whole->set && same_title(lone->mails->pdata[0], cluster_mail(whole, 0));
}

static void drop_lone_covers(Work *work)
{
	for (guint i = 0; i < work->clusters->len; i++) {
		for (guint k = 0; at(work, i) != NULL && k < work->clusters->len; k++) {
			if (at(work, k) != NULL && is_lone_cover_of(at(work, i), at(work, k)))
				g_clear_pointer((Cluster **)&work->clusters->pdata[i],
						cluster_free);
		}
	}
}

/* ---- all together ---- */

static GPtrArray *sort_mails(const GPtrArray *mails)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GPtrArray) all = g_ptr_array_new();
	GPtrArray *once = g_ptr_array_new();

	for (guint i = 0; i < mails->len; i++)
		g_ptr_array_add(all, mails->pdata[i]);
	g_ptr_array_sort(all, patch_mail_compare);
	for (guint i = 0; i < all->len; i++) {
		if (g_hash_table_add(seen, ((PatchMail *)all->pdata[i])->message_id))
			g_ptr_array_add(once, all->pdata[i]);
	}
	return once;
}

static void join_threads(Work *work, const GPtrArray *mails)
{
	for (guint i = 0; i < mails->len; i++) {
		const PatchMail *mail = mails->pdata[i];
		for (guint k = 0; k < mail->references->len; k++)
			threads_join(&work->threads, mail->message_id, mail->references->pdata[k]);
	}
}

static void work_clear(Work *work)
{
	threads_clear(&work->threads);
	g_clear_pointer(&work->clusters, g_ptr_array_unref);
	g_clear_pointer(&work->into, g_array_unref);
	g_clear_pointer(&work->nodes, g_hash_table_unref);
	g_clear_pointer(&work->by_id, g_hash_table_unref);
}

static void free_cluster(gpointer cluster)
{
	cluster_free(cluster);
}

static GPtrArray *take_clusters(Work *work)
{
	GPtrArray *all = g_ptr_array_new_with_free_func(free_cluster);

	for (guint i = 0; i < work->clusters->len; i++) {
		Cluster *cluster = at(work, i);
		if (cluster == NULL)
			continue;
		cluster->thread = threads_of(&work->threads, first_id(cluster));
		g_ptr_array_add(all, cluster);
	}
	g_ptr_array_sort(all, cluster_compare);
	return all;
}

void clusters_build(const GPtrArray *parts, const GPtrArray *mails, Clusters *out_clusters)
{
	g_autoptr(GPtrArray) sorted = sort_mails(parts);
	Work work = {.names = g_string_chunk_new(1024),
		     .clusters = g_ptr_array_new(),
		     .into = g_array_new(FALSE, FALSE, sizeof(guint)),
		     .nodes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		     .by_id = g_hash_table_new(g_str_hash, g_str_equal)};

	threads_init(&work.threads);
	join_threads(&work, mails);
	for (guint i = 0; i < sorted->len; i++)
		add_cluster(&work, sorted->pdata[i]);
	join_parents(&work, sorted);
	join_where(&work, same_thread);
	join_where(&work, same_run);
	join_where(&work, close_in_time);
	join_misnumbered(&work);
	drop_repeats(&work);
	drop_lone_covers(&work);
	out_clusters->all = take_clusters(&work);
	out_clusters->names = work.names;
	work_clear(&work);
}

void clusters_clear(Clusters *clusters)
{
	g_clear_pointer(&clusters->all, g_ptr_array_unref);
	g_clear_pointer(&clusters->names, g_string_chunk_free);
}
