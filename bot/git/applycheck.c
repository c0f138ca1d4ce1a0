/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/git/applycheck.h"

#include "bot/git/refusal.h"
#include "mailparse/diffpath.h"

#include <string.h>
#include <sys/stat.h>

/*
 * Folders that all paths of a diff may name together.  Each may become a tree object, so a mail of
 * thousands of very deep paths would fill the disk.  20,000 files of Linux name some 80,000.
 */
#define PATH_PARTS_MAX 200000u

/* What the diff does to a symbolic link, as far as its own lines tell. */
enum {
	LINK_GOES = 1,
	LINK_IN_RESULT = 2,
};

const char *apply_old_name(const DiffFile *file)
{
	if (file->status == DIFF_STATUS_ADDED)
		return NULL;
	return file->old_path ? file->old_path : file->path;
}

const char *apply_new_name(const DiffFile *file)
{
	return file->status == DIFF_STATUS_DELETED ? NULL : file->path;
}

bool apply_moves(const DiffFile *file)
{
	return file->status == DIFF_STATUS_RENAMED || file->status == DIFF_STATUS_COPIED;
}

bool apply_takes_old_away(const DiffFile *file)
{
	return file->status == DIFF_STATUS_RENAMED || file->status == DIFF_STATUS_DELETED;
}

bool apply_changes_mode(const DiffFile *file)
{
	return file->old_mode != 0 && file->new_mode != 0 && file->old_mode != file->new_mode;
}

unsigned apply_tree_mode(unsigned mode)
{
	if (S_ISREG(mode))
		return mode & 0100 ? 0100755 : 0100644;
	if (mode == 0120000 || mode == 0160000)
		return mode;
	return 0;
}

static bool check_mode(ApplyRun *run, const DiffFile *file, unsigned mode)
{
	if (mode == 0 || apply_tree_mode(mode) != 0)
		return true;
	return refuse(run->failure, run->error, file->path, 0, "mode %06o is no file's", mode);
}

/* A link in its place would have git read submodule settings from anywhere (CVE-2018-11235's kin).
 */
static bool check_gitmodules(ApplyRun *run, const DiffFile *file)
{
	g_autofree char *name = g_path_get_basename(file->path);

	if (!S_ISLNK(file->new_mode) || (g_ascii_strcasecmp(name, ".gitmodules") != 0 &&
					 g_ascii_strcasecmp(name, "gitmod~1") != 0))
		return true;
	return refuse(run->failure, run->error, file->path, 0, "it may not be a symbolic link");
}

static bool check_name(ApplyRun *run, const char *path)
{
	g_autoptr(GError) local = NULL;

	if (!path)
		return true;
	if (!diffpath_check(path, &local))
		return refuse(run->failure, run->error, path, 0, "%s", local->message);
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/'))
		run->n_parts++;
	if (++run->n_parts > PATH_PARTS_MAX)
		return refuse(run->failure, run->error, path, 0,
			      "the paths of the patch have over %u parts", PATH_PARTS_MAX);
	return true;
}

/* First hunk that lacks lines; 0 when the file as a whole is cut short. */
static unsigned first_broken_hunk(const DiffFile *file)
{
	for (guint i = 0; i < file->hunks->len; i++) {
		if (!((const DiffHunk *)file->hunks->pdata[i])->complete)
			return i + 1;
	}
	return 0;
}

static bool check_sides(ApplyRun *run, const DiffFile *file)
{
	for (guint i = 0; i < file->hunks->len; i++) {
		const DiffHunk *hunk = file->hunks->pdata[i];

		if (file->status == DIFF_STATUS_ADDED && hunk->old_count > 0)
			return refuse(run->failure, run->error, file->path, i + 1,
				      "it is a new file, yet the patch expects old lines");
		if (file->status == DIFF_STATUS_DELETED && hunk->new_count > 0)
			return refuse(run->failure, run->error, file->path, i + 1,
				      "it is deleted, yet the patch leaves lines in it");
	}
	return true;
}

