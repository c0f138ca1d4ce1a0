/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/buildjob.h"

#include "bot/base/error.h"
#include "bot/base/failpoint.h"
#include "bot/base/log.h"
#include "bot/git/base.h"
#include "bot/model/patchmail.h"
#include "bot/stage/mailread.h"
#include "bot/store/messages.h"
#include "bot/store/series.h"

#include <string.h>

/* git's first commit is dated 2005-04-07: no patch mail for it is older. */
#define OLDEST_COMMIT_US (INT64_C(1112832000) * CLOCK_US_PER_S)

static void build_clear(Build *build)
{
	g_clear_pointer(&build->patches, g_ptr_array_unref);
	g_clear_pointer(&build->links, g_ptr_array_unref);
	g_clear_pointer(&build->mails, g_ptr_array_unref);
	g_clear_pointer(&build->base_commit, g_free);
	g_clear_pointer(&build->note, g_free);
}

RepoTree build_repo_tree(const TreeSection *tree)
{
	return (RepoTree){.name = tree->name,
			  .url = tree->url,
			  .mirror = tree->mirror,
			  .branch = tree->branch};
}

GPtrArray *build_repo_trees(const Config *config)
{
	GPtrArray *trees = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < config->trees->len; i++) {
		RepoTree *tree = g_new(RepoTree, 1);
		*tree = build_repo_tree(config->trees->pdata[i]);
		g_ptr_array_add(trees, tree);
	}
	return trees;
}

static void build_init(Build *build, StageContext *context, Repo *repo, Job *job,
		       const TreeSection *tree)
{
	const FetchSection *fetch = &context->config->fetch;

	memset(build, 0, sizeof(*build));
	build->context = context;
	build->repo = repo;
	build->job = job;
	build->tree = tree;
	build->repo_tree = build_repo_tree(tree);
	build->limits = (RepoFetchLimits){
		.timeout_ms = fetch->timeout_ms,
		.max_bytes = fetch->max_bytes,
		.allow_hosts = (const char *const *)fetch->allow_hosts,
		.allow_private = fetch->allow_private,
	};
	build->mails = g_ptr_array_new_with_free_func((GDestroyNotify)mail_free);
	build->patches = g_ptr_array_new_with_free_func(g_free);
	build->links = g_ptr_array_new_with_free_func(g_free);
}

static char *patch_link(const Build *build, const Message *message)
{
	const ListSection *list = config_find_list(build->context->config, build->job->list);

	return mailread_archive_link(list, message->message_id);
}

/* Ids must repeat: the date is the mail's, clamped to what can be true, not the time of building.
 */
static int64_t committer_date(const Mail *mail, int64_t arrived_us)
{
	return CLAMP(mail->message->date_us, OLDEST_COMMIT_US, MAX(arrived_us, OLDEST_COMMIT_US));
}

bool build_add_patch(Build *build, int64_t message_row, GError **error)
{
	Db *db = build->context->db;
	g_autoptr(StoredMessage) stored = messages_get(db, message_row, error);
	g_autoptr(Mail) mail =
		stored == NULL ? NULL : mailread_row(build->context, message_row, error);

	if (mail == NULL)
		return false;
	if (mail->patch == NULL || mail->patch->author == NULL) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFLICT,
			    "mail %s carries no patch with an author", mail->message->message_id);
		return false;
	}
	ApplyPatch *patch = g_new0(ApplyPatch, 1);
	char *link = patch_link(build, mail->message);
	if (link != NULL)
		g_ptr_array_add(build->links, link);
	patch->patch = mail->patch;
	patch->link = link;
	patch->committer_date_us = committer_date(mail, stored->arrived_us);
	g_ptr_array_add(build->patches, patch);
	if (build->first == NULL) {
		build->first = mail;
		build->date_us = patch->committer_date_us;
	}
	g_ptr_array_add(build->mails, g_steal_pointer(&mail));
	return true;
}

