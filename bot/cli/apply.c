/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/cli.h"

#include "bot/base/error.h"
#include "bot/base/json.h"
#include "bot/git/apply.h"
#include "bot/git/base.h"
#include "bot/model/patchmail.h"
#include "bot/series/assemble.h"

#include <stdio.h>
#include <string.h>

/* Before this day there was no git, so no patch for it: a mail dated earlier has a wrong clock. */
#define FIRST_GIT_DAY_US ((int64_t)1112832000 * CLOCK_US_PER_S) /* 2005-04-07 */

typedef struct {
	char *repo;
	char *base;
	char *date;
	char *ref;
} ApplyOptions;

static void apply_options_clear(ApplyOptions *options)
{
	g_free(options->repo);
	g_free(options->base);
	g_free(options->date);
	g_free(options->ref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ApplyOptions, apply_options_clear)

typedef struct {
	const Cli *cli;
	Repo *repo;
	GPtrArray *mails;  /* (element-type Mail) all that was read                          */
	GPtrArray *cards;  /* (element-type PatchMail) one a mail                             */
	GPtrArray *chosen; /* (element-type Mail) the patches to apply, in order              */
	char *base_commit; /* that the series names; NULL                                     */
} Apply;

static void apply_clear(Apply *apply)
{
	g_clear_pointer(&apply->chosen, g_ptr_array_unref);
	g_clear_pointer(&apply->cards, g_ptr_array_unref);
	g_clear_pointer(&apply->mails, g_ptr_array_unref);
	g_clear_pointer(&apply->repo, repo_close);
	g_free(apply->base_commit);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Apply, apply_clear)

static bool add_file(Apply *apply, const char *file, GError **error)
{
	g_autoptr(GPtrArray) messages = cli_read_messages(file, error);

	for (guint i = 0; messages && i < messages->len; i++) {
		gsize len = 0;
		const guint8 *data = g_bytes_get_data(messages->pdata[i], &len);
		Mail *mail = mail_read(data, len, NULL, error);

		if (!mail) {
			g_prefix_error(error, "%s: ", file);
			return false;
		}
		g_ptr_array_add(apply->mails, mail);
		g_ptr_array_add(apply->cards, patch_mail_from_mail(mail));
	}
	return messages != NULL;
}

static Mail *mail_of(const Apply *apply, const PatchMail *card)
{
	guint at;

	return g_ptr_array_find(apply->cards, card, &at) ? apply->mails->pdata[at] : NULL;
}

static int64_t posted_us(const Series *series)
{
	for (guint i = 0; i < series->patches->len; i++) {
		const PatchMail *card = series->patches->pdata[i];
		if (card)
			return card->date_us;
	}
	return 0;
}

static bool is_newer(const Series *a, const Series *b)
{
	bool a_whole = series_is_complete(a);
	bool b_whole = series_is_complete(b);

	if (a_whole != b_whole)
		return a_whole;
	return a->revision != b->revision ? a->revision > b->revision : posted_us(a) > posted_us(b);
}

static const Series *newest(const GPtrArray *all)
{
	const Series *best = NULL;

	for (guint i = 0; i < all->len; i++) {
		if (!best || is_newer(all->pdata[i], best))
			best = all->pdata[i];
	}
	return best;
}

static void choose_series(Apply *apply, const Series *series)
{
	apply->base_commit = g_strdup(series->base_commit);
	for (guint i = 0; i < series->patches->len; i++) {
		const PatchMail *card = series->patches->pdata[i];
		Mail *mail = card ? mail_of(apply, card) : NULL;

		if (!mail || !mail->patch)
			g_printerr("lorebot: patch %u of %u is not among the files\n", i + 1,
				   series->total);
		else
			g_ptr_array_add(apply->chosen, mail);
	}
}

/*
 * The newest complete revision.  A person who gives one patch of a longer series, or a reply that
 * carries a diff, wants just that applied.
 */
static bool choose_patches(Apply *apply, GError **error)
{
	g_autoptr(GPtrArray) placed = g_ptr_array_new();

	for (guint i = 0; i < apply->mails->len; i++) {
		const Mail *mail = apply->mails->pdata[i];
		if (mail->kind == MAIL_PATCH || mail->kind == MAIL_COVER)
			g_ptr_array_add(placed, apply->cards->pdata[i]);
	}

	g_autoptr(GPtrArray) all = series_assemble(placed);
	const Series *series = newest(all);
	if (series)
		choose_series(apply, series);
	for (guint i = 0; apply->chosen->len == 0 && !series && i < apply->mails->len; i++) {
		Mail *mail = apply->mails->pdata[i];
		if (mail->patch)
			g_ptr_array_add(apply->chosen, mail);
	}
	if (apply->chosen->len > 0)
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND, "none of the files holds a patch");
	return false;
}

