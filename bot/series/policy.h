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
 * Returns: (transfer none) (nullable): the configured list a mail belongs to: List-Id, else a
 * list's address in To or Cc (first in file order)
 */
const ListSection *policy_list_of(const Config *config, const Message *message);

/**
 * policy_is_ours: from our own address (any +tag) or with a Message-ID of our domain.
 */
bool policy_is_ours(const Config *config, const Message *message);

typedef struct {
	const ListSection *list; /* NULL: on no configured list */
	bool observe;
	int64_t arrived_us;
	int64_t now_us;
	bool superseded;
} PolicyCase;

/**
 * policy_series: may a series be tested unasked?
 *
 * Returns: (transfer full) (nullable): NULL: yes; else why not ("list lab has no consent:
 * ask-only")
 */
char *policy_series(const Config *config, const PolicyCase *what);

/** policy_request: may a request be acted on? */
char *policy_request(const Config *config, const PolicyCase *what);