/* What is odd about the series that was just added, last sentence without its point. */
static char *note_series(const Build *build, const StoredSeries *stored)
{
	g_autoptr(GPtrArray) mails =
		g_ptr_array_new_with_free_func((GDestroyNotify)patch_mail_free);
	g_autoptr(Series) series = g_new0(Series, 1);

	series->revision = stored->revision;
	series->total = stored->total;
	series->patches = g_ptr_array_new();
	for (guint i = 0; i < build->mails->len; i++) {
		g_ptr_array_add(mails, patch_mail_from_mail(build->mails->pdata[i]));
		g_ptr_array_add(series->patches, mails->pdata[i]);
	}
	g_autofree char *note = series_note(series);
	if (note != NULL)
		note[strlen(note) - 1] = '\0';
	return g_steal_pointer(&note);
}

bool build_add_series(Build *build, GError **error)
{
	g_autoptr(StoredSeries) series =
		series_get(build->context->db, build->job->series_row, error);

	if (series == NULL)
		return false;
	build->base_commit = g_strdup(series->base_commit);
	for (guint i = 0; i < series->patch_rows->len; i++) {
		if (!build_add_patch(build, g_array_index(series->patch_rows, int64_t, i), error))
			return false;
	}
	build->note = note_series(build, series);
	return true;
}

static JobCommit *make_commit(Build *build, unsigned position, CommitRole role, const git_oid *id,
			      GError **error)
{
	git_oid tree;
	g_autofree char *subject = repo_commit_subject(build->repo, id, error);
	if (subject == NULL || !repo_commit_tree(build->repo, id, &tree, error))
		return NULL;

	JobCommit *commit = g_new0(JobCommit, 1);
	commit->position = position;
	commit->role = role;
	commit->sha = g_strdup(git_oid_tostr_s(id));
	commit->tree = g_strdup(git_oid_tostr_s(&tree));
	commit->subject = g_steal_pointer(&subject);
	return commit;
}

bool build_add_commit(Build *build, CommitRole role, const git_oid *id, GError **error)
{
	GPtrArray *commits = build->job->commits;
	JobCommit *commit = make_commit(build, commits->len, role, id, error);

	if (commit == NULL)
		return false;
	g_ptr_array_add(commits, commit);
	return true;
}

static void describe_failure(const ApplyFailure *failure, const GPtrArray *patches, GError **error)
{
	const ApplyPatch *failed = patches->pdata[failure->patch];
	g_autofree char *hunk =
		failure->hunk == 0 ? g_strdup("") : g_strdup_printf(", hunk %u", failure->hunk);
	const Damage *damage = failed->patch->damage;
	g_autofree char *says = damage ? damage_sentence(damage) : NULL;

	g_set_error(error, BOT_ERROR, BOT_ERROR_CONFLICT,
		    "patch %zu of %u does not apply: %s%s: %s%s%s%s", failure->patch + 1,
		    patches->len, failure->path == NULL ? "-" : failure->path, hunk,
		    failure->reason, says == NULL ? "" : " (", says == NULL ? "" : says,
		    says == NULL ? "" : ")");
}

/* Applies build->patches on @base; the result is the last commit. */
bool build_apply_on(Build *build, const git_oid *base, git_oid *out_tip, GError **error)
{
	const BotSection *bot = &build->context->config->bot;
	g_autoptr(GArray) commits = NULL;
	g_auto(ApplyFailure) failure = {0};
	g_autoptr(GError) why = NULL;

	if (apply_series(build->repo, base, build->patches, bot->name, bot->address->addr, &commits,
			 &failure, &why)) {
		*out_tip = g_array_index(commits, AppliedCommit, commits->len - 1).commit;
		return true;
	}
	if (g_error_matches(why, BOT_ERROR, BOT_ERROR_CONFLICT) && failure.reason != NULL)
		describe_failure(&failure, build->patches, error);
	else
		g_propagate_error(error, g_steal_pointer(&why));
	return false;
}

