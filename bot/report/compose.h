/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * compose - a mail from facts: headers, body from the template of its kind, envelope.
 *
 * The result is the stored form (UTF-8, LF); bot/send/wire makes wire bytes of it.  Rules:
 * In-Reply-To and References make the thread, Auto-Submitted: auto-replied (RFC 3834), To the
 * person answered and the patch's author, Cc the others of the mail and the list, never ourselves,
 * each address once, only Mailbox values; subject "Re: ..." without line breaks; a mail over 90 kB
 * loses its lowest-ranked table rows and says how many; at most 100 recipients, the list stays.
 * No body line but the intended ones may look like a trailer to b4 ("Word-by: ..."), like "diff
 * --git" or like a robot's command: such a line is an error, not a mail (README.md names the one
 * exception).
 */

#include "bot/model/outgoing.h"
#include "bot/report/facts.h"

#define COMPOSE_MAX_BYTES (90u * 1000)

/**
 * compose_mail:
 * @purpose: OutgoingMail.purpose
 * @error: PERMANENT: a template hole, a line that must not stand in a mail, no recipient
 *
 * Returns: (transfer full): state OUTGOING_HELD, the caller decides
 */
OutgoingMail *compose_mail(const ReportFacts *facts, const char *purpose,
			   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** compose_from_json: the same from stored facts (`lorebot render`). */
OutgoingMail *compose_from_json(const json_t *facts, const char *purpose,
				GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * compose_message_id:
 * @key: what the mail is for; the same key and time give the same id
 *
 * Returns: (transfer full): "YYYYMMDDhhmm.hhhhhhhh-NAME@DOMAIN" (UTC, 8 hex of SHA-256 of @key)
 */
char *compose_message_id(const char *key, int64_t us, const char *name, const char *domain);
