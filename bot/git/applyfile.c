/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/git/applyfile.h"

#include "bot/base/error.h"
#include "bot/git/binary.h"
#include "bot/git/hunk.h"
#include "bot/git/refusal.h"
#include "mailparse/diffpath.h"

#include <string.h>
#include <sys/stat.h>

#define MODE_DEFAULT 0100644u

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

/* What the files of the diff have done to a path so far. */
typedef enum {
	PAST_WILL_GO, /* a later file takes it away */
	PAST_GONE,    /* taken away                 */
	PAST_MADE,    /* state holds the result     */
} PastKind;

typedef struct {
	PastKind kind;
	FileState *state;
} Past;

typedef struct {
	ApplyTree *tree;
	const Diff *diff;
	bool crlf;          /* every line of the diff ends in CR LF: transport damage            */
	GHashTable *links;  /* path to LINK_ flags                                              */
	GHashTable *pasts;  /* path to Past                                                     */
	GPtrArray *results; /* (element-type FileState) one a file; NULL: deleted               */
	guint64 n_parts;    /* of all paths                                                     */
	guint64 n_made;     /* bytes of all results                                             */
	ApplyFailure *failure;
	GError **error;
} Run;

static void past_free(gpointer data)
{
	Past *past = data;

	file_state_free(past->state);
	g_free(past);
}

