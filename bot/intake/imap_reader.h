/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * imap_reader - cuts the bytes of an IMAP server into whole responses, by counting.
 *
 * A response is text up to CR LF; text that ends in "{N}" is followed by N raw bytes (a literal)
 * and then goes on (RFC 3501 section 4.3).  What a literal holds is never looked at, so no mail can
 * be taken for protocol.  The free text of a status response ("* OK ...", "+ ...") holds no literal
 * even if it ends in "{N}".
 *
 * The size of a literal is tested before memory is taken.  A literal over the cap is counted off
 * and dropped, and its size kept, so that the dialogue goes on.  NUL, a bare CR or a bare LF in
 * text, a text over IMAP_MAX_TEXT and a response with over IMAP_MAX_LITERALS are errors: the stream
 * is then of no more use.
 *
 * Pure: bytes in, responses out, in any cut.  What a response means: imap_response.h.
 */

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMAP_MAX_TEXT (2u * 1024 * 1024) /* an answer to UID SEARCH of IMAP_SEARCH_MOST UIDs */
#define IMAP_MAX_LITERALS 64u
#define IMAP_MAX_LITERAL_SIZE ((uint64_t)4 * 1024 * 1024 * 1024) /* more is not worth draining */

typedef struct {
	uint64_t size; /* as announced                                                          */
	GBytes *bytes; /* NULL: over the cap, dropped                                           */
	size_t at;     /* offset in the text just behind this literal's "{N}"                   */
} ImapLiteral;

typedef struct {
	GString *text;    /* without the final CR LF and without the CR LF behind a "{N}"      */
	GArray *literals; /* (element-type ImapLiteral), in order                              */
} ImapResponse;

void imap_response_free(ImapResponse *response);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ImapResponse, imap_response_free)

typedef struct ImapReader ImapReader;

/**
 * imap_reader_new:
 * @max_kept: bytes of literals kept in one response; see imap_reader_set_max_kept()
 */
ImapReader *imap_reader_new(size_t max_kept);
void imap_reader_free(ImapReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ImapReader, imap_reader_free)

/** imap_reader_set_max_kept: holds from the next literal on. */
void imap_reader_set_max_kept(ImapReader *reader, size_t max_kept);

/**
 * imap_reader_feed:
 * @out_used: how many of @bytes were taken; all of them unless a response became whole
 * @out_response: (transfer full): a whole response, or NULL when more bytes are needed
 * @error: BOT_ERROR_PEER, see above; the reader must not be fed again
 */
bool imap_reader_feed(ImapReader *reader, const char *bytes, size_t len, size_t *out_used,
		      ImapResponse **out_response, GError **error) G_GNUC_WARN_UNUSED_RESULT;
