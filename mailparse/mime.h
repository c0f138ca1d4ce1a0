/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * mime - the body of a mail as decoded leaf parts (RFC 2045, 2046).
 *
 * The tree is walked with one explicit stack in one pass over the lines, so that depth and number
 * of parts are bounded before anything is allocated for them (GMime's own parser makes 400 MB of
 * objects from 1.5 MB of empty parts).  GMime reads Content-Type and undoes the transfer encodings.
 *
 * A multipart without a boundary, or whose boundary never comes, is read as plain text; a missing
 * end boundary ends with its parent.
 */

#include "mailparse/header.h"
#include "mailparse/message.h"

/**
 * mime_read_parts:
 * @header: of the whole mail
 * @cursor: at the first byte of the body
 * @parts: (element-type MessagePart): where the leaves go
 * @error: LIMIT over MAIL_MAX_PARTS, MAIL_MAX_DEPTH or the limits of header_read()
 */
bool mime_read_parts(Header *header, ByteCursor *cursor, GPtrArray *parts,
		     GError **error) G_GNUC_WARN_UNUSED_RESULT;

void mime_part_free(MessagePart *part);