static void run_clear(Run *run)
{
	g_clear_pointer(&run->links, g_hash_table_unref);
	g_clear_pointer(&run->pasts, g_hash_table_unref);
	g_clear_pointer(&run->results, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, run_clear)

/* NULL for a new file. */
static const char *old_name(const DiffFile *file)
{
	if (file->status == DIFF_STATUS_ADDED)
		return NULL;
	return file->old_path ? file->old_path : file->path;
}

/* NULL for a deleted file. */
static const char *new_name(const DiffFile *file)
{
	return file->status == DIFF_STATUS_DELETED ? NULL : file->path;
}

static bool moves(const DiffFile *file)
{
	return file->status == DIFF_STATUS_RENAMED || file->status == DIFF_STATUS_COPIED;
}

/* The old name is no more, once the whole diff is applied. */
static bool takes_old_away(const DiffFile *file)
{
	return file->status == DIFF_STATUS_RENAMED || file->status == DIFF_STATUS_DELETED;
}

static bool changes_mode(const DiffFile *file)
{
	return file->old_mode != 0 && file->new_mode != 0 && file->old_mode != file->new_mode;
}

static void set_past(Run *run, const char *path, PastKind kind, const FileState *state)
{
	Past *past = g_new0(Past, 1);

	past->kind = kind;
	past->state = state ? file_state_copy(state) : NULL;
	g_hash_table_replace(run->pasts, g_strdup(path), past);
}

/* git keeps one permission bit; 0 for what no tree can hold. */
static unsigned tree_mode(unsigned mode)
{
	if (S_ISREG(mode))
		return mode & 0100 ? 0100755 : 0100644;
	if (mode == 0120000 || mode == 0160000)
		return mode;
	return 0;
}

static bool check_mode(Run *run, const DiffFile *file, unsigned mode)
{
	if (mode == 0 || tree_mode(mode) != 0)
		return true;
	return refuse(run->failure, run->error, file->path, 0, "mode %06o is no file's", mode);
}

/* A link in its place would have git read submodule settings from anywhere (CVE-2018-11235's kin).
 */
static bool check_gitmodules(Run *run, const DiffFile *file)
{
	g_autofree char *name = g_path_get_basename(file->path);

	if (!S_ISLNK(file->new_mode) || (g_ascii_strcasecmp(name, ".gitmodules") != 0 &&
					 g_ascii_strcasecmp(name, "gitmod~1") != 0))
		return true;
	return refuse(run->failure, run->error, file->path, 0, "it may not be a symbolic link");
}

static bool check_name(Run *run, const char *path)
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

static bool check_sides(Run *run, const DiffFile *file)
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

/* What can be seen without the tree. */
static bool check_shape(Run *run, const DiffFile *file)
{
	if (!check_name(run, old_name(file)) || !check_name(run, new_name(file)) ||
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
	    !changes_mode(file))
		return refuse(run->failure, run->error, file->path, 0, "the patch changes nothing");
	return check_sides(run, file);
}

static void note_link(Run *run, const char *path, int flag)
{
	int flags = GPOINTER_TO_INT(g_hash_table_lookup(run->links, path));

	g_hash_table_replace(run->links, g_strdup(path), GINT_TO_POINTER(flags | flag));
}

/* What the whole diff does is known before its first file is judged, as git does. */
static void look_ahead(Run *run, const DiffFile *file)
{
	if (takes_old_away(file)) {
		if (S_ISLNK(file->old_mode))
			note_link(run, old_name(file), LINK_GOES);
		set_past(run, old_name(file), PAST_WILL_GO, NULL);
	}
	if (new_name(file) && S_ISLNK(file->new_mode))
		note_link(run, new_name(file), LINK_IN_RESULT);
}

static bool refuse_beyond(Run *run, const char *path, const char *link)
{
	return refuse(run->failure, run->error, path, 0, "it is beyond the symbolic link %s", link);
}

/* A file beyond a link does not exist in a tree; the reason is told all the same. */
static bool check_links_in_tree(Run *run, const char *path)
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

/* A path below a symbolic link of the result would be written where the link leads. */
static bool check_links_in_result(Run *run, const char *path)
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

static bool check_old_mode(Run *run, const DiffFile *file, const FileState *old)
{
	if (file->old_mode == 0 || (file->old_mode & S_IFMT) == (old->mode & S_IFMT))
		return true;
	return refuse(run->failure, run->error, old_name(file), 0,
		      "it has mode %06o where the patch expects %06o", old->mode, file->old_mode);
}

/* The state that the file of the diff starts from; never NULL on success. */
static bool find_old(Run *run, const DiffFile *file, FileState **out_old)
{
	const char *path = old_name(file);
	const Past *past = moves(file) ? NULL : g_hash_table_lookup(run->pasts, path);

	if (past && past->kind == PAST_GONE)
		return refuse(run->failure, run->error, path, 0,
			      "an earlier part of the patch has renamed or deleted it");
	if (past && past->kind == PAST_MADE)
		*out_old = file_state_copy(past->state);
	else if (!check_links_in_tree(run, path) ||
		 !apply_tree_find(run->tree, path, out_old, run->error))
		return false;
	if (!*out_old)
		return refuse(run->failure, run->error, path, 0, "no such file in the tree");
	return check_old_mode(run, file, *out_old);
}

/* A new path must be free, or be taken away by this same diff. */
static bool check_free(Run *run, const DiffFile *file)
{
	const Past *past = g_hash_table_lookup(run->pasts, file->path);
	g_autoptr(FileState) there = NULL;

	if (file->status != DIFF_STATUS_ADDED && !moves(file))
		return true;
	if (past && past->kind != PAST_MADE)
		return true;
	if (!apply_tree_find(run->tree, file->path, &there, run->error))
		return false;
	if (there)
		return refuse(run->failure, run->error, file->path, 0,
			      "the patch makes a new file, but the tree has one of that name");
	return true;
}

/* Returns: 0 when the file may not change to what it says */
static unsigned result_mode(Run *run, const DiffFile *file, const FileState *old)
{
	unsigned mode = old ? old->mode : MODE_DEFAULT;

	if (file->new_mode != 0 && (!old || changes_mode(file) || file->old_mode == 0))
		mode = tree_mode(file->new_mode);
	if (old && (mode & S_IFMT) != (old->mode & S_IFMT)) {
		(void)refuse(run->failure, run->error, file->path, 0,
			     "mode %06o cannot become %06o in one step; the patch must delete and "
			     "create it",
			     old->mode, mode);
		return 0;
	}
	return mode;
}

static bool is_hash(const char *hex)
{
	return hex && strlen(hex) == GIT_OID_HEXSZ;
}

static bool has_id(GBytes *bytes, const char *hex)
{
	gsize len;
	const void *data = g_bytes_get_data(bytes, &len);
	git_oid oid;
	git_oid wanted;

	if (git_oid_fromstr(&wanted, hex) != 0)
		return false;
	if (git_oid_is_zero(&wanted))
		return len == 0;
	return git_odb_hash(&oid, data ? data : "", len, GIT_OBJECT_BLOB) == 0 &&
	       git_oid_equal(&oid, &wanted);
}

static GBytes *patch_binary(Run *run, const DiffFile *file, GBytes *old)
{
	g_autoptr(GError) local = NULL;
	g_autoptr(GBytes) made = NULL;

	if (!is_hash(file->old_blob) || !is_hash(file->new_blob)) {
		(void)refuse(run->failure, run->error, file->path, 0,
			     "a binary patch needs full ids on its index line");
		return NULL;
	}
	if (!has_id(old, file->old_blob)) {
		(void)refuse(run->failure, run->error, file->path, 0,
			     "the binary patch is for content %s, which the file does not have",
			     file->old_blob);
		return NULL;
	}
	if (file->status == DIFF_STATUS_DELETED)
		return g_bytes_new(NULL, 0);
	made = binary_apply(old, file, &local);
	if (!made)
		(void)refuse(run->failure, run->error, file->path, 0, "%s", local->message);
	else if (!has_id(made, file->new_blob))
		(void)refuse(run->failure, run->error, file->path, 0,
			     "the binary patch does not make content %s", file->new_blob);
	else
		return g_steal_pointer(&made);
	return NULL;
}

static bool has_crlf(GBytes *bytes)
{
	gsize len;
	const char *data = g_bytes_get_data(bytes, &len);

	return len > 0 && memmem(data, len, "\r\n", 2) != NULL;
}

static GBytes *patch_content(Run *run, const DiffFile *file, GBytes *old)
{
	if (file->binary)
		return patch_binary(run, file, old);
	return hunk_apply(old, file, run->crlf && !has_crlf(old), run->failure, run->error);
}

static GBytes *read_old(Run *run, const DiffFile *file, const FileState *old)
{
	if (!old)
		return g_bytes_new(NULL, 0);
	return apply_tree_read(run->tree, old_name(file), old, run->error);
}

static bool check_made(Run *run, const DiffFile *file, GBytes *made, unsigned mode)
{
	gsize len;
	const char *bytes = g_bytes_get_data(made, &len);

	run->n_made += len;
	if (run->n_made > APPLY_MAX_TOTAL_BYTES)
		return refuse(run->failure, run->error, file->path, 0,
			      "the patch makes over %u bytes", APPLY_MAX_TOTAL_BYTES);
	if (file->status == DIFF_STATUS_DELETED && len > 0)
		return refuse(run->failure, run->error, file->path, 0,
			      "the patch deletes it, but it holds more than the patch knows of");
	if (file->status != DIFF_STATUS_DELETED && S_ISLNK(mode) &&
	    (len == 0 || memchr(bytes, '\0', len)))
		return refuse(run->failure, run->error, file->path, 0,
			      "a symbolic link must lead to a name");
	return true;
}

/* @out_made is NULL for a deleted file. */
static bool make_result(Run *run, const DiffFile *file, const FileState *old, FileState **out_made)
{
	bool deleted = file->status == DIFF_STATUS_DELETED;
	unsigned mode = deleted ? 0 : result_mode(run, file, old);
	g_autoptr(GBytes) before = NULL;
	g_autoptr(GBytes) after = NULL;

	if (!deleted && mode == 0)
		return false;
	if (old && !deleted && !file->binary && file->hunks->len == 0) {
		*out_made = file_state_copy(old);
		(*out_made)->mode = mode;
		return true;
	}
	before = read_old(run, file, old);
	after = before ? patch_content(run, file, before) : NULL;
	if (!after || !check_made(run, file, after, mode))
		return false;
	if (!deleted) {
		*out_made = g_new0(FileState, 1);
		(*out_made)->mode = mode;
		(*out_made)->bytes = g_steal_pointer(&after);
	}
	return true;
}

static bool apply_file(Run *run, const DiffFile *file)
{
	g_autoptr(FileState) old = NULL;
	FileState *made = NULL;

	if (old_name(file) && !find_old(run, file, &old))
		return false;
	if (new_name(file) &&
	    (!check_free(run, file) || !check_links_in_result(run, new_name(file))))
		return false;
	if (!make_result(run, file, old, &made))
		return false;
	if (made)
		set_past(run, new_name(file), PAST_MADE, made);
	if (takes_old_away(file))
		set_past(run, old_name(file), PAST_GONE, NULL);
	g_ptr_array_add(run->results, made);
	return true;
}

static bool ends_in_crlf(const DiffFile *file)
{
	const char *at = (const char *)file->start;
	const char *end = at + file->len;

	while (at < end) {
		const char *lf = memchr(at, '\n', (gsize)(end - at));
		if (lf && (lf == at || lf[-1] != '\r'))
			return false;
		at = lf ? lf + 1 : end;
	}
	return true;
}

/*
 * The header lines count too: a patch to a file with CR LF lines has plain ones in its header.  For
 * an old file that has no CR LF, and a new one, the CR is then the mail's and is taken off.
 */
static bool is_crlf_mail(const Diff *diff)
{
	for (guint i = 0; i < diff->files->len; i++) {
		if (!ends_in_crlf(diff->files->pdata[i]))
			return false;
	}
	return true;
}

static GHashTable *sum_up(const Run *run)
{
	GHashTable *changes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						    (GDestroyNotify)file_state_free);

	for (guint i = 0; i < run->diff->files->len; i++) {
		const DiffFile *file = run->diff->files->pdata[i];
		if (old_name(file) && file->status != DIFF_STATUS_COPIED)
			g_hash_table_replace(changes, g_strdup(old_name(file)), NULL);
	}
	for (guint i = 0; i < run->results->len; i++) {
		const DiffFile *file = run->diff->files->pdata[i];
		if (run->results->pdata[i])
			g_hash_table_replace(changes, g_strdup(new_name(file)),
					     file_state_copy(run->results->pdata[i]));
	}
	return changes;
}

bool apply_files(ApplyTree *tree, const Diff *diff, GHashTable **out_changes,
		 ApplyFailure *out_failure, GError **error)
{
	g_auto(Run) run = {
		.tree = tree,
		.diff = diff,
		.crlf = is_crlf_mail(diff),
		.links = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.pasts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, past_free),
		.results = g_ptr_array_new_with_free_func((GDestroyNotify)file_state_free),
		.failure = out_failure,
		.error = error,
	};

	for (guint i = 0; i < diff->files->len; i++) {
		if (!check_shape(&run, diff->files->pdata[i]))
			return false;
	}
	for (guint i = 0; i < diff->files->len; i++)
		look_ahead(&run, diff->files->pdata[i]);
	for (guint i = 0; i < diff->files->len; i++) {
		if (!apply_file(&run, diff->files->pdata[i]))
			return false;
	}
	*out_changes = sum_up(&run);
	return true;
}
