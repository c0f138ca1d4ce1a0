/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/git/apply.h"

#include "bot/base/clock.h"
#include "bot/base/error.h"
#include "bot/git/applyfile.h"
#include "bot/git/commitmsg.h"
#include "bot/git/refusal.h"

#include <string.h>

#define REF_PART_MAX_BYTES 100

bool apply_diff(Repo *repo, const git_oid *tree, const Diff *diff, git_oid *out_tree,
		ApplyFailure *out_failure, GError **error)
{
	g_return_val_if_fail(repo != NULL && diff != NULL && out_failure != NULL, false);

	g_autoptr(ApplyTree) from = NULL;
	g_autoptr(GHashTable) changes = NULL;

	if (diff->files->len == 0)
		return refuse(out_failure, error, NULL, 0, "the mail holds no diff");
	from = apply_tree_new(repo, tree, error);
	return from && apply_files(from, diff, &changes, out_failure, error) &&
	       apply_tree_write(from, changes, out_tree, out_failure, error);
}

static git_signature *new_signature(const char *name, const char *addr, int64_t date_us,
				    int offset_min, GError **error)
{
	g_autofree char *clean = commitmsg_clean_name(name);
	g_autofree char *clean_addr = commitmsg_clean_name(addr);
	git_signature *signature = NULL;
	int rc = git_signature_new(&signature, clean[0] != '\0' ? clean : clean_addr, clean_addr,
				   MAX(date_us, 0) / CLOCK_US_PER_S, offset_min);

	if (rc < 0)
		(void)git_fail(error, rc, "cannot name %s <%s> in a commit", clean, clean_addr);
	return signature;
}

typedef struct {
	Repo *repo;
	const char *committer_name;
	const char *committer_addr;
} Series;

static bool write_commit(const Series *series, const ApplyPatch *patch, const git_oid *tree,
			 const git_oid *parent, git_oid *out_commit, GError **error)
{
	const Patch *mail = patch->patch;
	git_repository *repo = repo_handle(series->repo);
	g_autofree char *message = commitmsg_compose(mail->title, mail->message, patch->link);
	g_autoptr(git_signature) author = NULL;
	g_autoptr(git_signature) committer = NULL;
	g_autoptr(git_commit) base = NULL;
	g_autoptr(git_tree) root = NULL;
	bool dated = mail->date_us > 0;

	author = new_signature(mail->author->name, mail->author->addr,
			       dated ? mail->date_us : patch->committer_date_us,
			       dated ? mail->date_offset_min : 0, error);
	committer = author ? new_signature(series->committer_name, series->committer_addr,
					   patch->committer_date_us, 0, error)
			   : NULL;
	if (!committer)
		return false;

	int rc = git_commit_lookup(&base, repo, parent);
	if (rc == 0)
		rc = git_tree_lookup(&root, repo, tree);
	if (rc == 0) {
		const git_commit *parents[] = {base};
		rc = git_commit_create(out_commit, repo, NULL, author, committer, NULL, message,
				       root, 1, parents);
	}
	return rc == 0 || git_fail(error, rc, "cannot write the commit of \"%s\"", mail->title);
}

static bool apply_patch(const Series *series, const ApplyPatch *patch, AppliedCommit *tip,
			ApplyFailure *failure, GError **error)
{
	git_oid parent = tip->commit;
	bool ok;

	if (!patch->patch->author)
		return refuse(failure, error, NULL, 0,
			      "the mail names no author with a usable address");
	ok = apply_diff(series->repo, &tip->tree, patch->patch->diff, &tip->tree, failure, error) &&
	     write_commit(series, patch, &tip->tree, &parent, &tip->commit, error);
	tip->method = "exact";
	return ok;
}

static void blame_patch(ApplyFailure *failure, size_t index, const Patch *patch, GError **error)
{
	failure->patch = index;
	failure->damage = patch_damage_kind(patch);
	g_prefix_error(error, "patch %zu (%s): ", index + 1, patch->title);
}

bool apply_series(Repo *repo, const git_oid *base, const GPtrArray *patches,
		  const char *committer_name, const char *committer_addr, GArray **out_commits,
		  ApplyFailure *out_failure, GError **error)
{
	g_return_val_if_fail(repo != NULL && patches != NULL && out_failure != NULL, false);

	const Series series = {repo, committer_name, committer_addr};
	g_autoptr(GArray) commits = g_array_new(FALSE, TRUE, sizeof(AppliedCommit));
	AppliedCommit tip = {.commit = *base};

	if (!repo_commit_tree(repo, base, &tip.tree, error))
		return false;
	for (guint i = 0; i < patches->len; i++) {
		const ApplyPatch *patch = patches->pdata[i];
		if (!apply_patch(&series, patch, &tip, out_failure, error)) {
			blame_patch(out_failure, i, patch->patch, error);
			return false;
		}
		g_array_append_val(commits, tip);
	}
	*out_commits = g_steal_pointer(&commits);
	return true;
}

static void append_part(GString *name, const char *text, const char *fallback)
{
	gsize start = name->len;

	for (const char *c = text; *c != '\0'; c++) {
		bool plain = g_ascii_isalnum(*c) || *c == '_';
		bool joined = name->len > start && name->str[name->len - 1] == '-';
		if (plain)
			g_string_append_c(name, *c);
		else if (name->len > start && !joined)
			g_string_append_c(name, '-');
	}
	if (name->len - start > REF_PART_MAX_BYTES)
		g_string_truncate(name, start + REF_PART_MAX_BYTES);
	while (name->len > start && name->str[name->len - 1] == '-')
		g_string_truncate(name, name->len - 1);
	if (name->len == start)
		g_string_append(name, fallback);
}

char *apply_ref_name(const char *author, const char *title, int64_t stamp_us)
{
	g_autoptr(GDateTime) stamp = g_date_time_new_from_unix_utc(stamp_us / CLOCK_US_PER_S);
	g_autofree char *time = stamp ? g_date_time_format(stamp, "%Y%m%d-%H%M%S") : g_strdup("0");
	GString *name = g_string_new("lorebot-review/");

	append_part(name, author, "unknown");
	g_string_append_c(name, '/');
	append_part(name, title, "untitled");
	g_string_append_printf(name, "/%s", time);
	return g_string_free(name, FALSE);
}
