/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * curl - the one place that makes libcurl handles; private to this folder.
 *
 * What must hold for every connection is set here and nowhere else: the scheme is pinned, TLS 1.2
 * or better with the certificate and the host name checked, no proxy and no .netrc from the
 * environment, and the mechanism always named.
 */

#include "bot/net/link.h"

#include <curl/curl.h>

/**
 * curl_handle_new:
 * @options: its strings are copied by libcurl
 * @out_host: (transfer full): "HOST:PORT" or "HOST", for messages
 * @error: BOT_ERROR_CONFIG for an url, user or password that cannot be meant
 *
 * Returns: (transfer full): a handle set up for CONNECT_ONLY, not yet connected
 */
CURL *curl_handle_new(const LinkOptions *options, char **out_host,
		      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * curl_handle_fail:
 * @rc: what connecting returned, not CURLE_OK
 * @detail: libcurl's own words, may be empty
 * @host: as from curl_handle_new()
 *
 * Sets @error as link_open() promises it.
 *
 * Returns: the step that failed
 */
LinkStep curl_handle_fail(CURL *curl, CURLcode rc, const char *detail, const char *host,
			  const LinkOptions *options, GError **error);
