/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * policy - may we act on this, unasked or asked?  Safe by default, every no has its sentence.
 */

#include "config/config.h"
#include "mailparse/message.h"

/**
 * policy_list_of:
 *
 * The same for every copy of a mail.  A List-Id alone makes no list mail of it: anybody can write
 * one into a private mail.
 *
 * Returns: (transfer none) (nullable): the configured list a mail is addressed to: the first in
 * file order whose address stands in To or Cc.  A list without address has the one that its List-Id
 *   stands for; with neither, like [list "lab"], it is the one whose address begins with its name.
 */
const ListSection *policy_list_of(const Config *config, const Message *message);

/** policy_carries: only the list itself can bring its mail to @source (source.list). */
bool policy_carries(const SourceSection *source, const ListSection *list);

/**
 * policy_list_vouched: for lists that are in Bcc or rewrite To.
 * @list_id: (nullable): of a mail that came by @source
 *
 * Returns: (transfer none) (nullable): the list with that id, when @source carries it
 */
const ListSection *policy_list_vouched(const Config *config, const SourceSection *source,
				       const char *list_id);

/**
 * policy_reaches: a mail to @addr reaches @list: its address however spelled or tagged, the address
 * that its List-Id stands for, or its bare name's.
 */
bool policy_reaches(const ListSection *list, const char *addr);

/** policy_reaches_any: a mail to @recipients (element-type Mailbox) reaches @list. */
bool policy_reaches_any(const ListSection *list, const GPtrArray *recipients);

/**
 * policy_is_ours: from (or sent by) our own address with any +tag, or with a Message-ID that ends
 * in
 * "-NAME@DOMAIN" as ours do; people of our domain write mail, too.
 */
bool policy_is_ours(const Config *config, const Message *message);

typedef struct {
	const ListSection *list; /* NULL: configured no more */
	int64_t arrived_us;
	int64_t now_us;
	bool superseded;         /* of a series                                            */
	unsigned n_of_sender;    /* requests of the sender acted upon in the last 24 hours */
	unsigned n_of_everybody; /* and of all senders                                     */
} PolicyCase;

/**
 * policy_series: may a series be tested unasked?
 *
 * Returns: (transfer full) (nullable): NULL: yes; else why not ("list lab has no consent:
 * ask-only (list.consent)")
 */
char *policy_series(const Config *config, const PolicyCase *what);

/** policy_request: may a request be acted on? */
char *policy_request(const Config *config, const PolicyCase *what);
