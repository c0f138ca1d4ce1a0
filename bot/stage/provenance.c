/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/provenance.h"

#include "bot/base/error.h"
#include "bot/stage/buildjob.h"
#include "bot/stage/mailread.h"
#include "bot/store/series.h"
#include "mailparse/target.h"

#include <string.h>

/* A retest of a retest of a retest ...: its commits are those of all of them. */
#define MAX_PARENTS 32u

typedef struct {
	StageContext *context;
	ReportFacts *facts;
} Provenance;

/* "URL REF" of the branch that holds all commits of @job; NULL: not published, or none made. */
static char *published(const Provenance *provenance, const Job *job)
{
	const TreeSection *tree = config_find_tree(provenance->context->config, job->tree);

	if (tree == NULL || tree->publish == NULL || tree->publish_url == NULL || job->ref == NULL)
		return NULL;
	return g_strdup_printf("%s %s", tree->publish_url, job->ref);
}

static void add_fetch(Provenance *provenance, char *fetch)
{
	GPtrArray *fetches = provenance->facts->fetches;
	g_autofree char *owned = fetch;

	if (!g_ptr_array_find_with_equal_func(fetches, fetch, g_str_equal, NULL))
		g_ptr_array_add(fetches, g_steal_pointer(&owned));
}

/* @what of the job's tree; NULL when that is no more configured. */
static char *tree_source(const Provenance *provenance, const Job *job, const char *what)
{
	const TreeSection *tree = config_find_tree(provenance->context->config, job->tree);

	return tree == NULL ? NULL : g_strdup_printf("%s %s", tree->url, what);
}

/* By its hash: a base may stand on any branch of its tree. */
static void add_fetch_from_tree(Provenance *provenance, const Job *job, const char *sha)
{
	char *source = tree_source(provenance, job, sha);

	if (source != NULL)
		add_fetch(provenance, source);
}

static Mail *read_request(Provenance *provenance, const Job *job, GError **error)
{
	g_autoptr(StoredRequest) request =
		request_get(provenance->context->db, job->request_row, error);

	return request == NULL ? NULL
			       : mailread_row(provenance->context, request->message_row, error);
}

/* The one that names @sha, else the first; NULL when the asker names none. */
static const RequestSource *find_source(const Request *request, const char *sha)
{
	for (guint i = 0; sha != NULL && i < request->sources->len; i++) {
		const RequestSource *source = request->sources->pdata[i];
		if (source->ref != NULL && target_is_hash(source->ref) &&
		    g_ascii_strncasecmp(sha, source->ref, strlen(source->ref)) == 0)
			return source;
	}
	return request->sources->len == 0 ? NULL : request->sources->pdata[0];
}

/*
 * "URL REF" as git fetch takes it; a branch that was pasted behind a tree's URL is set apart.  NULL
 * when neither a branch nor @sha says what.
 */
static char *asker_source(const Provenance *provenance, const RequestSource *source,
			  const char *sha)
{
	g_autoptr(GPtrArray) trees = build_repo_trees(provenance->context->config);
	g_autofree char *pasted = NULL;
	const RepoTree *tree = repo_find_pasted(source->url, trees, &pasted);

	if (tree != NULL)
		return g_strdup_printf("%s %s", tree->url, pasted);
	const char *what = source->ref == NULL ? sha : source->ref;
	return what == NULL ? NULL : g_strdup_printf("%s %s", source->url, what);
}

/* A commit that the asker named: it stands in his repository, or in the tree. */
static bool add_fetch_from_asker(Provenance *provenance, const Job *job, const char *sha,
				 GError **error)
{
	g_autoptr(Mail) mail = read_request(provenance, job, error);

	if (mail == NULL)
		return false;
	const RequestSource *source = find_source(mail->request, sha);
	if (source == NULL)
		add_fetch_from_tree(provenance, job, sha);
	else
		add_fetch(provenance, asker_source(provenance, source, sha));
	return true;
}

/* ---- commits that were made of mails ---- */

static void add_patch(ReportCommit *commit, const char *link, const char *message_id,
		      bool is_series, unsigned revision)
{
	ReportPatch *patch = g_new0(ReportPatch, 1);

	patch->mail = g_strdup(link == NULL ? message_id : link);
	patch->is_series = is_series && link != NULL;
	patch->revision = revision;
	g_ptr_array_add(commit->patches, patch);
}

static bool add_mail(Provenance *provenance, const Job *job, int64_t row, const Mail *mail,
		     ReportCommit *commit, GError **error)
{
	const ListSection *list = config_find_list(provenance->context->config, job->list);
	g_autoptr(Mail) read = mail != NULL ? NULL : mailread_row(provenance->context, row, error);
	const Mail *of = mail != NULL ? mail : read;

	if (of == NULL)
		return false;
	g_autofree char *link = mailread_archive_link(list, of->message->message_id);
	bool alone = of->kind == MAIL_PATCH && !of->prefix->is_reply && of->prefix->total == 1;
	add_patch(commit, link, of->message->message_id, alone, of->prefix->revision);
	return true;
}

