/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * applycheck - what a file of a diff says of itself, and whether links are in its way.
 *
 * Private to applyfile, which applies what passes.
 */

#include "bot/git/applytree.h"

typedef struct {
	ApplyTree *tree;
	GArray *files;      /* (element-type DiffFile) of the diff, paths settled; nothing owned */
	bool crlf;          /* every line of the diff ends in CR LF: transport damage            */
	GHashTable *links;  /* path to what happens to the link there                            */
	GHashTable *pasts;  /* path to what happened to it, applyfile's own                       */
	GPtrArray *results; /* (element-type FileState) one a file; NULL: deleted               */
	guint64 n_parts;    /* of all paths                                                     */
	guint64 n_made;     /* bytes of all results                                             */
	ApplyFailure *failure;
	GError **error;
} ApplyRun;

/** apply_old_name: NULL for a new file. */
const char *apply_old_name(const DiffFile *file);

/** apply_new_name: NULL for a deleted file. */
const char *apply_new_name(const DiffFile *file);

/** apply_moves: renames or copies. */
bool apply_moves(const DiffFile *file);

/** apply_takes_old_away: the old name is no more, once the whole diff is applied. */
bool apply_takes_old_away(const DiffFile *file);

bool apply_changes_mode(const DiffFile *file);

/** apply_tree_mode: git keeps one permission bit; 0 for what no tree can hold. */
unsigned apply_tree_mode(unsigned mode);

/**
 * apply_settle_paths: fills run->files.
 *
 * "--- linux/d/f.orig", "+++ linux/d/f": a prefix, or a folder of the tree?  The diff alone cannot
 * tell, the tree can.
 */
bool apply_settle_paths(ApplyRun *run, const Diff *diff) G_GNUC_WARN_UNUSED_RESULT;

/** apply_check_shape: what can be seen without the tree: names, modes, counts, binary data. */
bool apply_check_shape(ApplyRun *run, const DiffFile *file) G_GNUC_WARN_UNUSED_RESULT;

/** apply_note_links: which links go and come, as far as the diff's own lines tell. */
void apply_note_links(ApplyRun *run, const DiffFile *file);

/**
 * apply_check_links_in_tree: a file beyond a link does not exist in a tree; the reason is told all
 * the same.
 */
bool apply_check_links_in_tree(ApplyRun *run, const char *path) G_GNUC_WARN_UNUSED_RESULT;

/**
 * apply_check_links_in_result: a path below a link of the result would be written where the link
 * leads.  All files have passed apply_note_links().
 */
bool apply_check_links_in_result(ApplyRun *run, const char *path) G_GNUC_WARN_UNUSED_RESULT;
