/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/inbox_source_fetch.h"

#include "bot/base/child.h"
#include "bot/base/error.h"
#include "bot/base/gitremote.h"
#include "bot/intake/inbox_source_epoch.h"

#include <string.h>

typedef struct {
	char *url;
	char *path;
	const char *ca_file; /* NULL */
	uint64_t max_bytes;
} EpochFetch;

/* In a child of its own, so nobody else trusts it. */
static bool trust(const char *ca_file, GError **error)
{
	int rc = git_libgit2_opts(GIT_OPT_SET_SSL_CERT_LOCATIONS, ca_file, NULL);

	return rc == 0 || git_fail(error, rc, "cannot use the CA file %s", ca_file);
}

static bool find_head(GitRemote *remote, const char *url, git_oid *out_head, GError **error)
{
	const git_remote_head **heads = NULL;
	size_t n_heads = 0;

	if (!gitremote_list(remote, &heads, &n_heads, error))
		return false;
	for (size_t i = 0; i < n_heads; i++) {
		if (strcmp(heads[i]->name, "HEAD") == 0) {
			git_oid_cpy(out_head, &heads[i]->oid);
			return true;
		}
	}
	g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND, "%s holds no commit yet", url);
	return false;
}

/* Nothing is made here for an epoch that is not there. */
static bool is_there(const EpochFetch *fetch, GError **error)
{
	git_oid head;
	g_autoptr(GitRemote) remote = gitremote_connect(NULL, fetch->url, fetch->max_bytes, error);

	return remote && find_head(remote, fetch->url, &head, error);
}

static git_repository *make_epoch(const EpochFetch *fetch, GError **error)
{
	git_repository *repo = NULL;
	int rc = git_create_bare(&repo, fetch->path, "master");

	if (rc < 0)
		(void)git_fail(error, rc, "cannot make %s", fetch->path);
	return repo;
}

/* Moves the branch that HEAD names, also to where it cannot get by growing. */
static bool set_head(git_repository *repo, const git_oid *id, GError **error)
{
	g_autoptr(git_reference) head = NULL;
	g_autoptr(git_reference) branch = NULL;
	int rc = git_reference_lookup(&head, repo, "HEAD");

	if (rc < 0)
		return git_fail(error, rc, "cannot read HEAD of %s", git_repository_path(repo));
	const char *name = git_reference_symbolic_target(head);
	rc = git_reference_create(&branch, repo, name ? name : "HEAD", id, true, NULL);
	return rc == 0 || git_fail(error, rc, "cannot set HEAD of %s", git_repository_path(repo));
}

static bool download(const EpochFetch *fetch, git_repository *repo, GError **error)
{
	g_autoptr(GPtrArray) refs = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GitRemote) remote = gitremote_connect(repo, fetch->url, fetch->max_bytes, error);
	git_oid head;

	g_ptr_array_add(refs, g_strdup("HEAD"));
	return remote && find_head(remote, fetch->url, &head, error) &&
	       gitremote_download(remote, refs, error) && set_head(repo, &head, error);
}

static bool start(const EpochFetch *fetch, GError **error)
{
	git_start();
	return fetch->ca_file == NULL || trust(fetch->ca_file, error);
}

static bool look(gpointer data, GError **error)
{
	return start(data, error) && is_there(data, error);
}

static bool work(gpointer data, GError **error)
{
	const EpochFetch *fetch = data;
	g_autoptr(git_repository) repo = NULL;

	if (!start(fetch, error))
		return false;
	if (g_file_test(fetch->path, G_FILE_TEST_EXISTS))
		repo = inbox_epoch_open(fetch->path, error);
	else if (is_there(fetch, error))
		repo = make_epoch(fetch, error);
	return repo && download(fetch, repo, error);
}

static bool run_child(const InboxFetch *fetch, int number, ChildWork child, GError **error)
{
	size_t len = strlen(fetch->url);
	const char *slash = len > 0 && fetch->url[len - 1] == '/' ? "" : "/";
	g_autofree char *url = g_strdup_printf("%s%s%d", fetch->url, slash, number);
	g_autofree char *path = g_strdup_printf("%s/%d.git", fetch->folder, number);
	g_autofree char *what = g_strdup_printf("fetching %s", url);
	EpochFetch epoch = {
		.url = url, .path = path, .ca_file = fetch->ca_file, .max_bytes = fetch->max_bytes};
	ChildOptions options = {
		.what = what,
		.timeout_ms = fetch->timeout_ms,
		.timeout_key = "fetch.timeout",
		.max_file_bytes = fetch->max_bytes + GITREMOTE_SLACK_BYTES,
		.stop_fd = fetch->stop_fd,
	};

	return child_run(child, &epoch, &options, error);
}

static bool fetch_epoch(const InboxFetch *fetch, int number, GError **error)
{
	return run_child(fetch, number, work, error);
}

bool inbox_fetch_look(const InboxFetch *fetch, GError **error)
{
	return run_child(fetch, 0, look, error);
}

bool inbox_fetch(const InboxFetch *fetch, int newest, int older, GError **error)
{
	if (older >= 0 && !fetch_epoch(fetch, older, error))
		return false;
	for (int number = MAX(newest, 0); number <= INBOX_MAX_EPOCH; number++) {
		g_autoptr(GError) failed = NULL;

		if (fetch_epoch(fetch, number, &failed))
			continue;
		if (number > MAX(newest, 0) &&
		    g_error_matches(failed, BOT_ERROR, BOT_ERROR_NOT_FOUND))
			return true;
		g_propagate_error(error, g_steal_pointer(&failed));
		return false;
	}
	return true;
}
