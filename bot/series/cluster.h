/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * cluster - which patch mails were posted together.
 *
 * Mails of one poster, one revision and one total are a set; within a set they are joined step by
 * step, from sure to likely, and never where two mails would have the same number:
 *
 *	parents    the nearest ancestor a mail names is in the set, or shared with others of the set
 *	threads    the ancestors of both meet anywhere
 *	run        git numbered their Message-IDs together, and as for time
 *	time       no thread joins them, but both are whole threads, have the same tags and are at
 *most CLUSTER_WINDOW_US apart
 *
 * A mail that answers one still on its way is never joined by time: it belongs to that one.
 * Then what was numbered wrong is joined to what answers it, when nothing else can be meant: a
 * cover that counts otherwise than its patches, a first patch without a number.  Last, a resend
 *gives what was missing and is dropped otherwise, and so is a cover that went out more than once.
 *Mails are taken by date and Message-ID, so the order of arrival does not matter. Private to
 *bot/series.
 */

#include "bot/model/series.h"

#define CLUSTER_WINDOW_US (INT64_C(24) * 60 * 60 * 1000000)

typedef struct {
	GPtrArray *mails;    /* (element-type PatchMail) not owned, by date */
	GHashTable *numbers; /* number -> PatchMail; 0 is the cover         */
	const char *poster;  /* and revision; not owned                     */
	const char *set;     /* poster, revision and total; not owned       */
	guint thread;
	int64_t first_us, last_us;
} Cluster;

void cluster_free(Cluster *cluster);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Cluster, cluster_free)

/** cluster_mail: (nullable): the mail with @number. */
PatchMail *cluster_mail(const Cluster *cluster, guint number);

/** cluster_highest: the highest number. */
guint cluster_highest(const Cluster *cluster);

typedef struct {
	GPtrArray *all;      /* (element-type Cluster) by first date, then id of the first mail */
	GStringChunk *names; /* holds the sets' names                                           */
} Clusters;

void clusters_clear(Clusters *clusters);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Clusters, clusters_clear)

/**
 * clusters_build:
 * @parts: (element-type PatchMail): each Message-ID counts once
 * @mails: (element-type PatchMail): all that were mailed: they tie threads together
 */
void clusters_build(const GPtrArray *parts, const GPtrArray *mails, Clusters *out_clusters);

/** patch_mail_compare: by date, then by Message-ID; for g_ptr_array_sort(). */
gint patch_mail_compare(gconstpointer a, gconstpointer b);
