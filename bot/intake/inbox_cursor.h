/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * inbox_cursor - how far the epochs of a public-inbox have been read, as the text that is stored.
 *
 *	start=1700000000000000 newest=2 0=0f3c... 1=missing 2=root..77aa...
 *
 * An epoch stands there with the commit that was read last, or "root" before the first one.  "..X"
 * says that commits up to X were there before us: they are wanted only if they were committed since
 * start.  "!US" says since when something of it could not be read.
 */

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define INBOX_ID_LEN 40
#define INBOX_MAX_EPOCH 999

typedef struct {
	unsigned number;
	bool missing; /* told, and to be read from its root when it comes                    */
	char pos[INBOX_ID_LEN + 1];   /* the commit that was read last; "" for none         */
	char limit[INBOX_ID_LEN + 1]; /* "" when all that follow are wanted                 */
	int64_t held_us;              /* since when something of it cannot be read; 0       */
} InboxMark;

typedef struct {
	int64_t start_us;
	unsigned newest; /* epoch at first contact; later ones are wanted whole              */
	GArray *marks;   /* (element-type InboxMark), rising                                 */
} InboxCursor;

/** inbox_cursor_init: an empty one; inbox_cursor_clear() frees what it owns. */
void inbox_cursor_init(InboxCursor *cursor, int64_t start_us);
void inbox_cursor_clear(InboxCursor *cursor);

/** inbox_cursor_parse: @out_cursor: to be cleared on success; @error: BOT_ERROR_CORRUPT */
bool inbox_cursor_parse(const char *text, InboxCursor *out_cursor,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *inbox_cursor_format(const InboxCursor *cursor);