static bool choose_base(const Apply *apply, const ApplyOptions *options, BaseChoice *out_choice,
			GError **error)
{
	const Mail *first = apply->chosen->pdata[0];
	BaseHints hints = {
		.base_commit =
			apply->base_commit ? apply->base_commit : mail_notes(first)->base_commit,
		.date_us = first->message->date_us,
		.tip_ref = "HEAD",
	};

	if (options->base) {
		out_choice->how = g_strdup("requested");
		return repo_parse_rev(apply->repo, options->base, &out_choice->commit, error);
	}
	if (options->date && !clock_parse_iso(options->date, &hints.date_us, error))
		return false;
	if (!base_choose(apply->repo, &hints, out_choice, error))
		return false;
	if (out_choice->refused)
		g_printerr("lorebot: %s\n", out_choice->refused);
	return true;
}

static GPtrArray *list_patches(const Apply *apply)
{
	GPtrArray *patches = g_ptr_array_new_with_free_func(g_free);
	int64_t now_us = clock_now_us(apply->cli->clock);

	for (guint i = 0; i < apply->chosen->len; i++) {
		const Mail *mail = apply->chosen->pdata[i];
		ApplyPatch *patch = g_new0(ApplyPatch, 1);

		patch->patch = mail->patch;
		patch->committer_date_us = CLAMP(mail->message->date_us, FIRST_GIT_DAY_US,
						 MAX(now_us, FIRST_GIT_DAY_US));
		g_ptr_array_add(patches, patch);
	}
	return patches;
}

static json_t *text_or_null(const char *text)
{
	return text ? json_text(text) : json_null();
}

static void print_failure(const ApplyFailure *failure)
{
	autojson *line =
		json_pack("{s:{s:I, s:o, s:o, s:o, s:o}}", "error", "patch",
			  (json_int_t)failure->patch + 1, "path", text_or_null(failure->path),
			  "hunk", failure->hunk > 0 ? json_integer(failure->hunk) : json_null(),
			  "reason", text_or_null(failure->reason), "damage",
			  text_or_null(patch_damage_name(failure->damage)));

	json_print_line(stdout, line);
}

static void print_commits(const BaseChoice *choice, const GArray *commits)
{
	char hex[GIT_OID_HEXSZ + 1];
	json_t *ids = json_array();
	json_t *methods = json_array();

	for (guint i = 0; i < commits->len; i++) {
		const AppliedCommit *commit = &g_array_index(commits, AppliedCommit, i);
		json_array_append_new(
			ids, json_string(git_oid_tostr(hex, sizeof(hex), &commit->commit)));
		json_array_append_new(methods, json_string(commit->method));
	}

	const AppliedCommit *last = &g_array_index(commits, AppliedCommit, commits->len - 1);
	autojson *line = json_pack("{s:o, s:s, s:o, s:o, s:o}", "base",
				   json_string(git_oid_tostr(hex, sizeof(hex), &choice->commit)),
				   "base_how", choice->how, "commits", ids, "tree",
				   json_string(git_oid_tostr(hex, sizeof(hex), &last->tree)),
				   "methods", methods);
	json_print_line(stdout, line);
}