/* One branch holds the whole series; it is published before any mail can link it. */
bool build_name_branch(Build *build, const git_oid *tip, GError **error)
{
	const Mailbox *author = build->first->message->from;
	g_autofree char *name = apply_ref_name(author == NULL ? "" : author->name,
					       build->first->patch->title, build->date_us);
	g_autofree char *ref = g_strconcat("refs/heads/", name, NULL);

	if (!repo_set_ref(build->repo, ref, tip, error))
		return false;
	if (build->tree->publish != NULL && !repo_publish(build->repo, ref, build->tree->publish,
							  name, build->limits.timeout_ms, error))
		return false;
	build->job->ref = g_steal_pointer(&name);
	return true;
}

/* The note stands here since it tells what was built on the base. */
static void keep_choice(const Build *build, const BaseChoice *choice)
{
	Job *job = build->job;
	g_autoptr(GString) reason = g_string_new(choice->reason);

	if (choice->refused != NULL)
		g_string_append_printf(reason, "; tried and refused: %s", choice->refused);
	if (build->note != NULL)
		g_string_append_printf(reason, ". %s", build->note);
	job->base_how = g_strdup(choice->how);
	job->base_reason = g_string_free(g_steal_pointer(&reason), FALSE);
}

/* What the operator can mend is said in the words of the configuration. */
static void blame_key(const Build *build, const char *key, const char *value, const char *why,
		      GError **error)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG,
		    "[tree \"%s\"] %s%s%s: %s; correct it in %s, then `lorebot retry "
		    "job:%" G_GINT64_FORMAT "`",
		    build->tree->name, key, value == NULL ? "" : " = ", value == NULL ? "" : value,
		    why, build->context->config->path, build->job->row);
}

bool build_tree_tip(Build *build, git_oid *out_tip, GError **error)
{
	const TreeSection *tree = build->tree;
	g_autoptr(GError) why = NULL;

	if (repo_tree_tip(build->repo, &build->repo_tree, out_tip, &why))
		return true;
	if (!g_error_matches(why, BOT_ERROR, BOT_ERROR_NOT_FOUND))
		g_propagate_error(error, g_steal_pointer(&why));
	else if (tree->branch == NULL)
		blame_key(build, "branch", NULL, "is not set and the repository's HEAD names none",
			  error);
	else
		blame_key(build, "branch", tree->branch, "the repository has no such branch",
			  error);
	return false;
}

static bool update_tree(Build *build, GError **error)
{
	const TreeSection *tree = build->tree;
	g_autoptr(GError) why = NULL;

	if (repo_update_tree(build->repo, &build->repo_tree, &build->limits, &why))
		return true;
	if (g_error_matches(why, BOT_ERROR, BOT_ERROR_NOT_FOUND) ||
	    g_error_matches(why, BOT_ERROR, BOT_ERROR_PERMANENT))
		blame_key(build, tree->mirror == NULL ? "url" : "mirror",
			  tree->mirror == NULL ? tree->url : tree->mirror, why->message, error);
	else
		g_propagate_error(error, g_steal_pointer(&why));
	return false;
}

/* Without any base the tree's tip is not there either: that is what is to be mended. */
static bool choose_base(Build *build, const BaseHints *hints, BaseChoice *choice, GError **error)
{
	g_autoptr(GError) why = NULL;
	git_oid tip;

	if (base_choose(build->repo, hints, choice, &why))
		return true;
	if (g_error_matches(why, BOT_ERROR, BOT_ERROR_NOT_FOUND) &&
	    !build_tree_tip(build, &tip, error))
		return false;
	g_propagate_error(error, g_steal_pointer(&why));
	return false;
}

bool build_on_base(Build *build, const char *requested, GError **error)
{
	g_auto(BaseChoice) choice = {0};
	git_oid tip;
	BaseHints hints = {
		.requested = requested,
		.base_commit = build->base_commit,
		.date_us = build->date_us,
		.tree = &build->repo_tree,
	};

	if (!choose_base(build, &hints, &choice, error) ||
	    !build_apply_on(build, &choice.commit, &tip, error) ||
	    !build_add_commit(build, COMMIT_BASE, &choice.commit, error) ||
	    !build_add_commit(build, COMMIT_PATCHED, &tip, error))
		return false;
	keep_choice(build, &choice);
	return build_name_branch(build, &tip, error);
}

