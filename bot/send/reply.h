/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * reply - what an SMTP server says, read with bounds.  Private to this folder.
 *
 * RFC 5321 section 4.2: "250-first" ... "250 last", the same code on each line.
 */

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#define REPLY_LINE_MAX 512u /* RFC 5321 section 4.5.3.1.5, with CRLF */
#define REPLY_MAX_LINES 100u
#define REPLY_TEXT_MAX 400u /* of what is kept for people */

/* A byte stream; link.h's, or a test's.  Both calls behave as link_read() and link_write(). */
typedef struct {
	bool (*read)(gpointer data, void *buffer, size_t size, int timeout_ms, size_t *out_len,
		     GError **error);
	bool (*write)(gpointer data, const void *bytes, size_t len, int timeout_ms, GError **error);
	gpointer data;
} SmtpStream;

typedef struct {
	const SmtpStream *stream;
	char buffer[REPLY_LINE_MAX];
	size_t len; /* bytes in it */
} ReplyReader;

typedef struct {
	int code;    /* 200 to 599                                                            */
	char *text;  /* without the code, lines joined by " / ", escaped, REPLY_TEXT_MAX bytes */
	GStrv lines; /* each without its code, not escaped                                     */
} SmtpReply;

void smtp_reply_clear(SmtpReply *reply);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SmtpReply, smtp_reply_clear)

/**
 * reply_read:
 * @timeout_ms: for the whole reply, however slowly it drips
 * @error: TRANSIENT: nothing came in time, or the stream ended; PEER: no reply by the grammar
 */
bool reply_read(ReplyReader *reader, int timeout_ms, SmtpReply *out_reply,
		GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * reply_is_pending: has the server spoken out of turn, or ended the stream?
 *
 * Waits for nothing.
 */
bool reply_is_pending(ReplyReader *reader);