static bool apply_chosen(Apply *apply, const ApplyOptions *options, int *out_status, GError **error)
{
	g_auto(BaseChoice) choice = {0};
	g_auto(ApplyFailure) failure = {0};
	g_autoptr(GPtrArray) patches = list_patches(apply);
	g_autoptr(GArray) commits = NULL;
	g_autoptr(GError) why = NULL;

	if (!choose_base(apply, options, &choice, error))
		return false;
	if (!apply_series(apply->repo, &choice.commit, patches, "lorebot", "lorebot@localhost",
			  &commits, &failure, &why)) {
		if (!failure.reason) {
			g_propagate_error(error, g_steal_pointer(&why));
			return false;
		}
		print_failure(&failure);
		*out_status = 1;
		return true;
	}
	if (options->ref &&
	    !repo_set_ref(apply->repo, options->ref,
			  &g_array_index(commits, AppliedCommit, commits->len - 1).commit, error))
		return false;
	print_commits(&choice, commits);
	return true;
}

static bool read_files(Apply *apply, int argc, char **argv, GError **error)
{
	apply->mails = g_ptr_array_new_with_free_func((GDestroyNotify)mail_free);
	apply->cards = g_ptr_array_new_with_free_func((GDestroyNotify)patch_mail_free);
	apply->chosen = g_ptr_array_new();
	for (int i = 1; i < argc; i++) {
		if (!add_file(apply, argv[i], error))
			return false;
	}
	return true;
}

static bool run_apply(const Cli *cli, int argc, char **argv, int *out_status, GError **error)
{
	g_auto(ApplyOptions) options = {0};
	g_auto(Apply) apply = {.cli = cli};
	const GOptionEntry entries[] = {
		{"repo", 0, 0, G_OPTION_ARG_FILENAME, &options.repo, NULL, NULL},
		{"base", 0, 0, G_OPTION_ARG_STRING, &options.base, NULL, NULL},
		{"date", 0, 0, G_OPTION_ARG_STRING, &options.date, NULL, NULL},
		{"ref", 0, 0, G_OPTION_ARG_STRING, &options.ref, NULL, NULL},
		{NULL, 0, 0, 0, NULL, NULL, NULL},
	};
	bool done = false;

	if (!cli_parse_options(&command_apply, entries, &argc, &argv, &done, error) || done)
		return done;
	if (!options.repo || argc < 2)
		return cli_usage(&command_apply, error,
				 "name --repo DIR and a file, or - for standard input");
	if (!read_files(&apply, argc, argv, error) || !choose_patches(&apply, error))
		return false;
	apply.repo = repo_open_existing(options.repo, error);
	return apply.repo && apply_chosen(&apply, &options, out_status, error);
}

const Command command_apply = {
	.name = "apply",
	.needs = NEEDS_NOTHING,
	.run = run_apply,
	.most_arguments = ANY_NUMBER,
	.arguments = "--repo DIR [--base REV] [--date ISO] [--ref NAME] FILE...",
	.summary = "apply patch mails to a repository in memory, one JSON line",
	.help = "FILE is a mail, an mbox with two or more messages, or - for standard input; of "
		"several\n"
		"revisions the newest complete one is taken, in the order of its numbers.\n"
		"  --repo DIR   bare or not; objects are written, its work tree is left alone\n"
		"  --base REV   apply on this commit; else the series' base-commit, else HEAD as "
		"it was\n"
		"               at the mail's date, else HEAD\n"
		"  --date ISO   instead of the mail's date\n"
		"  --ref NAME   set this full ref (refs/heads/x) to the last commit\n"
		"Prints {\"base\",\"base_how\",\"commits\",\"tree\",\"methods\"}, or {\"error\"} "
		"with the patch's\n"
		"number, path, hunk and reason, and exit status 1.",
};
