/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/inbox_source_fetch.h"

#include "bot/base/autofd.h"
#include "bot/base/child.h"
#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/base/gitremote.h"
#include "bot/intake/inbox_source_epoch.h"
#include "bot/intake/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* What libgit2 names a pack by until it is whole (its indexer.c). */
#define UNFINISHED_PACK "pack_git2_"

typedef struct {
	char *url;
	char *path;
	const char *folder;
	const char *ca_file; /* NULL */
	uint64_t max_bytes;
	char before[INBOX_ID_LEN + 1]; /* tip of the epoch before; "" */
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

/* Some servers have the same answer for every name. */
static bool is_another(const EpochFetch *fetch, const git_oid *head, GError **error)
{
	if (strcmp(git_oid_tostr_s(head), fetch->before) != 0)
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_PEER,
		    "%s is the epoch before it once more; is there an archive of epochs (URL/0, "
		    "URL/1, ...) behind this URL?",
		    fetch->url);
	return false;
}

/* Nothing is made here for an epoch that is not there. */
static bool is_there(const EpochFetch *fetch, GError **error)
{
	git_oid head;
	g_autoptr(GitRemote) remote = gitremote_connect(NULL, fetch->url, fetch->max_bytes, error);

	return remote && find_head(remote, fetch->url, &head, error) &&
	       is_another(fetch, &head, error);
}

static git_repository *make_epoch(const char *path, GError **error)
{
	git_repository *repo = NULL;
	int rc = git_create_bare(&repo, path, "master");

	if (rc < 0)
		(void)git_fail(error, rc, "cannot make %s", path);
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
	/* What a ref names survives a power cut: this copy may be all that we ever see of it. */
	git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1);
	return fetch->ca_file == NULL || trust(fetch->ca_file, error);
}

static bool look(gpointer data, GError **error)
{
	return start(data, error) && is_there(data, error);
}

/* What a process that died left there; nobody else writes while we hold the lock. */
static void sweep(const char *repo, const char *folder)
{
	g_autofree char *path = g_build_filename(repo, folder, NULL);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
		if (!g_str_has_prefix(name, UNFINISHED_PACK) && !g_str_has_suffix(name, ".lock"))
			continue;
		g_autofree char *left = g_build_filename(path, name, NULL);
		(void)unlink(left);
	}
}

static bool grow_epoch(const EpochFetch *fetch, GError **error)
{
	g_autoptr(git_repository) repo = NULL;

	sweep(fetch->path, "objects/pack");
	sweep(fetch->path, "refs/heads");
	sweep(fetch->path, "");
	repo = inbox_epoch_open(fetch->path, error);
	return repo && download(fetch, repo, error);
}

/* Under a name that is no epoch's until it is whole. */
static bool bring_epoch(const EpochFetch *fetch, GError **error)
{
	g_autofree char *path = g_strconcat(fetch->path, ".new", NULL);
	g_autoptr(git_repository) repo = NULL;

	if (!fs_remove_tree(path, error) || !is_there(fetch, error))
		return false;
	repo = make_epoch(path, error);
	if (!repo || !download(fetch, repo, error))
		return false;
	if (rename(path, fetch->path) == 0)
		return true;
	bot_error_set_errno(error, errno, "cannot rename %s to %s", path, fetch->path);
	return false;
}

static int lock_folder(const char *folder, GError **error)
{
	autofd int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		return autofd_steal(&fd);
	if (fd >= 0 && errno == EWOULDBLOCK)
		g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT,
			    "another lorebot process is fetching into %s", folder);
	else
		bot_error_set_errno(error, errno, "cannot lock %s", folder);
	return -1;
}

static bool work(gpointer data, GError **error)
{
	const EpochFetch *fetch = data;
	autofd int lock = lock_folder(fetch->folder, error);

	if (lock < 0 || !start(fetch, error))
		return false;
	return g_file_test(fetch->path, G_FILE_TEST_EXISTS) ? grow_epoch(fetch, error)
							    : bring_epoch(fetch, error);
}

static char *epoch_path(const InboxFetch *fetch, int number)
{
	return g_strdup_printf("%s/%d.git", fetch->folder, number);
}

/* An epoch that has no tip, or none that can be read, is like no other. */
static void find_tip(const InboxFetch *fetch, int number, char out_tip[INBOX_ID_LEN + 1])
{
	g_autofree char *path = epoch_path(fetch, number);
	g_autoptr(GError) ignored = NULL;

	if (number < 0 || !inbox_epoch_tip(path, out_tip, &ignored))
		out_tip[0] = '\0';
}

static bool run_child(const InboxFetch *fetch, int number, ChildWork child, GError **error)
{
	size_t len = strlen(fetch->url);
	const char *slash = len > 0 && fetch->url[len - 1] == '/' ? "" : "/";
	g_autofree char *url = g_strdup_printf("%s%s%d", fetch->url, slash, number);
	g_autofree char *path = epoch_path(fetch, number);
	g_autofree char *what = g_strdup_printf("fetching %s", url);
	EpochFetch epoch = {.url = url,
			    .path = path,
			    .folder = fetch->folder,
			    .ca_file = fetch->ca_file,
			    .max_bytes = fetch->max_bytes};
	ChildOptions options = {
		.what = what,
		.timeout_ms = fetch->timeout_ms,
		.timeout_key = "fetch.timeout",
		.max_file_bytes = fetch->max_bytes + GITREMOTE_SLACK_BYTES,
		.stop_fd = fetch->stop_fd,
	};

	find_tip(fetch, number - 1, epoch.before);
	return child_run(child, &epoch, &options, error);
}

bool inbox_fetch_look(const InboxFetch *fetch, GError **error)
{
	return run_child(fetch, 0, look, error);
}

/* Returns: false with @error set only if what happened to it is an error for all. */
static bool tell(const InboxFetch *fetch, int number, GError *failed, GError **error)
{
	if (fetch->tell && !(failed && watch_stop_asked(fetch->stop_fd))) {
		fetch->tell(number, failed, fetch->payload);
		g_clear_error(&failed);
		return true;
	}
	if (!failed)
		return true;
	g_propagate_error(error, failed);
	return false;
}

/* @first and those behind it, until there is none. */
static bool fetch_new(const InboxFetch *fetch, int first, GError **error)
{
	for (int number = first; number <= INBOX_MAX_EPOCH; number++) {
		GError *failed = NULL;

		if (number - first == INBOX_FETCH_MAX_NEW)
			g_set_error(&failed, BOT_ERROR, BOT_ERROR_TRANSIENT,
				    "%s has more than %d epochs from %d on; the rest waits for the "
				    "next fetch",
				    fetch->url, INBOX_FETCH_MAX_NEW, first);
		bool fine = !failed && run_child(fetch, number, work, &failed);
		if (!fine && g_error_matches(failed, BOT_ERROR, BOT_ERROR_NOT_FOUND)) {
			g_clear_error(&failed);
			return tell(fetch, number, NULL, error);
		}
		if (!tell(fetch, number, failed, error))
			return false;
		if (!fine)
			return true;
	}
	return true;
}

bool inbox_fetch(const InboxFetch *fetch, int newest, int older, GError **error)
{
	GError *failed = NULL;
	int first = MAX(newest, 0);

	if (!run_child(fetch, first, work, error) || !fetch_new(fetch, first + 1, error))
		return false;
	if (older < 0 || watch_stop_asked(fetch->stop_fd))
		return true;
	(void)run_child(fetch, older, work, &failed);
	return tell(fetch, older, failed, error);
}