static bool build_job(StageContext *context, Repo *repo, Job *job, GError **error)
{
	const TreeSection *tree = config_find_tree(context->config, job->tree);
	Build build;

	if (tree == NULL) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG,
			    "there is no [tree \"%s\"] in %s any more; add it, then `lorebot retry "
			    "job:%" G_GINT64_FORMAT "`",
			    job->tree, context->config->path, job->row);
		return false;
	}
	build_init(&build, context, repo, job, tree);
	g_ptr_array_set_size(job->commits, 0);
	bool ok = update_tree(&build, error) &&
		  (job->request_row != 0
			   ? build_request(&build, error)
			   : build_add_series(&build, error) && build_on_base(&build, NULL, error));
	build_clear(&build);
	return ok;
}

/* ---- what became of it ---- */

static bool commit_built(StageContext *context, Job *job, GError **error)
{
	const JobCommit *base = job->commits->pdata[0];
	const JobCommit *tip = job->commits->pdata[job->commits->len - 1];

	job->state = JOB_BUILT;
	job->applied_us = clock_now_us(context->clock);
	return jobs_advance(context->db, job, error) &&
	       event_add(context->db, "build.applied", "job", job->row, error,
			 "base %s (%s), built %s, tree %s", base->sha, job->base_reason, tip->sha,
			 tip->tree);
}

static bool commit_failed(StageContext *context, Job *job, const GError *why, GError **error)
{
	if (g_error_matches(why, BOT_ERROR, BOT_ERROR_TRANSIENT))
		return jobs_postpone(context->db, job->row, why->message, error);
	job->state = JOB_FAILED;
	g_clear_pointer(&job->reason, g_free);
	job->reason = g_strdup(why->message);
	g_ptr_array_set_size(job->commits, 0);
	return jobs_advance(context->db, job, error) &&
	       event_add(context->db, "build.failed", "job", job->row, error, "%s", why->message);
}

static bool finish_build(StageContext *context, Job *job, const GError *why, GError **error)
{
	if (!db_begin(context->db, error))
		return false;
	bool ok = why == NULL ? commit_built(context, job, error)
			      : commit_failed(context, job, why, error);
	if (!ok) {
		db_rollback(context->db);
		return false;
	}
	failpoint("build.before_commit");
	return db_commit(context->db, error);
}

static bool is_our_fault(const GError *why)
{
	return g_error_matches(why, BOT_ERROR, BOT_ERROR_CORRUPT) ||
	       g_error_matches(why, BOT_ERROR, BOT_ERROR_BUG);
}

bool build_round(StageContext *context, unsigned limit, StageProgress *progress, GError **error)
{
	g_autofree char *path = g_build_filename(db_state_dir(context->db), "repo.git", NULL);
	g_autoptr(Repo) repo = NULL;

	while ((limit == 0 || progress->done < limit) && !stage_stop_asked(context)) {
		g_autoptr(GError) why = NULL;
		g_autoptr(GError) claim_error = NULL;
		g_autoptr(Job) job = jobs_claim(context->db, JOB_PLANNED, &claim_error);
		if (claim_error != NULL) {
			g_propagate_error(error, g_steal_pointer(&claim_error));
			return false;
		}
		if (job == NULL)
			return true;
		if (repo == NULL && (repo = repo_open(path, error)) == NULL)
			return false;
		if (!build_job(context, repo, job, &why)) {
			log_warning("build.failed", "job %" G_GINT64_FORMAT ": %s", job->row,
				    why->message);
			if (is_our_fault(why)) {
				g_propagate_error(error, g_steal_pointer(&why));
				return false;
			}
		}
		failpoint("build.after_objects");
		if (!finish_build(context, job, why, error))
			return false;
		progress->done++;
		stage_wake(db_state_dir(context->db), "run");
	}
	return true;
}
