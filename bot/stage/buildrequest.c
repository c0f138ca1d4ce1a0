/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/buildjob.h"

#include "bot/base/error.h"
#include "bot/stage/mailread.h"
#include "bot/store/series.h"
#include "mailparse/target.h"

/* ---- requests that name a repository ---- */

static char *request_ref_prefix(const Job *job)
{
	return g_strdup_printf("refs/requests/%" G_GINT64_FORMAT "/", job->request_row);
}

static bool fetch_source(Build *build, const RequestSource *source, const char *prefix,
			 GError **error)
{
	g_autoptr(GPtrArray) trees = build_repo_trees(build->context->config);
	git_oid id;

	/* A page that shows a commit of a tree of ours need not be where git fetches from. */
	if (source->ref != NULL && target_is_hash(source->ref) &&
	    repo_find_commit(build->repo, source->ref, prefix, &id, NULL))
		return true;
	return repo_fetch_url(build->repo, source->url, source->ref, trees, prefix, &build->limits,
			      error);
}

/* Commits named by hash alone are looked for in the mirrors, a release in those of the tree. */
static bool fetch_request(Build *build, const Request *request, char **out_prefix, GError **error)
{
	*out_prefix = request->sources->len == 0 ? repo_tree_prefix(build->tree->name)
						 : request_ref_prefix(build->job);
	for (guint i = 0; i < request->sources->len; i++) {
		if (!fetch_source(build, request->sources->pdata[i], *out_prefix, error))
			return false;
	}
	return true;
}

static bool find_tip(Build *build, const Request *request, const char *prefix, git_oid *out_tip,
		     GError **error)
{
	if (request->branch == NULL) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
			    "the request names %s but no branch and no commit",
			    request->repo == NULL ? "nothing" : request->repo);
		return false;
	}
	return repo_find_commit(build->repo, request->branch, prefix, out_tip, error);
}

/* `test REPO BRANCH` without a report: the branch against where it left the tree. */
static bool build_branch(Build *build, const Request *request, GError **error)
{
	g_autofree char *prefix = NULL;
	git_oid tip, main_tip, base;

	if (!fetch_request(build, request, &prefix, error))
		return false;
	if (request->commits->len > 0) {
		const RequestCommit *last = request->commits->pdata[request->commits->len - 1];
		if (!repo_find_commit(build->repo, last->sha, prefix, &tip, error))
			return false;
	} else if (!find_tip(build, request, prefix, &tip, error)) {
		return false;
	}
	if (!build_tree_tip(build, &main_tip, error))
		return false;
	int rc = git_merge_base(&base, repo_handle(build->repo), &tip, &main_tip);
	if (rc < 0)
		return git_fail(error, rc, "%s has no common ancestor with tree %s",
				request->branch == NULL ? "the commit" : request->branch,
				build->tree->name);
	if (git_oid_equal(&base, &tip)) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFLICT,
			    "the tree %s holds that commit already: nothing to compare",
			    build->tree->name);
		return false;
	}
	build->job->base_how = g_strdup("requested");
	build->job->base_reason = g_strdup_printf("where the branch left %s", build->tree->url);
	return build_add_commit(build, COMMIT_BASE, &base, error) &&
	       build_add_commit(build, COMMIT_PATCHED, &tip, error);
}

/* ---- retests: base and bad of the report, and the fix ---- */

static const JobCommit *last_commit(const Job *job)
{
	return job->commits->len < 2 ? NULL : job->commits->pdata[job->commits->len - 1];
}

/* Is @id what the report blamed?  The same commit, or the same change on another parent. */
static bool is_bad_commit(Build *build, const git_oid *id, const JobCommit *bad)
{
	git_oid bad_id;
	g_autofree char *mine = NULL;
	g_autofree char *theirs = NULL;

	if (git_oid_fromstr(&bad_id, bad->sha) < 0)
		return false;
	if (git_oid_equal(id, &bad_id))
		return true;
	mine = repo_commit_patch_id(build->repo, id, NULL);
	theirs = repo_commit_patch_id(build->repo, &bad_id, NULL);
	return mine != NULL && g_strcmp0(mine, theirs) == 0;
}

static bool add_stored_commit(Build *build, CommitRole role, const char *sha, GError **error)
{
	git_oid id;
	int rc = git_oid_fromstr(&id, sha);

	if (rc < 0)
		return git_fail(error, rc, "commit %s of the report", sha);
	return build_add_commit(build, role, &id, error);
}

