/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * mailbox - one person's name and address.  An instance is proof of safety.
 *
 * It is the only type that may become an envelope address: the constructor refuses what could
 * change an SMTP dialogue or a header.
 */

#include <glib.h>
#include <stdbool.h>

typedef struct {
	char *name; /* decoded UTF-8 display name without control characters; "" when none      */
	char *addr; /* local@domain, domain in lower case                                       */
	char *written; /* addr with its domain as the mail spells it; NULL is addr */
} Mailbox;

/**
 * mailbox_new:
 * @name: (nullable): display name; control characters are replaced by blanks, runs of blanks folded
 * @addr: local@domain
 * @error: UNSAFE for control bytes, blanks and specials outside quotes, non-ASCII bytes, angle
 *   brackets, a missing or second '@' outside quotes, an empty part; LIMIT over MAILBOX_MAX_BYTES
 */
Mailbox *mailbox_new(const char *name, const char *addr, GError **error) G_GNUC_WARN_UNUSED_RESULT;
Mailbox *mailbox_copy(const Mailbox *mailbox);
void mailbox_free(Mailbox *mailbox);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Mailbox, mailbox_free)

/**
 * mailbox_parse:
 * @text: `Name <addr>`, `addr` or `addr (Name)`, decoded or with encoded words (RFC 2047)
 */
Mailbox *mailbox_parse(const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * mailbox_list_parse:
 * @field: (nullable): value of To, Cc, ... as it stands in the mail (raw, may hold encoded words)
 *
 * Groups are flattened; an address that mailbox_new() refuses is skipped, the others stay.
 *
 * Returns: (transfer full) (element-type Mailbox): never NULL, has a free function
 */
GPtrArray *mailbox_list_parse(const char *field);

/**
 * mailbox_equal: same address; the local part is compared without case too, because no list treats
 * Ann@x and ann@x as two people.
 */
bool mailbox_equal(const Mailbox *a, const Mailbox *b);

/**
 * mailbox_addr_plain: (transfer full): one mailbox spelled one way: no quotes or backslashes, no
 * dot behind the domain.  To compare with, never to send to.
 */
char *mailbox_addr_plain(const char *addr);

/**
 * mailbox_addr_matches: true when @addr is @own, or @own with a "+tag" in its local part.
 */
bool mailbox_addr_matches(const char *addr, const char *own);

/**
 * mailbox_to_header:
 *
 * ASCII only, on one line; a long encoded name is several words with blanks between them.
 *
 * Returns: (transfer full): `"Quoted, Name" <addr>` or `=?UTF-8?q?...?= <addr>` or `addr`
 */
char *mailbox_to_header(const Mailbox *mailbox);
