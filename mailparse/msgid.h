/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * msgid - one canonical form of a Message-ID, compared bytewise everywhere.
 *
 * Canonical: without angle brackets, without white space, otherwise the bytes of the mail (a
 * Message-ID is case-sensitive, RFC 5322 section 3.6.4).  A mail without a usable one gets a
 * synthetic id of its content, "HEX@synthetic.invalid" (HEX: the first 32 digits of a SHA-256), so
 * that it can be stored.
 */

#include "mailparse/cursor.h"

#include <glib.h>
#include <stdbool.h>

/**
 * msgid_canonical:
 * @text: `<id>`, `id`, or a header value that starts with one; comments are ignored
 *
 * Returns: (transfer full) (nullable): NULL when empty, over MSGID_MAX_BYTES, with control or
 *   non-ASCII bytes
 */
char *msgid_canonical(const char *text);

/**
 * msgid_bare:
 * @text: `id` or `<id>` alone, as it stands in a URL, on a command line or in a store: "(" begins
 * no comment
 *
 * Returns: (transfer full) (nullable): as msgid_canonical()
 */
char *msgid_bare(const char *text);

/** msgid_is_canonical: visible ASCII without ">", not over MSGID_MAX_BYTES: may stand in <...>. */
bool msgid_is_canonical(const char *id);

/**
 * msgid_list:
 * @field: (nullable): value of References or In-Reply-To; only what stands in <...> counts
 *
 * Returns: (transfer full) (element-type utf8): in field order, each once, at most
 *   MAIL_MAX_REFERENCES (the last ones are kept)
 */
GPtrArray *msgid_list(const char *field);

/**
 * msgid_synthetic: id for a mail without one.
 * @pieces: what is the same at each door: fields of the header, the body; CRLF and LF are the same
 * here, and empty lines at a piece's end do not count
 */
char *msgid_synthetic(const ByteSlice *pieces, gsize n_pieces);

bool msgid_is_synthetic(const char *id);

/** msgid_url_escape: percent-encodes what is not unreserved or one of "@$+=!*'(),:;" for a URL
 * path. */
char *msgid_url_escape(const char *id);
