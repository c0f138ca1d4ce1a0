/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/git/base.h"

#include "bot/base/clock.h"
#include "bot/base/error.h"

typedef struct {
	Repo *repo;
	const BaseHints *hints;
	GString *refused;
	BaseChoice *choice;
} Ladder;

void base_choice_clear(BaseChoice *choice)
{
	g_clear_pointer(&choice->how, g_free);
	g_clear_pointer(&choice->reason, g_free);
	g_clear_pointer(&choice->refused, g_free);
}

static bool take(Ladder *ladder, const git_oid *commit, const char *how, char *reason)
{
	git_oid_cpy(&ladder->choice->commit, commit);
	ladder->choice->how = g_strdup(how);
	ladder->choice->reason = reason;
	return true;
}

static bool pass(Ladder *ladder, const char *how, const char *why)
{
	if (ladder->refused->len > 0)
		g_string_append(ladder->refused, "; ");
	g_string_append_printf(ladder->refused, "%s: %s", how, why);
	return false;
}

static bool try_requested(Ladder *ladder)
{
	const BaseHints *hints = ladder->hints;
	g_autofree char *prefix = hints->tree ? repo_tree_prefix(hints->tree->name) : NULL;
	g_autoptr(GError) local = NULL;
	git_oid commit;

	if (!hints->requested)
		return false;
	if (!repo_find_commit(ladder->repo, hints->requested, prefix, &commit, &local))
		return pass(ladder, "requested", local->message);
	return take(ladder, &commit, "requested",
		    g_strdup_printf("requested: the mail asks for %s", hints->requested));
}

static bool try_base_commit(Ladder *ladder)
{
	const char *hex = ladder->hints->base_commit;
	g_autoptr(GError) local = NULL;
	git_oid commit;

	if (!hex)
		return false;
	if (!repo_find_commit(ladder->repo, hex, NULL, &commit, &local))
		return pass(ladder, "base-commit", local->message);
	return take(ladder, &commit, "base-commit", g_strdup("base-commit: names it"));
}

/* What the tip rungs stand on, for a person. */
static char *tip_name(const BaseHints *hints)
{
	if (!hints->tree)
		return g_strdup(hints->tip_ref);
	if (!hints->tree->branch)
		return g_strdup(hints->tree->name);
	return g_strdup_printf("%s/%s", hints->tree->name, hints->tree->branch);
}

static bool find_tip(Ladder *ladder, git_oid *out_tip, GError **error)
{
	const BaseHints *hints = ladder->hints;

	if (hints->tree)
		return repo_tree_tip(ladder->repo, hints->tree, out_tip, error);
	return repo_find_commit(ladder->repo, hints->tip_ref, NULL, out_tip, error);
}

/* First-parent, so that a merged branch's old commits are not taken for what the tree's tip was. */
static bool find_at_date(Ladder *ladder, const git_oid *tip, git_oid *out, GError **error)
{
	git_time_t date = ladder->hints->date_us / CLOCK_US_PER_S;
	git_oid oid = *tip;

	for (;;) {
		g_autoptr(git_commit) commit = NULL;
		int rc = git_commit_lookup(&commit, repo_handle(ladder->repo), &oid);

		if (rc < 0)
			return git_fail(error, rc, "cannot read commit %s", git_oid_tostr_s(&oid));
		if (git_commit_time(commit) <= date) {
			git_oid_cpy(out, &oid);
			return true;
		}
		if (git_commit_parentcount(commit) == 0) {
			g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
				    "the mail is older than the first commit");
			return false;
		}
		git_oid_cpy(&oid, git_commit_parent_id(commit, 0));
	}
}

static bool try_tip_at_date(Ladder *ladder, const git_oid *tip, const char *name)
{
	g_autoptr(GError) local = NULL;
	g_autofree char *date = NULL;
	git_oid commit;

	if (ladder->hints->date_us == 0)
		return pass(ladder, "tip-at-date", "the mail has no usable date");
	if (!find_at_date(ladder, tip, &commit, &local))
		return pass(ladder, "tip-at-date", local->message);
	date = clock_format_iso(ladder->hints->date_us);
	return take(
		ladder, &commit, "tip-at-date",
		g_strdup_printf("tip-at-date: %s as it was at %s, the mail's date", name, date));
}

static bool try_tips(Ladder *ladder)
{
	g_autoptr(GError) local = NULL;
	g_autofree char *name = NULL;
	git_oid tip;

	if (!ladder->hints->tree && !ladder->hints->tip_ref)
		return pass(ladder, "tip", "no tree is known for it");
	name = tip_name(ladder->hints);
	if (!find_tip(ladder, &tip, &local))
		return pass(ladder, "tip", local->message);
	return try_tip_at_date(ladder, &tip, name) ||
	       take(ladder, &tip, "tip", g_strdup_printf("tip: %s as it is now", name));
}

bool base_choose(Repo *repo, const BaseHints *hints, BaseChoice *out_choice, GError **error)
{
	g_return_val_if_fail(repo != NULL && hints != NULL && out_choice != NULL, false);

	g_autoptr(GString) refused = g_string_new(NULL);
	Ladder ladder = {repo, hints, refused, out_choice};

	*out_choice = (BaseChoice){0};
	if (try_requested(&ladder) || try_base_commit(&ladder) || try_tips(&ladder)) {
		if (refused->len > 0)
			out_choice->refused = g_strdup(refused->str);
		return true;
	}
	g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND, "no base commit found: %s",
		    refused->str);
	return false;
}
