/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/git/applyfile.h"

#include "bot/git/applycheck.h"
#include "bot/git/binary.h"
#include "bot/git/hunk.h"
#include "bot/git/refusal.h"

#include <string.h>
#include <sys/stat.h>

#define MODE_DEFAULT 0100644u

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

static void past_free(gpointer data)
{
	Past *past = data;

	file_state_free(past->state);
	g_free(past);
}

static void run_clear(ApplyRun *run)
{
	g_clear_pointer(&run->files, g_array_unref);
	g_clear_pointer(&run->links, g_hash_table_unref);
	g_clear_pointer(&run->pasts, g_hash_table_unref);
	g_clear_pointer(&run->results, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ApplyRun, run_clear)

static void set_past(ApplyRun *run, const char *path, PastKind kind, const FileState *state)
{
	Past *past = g_new0(Past, 1);

	past->kind = kind;
	past->state = state ? file_state_copy(state) : NULL;
	g_hash_table_replace(run->pasts, g_strdup(path), past);
}

/* What the whole diff does is known before its first file is judged, as git does. */
static void look_ahead(ApplyRun *run, const DiffFile *file)
{
	apply_note_links(run, file);
	if (apply_takes_old_away(file))
		set_past(run, apply_old_name(file), PAST_WILL_GO, NULL);
}

static bool check_old_mode(ApplyRun *run, const DiffFile *file, const FileState *old)
{
	if (file->old_mode == 0 || (file->old_mode & S_IFMT) == (old->mode & S_IFMT))
		return true;
	return refuse(run->failure, run->error, apply_old_name(file), 0,
		      "it has mode %06o where the patch expects %06o", old->mode, file->old_mode);
}

/* The state that the file of the diff starts from; never NULL on success. */
static bool find_old(ApplyRun *run, const DiffFile *file, FileState **out_old)
{
	const char *path = apply_old_name(file);
	const Past *past = apply_moves(file) ? NULL : g_hash_table_lookup(run->pasts, path);

	if (past && past->kind == PAST_GONE)
		return refuse(run->failure, run->error, path, 0,
			      "an earlier part of the patch has renamed or deleted it");
	if (past && past->kind == PAST_MADE)
		*out_old = file_state_copy(past->state);
	else if (!apply_check_links_in_tree(run, path) ||
		 !apply_tree_find(run->tree, path, out_old, run->error))
		return false;
	if (!*out_old)
		return refuse(run->failure, run->error, path, 0, "no such file in the tree");
	return check_old_mode(run, file, *out_old);
}

/* A new path must be free, or be taken away by this same diff. */
static bool check_free(ApplyRun *run, const DiffFile *file)
{
	const Past *past = g_hash_table_lookup(run->pasts, file->path);
	g_autoptr(FileState) there = NULL;

	if (file->status != DIFF_STATUS_ADDED && !apply_moves(file))
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
static unsigned result_mode(ApplyRun *run, const DiffFile *file, const FileState *old)
{
	unsigned mode = old ? old->mode : MODE_DEFAULT;

	if (file->new_mode != 0 && (!old || apply_changes_mode(file) || file->old_mode == 0))
		mode = apply_tree_mode(file->new_mode);
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

static GBytes *patch_binary(ApplyRun *run, const DiffFile *file, GBytes *old)
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

static GBytes *patch_content(ApplyRun *run, const DiffFile *file, GBytes *old)
{
	if (file->binary)
		return patch_binary(run, file, old);
	return hunk_apply(old, file, run->crlf && !has_crlf(old), run->failure, run->error);
}

static GBytes *read_old(ApplyRun *run, const DiffFile *file, const FileState *old)
{
	if (!old)
		return g_bytes_new(NULL, 0);
	return apply_tree_read(run->tree, apply_old_name(file), old, run->error);
}

static bool check_made(ApplyRun *run, const DiffFile *file, GBytes *made, unsigned mode)
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
static bool make_result(ApplyRun *run, const DiffFile *file, const FileState *old,
			FileState **out_made)
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

static bool apply_file(ApplyRun *run, const DiffFile *file)
{
	g_autoptr(FileState) old = NULL;
	FileState *made = NULL;

	if (apply_old_name(file) && !find_old(run, file, &old))
		return false;
	if (apply_new_name(file) &&
	    (!check_free(run, file) || !apply_check_links_in_result(run, apply_new_name(file))))
		return false;
	if (!make_result(run, file, old, &made))
		return false;
	if (made)
		set_past(run, apply_new_name(file), PAST_MADE, made);
	if (apply_takes_old_away(file))
		set_past(run, apply_old_name(file), PAST_GONE, NULL);
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

static const DiffFile *file_at(const ApplyRun *run, guint i)
{
	return &g_array_index(run->files, DiffFile, i);
}

static GHashTable *sum_up(const ApplyRun *run)
{
	GHashTable *changes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						    (GDestroyNotify)file_state_free);

	for (guint i = 0; i < run->files->len; i++) {
		const DiffFile *file = file_at(run, i);
		if (apply_old_name(file) && file->status != DIFF_STATUS_COPIED)
			g_hash_table_replace(changes, g_strdup(apply_old_name(file)), NULL);
	}
	for (guint i = 0; i < run->results->len; i++) {
		if (run->results->pdata[i])
			g_hash_table_replace(changes, g_strdup(apply_new_name(file_at(run, i))),
					     file_state_copy(run->results->pdata[i]));
	}
	return changes;
}

bool apply_files(ApplyTree *tree, const Diff *diff, GHashTable **out_changes,
		 ApplyFailure *out_failure, GError **error)
{
	g_auto(ApplyRun) run = {
		.tree = tree,
		.files = g_array_new(FALSE, FALSE, sizeof(DiffFile)),
		.crlf = is_crlf_mail(diff),
		.links = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.pasts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, past_free),
		.results = g_ptr_array_new_with_free_func((GDestroyNotify)file_state_free),
		.failure = out_failure,
		.error = error,
	};

	if (!apply_settle_paths(&run, diff))
		return false;
	for (guint i = 0; i < run.files->len; i++) {
		if (!apply_check_shape(&run, file_at(&run, i)))
			return false;
	}
	for (guint i = 0; i < run.files->len; i++)
		look_ahead(&run, file_at(&run, i));
	for (guint i = 0; i < run.files->len; i++) {
		if (!apply_file(&run, file_at(&run, i)))
			return false;
	}
	*out_changes = sum_up(&run);
	return true;
}
