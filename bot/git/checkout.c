/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/git/checkout.h"

#include "bot/base/error.h"
#include "mailparse/diffpath.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_MAX_BYTES 4096u
#define TAR_BLOCK_BYTES 512u

typedef struct archive Archive;
typedef struct archive_entry ArchiveEntry;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Archive, archive_write_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ArchiveEntry, archive_entry_free)

typedef struct {
	git_repository *repo;
	git_odb *odb;
	Archive *tar;
	git_time_t time;
	uint64_t n_bytes; /* of the tar so far */
	uint64_t max_bytes;
	GString *path; /* of the folder being written, "" or ending in "/" */
} Walk;

static bool refuse_tree(GError **error, const Walk *walk, const char *name, const char *why)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT, "the tree holds %s%s, which %s",
		    walk->path->str, name, why);
	return false;
}

/* Counted before anything is read, so that neither a huge blob nor a bomb of trees gets far. */
static bool count_bytes(Walk *walk, uint64_t size, GError **error)
{
	uint64_t padded = (size + TAR_BLOCK_BYTES - 1) / TAR_BLOCK_BYTES * TAR_BLOCK_BYTES;

	walk->n_bytes += TAR_BLOCK_BYTES + padded;
	if (size <= walk->max_bytes && walk->n_bytes <= walk->max_bytes)
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT,
		    "the tree is larger than %" G_GUINT64_FORMAT " bytes", walk->max_bytes);
	return false;
}

/* The size of what is written for the entry, which the index of the object store knows. */
static bool entry_size(const Walk *walk, const git_tree_entry *entry, size_t *out_size,
		       GError **error)
{
	git_object_t type;
	int rc;

	*out_size = 0;
	if (git_tree_entry_type(entry) != GIT_OBJECT_BLOB)
		return true;
	rc = git_odb_read_header(out_size, &type, walk->odb, git_tree_entry_id(entry));
	return rc == 0 ||
	       git_fail(error, rc, "cannot read %s%s", walk->path->str, git_tree_entry_name(entry));
}

static bool check_link(const Walk *walk, const char *name, const char *target, size_t len,
		       GError **error)
{
	if (len == 0 || len > PATH_MAX_BYTES || memchr(target, '\0', len))
		return refuse_tree(error, walk, name, "is a symbolic link to nowhere");
	return true;
}

static bool put_header(Walk *walk, ArchiveEntry *entry, const char *name, GError **error)
{
	g_autofree char *path = g_strconcat(walk->path->str, name, NULL);

	archive_entry_set_pathname(entry, path);
	archive_entry_set_mtime(entry, walk->time, 0);
	/* ARCHIVE_WARN: the name is no UTF-8 and is written as bytes, which is what we want. */
	if (archive_write_header(walk->tar, entry) >= ARCHIVE_WARN)
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT, "cannot write %s to the tar: %s", path,
		    archive_error_string(walk->tar));
	return false;
}

static bool put_blob(Walk *walk, ArchiveEntry *header, const git_tree_entry *entry, GError **error)
{
	const char *name = git_tree_entry_name(entry);
	bool is_link = git_tree_entry_filemode(entry) == GIT_FILEMODE_LINK;
	bool executable = git_tree_entry_filemode(entry) == GIT_FILEMODE_BLOB_EXECUTABLE;
	g_autoptr(git_blob) blob = NULL;
	int rc = git_blob_lookup(&blob, walk->repo, git_tree_entry_id(entry));

	if (rc < 0)
		return git_fail(error, rc, "cannot read %s%s", walk->path->str, name);

	const char *content = git_blob_rawcontent(blob);
	size_t len = (size_t)git_blob_rawsize(blob);
	if (is_link) {
		if (!check_link(walk, name, content, len, error))
			return false;
		g_autofree char *target = g_strndup(content, len);
		archive_entry_set_filetype(header, AE_IFLNK);
		archive_entry_set_perm(header, 0777);
		archive_entry_set_symlink(header, target);
		return put_header(walk, header, name, error);
	}
	archive_entry_set_filetype(header, AE_IFREG);
	archive_entry_set_perm(header, executable ? 0755 : 0644);
	archive_entry_set_size(header, (la_int64_t)len);
	if (!put_header(walk, header, name, error))
		return false;
	if (len == 0 || archive_write_data(walk->tar, content, len) == (la_ssize_t)len)
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT, "cannot write %s%s to the tar: %s",
		    walk->path->str, name, archive_error_string(walk->tar));
	return false;
}

