/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/gitremote.h"

#include "bot/base/error.h"
#include "bot/base/log.h"

#include <string.h>

/* A long download is told of this often. */
#define TELL_EVERY_US (10 * G_USEC_PER_SEC)

struct GitRemote {
	git_remote *handle;
	git_fetch_options options;
	uint64_t max_bytes;
	bool too_large;
	int64_t told_us; /* monotonic */
};

static int watch_size(const git_indexer_progress *stats, void *payload)
{
	GitRemote *remote = payload;
	int64_t now_us = g_get_monotonic_time();

	if (now_us - remote->told_us >= TELL_EVERY_US) {
		remote->told_us = now_us;
		log_info("git.receiving", "%s: %.1f MB, %u of %u objects",
			 git_remote_url(remote->handle), (double)stats->received_bytes / 1e6,
			 stats->received_objects, stats->total_objects);
	}
	remote->too_large = stats->received_bytes > remote->max_bytes;
	return remote->too_large ? -1 : 0;
}

int gitremote_keep_verdict(git_cert *cert, int valid, const char *host, void *payload)
{
	(void)cert;
	(void)valid;
	(void)host;
	(void)payload;
	return GIT_PASSTHROUGH;
}

void gitremote_free(GitRemote *remote)
{
	if (!remote)
		return;
	git_remote_free(remote->handle);
	g_free(remote);
}

static void set_options(GitRemote *remote)
{
	git_fetch_options *options = &remote->options;

	git_fetch_options_init(options, GIT_FETCH_OPTIONS_VERSION);
	options->callbacks.transfer_progress = watch_size;
	options->callbacks.certificate_check = gitremote_keep_verdict;
	options->callbacks.payload = remote;
	options->follow_redirects = GIT_REMOTE_REDIRECT_NONE;
	options->download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE;
}

static int connect_handle(GitRemote *remote)
{
	git_remote_connect_options connect;

	git_remote_connect_options_init(&connect, GIT_REMOTE_CONNECT_OPTIONS_VERSION);
	connect.callbacks = remote->options.callbacks;
	connect.follow_redirects = remote->options.follow_redirects;
	return git_remote_connect_ext(remote->handle, GIT_DIRECTION_FETCH, &connect);
}

/*
 * libgit2 1.5 has no code for it: a web server says 404 or 410, git-daemon an ERR packet, which it
 * gives as "remote error: ..." (src/libgit2/transports/http.c, smart_protocol.c).
 */
static bool is_missing(const git_error *last)
{
	if (last == NULL || last->message == NULL)
		return false;
	if (last->klass == GIT_ERROR_HTTP)
		return g_str_has_suffix(last->message, " 404") ||
		       g_str_has_suffix(last->message, " 410");
	return last->klass == GIT_ERROR_NET &&
	       g_ascii_strncasecmp(last->message, "remote error:", strlen("remote error:")) == 0;
}

static bool fail_connecting(int rc, const char *url, GError **error)
{
	if (!is_missing(git_error_last()))
		return git_fail(error, rc, "cannot connect");
	g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND, "there is no repository at %s: %s", url,
		    git_error_last()->message);
	git_error_clear();
	return false;
}

GitRemote *gitremote_connect(git_repository *repo, const char *url, uint64_t max_bytes,
			     GError **error)
{
	g_autoptr(GitRemote) remote = g_new0(GitRemote, 1);
	int rc;

	remote->max_bytes = max_bytes;
	remote->told_us = g_get_monotonic_time();
	set_options(remote);
	rc = repo ? git_remote_create_anonymous(&remote->handle, repo, url)
		  : git_remote_create_detached(&remote->handle, url);
	if (rc == 0)
		rc = connect_handle(remote);
	if (rc == 0)
		return g_steal_pointer(&remote);
	(void)fail_connecting(rc, url, error);
	return NULL;
}

bool gitremote_list(GitRemote *remote, const git_remote_head ***out_heads, size_t *out_n_heads,
		    GError **error)
{
	int rc = git_remote_ls(out_heads, out_n_heads, remote->handle);

	return rc == 0 || git_fail(error, rc, "cannot list its branches");
}

bool gitremote_download(GitRemote *remote, const GPtrArray *refs, GError **error)
{
	git_strarray refspecs = {(char **)refs->pdata, refs->len};
	int rc = git_remote_download(remote->handle, &refspecs, &remote->options);

	if (remote->too_large) {
		git_error_clear();
		g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT,
			    "it is larger than the %" G_GUINT64_FORMAT
			    " bytes that fetch.maxBytes allows",
			    remote->max_bytes);
		return false;
	}
	return rc == 0 || git_fail(error, rc, "cannot download");
}
