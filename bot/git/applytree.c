/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/git/applytree.h"

#include "bot/base/error.h"
#include "bot/git/hunk.h"
#include "bot/git/refusal.h"

#include <string.h>

struct ApplyTree {
	git_repository *repo; /* the caller's */
	git_odb *odb;
	git_tree *root;
	guint64 n_bytes_read;
};

#define SUBMODULE_FORMAT "Subproject commit %s\n"

FileState *file_state_copy(const FileState *state)
{
	FileState *copy = g_new0(FileState, 1);

	*copy = *state;
	if (state->bytes)
		g_bytes_ref(state->bytes);
	return copy;
}

void file_state_free(FileState *state)
{
	if (!state)
		return;
	g_clear_pointer(&state->bytes, g_bytes_unref);
	g_free(state);
}

ApplyTree *apply_tree_new(Repo *repo, const git_oid *tree, GError **error)
{
	g_autoptr(ApplyTree) made = g_new0(ApplyTree, 1);
	int rc;

	made->repo = repo_handle(repo);
	rc = git_repository_odb(&made->odb, made->repo);
	if (rc == 0)
		rc = git_tree_lookup(&made->root, made->repo, tree);
	if (rc < 0) {
		(void)git_fail(error, rc, "cannot read the tree to apply on");
		return NULL;
	}
	return g_steal_pointer(&made);
}

void apply_tree_free(ApplyTree *tree)
{
	if (!tree)
		return;
	git_tree_free(tree->root);
	git_odb_free(tree->odb);
	g_free(tree);
}

/* Old trees hold modes like 0100664; git reads them as one of four. */
static unsigned canonical_mode(const git_tree_entry *entry)
{
	return (unsigned)git_tree_entry_filemode(entry);
}

/* Returns: false with @error; @out_entry is NULL when there is nothing at @path */
static bool find_entry(git_tree *root, const char *path, git_tree_entry **out_entry, GError **error)
{
	int rc = git_tree_entry_bypath(out_entry, root, path);

	if (rc == 0)
		return true;
	*out_entry = NULL;
	if (rc == GIT_ENOTFOUND)
		return true;
	return git_fail(error, rc, "cannot look up %s", path);
}

bool apply_tree_find(ApplyTree *tree, const char *path, FileState **out_state, GError **error)
{
	g_autoptr(git_tree_entry) entry = NULL;

	*out_state = NULL;
	if (!find_entry(tree->root, path, &entry, error))
		return false;
	if (!entry || git_tree_entry_type(entry) == GIT_OBJECT_TREE)
		return true;
	*out_state = g_new0(FileState, 1);
	(*out_state)->mode = canonical_mode(entry);
	git_oid_cpy(&(*out_state)->oid, git_tree_entry_id(entry));
	return true;
}

/* The size is asked first, so that a huge blob is never loaded. */
static bool check_size(ApplyTree *tree, const char *path, const git_oid *oid, GError **error)
{
	git_object_t type;
	size_t size;
	int rc = git_odb_read_header(&size, &type, tree->odb, oid);

	if (rc < 0)
		return git_fail(error, rc, "cannot read %s", path);
	if (size > APPLY_MAX_FILE_BYTES || tree->n_bytes_read + size > APPLY_MAX_TOTAL_BYTES) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT,
			    "%s: %zu bytes are too many to patch", path, size);
		return false;
	}
	tree->n_bytes_read += size;
	return true;
}

GBytes *apply_tree_read(ApplyTree *tree, const char *path, const FileState *state, GError **error)
{
	g_autoptr(git_blob) blob = NULL;

	if (state->bytes)
		return g_bytes_ref(state->bytes);
	if (state->mode == GIT_FILEMODE_COMMIT) {
		char hex[GIT_OID_HEXSZ + 1];
		git_oid_tostr(hex, sizeof(hex), &state->oid);
		char *text = g_strdup_printf(SUBMODULE_FORMAT, hex);
		return g_bytes_new_take(text, strlen(text));
	}
	if (!check_size(tree, path, &state->oid, error))
		return NULL;

	int rc = git_blob_lookup(&blob, tree->repo, &state->oid);
	if (rc < 0) {
		(void)git_fail(error, rc, "cannot read %s", path);
		return NULL;
	}
	return g_bytes_new(git_blob_rawcontent(blob), (gsize)git_blob_rawsize(blob));
}

static bool parse_submodule(const char *path, GBytes *bytes, git_oid *out_oid,
			    ApplyFailure *failure, GError **error)
{
	static const char prefix[] = "Subproject commit ";
	gsize len;
	const char *text = g_bytes_get_data(bytes, &len);

	if (len == strlen(prefix) + GIT_OID_HEXSZ + 1 && text[len - 1] == '\n' &&
	    memcmp(text, prefix, strlen(prefix)) == 0 &&
	    git_oid_fromstrn(out_oid, text + strlen(prefix), GIT_OID_HEXSZ) == 0)
		return true;
	return refuse(failure, error, path, 0, "a submodule needs a \"Subproject commit\" line");
}

