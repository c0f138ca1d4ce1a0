/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/net/link.h"

#include "bot/base/error.h"
#include "bot/net/curl.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

struct Link {
	CURL *curl;
	char *host; /* for messages */
	curl_socket_t socket;
	char detail[CURL_ERROR_SIZE];
};

const char *link_step_name(LinkStep step)
{
	static const char *const names[] = {"name", "TCP", "greeting", "TLS", "login", "done"};

	g_return_val_if_fail((size_t)step < G_N_ELEMENTS(names), "?");
	return names[step];
}

Link *link_open(const LinkOptions *options, GError **error)
{
	LinkStep step;

	return link_open_watched(options, &step, error);
}

Link *link_open_watched(const LinkOptions *options, LinkStep *out_step, GError **error)
{
	*out_step = LINK_STEP_NAME;
	g_return_val_if_fail(options != NULL && options->url != NULL, NULL);

	g_autoptr(Link) link = g_new0(Link, 1);
	link->curl = curl_handle_new(options, &link->host, error);
	if (!link->curl)
		return NULL;
	curl_easy_setopt(link->curl, CURLOPT_ERRORBUFFER, link->detail);

	CURLcode rc = curl_easy_perform(link->curl);
	if (rc == CURLE_OK)
		rc = curl_easy_getinfo(link->curl, CURLINFO_ACTIVESOCKET, &link->socket);
	if (rc != CURLE_OK) {
		*out_step =
			curl_handle_fail(link->curl, rc, link->detail, link->host, options, error);
		return NULL;
	}
	*out_step = LINK_STEP_DONE;
	return g_steal_pointer(&link);
}

void link_close(Link *link)
{
	if (!link)
		return;
	curl_easy_cleanup(link->curl);
	g_free(link->host);
	g_free(link);
}

void link_cut(Link *link)
{
	(void)shutdown(link->socket, SHUT_RDWR);
}

static bool fail_broken(Link *link, CURLcode rc, GError **error)
{
	const char *detail = link->detail[0] ? link->detail : curl_easy_strerror(rc);

	g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT, "%s: the connection broke (%s)",
		    link->host, detail);
	return false;
}

static int64_t deadline_after(int timeout_ms)
{
	return timeout_ms < 0 ? -1 : g_get_monotonic_time() + (int64_t)timeout_ms * 1000;
}

/* False when the time is up or @stop_fd spoke. */
static bool wait_for(curl_socket_t socket, short events, int stop_fd, int64_t deadline_us)
{
	struct pollfd fds[] = {{.fd = socket, .events = events}, {.fd = stop_fd, .events = POLLIN}};

	for (;;) {
		int left_ms = -1;
		if (deadline_us >= 0) {
			int64_t left_us = deadline_us - g_get_monotonic_time();
			/* Rounded up: a wait of the last half millisecond must not spin. */
			left_ms = (int)((MAX(left_us, 0) + 999) / 1000);
		}
		int rc = poll(fds, G_N_ELEMENTS(fds), left_ms);
		if (rc < 0 && errno == EINTR)
			continue;
		/* Any other failure shows itself at the next read or write. */
		return rc != 0 && fds[1].revents == 0;
	}
}

bool link_read(Link *link, void *buffer, size_t size, int timeout_ms, int stop_fd, size_t *out_len,
	       GError **error)
{
	int64_t deadline_us = deadline_after(timeout_ms);

	/* Read first, poll only when there is nothing: TLS may hold bytes that poll cannot see. */
	do {
		CURLcode rc = curl_easy_recv(link->curl, buffer, size, out_len);
		if (rc == CURLE_OK && *out_len == 0) {
			g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT,
				    "%s: the server closed the connection", link->host);
			return false;
		}
		if (rc == CURLE_OK)
			return true;
		if (rc != CURLE_AGAIN)
			return fail_broken(link, rc, error);
	} while (wait_for(link->socket, POLLIN, stop_fd, deadline_us));

	*out_len = 0;
	return true;
}

bool link_write(Link *link, const void *bytes, size_t len, int timeout_ms, GError **error)
{
	const char *at = bytes;
	int64_t deadline_us = deadline_after(timeout_ms);

	while (len > 0) {
		size_t sent = 0;
		CURLcode rc = curl_easy_send(link->curl, at, len, &sent);
		if (rc != CURLE_OK && rc != CURLE_AGAIN)
			return fail_broken(link, rc, error);
		at += sent;
		len -= sent;
		if (rc == CURLE_AGAIN && !wait_for(link->socket, POLLOUT, -1, deadline_us)) {
			g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT,
				    "%s: the server took no bytes for %d ms", link->host,
				    timeout_ms);
			return false;
		}
	}
	return true;
}
