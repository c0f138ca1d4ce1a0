/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * diff - a unified diff as files, hunks and lines.
 *
 * Reads what git-diff(1) prints ("Generating patch text with -p", extended headers, binary blocks)
 * and plain `diff -u`.  The bytes are never re-encoded.  Counts of @@ lines rule where a hunk ends.
 */

#include <glib.h>
#include <stdbool.h>

typedef enum {
	DIFF_STATUS_MODIFIED,
	DIFF_STATUS_ADDED,
	DIFF_STATUS_DELETED,
	DIFF_STATUS_RENAMED,
	DIFF_STATUS_COPIED,
} DiffStatus;

typedef struct {
	char sign; /* ' ', '+' or '-'                                                     */
	const guint8 *text; /* after the sign, without LF; into the diff's bytes */
	gsize len;       /* a CR before the LF is part of the text                              */
	bool no_newline; /* "\ No newline at end of file" follows                               */
} DiffLine;

typedef struct {
	unsigned old_start, old_count; /* as the @@ line says, count 1 when left out */
	unsigned new_start, new_count;
	GArray *lines; /* (element-type DiffLine)                                  */
	bool complete; /* the counts were met                                      */
} DiffHunk;

typedef struct {
	char *old_path; /* unquoted bytes without "a/"; equal to path unless renamed or copied; NULL
			   for added   */
	char *path;     /* unquoted bytes without "b/"; the old path for deleted     */
	DiffStatus status;
	unsigned old_mode, new_mode; /* octal as git writes it; 0 when the diff does not say */
	char *old_blob,
		*new_blob; /* hex as written on the index line, maybe abbreviated; NULL when none */
	bool bare;   /* both names start with one folder, which was kept: it may be a prefix      */
	bool git;    /* has a "diff --git" line                                                  */
	bool binary; /* "GIT binary patch" or "Binary files ... differ"                          */
	bool binary_has_data;
	GPtrArray *hunks;    /* (element-type DiffHunk)    */
	const guint8 *start; /* this file's bytes, header to last hunk line, into Diff.bytes */
	gsize len;
	bool complete; /* all hunks met their counts */
} DiffFile;

typedef struct {
	GBytes *bytes; /* what was read; all pointers above point into it                        */
	GPtrArray *files; /* (element-type DiffFile) in order; a path may occur more than once */
} Diff;

/**
 * diff_parse:
 * @bytes: text that may hold talk before, between and after the diffs
 * @error: LIMIT only; text without a diff gives a Diff without files
 *
 * Linear in the size of @bytes.
 */
Diff *diff_parse(GBytes *bytes, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void diff_free(Diff *diff);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Diff, diff_free)

/**
 * diff_canonical_bytes:
 *
 * The diff alone: each file's part from its header to the last line of its last hunk (or binary
 * block), everything between dropped, each line ended by one LF.  Its SHA-256 is `patch.sha256`.
 */
GBytes *diff_canonical_bytes(const Diff *diff);

/**
 * diff_patch_id:
 *
 * Returns: (transfer full) (nullable): 40 hex as `git patch-id --stable` prints it for this diff,
 *   NULL where git prints none
 */
char *diff_patch_id(const Diff *diff);
