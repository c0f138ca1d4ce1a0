/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/git/fetch.h"

#include "bot/base/error.h"
#include "bot/git/child.h"
#include "bot/git/reftips.h"

#include <string.h>

/* Index and bookkeeping beside the pack. */
#define FILE_SLACK_BYTES (64u * 1024 * 1024)

typedef struct {
	Repo *repo;
	const char *url;
	const char *branch;
	const char *ref_prefix;
	uint64_t max_bytes;
	bool too_large;
} Fetch;

static int watch_size(const git_indexer_progress *stats, void *payload)
{
	Fetch *fetch = payload;

	fetch->too_large = stats->received_bytes > fetch->max_bytes;
	return fetch->too_large ? -1 : 0;
}

/* Whatever libgit2 found out about the certificate stands. */
static int keep_verdict(git_cert *cert, int valid, const char *host, void *payload)
{
	(void)cert;
	(void)valid;
	(void)host;
	(void)payload;
	return GIT_PASSTHROUGH;
}

static GPtrArray *list_remote(git_remote *remote, const Fetch *fetch, GError **error)
{
	g_autoptr(GPtrArray) tips = reftips_new();
	const git_remote_head **heads = NULL;
	size_t n_heads = 0;
	int rc = git_remote_ls(&heads, &n_heads, remote);

	if (rc < 0) {
		(void)git_fail(error, rc, "cannot list its branches");
		return NULL;
	}
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

static bool download(git_remote *remote, const GPtrArray *tips, Fetch *fetch,
		     const git_fetch_options *options, GError **error)
{
	g_autoptr(GPtrArray) specs = g_ptr_array_new_with_free_func(g_free);
	git_strarray refspecs;
	int rc;

	wanted_refs(tips, specs);
	refspecs = (git_strarray){(char **)specs->pdata, specs->len};
	rc = git_remote_download(remote, &refspecs, options);
	if (fetch->too_large) {
		git_error_clear();
		g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT,
			    "it is larger than %" G_GUINT64_FORMAT " bytes", fetch->max_bytes);
		return false;
	}
	return rc == 0 || git_fail(error, rc, "cannot download");
}

static int connect_remote(git_remote *remote, const git_fetch_options *options)
{
	git_remote_connect_options connect;

	git_remote_connect_options_init(&connect, GIT_REMOTE_CONNECT_OPTIONS_VERSION);
	connect.callbacks = options->callbacks;
	connect.follow_redirects = options->follow_redirects;
	return git_remote_connect_ext(remote, GIT_DIRECTION_FETCH, &connect);
}

static bool work(gpointer data, GError **error)
{
	Fetch *fetch = data;
	git_repository *repo = repo_handle(fetch->repo);
	git_fetch_options options;
	g_autoptr(git_remote) remote = NULL;
	g_autoptr(GPtrArray) tips = NULL;
	int rc;

	git_fetch_options_init(&options, GIT_FETCH_OPTIONS_VERSION);
	options.callbacks.transfer_progress = watch_size;
	options.callbacks.certificate_check = keep_verdict;
	options.callbacks.payload = fetch;
	options.follow_redirects = GIT_REMOTE_REDIRECT_NONE;
	options.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE;

	rc = git_remote_create_anonymous(&remote, repo, fetch->url);
	if (rc == 0)
		rc = connect_remote(remote, &options);
	if (rc < 0)
		return git_fail(error, rc, "cannot connect");
	tips = list_remote(remote, fetch, error);
	return tips && download(remote, tips, fetch, &options, error) &&
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

	if (!child_run(work, &fetch, limits->timeout_ms, limits->max_bytes + FILE_SLACK_BYTES, what,
		       error))
		return false;

	/* The child has added packs that what is open here has not seen. */
	g_autoptr(git_odb) odb = NULL;
	int rc = git_repository_odb(&odb, repo_handle(repo));
	if (rc == 0)
		rc = git_odb_refresh(odb);
	return rc == 0 || git_fail(error, rc, "cannot reread the objects");
}
