/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/gitloose.h"

#include "bot/base/autofd.h"

#include <errno.h>
#include <fcntl.h>
#include <git2/sys/odb_backend.h>
#include <glib.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#define HEADER_MAX 32u /* "commit 123" and its NUL */

typedef struct {
	git_odb_backend backend; /* first: libgit2 hands this out */
	char *objects;
} Guard;

typedef struct {
	char *path;
	const git_oid *id;
	int fd;
	z_stream z;
	bool has_z;
	bool at_end; /* of what was compressed */
	unsigned char chunk[16384];
	unsigned char head[HEADER_MAX]; /* the header and the first bytes behind it */
	size_t n_head;
	size_t body; /* where in @head they begin */
	git_object_t type;
	size_t size;
} Loose;

static void loose_clear(Loose *loose)
{
	if (loose->has_z)
		inflateEnd(&loose->z);
	autofd_close(&loose->fd);
	g_clear_pointer(&loose->path, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Loose, loose_clear)

/* @what: "is cut off" */
static int refuse(const Loose *loose, const char *what)
{
	char hex[GIT_OID_HEXSZ + 1];
	g_autofree char *text =
		g_strdup_printf("object %s %s on disk; remove %s and fetch it anew",
				git_oid_tostr(hex, sizeof hex, loose->id), what, loose->path);

	git_error_set_str(GIT_ERROR_ODB, text);
	return GIT_ERROR;
}

static int refuse_errno(const Loose *loose, int reason)
{
	g_autofree char *text =
		g_strdup_printf("cannot read %s: %s", loose->path, g_strerror(reason));

	git_error_set_str(GIT_ERROR_OS, text);
	return GIT_ERROR;
}

/* ---- its bytes ---- */

/* Returns: 0, also at the end of the file, where avail_in stays 0 */
static int refill(Loose *loose)
{
	ssize_t n;

	do {
		n = read(loose->fd, loose->chunk, sizeof loose->chunk);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return refuse_errno(loose, errno);
	loose->z.next_in = loose->chunk;
	loose->z.avail_in = (uInt)n;
	return 0;
}

/* @len: at most GITLOOSE_MAX_BYTES; fewer bytes come only when the stream ends */
static int inflate_some(Loose *loose, unsigned char *out, size_t len, size_t *out_len)
{
	z_stream *z = &loose->z;

	z->next_out = out;
	z->avail_out = (uInt)len;
	while (z->avail_out > 0 && !loose->at_end) {
		int rc = z->avail_in == 0 ? refill(loose) : 0;

		if (rc < 0)
			return rc;
		if (z->avail_in == 0)
			return refuse(loose, "is cut off");
		rc = inflate(z, Z_NO_FLUSH);
		if (rc != Z_OK && rc != Z_STREAM_END)
			return refuse(loose, "is damaged");
		loose->at_end = rc == Z_STREAM_END;
	}
	*out_len = len - z->avail_out;
	return 0;
}

/* "TYPE SIZE" and a NUL: the size in decimal digits without a leading 0. */
static bool parse_header(Loose *loose)
{
	const char *text = (const char *)loose->head;
	const unsigned char *end = memchr(loose->head, '\0', loose->n_head);
	const char *blank = end ? strchr(text, ' ') : NULL;
	guint64 size;

	if (!blank)
		return false;
	g_autofree char *type = g_strndup(text, (gsize)(blank - text));
	loose->type = git_object_string2type(type);
	loose->body = (size_t)(end - loose->head) + 1;
	if (!git_object_typeisloose(loose->type) || (blank[1] == '0' && blank[2] != '\0') ||
	    !g_ascii_string_to_unsigned(blank + 1, 10, 0, G_MAXSIZE, &size, NULL))
		return false;
	loose->size = (size_t)size;
	return true;
}

static int read_head(Loose *loose)
{
	int rc;

	if (inflateInit(&loose->z) != Z_OK)
		return refuse_errno(loose, ENOMEM);
	loose->has_z = true;
	rc = inflate_some(loose, loose->head, sizeof loose->head, &loose->n_head);
	if (rc < 0)
		return rc;
	return parse_header(loose) ? 0 : refuse(loose, "has no header");
}

/* One byte more than declared is asked for, so that none may be left over. */
static int read_body(Loose *loose, unsigned char *out)
{
	size_t first = loose->n_head - loose->body;
	size_t rest = 0;
	int rc;

	if (first > loose->size)
		return refuse(loose, "is longer than it says");
	memcpy(out, loose->head + loose->body, first);
	rc = inflate_some(loose, out + first, loose->size + 1 - first, &rest);
	if (rc == 0 && loose->at_end && loose->z.avail_in == 0)
		rc = refill(loose);
	if (rc < 0)
		return rc;
	if (!loose->at_end || first + rest > loose->size || loose->z.avail_in > 0)
		return refuse(loose, "is longer than it says");
	if (first + rest < loose->size)
		return refuse(loose, "is shorter than it says");
	out[loose->size] = '\0';
	return 0;
}

/* ---- its file ---- */

/* Returns: GIT_ENOTFOUND when there is none */
static int open_file(Loose *loose)
{
	struct stat st;

	loose->fd = open(loose->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (loose->fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return GIT_ENOTFOUND;
	if (loose->fd < 0 || fstat(loose->fd, &st) != 0)
		return refuse_errno(loose, errno);
	return S_ISREG(st.st_mode) ? 0 : refuse(loose, "is no file");
}

static int open_object(const git_odb_backend *backend, const git_oid *id, Loose *loose)
{
	const Guard *guard = (const Guard *)backend;
	char hex[GIT_OID_HEXSZ + 1];
	int rc;

	git_oid_tostr(hex, sizeof hex, id);
	loose->id = id;
	loose->path = g_strdup_printf("%s/%.2s/%s", guard->objects, hex, hex + 2);
	rc = open_file(loose);
	return rc < 0 ? rc : read_head(loose);
}

static int read_object(void **out, size_t *out_len, git_object_t *out_type,
		       git_odb_backend *backend, const git_oid *id)
{
	g_auto(Loose) loose = {.fd = -1};
	int rc = open_object(backend, id, &loose);

	if (rc < 0)
		return rc;
	if (loose.size > GITLOOSE_MAX_BYTES)
		return refuse(&loose, "is larger than 512 MB");
	unsigned char *data = git_odb_backend_data_alloc(backend, loose.size + 1);
	if (!data)
		return refuse_errno(&loose, ENOMEM);
	rc = read_body(&loose, data);
	if (rc < 0) {
		git_odb_backend_data_free(backend, data);
		return rc;
	}
	*out = data;
	*out_len = loose.size;
	*out_type = loose.type;
	return 0;
}

static int read_header(size_t *out_len, git_object_t *out_type, git_odb_backend *backend,
		       const git_oid *id)
{
	g_auto(Loose) loose = {.fd = -1};
	int rc = open_object(backend, id, &loose);

	if (rc < 0)
		return rc;
	*out_len = loose.size;
	*out_type = loose.type;
	return 0;
}

/* Returns: GIT_ENOTFOUND, or GIT_EAMBIGUOUS when several files begin with @hex */
static int find_by_prefix(const Guard *guard, const char *hex, git_oid *out)
{
	g_autofree char *path = g_strdup_printf("%s/%.2s", guard->objects, hex);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;
	int rc = GIT_ENOTFOUND;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *full = g_strdup_printf("%.2s%s", hex, name);
		git_oid id;

		if (strlen(full) != GIT_OID_HEXSZ || !g_str_has_prefix(full, hex) ||
		    git_oid_fromstr(&id, full) < 0)
			continue;
		if (rc == 0)
			return GIT_EAMBIGUOUS;
		git_oid_cpy(out, &id);
		rc = 0;
	}
	return rc;
}

static int read_by_prefix(git_oid *out_id, void **out, size_t *out_len, git_object_t *out_type,
			  git_odb_backend *backend, const git_oid *prefix, size_t n_digits)
{
	char hex[GIT_OID_HEXSZ + 1];
	git_oid id;
	int rc;

	git_oid_tostr(hex, MIN(n_digits + 1, sizeof hex), prefix);
	rc = find_by_prefix((const Guard *)backend, hex, &id);
	if (rc == GIT_EAMBIGUOUS)
		git_error_set_str(GIT_ERROR_ODB, "several loose objects begin like this");
	if (rc == 0)
		rc = read_object(out, out_len, out_type, backend, &id);
	if (rc == 0)
		git_oid_cpy(out_id, &id);
	return rc;
}

static void guard_free(git_odb_backend *backend)
{
	Guard *guard = (Guard *)backend;

	g_free(guard->objects);
	g_free(guard);
}

int gitloose_add(git_odb *odb, const char *objects)
{
	Guard *guard = g_new0(Guard, 1);
	int rc = git_odb_init_backend(&guard->backend, GIT_ODB_BACKEND_VERSION);

	guard->objects = g_strdup(objects);
	guard->backend.read = read_object;
	guard->backend.read_header = read_header;
	guard->backend.read_prefix = read_by_prefix;
	guard->backend.free = guard_free;
	if (rc == 0)
		rc = git_odb_add_alternate(odb, &guard->backend, GITLOOSE_PRIORITY);
	if (rc < 0)
		guard_free(&guard->backend);
	return rc;
}
