/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * imap_window - a range of UIDs listed and fetched at once, in a thread: ahead of time.
 *
 * To list mails first and fetch them then has the server look each of them up twice, which is half
 * of the work of public-inbox-imapd; and while we store a batch a server that is not read from
 * rests.  For mailboxes of small mails: what is too large for the room is sent in vain.
 *
 * From imap_window_ask() to imap_window_read() or imap_window_free() the session belongs to the
 * thread.  Private to imap_source.
 */

#include "bot/intake/imap_fetch.h"

typedef struct ImapWindow ImapWindow;

/**
 * imap_window_ask: begins to list and fetch @first to @last.
 * @max_bytes: of all mails together
 */
ImapWindow *imap_window_ask(ImapSession *session, uint32_t first, uint32_t last, size_t max_bytes);

/** imap_window_free: one that was not read cuts its connection off, lest it be waited for. */
void imap_window_free(ImapWindow *window);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ImapWindow, imap_window_free)

uint32_t imap_window_first(const ImapWindow *window);
uint32_t imap_window_last(const ImapWindow *window);

/**
 * imap_window_read: waits for its end; then the session is the caller's again.
 * @out_whole: false when the server refused a part: then what is returned is not all there is
 * @error: as imap_session_run()
 *
 * Returns: (element-type ImapMail): by rising UID, each TAKEN, DEFERRED, REFUSED for its size, or
 *   LISTED when its bytes did not come
 */
GArray *imap_window_read(ImapWindow *window, bool *out_whole,
			 GError **error) G_GNUC_WARN_UNUSED_RESULT;