static bool put_tree(Walk *walk, const git_oid *oid, GError **error);

/* A folder, or a submodule, whose content is another repository's and stays out. */
static bool put_folder(Walk *walk, ArchiveEntry *header, const git_tree_entry *entry,
		       GError **error)
{
	const char *name = git_tree_entry_name(entry);
	size_t len = walk->path->len;
	bool ok;

	archive_entry_set_filetype(header, AE_IFDIR);
	archive_entry_set_perm(header, 0755);
	if (!put_header(walk, header, name, error))
		return false;
	if (git_tree_entry_type(entry) != GIT_OBJECT_TREE)
		return true;
	g_string_append_printf(walk->path, "%s/", name);
	ok = put_tree(walk, git_tree_entry_id(entry), error);
	g_string_truncate(walk->path, len);
	return ok;
}

/* A tree made by hand may hold one name twice: a link first, then files that would go through it.
 */
static bool check_entry(const Walk *walk, GHashTable *seen, const char *name, GError **error)
{
	g_autofree char *path = g_strconcat(walk->path->str, name, NULL);
	g_autoptr(GError) local = NULL;

	if (strchr(name, '/') || !diffpath_check(path, &local))
		return refuse_tree(error, walk, name, "is no safe name");
	if (strlen(path) > PATH_MAX_BYTES)
		return refuse_tree(error, walk, name, "is too long a name");
	if (!g_hash_table_add(seen, g_strdup(name)))
		return refuse_tree(error, walk, name, "is there twice");
	return true;
}

static bool put_entry(Walk *walk, const git_tree_entry *entry, GError **error)
{
	g_autoptr(ArchiveEntry) header = archive_entry_new();
	size_t size;

	if (!entry_size(walk, entry, &size, error) || !count_bytes(walk, size, error))
		return false;
	return git_tree_entry_type(entry) == GIT_OBJECT_BLOB
		       ? put_blob(walk, header, entry, error)
		       : put_folder(walk, header, entry, error);
}

static bool put_tree(Walk *walk, const git_oid *oid, GError **error)
{
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(git_tree) tree = NULL;
	int rc = git_tree_lookup(&tree, walk->repo, oid);

	if (rc < 0)
		return git_fail(error, rc, "cannot read the folder \"%s\"", walk->path->str);
	for (size_t i = 0; i < git_tree_entrycount(tree); i++) {
		const git_tree_entry *entry = git_tree_entry_byindex(tree, i);
		if (!check_entry(walk, seen, git_tree_entry_name(entry), error) ||
		    !put_entry(walk, entry, error))
			return false;
	}
	return true;
}

static Archive *open_tar(int fd, GError **error)
{
	g_autoptr(Archive) tar = archive_write_new();

	if (archive_write_set_format_pax_restricted(tar) == ARCHIVE_OK &&
	    archive_write_set_bytes_in_last_block(tar, 1) == ARCHIVE_OK &&
	    archive_write_open_fd(tar, fd) == ARCHIVE_OK)
		return g_steal_pointer(&tar);
	g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT, "cannot start the tar: %s",
		    archive_error_string(tar));
	return NULL;
}

bool checkout_write_tar(Repo *repo, const git_oid *commit, int fd, uint64_t max_bytes,
			GError **error)
{
	g_return_val_if_fail(repo != NULL && commit != NULL, false);

	g_autoptr(Archive) tar = NULL;
	g_autoptr(git_commit) found = NULL;
	g_autoptr(git_odb) odb = NULL;
	g_autoptr(GString) path = g_string_new(NULL);
	int rc = git_commit_lookup(&found, repo_handle(repo), commit);

	if (rc == 0)
		rc = git_repository_odb(&odb, repo_handle(repo));
	if (rc < 0)
		return git_fail(error, rc, "cannot read commit %s", git_oid_tostr_s(commit));
	tar = open_tar(fd, error);
	if (!tar)
		return false;

	Walk walk = {
		.repo = repo_handle(repo),
		.odb = odb,
		.tar = tar,
		.time = git_commit_time(found),
		.max_bytes = max_bytes,
		.path = path,
	};
	if (!put_tree(&walk, git_commit_tree_id(found), error))
		return false;
	if (archive_write_close(tar) == ARCHIVE_OK)
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT, "cannot finish the tar: %s",
		    archive_error_string(tar));
	return false;
}