/* The object that stands at @path in the new tree, written when it is new. */
static bool write_state(ApplyTree *tree, const char *path, const FileState *state, git_oid *out_oid,
			ApplyFailure *failure, GError **error)
{
	gsize len;

	if (!state->bytes) {
		git_oid_cpy(out_oid, &state->oid);
		return true;
	}
	if (state->mode == GIT_FILEMODE_COMMIT)
		return parse_submodule(path, state->bytes, out_oid, failure, error);

	const void *bytes = g_bytes_get_data(state->bytes, &len);
	int rc = git_blob_create_from_buffer(out_oid, tree->repo, bytes ? bytes : "", len);
	return rc == 0 || git_fail(error, rc, "cannot write %s", path);
}

static bool update_tree(ApplyTree *tree, git_tree *from, GArray *updates, git_tree **out,
			GError **error)
{
	git_oid oid;
	int rc = git_tree_create_updated(&oid, tree->repo, from, updates->len,
					 (const git_tree_update *)(const void *)updates->data);

	if (rc == 0)
		rc = git_tree_lookup(out, tree->repo, &oid);
	return rc == 0 || git_fail(error, rc, "cannot write the new tree");
}

static bool same_kind(const git_tree_entry *entry, const FileState *state)
{
	bool is_commit = git_tree_entry_type(entry) == GIT_OBJECT_COMMIT;

	return git_tree_entry_type(entry) != GIT_OBJECT_TREE &&
	       is_commit == (state->mode == GIT_FILEMODE_COMMIT);
}

/*
 * Files that go, and those whose kind changes: git_tree_create_updated() can neither replace a file
 * by a folder nor a submodule by a file in one step.
 */
static bool remove_files(ApplyTree *tree, GHashTable *changes, git_tree **out, GError **error)
{
	g_autoptr(GArray) updates = g_array_new(FALSE, TRUE, sizeof(git_tree_update));
	GHashTableIter iter;
	gpointer path, state;

	g_hash_table_iter_init(&iter, changes);
	while (g_hash_table_iter_next(&iter, &path, &state)) {
		g_autoptr(git_tree_entry) entry = NULL;
		git_tree_update update = {.action = GIT_TREE_UPDATE_REMOVE, .path = path};

		if (!find_entry(tree->root, path, &entry, error))
			return false;
		if (!entry || git_tree_entry_type(entry) == GIT_OBJECT_TREE ||
		    (state && same_kind(entry, state)))
			continue;
		g_array_append_val(updates, update);
	}
	return update_tree(tree, tree->root, updates, out, error);
}

/* A folder of @path that is a file, in @left or among the @changes; NULL when none. */
static bool find_file_above(git_tree *left, GHashTable *changes, const char *path, char **out_file,
			    GError **error)
{
	*out_file = NULL;
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		g_autofree char *above = g_strndup(path, (gsize)(slash - path));
		g_autoptr(git_tree_entry) entry = NULL;
		bool is_file;

		if (!find_entry(left, above, &entry, error))
			return false;
		is_file = entry && git_tree_entry_type(entry) != GIT_OBJECT_TREE;
		if (is_file || g_hash_table_lookup(changes, above)) {
			*out_file = g_steal_pointer(&above);
			return true;
		}
	}
	return true;
}

static bool check_place(git_tree *left, GHashTable *changes, const char *path,
			ApplyFailure *failure, GError **error)
{
	g_autoptr(git_tree_entry) entry = NULL;
	g_autofree char *above = NULL;

	if (!find_entry(left, path, &entry, error) ||
	    !find_file_above(left, changes, path, &above, error))
		return false;
	if (entry && git_tree_entry_type(entry) == GIT_OBJECT_TREE)
		return refuse(failure, error, path, 0, "a folder of that name is there");
	if (above)
		return refuse(failure, error, path, 0, "%s is a file, not a folder", above);
	return true;
}

static bool put_files(ApplyTree *tree, git_tree *left, GHashTable *changes, git_tree **out,
		      ApplyFailure *failure, GError **error)
{
	g_autoptr(GArray) updates = g_array_new(FALSE, TRUE, sizeof(git_tree_update));
	GHashTableIter iter;
	gpointer path, state;

	g_hash_table_iter_init(&iter, changes);
	while (g_hash_table_iter_next(&iter, &path, &state)) {
		if (state && !check_place(left, changes, path, failure, error))
			return false;
	}
	g_hash_table_iter_init(&iter, changes);
	while (g_hash_table_iter_next(&iter, &path, &state)) {
		git_tree_update update = {.action = GIT_TREE_UPDATE_UPSERT, .path = path};

		if (!state)
			continue;
		if (!write_state(tree, path, state, &update.id, failure, error))
			return false;
		update.filemode = (git_filemode_t)((FileState *)state)->mode;
		g_array_append_val(updates, update);
	}
	return update_tree(tree, left, updates, out, error);
}

bool apply_tree_write(ApplyTree *tree, GHashTable *changes, git_oid *out_tree,
		      ApplyFailure *out_failure, GError **error)
{
	g_autoptr(git_tree) left = NULL;
	g_autoptr(git_tree) made = NULL;

	if (!remove_files(tree, changes, &left, error) ||
	    !put_files(tree, left, changes, &made, out_failure, error))
		return false;
	git_oid_cpy(out_tree, git_tree_id(made));
	return true;
}
