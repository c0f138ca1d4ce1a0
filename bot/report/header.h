/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * header - header fields of our own mail, folded and in ASCII.  Private to this folder.
 *
 * RFC 5322 section 2.2.3 (folding), RFC 2047 (encoded words).  Values are made of checked parts
 * only; nothing that is inserted can end a line.
 */

#include <glib.h>

/** header_add: a value of ours: ASCII, no line breaks, short. */
void header_add(GString *out, const char *name, const char *value);

/** header_add_text: text of anybody; non-ASCII and what looks like an encoded word is encoded. */
void header_add_text(GString *out, const char *name, const char *text);

/** header_add_mailboxes: (element-type Mailbox), folded at blanks of names; no address is changed;
 * nothing when empty. */
void header_add_mailboxes(GString *out, const char *name, const GPtrArray *mailboxes);

/** header_add_ids: (element-type utf8) canonical Message-IDs; nothing when empty. */
void header_add_ids(GString *out, const char *name, const GPtrArray *ids);
