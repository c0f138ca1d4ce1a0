/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * mbox_file - an mbox that is open for reading, and where its mails stand in it.
 *
 * The file is read by pread in pieces; nothing of it is kept but one piece.  While it is open
 * shared locks (F_OFD_SETLK and flock, seen by all who lock by fcntl or flock) keep a polite writer
 * away; so it is open only while a batch is made.  FILE.lock is honoured and never made: nothing is
 * written beside a mailbox.  What is a separator is mailparse/mbox.h's to say.
 */

#include "bot/intake/mbox_cursor.h"

typedef struct MboxFile MboxFile;

typedef struct {
	int64_t start; /* of the separator line                                             */
	int64_t body;  /* behind it; start for bytes before the first separator of a file   */
	int64_t end;   /* where the next separator or the file ends                         */
	bool last;     /* the file ends there: it may not be whole yet                      */
} MboxExtent;

typedef enum {
	MBOX_FOUND,
	MBOX_NONE, /* no mail begins there, or not enough of it is there yet            */
	MBOX_GREW, /* what stands there belongs to the mail before: that has grown      */
	MBOX_FAILED,
} MboxFound;

/**
 * mbox_file_open:
 * @out_busy: NULL, or how somebody keeps it locked (static): then NULL is returned without error
 * @error: TRANSIENT (cannot be opened), CONFIG (no regular file)
 */
MboxFile *mbox_file_open(const char *path, const char **out_busy, GError **error);
void mbox_file_close(MboxFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MboxFile, mbox_file_close)

/** mbox_file_size, mbox_file_modified_us: as they were at opening; nothing behind that is read. */
int64_t mbox_file_size(const MboxFile *file);
int64_t mbox_file_modified_us(const MboxFile *file);

/** mbox_file_is_unwritten: then nobody had it open for writing, by watch_stat(). */
bool mbox_file_is_unwritten(const MboxFile *file);

/**
 * mbox_file_read:
 *
 * Returns: (transfer full): the bytes of [@from, @to); NULL with CONFLICT when the file has become
 *   shorter meanwhile, or with TRANSIENT
 */
GByteArray *mbox_file_read(MboxFile *file, int64_t from, int64_t to, GError **error);

/** mbox_file_hash_before: SHA-256 of up to 4 KiB before @offset; errors as of mbox_file_read(). */
bool mbox_file_hash_before(MboxFile *file, int64_t offset, char out_hash[MBOX_HASH_LEN + 1],
			   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** mbox_file_hash: SHA-256 of [@from, @to), in pieces; errors as of mbox_file_read(). */
bool mbox_file_hash(MboxFile *file, int64_t from, int64_t to, char out_hash[MBOX_HASH_LEN + 1],
		    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * mbox_file_find:
 * @offset: 0 or where an earlier mail ended
 * @quiet: nobody has written for a while: a last line without LF is taken as it stands
 *
 * The first mail from @offset on; later ones by mbox_file_next().
 */
MboxFound mbox_file_find(MboxFile *file, int64_t offset, bool quiet, MboxExtent *out_mail,
			 GError **error);

/** mbox_file_next: the mail behind the one found last; MBOX_FOUND, MBOX_NONE or MBOX_FAILED. */
MboxFound mbox_file_next(MboxFile *file, MboxExtent *out_mail, GError **error);
