/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * mbox_mail - one mail of an open mbox as a SourceMail: its bytes, its name, when it came.
 *
 * The locator is the SHA-256 of separator line and mail as they stand there, because offsets come
 * again after a rewrite.
 *
 * It came at the time on the separator line, unless that is made up (archives write 1970) or, being
 * that of a writer east of us, still to come; else at that of its Date header; else when the file
 * was written last.  Most writers set down their own time without its zone.  A mail that seems to
 * have come some hours before it was sent came when it was sent, at the earliest: taken for older
 * than it is, it could count as mail of before the first contact and never be read.  Taken for
 * younger it could only be read though `since` is later that day.
 *
 * The last mail of a file may not be whole yet.  It is when it ends in an empty line, as each mail
 * of an mbox does, and nobody has the file open for writing: an empty line alone stands between two
 * paragraphs, too, and not all who write take a lock.
 */

#include "bot/intake/mbox_file.h"
#include "bot/intake/source.h"

/**
 * mbox_mail_take:
 * @quiet: nobody has written for a while: the last mail is taken as it stands
 * @unescape: each ">From " loses one ">"
 * @out_mail: (transfer full): NULL when the mail is not whole yet; one over the limit is refused
 * @error: as mbox_file_read()
 */
bool mbox_mail_take(MboxFile *file, const MboxExtent *extent, bool quiet, bool unescape,
		    SourceMail **out_mail, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * mbox_mail_is_cut:
 *
 * mboxcl escapes no line of a text that looks like a separator; where a mail ends only its
 * Content-Length says.  That is not trusted: it would hide the mails that follow.  So such a mail
 * is cut at that line, which is to be told.
 *
 * Returns: whether by Content-Length the mail goes on behind @extent, to where another one begins
 *   or the file ends; false, too, when that could not be read
 */
bool mbox_mail_is_cut(MboxFile *file, const MboxExtent *extent);