/* A "fix" that is the base, or the reported commit itself, is a wish to revert and no fix. */
static bool add_fix(Build *build, const git_oid *id, GError **error)
{
	for (guint i = 0; i < build->job->commits->len; i++) {
		const JobCommit *there = build->job->commits->pdata[i];
		if (git_oid_streq(id, there->sha) == 0) {
			g_set_error(
				error, BOT_ERROR, BOT_ERROR_CONFLICT,
				"the commit to test, %.12s, is the %s of the comparison: there is "
				"nothing to compare",
				there->sha, commit_role_name(there->role));
			return false;
		}
	}
	return build_add_commit(build, COMMIT_FIX, id, error);
}

/* Listed commits in the mail's order: the bad one if it is there, all others are fixes. */
static bool add_listed_commits(Build *build, const Request *request, const char *prefix,
			       const JobCommit *bad, GError **error)
{
	g_autoptr(GArray) fixes = g_array_new(FALSE, FALSE, sizeof(git_oid));
	git_oid bad_id;
	bool bad_listed = false;

	for (guint i = 0; i < request->commits->len; i++) {
		const RequestCommit *wanted = request->commits->pdata[i];
		git_oid id;
		if (!repo_find_commit(build->repo, wanted->sha, prefix, &id, error))
			return false;
		if (!bad_listed && is_bad_commit(build, &id, bad)) {
			bad_id = id;
			bad_listed = true;
		} else {
			g_array_append_val(fixes, id);
		}
	}
	if (fixes->len == 0) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
			    "the request lists no commit but the reported one");
		return false;
	}
	if (!(bad_listed ? build_add_commit(build, COMMIT_BAD, &bad_id, error)
			 : add_stored_commit(build, COMMIT_BAD, bad->sha, error)))
		return false;
	for (guint i = 0; i < fixes->len; i++) {
		if (!add_fix(build, &g_array_index(fixes, git_oid, i), error))
			return false;
	}
	return true;
}

static bool add_branch_tip(Build *build, const Request *request, const char *prefix,
			   const JobCommit *bad, GError **error)
{
	git_oid tip;

	return find_tip(build, request, prefix, &tip, error) &&
	       add_stored_commit(build, COMMIT_BAD, bad->sha, error) && add_fix(build, &tip, error);
}

/* The request's own patch goes on top of what was reported. */
static bool add_patch_fix(Build *build, int64_t message_row, const JobCommit *bad, GError **error)
{
	git_oid bad_id, tip;
	int rc = git_oid_fromstr(&bad_id, bad->sha);

	if (rc < 0)
		return git_fail(error, rc, "commit %s of the report", bad->sha);
	return build_add_patch(build, message_row, error) &&
	       build_apply_on(build, &bad_id, &tip, error) &&
	       build_add_commit(build, COMMIT_BAD, &bad_id, error) && add_fix(build, &tip, error) &&
	       build_name_branch(build, &tip, error);
}

static bool build_retest(Build *build, const Request *request, int64_t message_row, GError **error)
{
	g_autoptr(Job) parent = jobs_get(build->context->db, build->job->parent_job_row, error);
	if (parent == NULL)
		return false;
	const JobCommit *bad = last_commit(parent);
	if (bad == NULL) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CORRUPT,
			    "job %" G_GINT64_FORMAT " has a report but no commits", parent->row);
		return false;
	}
	const JobCommit *base = parent->commits->pdata[0];
	g_autofree char *prefix = NULL;

	build->job->base_how = g_strdup("report");
	build->job->base_reason = g_strdup("the base of the report that was answered");
	if (!fetch_request(build, request, &prefix, error) ||
	    !add_stored_commit(build, COMMIT_BASE, base->sha, error))
		return false;
	if (request->commits->len > 0)
		return add_listed_commits(build, request, prefix, bad, error);
	if (request->branch != NULL || request->repo != NULL)
		return add_branch_tip(build, request, prefix, bad, error);
	return add_patch_fix(build, message_row, bad, error);
}

bool build_request(Build *build, GError **error)
{
	Db *db = build->context->db;
	g_autoptr(StoredRequest) stored = request_get(db, build->job->request_row, error);
	g_autoptr(Mail) mail =
		stored == NULL ? NULL : mailread_row(build->context, stored->message_row, error);
	if (mail == NULL)
		return false;

	const Request *request = mail->request;
	if (build->job->kind == JOB_RETEST)
		return build_retest(build, request, stored->message_row, error);
	if (build->job->series_row != 0)
		return build_add_series(build, error) &&
		       build_on_base(build, request->base_hint, error);
	if (request->repo != NULL || request->branch != NULL || request->commits->len > 0)
		return build_branch(build, request, error);
	return build_add_patch(build, stored->message_row, error) &&
	       build_on_base(build, request->base_hint, error);
}