bool apply_check_shape(ApplyRun *run, const DiffFile *file)
{
	if (!check_name(run, apply_old_name(file)) || !check_name(run, apply_new_name(file)) ||
	    !check_mode(run, file, file->old_mode) || !check_mode(run, file, file->new_mode) ||
	    !check_gitmodules(run, file))
		return false;
	if (!file->complete)
		return refuse(run->failure, run->error, file->path, first_broken_hunk(file),
			      "the patch is cut short or damaged: there are not the lines that the "
			      "header counts");
	if (file->binary && !file->binary_has_data)
		return refuse(
			run->failure, run->error, file->path, 0,
			"binary file without its data; send it with git format-patch --binary");
	if (file->status == DIFF_STATUS_MODIFIED && !file->binary && file->hunks->len == 0 &&
	    !apply_changes_mode(file))
		return refuse(run->failure, run->error, file->path, 0, "the patch changes nothing");
	return check_sides(run, file);
}

static void note_link(ApplyRun *run, const char *path, int flag)
{
	int flags = GPOINTER_TO_INT(g_hash_table_lookup(run->links, path));

	g_hash_table_replace(run->links, g_strdup(path), GINT_TO_POINTER(flags | flag));
}

void apply_note_links(ApplyRun *run, const DiffFile *file)
{
	if (apply_takes_old_away(file) && S_ISLNK(file->old_mode))
		note_link(run, apply_old_name(file), LINK_GOES);
	if (apply_new_name(file) && S_ISLNK(file->new_mode))
		note_link(run, apply_new_name(file), LINK_IN_RESULT);
}

static bool refuse_beyond(ApplyRun *run, const char *path, const char *link)
{
	return refuse(run->failure, run->error, path, 0, "it is beyond the symbolic link %s", link);
}

bool apply_check_links_in_tree(ApplyRun *run, const char *path)
{
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		g_autofree char *above = g_strndup(path, (gsize)(slash - path));
		g_autoptr(FileState) state = NULL;

		if (!apply_tree_find(run->tree, above, &state, run->error))
			return false;
		if (state && S_ISLNK(state->mode))
			return refuse_beyond(run, path, above);
	}
	return true;
}

bool apply_check_links_in_result(ApplyRun *run, const char *path)
{
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		g_autofree char *above = g_strndup(path, (gsize)(slash - path));
		int flags = GPOINTER_TO_INT(g_hash_table_lookup(run->links, above));
		g_autoptr(FileState) state = NULL;

		if (flags & LINK_IN_RESULT)
			return refuse_beyond(run, path, above);
		if (flags & LINK_GOES)
			continue;
		if (!apply_tree_find(run->tree, above, &state, run->error))
			return false;
		if (state && S_ISLNK(state->mode))
			return refuse_beyond(run, path, above);
	}
	return true;
}

static bool settle_path(ApplyRun *run, DiffFile *file)
{
	char *rest = file->bare ? strchr(file->path, '/') : NULL;
	g_autoptr(FileState) whole = NULL;
	g_autoptr(FileState) stripped = NULL;

	if (!rest || apply_moves(file) || file->status == DIFF_STATUS_ADDED)
		return true;
	if (!check_name(run, file->path) || !check_name(run, rest + 1))
		return false;
	if (!apply_tree_find(run->tree, file->path, &whole, run->error) ||
	    !apply_tree_find(run->tree, rest + 1, &stripped, run->error))
		return false;
	if (!whole && stripped)
		file->path = file->old_path = rest + 1;
	return true;
}

bool apply_settle_paths(ApplyRun *run, const Diff *diff)
{
	for (guint i = 0; i < diff->files->len; i++) {
		DiffFile file = *(const DiffFile *)diff->files->pdata[i];

		if (!settle_path(run, &file))
			return false;
		g_array_append_val(run->files, file);
	}
	return true;
}
