/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * mbox - split an mbox or mboxrd into messages.
 *
 * A message starts at a line "From " at the very start or after an empty line (RFC 4155).  The line
 * must hold a time of day within its first MBOX_SEPARATOR_MAX_BYTES, because a sentence may begin
 * with that word too, and end within them.  A whole file that begins with "From NAME" and no time,
 * as some programs export mail, is separated by this very line.  ">From " is unescaped only by
 * mbox_unescape(), since only mboxrd says so.
 */

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define MBOX_SEPARATOR_MAX_BYTES 1024u /* a longer line is none */
#define MBOX_UNDATED_MAX_BYTES 64u

/*
 * Finds separators in bytes that come in pieces of any size.  Memory: one separator line.
 */
typedef struct {
	guint64 pos;      /* of the next byte to be fed                          */
	guint64 line_pos; /* where the line begins that it belongs to            */
	bool after_empty; /* the line before that was empty, or there was none   */
	bool is_whole;    /* from the file's first byte to its last              */
	gsize undated_len;
	char undated[MBOX_UNDATED_MAX_BYTES]; /* how a whole file without times separates */
	gsize held_len; /* of that line, up to one byte over the limit         */
	char held[MBOX_SEPARATOR_MAX_BYTES + 1];
} MboxScanner;

/** mbox_scanner_init: @pos: of the first byte to come; it begins a line, as after an empty one. */
void mbox_scanner_init(MboxScanner *scanner, guint64 pos);

/**
 * mbox_scanner_feed:
 * @out_used: how many of @bytes were taken; all of them unless a separator was found
 * @out_start: where the separator line begins; the scanner's pos is where it has ended
 *
 * Returns: true when a separator line ended with the last byte taken
 */
bool mbox_scanner_feed(MboxScanner *scanner, const guint8 *bytes, gsize len, gsize *out_used,
		       guint64 *out_start);

/** mbox_scanner_end: as above for a last line that has no LF. */
bool mbox_scanner_end(MboxScanner *scanner, guint64 *out_start);

/**
 * mbox_separator_time:
 * @line: a separator line, with or without LF
 *
 * "From ann@example.org Tue Mar  5 10:00:00 2024": the time as RFC 4155 writes it, in UTC.  Some
 * write their zone before or behind the year ("2024 +0200"); more write their own time and no
 * zone, so that this may be up to 14 hours too late and 12 too early.
 *
 * Returns: microseconds since 1970; -1 when no such time ends the line
 */
int64_t mbox_separator_time(const char *line, gsize len);

/**
 * mbox_mail_len:
 * @bytes: of a message as far as the next separator
 *
 * Returns: @len without the empty line at the end, which belongs to the mbox and not to the mail
 */
gsize mbox_mail_len(const guint8 *bytes, gsize len);

/**
 * mbox_unescape: (transfer full): @message with ">From " (any number of ">") back by one ">".
 */
GBytes *mbox_unescape(GBytes *message);

/**
 * MboxTakeFunc:
 * @mail: (transfer none): gone when the call returns
 */
typedef void (*MboxTakeFunc)(GBytes *mail, gpointer data);

/*
 * Takes a file apart while it is read.  One whose first line is a separator and that has two or
 * more is an archive of mails; any other is one mail as it stands, so also a lone format-patch file
 * with its "From SHA Mon Sep 17 00:00:00 2001" line.
 *
 * Memory: one mail, of which no more is kept than shows that it is over the limit.
 */
typedef struct {
	MboxScanner scanner;
	MboxTakeFunc take;
	gpointer data;
	gsize max_bytes;
	GByteArray *held; /* the mail so far; before a second separator with the first one       */
	guint64 held_pos; /* where that begins                                                   */
	gsize first_len;  /* of the first separator line                                         */
	gsize head;       /* what of held is a separator line and not the mail's                 */
	guint64 n_separators;
	bool is_lone; /* the first line was none                                                 */
} MboxSplitter;

/**
 * mbox_splitter_init:
 * @max_bytes: at least MBOX_SEPARATOR_MAX_BYTES; of a longer mail at least one byte more is given,
 *   but not all
 */
void mbox_splitter_init(MboxSplitter *splitter, gsize max_bytes, MboxTakeFunc take, gpointer data);
void mbox_splitter_feed(MboxSplitter *splitter, const guint8 *bytes, gsize len);

/** mbox_splitter_end: gives the last mail; an empty file is one empty mail. */
void mbox_splitter_end(MboxSplitter *splitter);
