/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/fs.h"

#include "bot/base/autofd.h"
#include "bot/base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

static bool write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, bytes, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		bytes += n;
		len -= (size_t)n;
	}
	return true;
}

static bool sync_dir(const char *dir)
{
	autofd int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd >= 0 && fsync(fd) == 0;
}

static bool write_and_rename(int fd, const char *tmp, const char *path, const void *bytes,
			     size_t len, unsigned mode)
{
	return write_all(fd, bytes, len) && fchmod(fd, (mode_t)mode) == 0 && fsync(fd) == 0 &&
	       rename(tmp, path) == 0;
}

bool fs_write_durable(const char *path, const void *bytes, size_t len, unsigned mode,
		      GError **error)
{
	g_autofree char *dir = g_path_get_dirname(path);
	g_autofree char *tmp = g_strconcat(path, ".XXXXXX", NULL);
	autofd int fd = g_mkstemp_full(tmp, O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0) {
		bot_error_set_errno(error, errno, "cannot create a file beside %s", path);
		return false;
	}
	if (!write_and_rename(fd, tmp, path, bytes, len, mode)) {
		int errnum = errno;
		(void)g_unlink(tmp);
		bot_error_set_errno(error, errnum, "cannot write %s", path);
		return false;
	}
	if (!sync_dir(dir)) {
		bot_error_set_errno(error, errno, "cannot sync folder %s", dir);
		return false;
	}
	return true;
}

static bool check_regular(int fd, const char *path, size_t max_len, size_t *out_len, GError **error)
{
	struct stat st;

	if (fstat(fd, &st) != 0) {
		bot_error_set_errno(error, errno, "cannot look at %s", path);
		return false;
	}
	if (!S_ISREG(st.st_mode)) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT, "%s is not a regular file",
			    path);
		return false;
	}
	if ((guint64)st.st_size > max_len) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT,
			    "%s has %" G_GINT64_FORMAT " bytes, more than the %" G_GSIZE_FORMAT
			    " allowed",
			    path, (gint64)st.st_size, max_len);
		return false;
	}
	*out_len = (size_t)st.st_size;
	return true;
}

static bool read_up_to(int fd, GByteArray *into, size_t len)
{
	while (into->len < len) {
		guint8 chunk[65536];
		size_t want = MIN(sizeof(chunk), len - into->len);
		ssize_t n = read(fd, chunk, want);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		if (n == 0)
			break; /* it shrank while we read: what is there is the file */
		g_byte_array_append(into, chunk, (guint)n);
	}
	return true;
}

/* Returns: -1 on error */
static int open_regular(const char *path, size_t max_len, size_t *out_len, GError **error)
{
	autofd int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		bot_error_set_errno(error, errno, "cannot open %s", path);
	else if (check_regular(fd, path, max_len, out_len, error))
		return autofd_steal(&fd);
	return -1;
}

int fs_open_regular(const char *path, GError **error)
{
	size_t len;

	return open_regular(path, G_MAXSIZE, &len, error);
}

GBytes *fs_read(const char *path, size_t max_len, GError **error)
{
	size_t len = 0;
	autofd int fd = open_regular(path, max_len, &len, error);

	if (fd < 0)
		return NULL;

	g_autoptr(GByteArray) into = g_byte_array_sized_new((guint)len);
	if (!read_up_to(fd, into, len)) {
		bot_error_set_errno(error, errno, "cannot read %s", path);
		return NULL;
	}
	return g_byte_array_free_to_bytes(g_steal_pointer(&into));
}

bool fs_make_dir(const char *path, unsigned mode, GError **error)
{
	if (g_mkdir_with_parents(path, (int)mode) == 0)
		return true;
	bot_error_set_errno(error, errno, "cannot make folder %s", path);
	return false;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st;
	(void)type;
	(void)walk;
	return remove(path);
}

bool fs_remove_tree(const char *path, GError **error)
{
	struct stat st;

	if (lstat(path, &st) != 0 && errno == ENOENT)
		return true;
	if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) == 0)
		return true;
	bot_error_set_errno(error, errno, "cannot remove %s", path);
	return false;
}

/* Where each kind of data stands in the source tree; installed, all are below the data folder. */
static const struct {
	const char *kind;
	const char *in_source;
} share_table[] = {
	{"workloads", "config/share/workloads"},
	{"suites", "config/share/suites"},
	{"sandbox", "config/share/sandbox"},
	{"demo", "config/share/demo"},
	{"config", "config/share"},
	{"templates", "templates"},
	{"schema", "bot/store/schema"},
};

static char *source_root(void)
{
	g_autofree char *exe = g_file_read_link("/proc/self/exe", NULL);
	g_autofree char *dir = exe == NULL ? NULL : g_path_get_dirname(exe);

	/* BUILD/lorebot, BUILD/bot/lorebot or BUILD/tests/unit/...: look a few folders up. */
	for (int i = 0; dir != NULL && i < 5; i++) {
		g_autofree char *parent = g_path_get_dirname(dir);
		g_autofree char *mark = g_build_filename(parent, "config", "share", NULL);
		g_autofree char *meson = g_build_filename(parent, "meson.build", NULL);
		if (g_file_test(mark, G_FILE_TEST_IS_DIR) && g_file_test(meson, G_FILE_TEST_EXISTS))
			return g_steal_pointer(&parent);
		g_free(dir);
		dir = g_steal_pointer(&parent);
	}
	return NULL;
}

char *fs_share_path(const char *kind, const char *rest)
{
	g_autofree char *root = source_root();

	for (size_t i = 0; root != NULL && i < G_N_ELEMENTS(share_table); i++) {
		if (strcmp(share_table[i].kind, kind) == 0)
			return g_build_filename(root, share_table[i].in_source, rest, NULL);
	}
	return g_build_filename(LOREBOT_SHARE_DIR, kind, rest, NULL);
}
