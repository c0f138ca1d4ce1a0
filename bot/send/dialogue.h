/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * dialogue - EHLO, MAIL, RCPT, DATA, dot, QUIT on a stream that is ready for them.  Private to this
 * folder; smtp.h says what the outcomes mean.
 */

#include "bot/send/reply.h"
#include "bot/send/smtp.h"

typedef struct {
	int command_ms; /* EHLO, MAIL, RCPT           */
	int data_ms;    /* DATA until 354             */
	int block_ms;   /* a piece of the mail        */
	int dot_ms;     /* the reply to the final dot */
	int quit_ms;
} SmtpTimeouts;

/**
 * smtp_timeouts: those of RFC 5321 section 4.5.3.2, shortened or stretched as @connect_timeout_ms
 * is to 30 s (0: 30 s).
 */
SmtpTimeouts smtp_timeouts(long connect_timeout_ms);

/* One mail, ready. */
typedef struct {
	const OutgoingMail *mail;
	GBytes *wire_8bit; /* for a server with 8BITMIME */
	GBytes *wire_7bit;
	const char *helo;
} SmtpMail;

/** dialogue_run: fills @result, whose arrays have room for each recipient. */
void dialogue_run(const SmtpStream *stream, const SmtpTimeouts *timeouts, const SmtpMail *mail,
		  SmtpResult *result);
