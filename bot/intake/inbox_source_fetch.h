/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * inbox_source_fetch - brings the epochs of a public archive into our folder, and keeps them so.
 *
 * Epoch N is the repository at URL/N and becomes DIR/git/N.git.  What the archive says holds: a
 * history that it has rewritten replaces ours.  Each epoch is fetched by a child with a deadline
 * and a limit of size.  For inbox_source and `lorebot doctor`.
 */

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* New epochs that one call brings: a list begins one in a year or two. */
#define INBOX_FETCH_MAX_NEW 100

typedef struct {
	const char *url;     /* of the archive, https:// or git://                               */
	const char *folder;  /* DIR/git                                                          */
	const char *ca_file; /* whom to trust with https; NULL: the system's authorities        */
	int64_t timeout_ms;  /* of each epoch                                                    */
	uint64_t max_bytes;  /* of each epoch                                                    */
	int stop_fd;         /* readable: TRANSIENT                                              */
	/*
	 * How it went with an epoch beside the newest; @failed NULL: well.  NULL: whatever goes
	 * wrong with any of them is an error.
	 */
	void (*tell)(int number, const GError *failed, gpointer payload);
	gpointer payload;
} InboxFetch;

/** inbox_fetch_look: whether its first epoch can be fetched; nothing is written. */
bool inbox_fetch_look(const InboxFetch *fetch, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * inbox_fetch:
 * @newest: number of the newest epoch that is there, -1 for none
 * @older: another one to look at as well, -1 for none
 * @error: of the newest, or the first one where there is none: NOT_FOUND when the archive has not
 *   even that; TRANSIENT while another process fetches into the folder
 *
 * Fetches @newest, those behind it until the archive has no more, and @older.  An epoch that is
 * new here appears whole or not at all; what an interrupted fetch left behind is cleared away.
 */
bool inbox_fetch(const InboxFetch *fetch, int newest, int older,
		 GError **error) G_GNUC_WARN_UNUSED_RESULT;
