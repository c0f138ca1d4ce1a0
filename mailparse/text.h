/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * text - bytes of a mail as text that can be read: charset, line ends, NUL, format=flowed.
 *
 * Charset: valid UTF-8 is UTF-8 whatever the mail says; else the declared charset, if we know it
 * and every byte fits; else UTF-8 where it is valid and windows-1252 for each byte that is not.
 * Only a charset that looks like ASCII on the wire (ISO-2022-JP, UTF-7, HZ, UTF-16) is believed
 * first.
 */

#include <glib.h>
#include <stdbool.h>

/**
 * text_to_utf8:
 * @charset: (nullable): as declared
 *
 * Returns: (transfer full): valid UTF-8 without NUL and without a byte order mark; CRs stay
 */
char *text_to_utf8(const char *bytes, gsize len, const char *charset);

/** text_to_lf: @text with each CR before an LF dropped, in place. Returns: @text */
char *text_to_lf(char *text);

/**
 * text_unsign: what was signed as cleartext (RFC 9580 section 7), without armor and dash escapes:
 * "- --- a/f" is "--- a/f" again.  Whether the signature is good is not asked.
 *
 * Returns: (transfer full): @bytes itself where nothing was
 */
GBytes *text_unsign(GBytes *bytes);

/**
 * text_unflow:
 * @delsp: the part says DelSp=yes
 *
 * Undoes RFC 3676: soft line breaks are joined within one quote depth, space-stuffing is removed,
 * the signature mark "-- " stays.  A quoted line comes out as ">> text".  Line ends become LF, and
 * one that the last line lacks is not added.
 *
 * Returns: (transfer full): bytes of the same charset
 */
GBytes *text_unflow(GBytes *bytes, bool delsp);

/**
 * text_decode_field:
 * @field: a header's value, raw: folded or not, with encoded words (RFC 2047) or 8-bit bytes
 *
 * Adjacent words of one charset are joined before their charset is undone, since mailers cut
 * characters in two; a word is taken too where the grammar forbids one (inside quotes, glued to
 * text, with blanks in it).
 *
 * Returns: (transfer full): UTF-8 on one line, without control characters and byte order marks,
 * runs of blanks folded to one, trimmed
 */
char *text_decode_field(const char *field);

/** text_tidy: what text_decode_field() does after decoding. */
char *text_tidy(const char *utf8);

/** text_has_diff: true when a "diff --git" line, or "---", "+++" and "@@" lines in a row, stand
 * here. */
bool text_has_diff(const char *bytes, gsize len);

/**
 * text_is_quoted_printable:
 *
 * Is this text that was encoded and not decoded: every "=" of it is followed by two hex digits
 * (capitals, as mailers write them) or a line's end, and one is "=3D" or ends a line?  At least two
 * stand here, so that one "x =3D y" in prose is none.
 */
bool text_is_quoted_printable(const char *bytes, gsize len);
