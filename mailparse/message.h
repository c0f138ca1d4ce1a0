/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * message - the bytes of one mail as headers and decoded parts.
 *
 * GMime undoes encodings and reads parameters and dates; the tree is walked by mime.c, whose costs
 * are bounded, and the charset is ours (GMime 3.2.13 drops bytes of a part that declares us-ascii
 * and holds UTF-8).  Every part keeps its decoded bytes beside its text: a diff
 * is taken from the bytes and never re-encoded.
 */

#include "mailparse/mailbox.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
	char *content_type; /* lower case, "text/plain"; never NULL */
	char *charset;      /* as declared, lower case; NULL when not declared */
	char *filename;     /* decoded, no path, no control bytes; NULL when none */
	bool attachment;    /* Content-Disposition: attachment */
	bool alternative;   /* an HTML twin inside multipart/alternative whose plain one was kept */
	bool flowed;        /* format=flowed (RFC 3676) */
	bool delsp;
	bool forwarded; /* inside a message/rfc822 part */
	GBytes *bytes;  /* after Content-Transfer-Encoding, before any charset work */
	char *text;     /* UTF-8, LF ends, no NUL, format=flowed undone; NULL when neither */
			/* text/ nor a diff */
} MessagePart;

typedef struct {
	char *message_id;       /* canonical; synthetic when the mail has none */
	GPtrArray *in_reply_to; /* (element-type utf8) canonical ids of In-Reply-To */
	GPtrArray *references;  /* (element-type utf8) all of In-Reply-To and References, each */
				/* once, nearest ancestor first */
	Mailbox *from;          /* NULL when none is usable */
	Mailbox *sender;        /* Sender:, NULL when none */
	Mailbox *original_from; /* X-Original-From:, NULL when none */
	GPtrArray *reply_to;    /* (element-type Mailbox) */
	GPtrArray *to;          /* (element-type Mailbox) */
	GPtrArray *cc;          /* (element-type Mailbox) */
	char *subject;          /* decoded, unfolded UTF-8; "" when none */
	char *date;             /* Date: as written, unfolded; NULL when none */
	int64_t date_us;        /* Date: in UTC; 0 when none or not a date */
	int date_offset_min;    /* its zone, minutes east of UTC */
	char *content_type;     /* of the whole mail, lower case, "text/plain"; never NULL */
	char *list_id;          /* what stands in <...> of List-Id, lower case; NULL when none */
	char *auto_submitted;   /* first word of Auto-Submitted (RFC 3834), lower case; or */
				/* "auto-replied" where an older mark says so; NULL */
	char *return_path;      /* "" for <>; NULL when none */
	GPtrArray *parts;       /* (element-type MessagePart) leaves in mail order */
} Message;

/**
 * message_parse:
 * @bytes: one whole mail, LF or CRLF (a mail all in CRLF reads like the same in LF); a leading
 * "From " separator line is skipped
 * @error: SYNTAX when there is no header at all, LIMIT over a limit of limits.h
 *
 * Linear in @len.  Missing Content-Type, missing end boundaries, bad encodings, unknown charsets
 * are read as well as can be and are no error.
 */
Message *message_parse(const guint8 *bytes, gsize len, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void message_free(Message *message);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Message, message_free)

/**
 * message_body:
 *
 * The text a person reads first: the first text/plain part that is no attachment, else the first
 * text part that is not HTML.  What stands inside a forwarded mail is not the writer's.
 *
 * Returns: (transfer none): "" when there is none
 */
const char *message_body(const Message *message);

/**
 * message_is_automatic: true when RFC 3834 says no answer may go out: Auto-Submitted other than
 * "no", an empty return path, or a delivery or disposition report (multipart/report).
 */
bool message_is_automatic(const Message *message);

/**
 * message_peek_id:
 * @out_date_us: (out) (optional): Date: header, 0 when none
 *
 * The canonical Message-ID from the header alone, cheap enough for intake (no MIME work).
 *
 * Returns: (transfer full): never NULL; synthetic when the mail has no usable one
 */
char *message_peek_id(const guint8 *bytes, gsize len, int64_t *out_date_us);

/** message_peek_list_id: (transfer full) (nullable): Message.list_id from the header alone. */
char *message_peek_list_id(const guint8 *bytes, gsize len);
