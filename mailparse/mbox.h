/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * mbox - split an mbox or mboxrd into messages.
 *
 * A message starts at a line "From " at the very start or after an empty line (RFC 4155).  The line
 * must hold a time of day, because a sentence may begin with that word too.  ">From " is unescaped
 * only on request, since only mboxrd says so.
 */

#include <glib.h>
#include <stdbool.h>

/**
 * mbox_is_archive: true when the first line is a "From " separator and there are two or more; one
 * format-patch file with its "From SHA Mon Sep 17 00:00:00 2001" line is a message, not an archive.
 */
bool mbox_is_archive(const guint8 *bytes, gsize len);

/**
 * mbox_split:
 * @unescape: turn ">From " (any number of ">") back by one ">"; mboxrd only
 * @error: LIMIT over MBOX_MAX_MESSAGES
 *
 * Bytes before the first separator are a message too, unless they are blank.
 *
 * Returns: (transfer full) (element-type GBytes): each without its separator line and without the
 *   empty line before the next one; into @archive where nothing had to be unescaped
 */
GPtrArray *mbox_split(GBytes *archive, bool unescape, GError **error) G_GNUC_WARN_UNUSED_RESULT;
