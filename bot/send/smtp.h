/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * smtp - our side of an SMTP conversation (RFC 5321) on bot/net's authenticated stream.
 *
 * MAIL, one RCPT a recipient, DATA, final dot, reply.  Pipelined where offered (RFC 2920).  What
 * the server said to each recipient is kept.  A connection that ends between the final dot and its
 * reply is `unknown`: never guessed.
 */

#include "bot/model/outgoing.h"
#include "bot/net/link.h"

typedef enum {
	SMTP_ACCEPTED, /* 2xx to the final dot; refused recipients stand in replies              */
	SMTP_DEFERRED, /* 4xx, or no connection: nothing was taken, try later                    */
	SMTP_REFUSED,  /* 5xx to MAIL, to all RCPT or to the dot                                 */
	SMTP_UNKNOWN,  /* the reply to the final dot was lost                                    */
} SmtpOutcome;

typedef struct {
	SmtpOutcome outcome;
	char *reply;  /* the server's last words or what broke, one line, escaped           */
	int *codes;   /* reply code a recipient, 0: not asked; n_recipients of the mail     */
	char **texts; /* n_recipients, entries may be NULL                                  */
	size_t n;
} SmtpResult;

void smtp_result_clear(SmtpResult *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SmtpResult, smtp_result_clear)

/**
 * smtp_send:
 * @options: where; link_open() is called here
 * @helo: our name for EHLO, a host name or address literal
 * @result: always filled; an unreachable server is SMTP_DEFERRED, a wrong certificate, missing
 * STARTTLS or refused login too (the operator mends it; the mail waits)
 * @error: only PERMANENT faults of the mail itself (see wire_make())
 */
bool smtp_send(const LinkOptions *options, const char *helo, const OutgoingMail *mail,
	       SmtpResult *out_result, GError **error) G_GNUC_WARN_UNUSED_RESULT;
