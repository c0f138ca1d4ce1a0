/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * recipients - whom a mail of ours goes to.  Private to this folder.
 */

#include "mailparse/mailbox.h"

#include <glib.h>
#include <jansson.h>

/* RFC 5321 section 4.5.3.1.8: a server must take so many; more is a crowd, not a discussion. */
#define RECIPIENTS_MAX 100u

typedef struct {
	GPtrArray *to; /* (element-type Mailbox), one at least */
	GPtrArray *cc; /* (element-type Mailbox)               */
} Recipients;

/**
 * recipients_from_facts:
 * @facts: of report_facts_to_json()
 * @own: our address; it and its "+tag" forms get nothing
 * @error: PERMANENT: nobody to write to, an address that is none
 *
 * To the person answered and the patch's author, Cc the list, then the others of the mail that is
 * answered, each address once.  Over RECIPIENTS_MAX the last of the Cc are left out.
 */
Recipients *recipients_from_facts(const json_t *facts, const Mailbox *own,
				  GError **error) G_GNUC_WARN_UNUSED_RESULT;
void recipients_free(Recipients *recipients);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Recipients, recipients_free)

/** recipients_mailbox: of a {"name", "addr"} object. */
Mailbox *recipients_mailbox(const json_t *object, GError **error) G_GNUC_WARN_UNUSED_RESULT;
