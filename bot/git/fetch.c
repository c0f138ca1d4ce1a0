/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/git/fetch.h"

#include "bot/base/child.h"
#include "bot/base/error.h"
#include "bot/base/gitremote.h"
#include "bot/git/reftips.h"

#include <string.h>

typedef struct {
	Repo *repo;
	const char *url;
	const char *branch;
	const char *ref_prefix;
	uint64_t max_bytes;
} Fetch;

static GPtrArray *list_remote(GitRemote *remote, const Fetch *fetch, GError **error)
{
	g_autoptr(GPtrArray) tips = reftips_new();
	const git_remote_head **heads = NULL;
	size_t n_heads = 0;

	if (!gitremote_list(remote, &heads, &n_heads, error))
		return NULL;
	for (size_t i = 0; i < n_heads; i++)
		reftips_add(tips, heads[i]->name, &heads[i]->oid);

	GPtrArray *chosen = reftips_choose(tips, fetch->branch);
	if (!chosen)
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND, "it has no branch or tag %s",
			    fetch->branch);
	return chosen;
}

/* "heads/x" is fetched as refs/heads/x; HEAD always is one of these too, or not wanted. */
static void wanted_refs(const GPtrArray *tips, GPtrArray *specs)
{
	for (guint i = 0; i < tips->len; i++) {
		const RefTip *tip = tips->pdata[i];
		if (strcmp(tip->name, "HEAD") == 0)
			g_ptr_array_add(specs, g_strdup("HEAD"));
		else
			g_ptr_array_add(specs, g_strconcat("refs/", tip->name, NULL));
	}
}

static bool work(gpointer data, GError **error)
{
	Fetch *fetch = data;
	git_repository *repo = repo_handle(fetch->repo);
	g_autoptr(GitRemote) remote = gitremote_connect(repo, fetch->url, fetch->max_bytes, error);
	g_autoptr(GPtrArray) tips = remote ? list_remote(remote, fetch, error) : NULL;
	g_autoptr(GPtrArray) wanted = g_ptr_array_new_with_free_func(g_free);

	if (!tips)
		return false;
	wanted_refs(tips, wanted);
	return gitremote_download(remote, wanted, error) &&
	       reftips_store(repo, tips, fetch->ref_prefix, error);
}

bool fetch_remote(Repo *repo, const char *url, const char *branch, const char *ref_prefix,
		  const RepoFetchLimits *limits, GError **error)
{
	g_autofree char *what = g_strdup_printf("fetching %s", url);
	Fetch fetch = {
		.repo = repo,
		.url = url,
		.branch = branch,
		.ref_prefix = ref_prefix,
		.max_bytes = limits->max_bytes,
	};

	ChildOptions options = {
		.what = what,
		.timeout_ms = limits->timeout_ms,
		.timeout_key = "fetch.timeout",
		.max_file_bytes = limits->max_bytes + GITREMOTE_SLACK_BYTES,
	};

	if (!child_run(work, &fetch, &options, error))
		return false;

	/* The child has added packs that what is open here has not seen. */
	g_autoptr(git_odb) odb = NULL;
	int rc = git_repository_odb(&odb, repo_handle(repo));
	if (rc == 0)
		rc = git_odb_refresh(odb);
	return rc == 0 || git_fail(error, rc, "cannot reread the objects");
}
