/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * remoteurl - which repository a URL names, and whether it may be fetched at all.
 *
 * A URL comes from a stranger's mail, so only https:// and git:// to a listed host pass, and only
 * at an address that is public.  Names are looked up once here and again by libgit2: an allowed
 * host that answers differently in between is trusted not to, since the operator listed it.
 */

#include <glib.h>
#include <stdbool.h>

/**
 * remoteurl_normalise:
 *
 * Returns: (transfer full): a key that is equal for spellings of one repository: host in lower
 * case, no scheme, user or default port, no trailing slash, no ".git"; a path is kept but for the
 * latter
 */
char *remoteurl_normalise(const char *url);

/** remoteurl_is_local: true for a path or file:// URL. */
bool remoteurl_is_local(const char *url);

/**
 * remoteurl_check:
 * @allow_hosts: (nullable): NULL-terminated; "host" allows the scheme's own port, "host:port" that
 * one
 * @allow_private: loopback and private addresses pass too
 * @error: PERMANENT naming the rule, TRANSIENT when the name cannot be looked up now
 */
bool remoteurl_check(const char *url, const char *const *allow_hosts, bool allow_private,
		     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * remoteurl_address_is_public:
 * @bytes: 4 of IPv4 or 16 of IPv6, network order
 */
bool remoteurl_address_is_public(const guint8 *bytes, gsize len);
