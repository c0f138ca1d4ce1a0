/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * wire - the only producer of bytes for an SMTP DATA stream (RFC 5321 section 4.5.2).
 *
 * From the stored form (UTF-8, LF): every line ends in CRLF once, a leading dot is doubled, no bare
 * CR or LF or NUL is left.  Without 8BITMIME at the server (or with a line over 998 bytes) the body
 * becomes quoted-printable (RFC 2045 section 6.7) and the header says so.  Same input, same output:
 * a second attempt sends the same bytes.
 */

#include <glib.h>
#include <stdbool.h>

/**
 * wire_make:
 * @mail: stored form with Content-Transfer-Encoding: 8bit or 7bit
 * @eight_bit: the server offers 8BITMIME
 * @error: PERMANENT: CR or NUL in it, a header line that is no header, non-ASCII in a header, no
 * empty line after the headers
 *
 * Returns: (transfer full): without the final "."
 */
GBytes *wire_make(GBytes *mail, bool eight_bit, GError **error) G_GNUC_WARN_UNUSED_RESULT;