static bool add_series(Provenance *provenance, const Job *job, ReportCommit *commit, GError **error)
{
	const ListSection *list = config_find_list(provenance->context->config, job->list);
	g_autoptr(StoredSeries) series =
		series_get(provenance->context->db, job->series_row, error);

	if (series == NULL)
		return false;
	if (list != NULL && list->archive_url != NULL) {
		int64_t row = g_array_index(series->patch_rows, int64_t, 0);
		g_autoptr(Mail) first = mailread_row(provenance->context, row, error);
		if (first == NULL)
			return false;
		g_autofree char *link = mailread_archive_link(list, first->message->message_id);
		add_patch(commit, link, first->message->message_id, true, series->revision);
		return true;
	}
	for (guint i = 0; i < series->patch_rows->len; i++) {
		int64_t row = g_array_index(series->patch_rows, int64_t, i);
		if (!add_mail(provenance, job, row, NULL, commit, error))
			return false;
	}
	return true;
}

/* The mails that @job itself put on what was there. */
static bool add_own_mails(Provenance *provenance, const Job *job, ReportCommit *commit,
			  GError **error)
{
	if (job->kind == JOB_SERIES && job->series_row != 0)
		return add_series(provenance, job, commit, error);
	g_autoptr(Mail) mail = read_request(provenance, job, error);
	return mail != NULL && add_mail(provenance, job, 0, mail, commit, error);
}

static const char *sha_of(const Job *job, guint position)
{
	return ((const JobCommit *)job->commits->pdata[position])->sha;
}

static bool describe_bad(Provenance *provenance, const Job *job, ReportCommit *commit,
			 unsigned depth, GError **error);

/* From the base of @job to its last commit. */
static bool describe_tip(Provenance *provenance, const Job *job, ReportCommit *commit,
			 unsigned depth, GError **error)
{
	g_autofree char *branch = published(provenance, job);

	if (job->commits->len < 2 || depth > MAX_PARENTS)
		return true;
	if (branch != NULL) {
		g_ptr_array_add(provenance->facts->fetches, g_steal_pointer(&branch));
		return true;
	}
	if (job->ref == NULL)
		return add_fetch_from_asker(provenance, job, sha_of(job, job->commits->len - 1),
					    error);
	if (job->kind == JOB_RETEST) {
		if (!describe_bad(provenance, job, commit, depth, error))
			return false;
		if (commit->patches->len == 0)
			commit->on = g_strdup(sha_of(job, 1));
	}
	return add_own_mails(provenance, job, commit, error);
}

/* The bad commit of a retest: what its report was about, or the asker's copy of it. */
static bool describe_bad(Provenance *provenance, const Job *job, ReportCommit *commit,
			 unsigned depth, GError **error)
{
	g_autoptr(Job) parent = jobs_get(provenance->context->db, job->parent_job_row, error);

	if (parent == NULL)
		return false;
	if (parent->commits->len > 0 &&
	    strcmp(sha_of(parent, parent->commits->len - 1), sha_of(job, 1)) == 0)
		return describe_tip(provenance, parent, commit, depth + 1, error);
	return add_fetch_from_asker(provenance, job, sha_of(job, 1), error);
}

static bool describe_fixes(Provenance *provenance, const Job *job, GError **error)
{
	for (guint i = 2; i < job->commits->len; i++) {
		ReportCommit *fix = provenance->facts->commits->pdata[i];
		if (!(job->ref == NULL ? add_fetch_from_asker(provenance, job, fix->sha, error)
				       : add_own_mails(provenance, job, fix, error)))
			return false;
	}
	return true;
}

static bool describe_commits(Provenance *provenance, const Job *job, GError **error)
{
	GPtrArray *commits = provenance->facts->commits;

	add_fetch_from_tree(provenance, job, sha_of(job, 0));
	switch (job->kind) {
	case JOB_SERIES:
		return describe_tip(provenance, job, commits->pdata[1], 0, error);
	case JOB_RETEST:
		break;
	}
	return describe_bad(provenance, job, commits->pdata[1], 0, error) &&
	       describe_fixes(provenance, job, error);
}

/* ---- what was asked for ---- */

static bool fill_target(Provenance *provenance, const Job *job, GError **error)
{
	ReportFacts *facts = provenance->facts;

	facts->target = REPORT_TARGET_SERIES;
	if (job->request_row == 0 || (job->kind == JOB_SERIES && job->series_row != 0))
		return true;
	g_autoptr(Mail) mail = read_request(provenance, job, error);
	if (mail == NULL)
		return false;
	const Request *request = mail->request;
	facts->n_named = request->commits->len;
	if (request->commits->len > 0)
		facts->target = REPORT_TARGET_COMMITS;
	else
		facts->target = request->branch != NULL || request->repo != NULL
					? REPORT_TARGET_BRANCH
					: REPORT_TARGET_PATCH;
	if (request->repo != NULL)
		facts->branch_url = asker_source(provenance, request->sources->pdata[0], NULL);
	else if (request->branch != NULL)
		facts->branch_url = tree_source(provenance, job, request->branch);
	return true;
}

bool provenance_fill(StageContext *context, const Job *job, ReportFacts *facts, GError **error)
{
	Provenance provenance = {context, facts};
	g_autofree char *branch = published(&provenance, job);

	g_return_val_if_fail(job->commits->len == facts->commits->len, false);
	if (!fill_target(&provenance, job, error))
		return false;
	if (branch != NULL) {
		facts->branch_url = g_strdup(branch);
		g_ptr_array_add(facts->fetches, g_steal_pointer(&branch));
		return true;
	}
	return job->commits->len < 2 || describe_commits(&provenance, job, error);
}
