/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/mbox_file.h"

#include "bot/base/autofd.h"
#include "bot/base/clock.h"
#include "bot/base/error.h"
#include "bot/intake/watch.h"
#include "mailparse/mbox.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_BYTES ((int64_t)128 * 1024)
#define CONTEXT_BYTES 4096 /* before a cursor; more than any separator line is long */
#define LOCK_FILE_FOR_S 600

struct MboxFile {
	char *path;
	int fd;
	int64_t size;
	int64_t modified_us;
	bool unwritten;
	MboxScanner scanner;
	int64_t start; /* of the mail that mbox_file_next() returns; -1: there is none  */
	int64_t body;
	int64_t piece_at; /* what stands in the piece                                      */
	int64_t piece_len;
	guint8 piece[PIECE_BYTES];
};

void mbox_file_close(MboxFile *file)
{
	if (!file)
		return;
	autofd_close(&file->fd);
	g_free(file->path);
	g_free(file);
}

static bool fail(const MboxFile *file, GError **error)
{
	int errnum = errno;

	g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT, "%s: %s", file->path,
		    g_strerror(errnum));
	return false;
}

static bool is_locked(int errnum)
{
	return errnum == EAGAIN || errnum == EACCES;
}

/* Those who lock by a file renew it or take it for forgotten after such a time. */
static bool has_lock_file(const MboxFile *file)
{
	g_autofree char *path = g_strconcat(file->path, ".lock", NULL);
	struct stat info;

	return lstat(path, &info) == 0 &&
	       g_get_real_time() / CLOCK_US_PER_S - info.st_mtim.tv_sec < LOCK_FILE_FOR_S;
}

/* True too where there are no locks, as on some network file systems: then time must tell. */
static bool lock(const MboxFile *file, const char **out_busy, GError **error)
{
	struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	bool fine =
		fcntl(file->fd, F_OFD_SETLK, &whole) == 0 || errno == ENOLCK || errno == EOPNOTSUPP;

	*out_busy = NULL;
	if (!fine && !is_locked(errno))
		return fail(file, error);
	if (!fine || (flock(file->fd, LOCK_SH | LOCK_NB) != 0 && is_locked(errno)))
		*out_busy = "lslocks tells by which";
	else if (has_lock_file(file))
		*out_busy = "the file of that name with .lock behind it is its mark";
	return *out_busy == NULL;
}

/* The first bytes that are no line end begin "From ", as far as there are any. */
static bool check_start(const MboxFile *file, GError **error)
{
	static const char from[] = "From ";
	char start[256];
	ssize_t n = pread(file->fd, start, sizeof(start), 0);
	ssize_t at = 0;

	if (n < 0)
		return fail(file, error);
	while (at < n && (start[at] == '\n' || start[at] == '\r'))
		at++;
	if (memcmp(start + at, from, MIN((size_t)(n - at), strlen(from))) == 0)
		return true;
	g_set_error(
		error, BOT_ERROR, BOT_ERROR_CONFIG,
		"%s is no mbox: it does not begin with a line \"From ...\"; one that is packed has "
		"to be unpacked first",
		file->path);
	return false;
}

MboxFile *mbox_file_open(const char *path, const char **out_busy, GError **error)
{
	g_autoptr(MboxFile) file = g_new0(MboxFile, 1);
	struct stat info;
	bool written;

	*out_busy = NULL;
	file->path = g_strdup(path);
	file->start = -1;
	file->fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (file->fd < 0) {
		(void)fail(file, error);
		return NULL;
	}
	/* The lock first, so that the size is that of whole mails. */
	if (!lock(file, out_busy, error))
		return NULL;
	if (!watch_stat(file->fd, &info, &file->unwritten, &written)) {
		(void)fail(file, error);
		return NULL;
	}
	if (!S_ISREG(info.st_mode)) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG, "%s is no regular file", path);
		return NULL;
	}
	file->size = info.st_size;
	file->modified_us =
		(int64_t)info.st_mtim.tv_sec * CLOCK_US_PER_S + info.st_mtim.tv_nsec / 1000;
	return check_start(file, error) ? g_steal_pointer(&file) : NULL;
}

int64_t mbox_file_size(const MboxFile *file)
{
	return file->size;
}

int64_t mbox_file_modified_us(const MboxFile *file)
{
	return file->modified_us;
}

bool mbox_file_is_unwritten(const MboxFile *file)
{
	return file->unwritten;
}

/* ---- bytes ---- */

/* All of [from, from + len), or an error. */
static bool read_whole(const MboxFile *file, int64_t from, guint8 *out_bytes, int64_t len,
		       GError **error)
{
	for (int64_t at = 0; at < len;) {
		ssize_t n = pread(file->fd, out_bytes + at, (size_t)(len - at), from + at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(file, error);
		if (n == 0) {
			g_set_error(error, BOT_ERROR, BOT_ERROR_CONFLICT,
				    "%s became shorter while it was read", file->path);
			return false;
		}
		at += n;
	}
	return true;
}

GByteArray *mbox_file_read(MboxFile *file, int64_t from, int64_t to, GError **error)
{
	g_autoptr(GByteArray) bytes = g_byte_array_sized_new((guint)(to - from));

	g_byte_array_set_size(bytes, (guint)(to - from));
	return read_whole(file, from, bytes->data, to - from, error) ? g_steal_pointer(&bytes)
								     : NULL;
}

/* The bytes from @pos on, as many as stand in a piece; @pos is before the end of the file. */
static bool piece_at(MboxFile *file, int64_t pos, const guint8 **out_bytes, int64_t *out_len,
		     GError **error)
{
	if (pos < file->piece_at || pos >= file->piece_at + file->piece_len) {
		file->piece_at = pos;
		file->piece_len = 0;
		int64_t len = MIN(PIECE_BYTES, file->size - pos);
		if (!read_whole(file, pos, file->piece, len, error))
			return false;
		file->piece_len = len;
	}
	*out_bytes = file->piece + (pos - file->piece_at);
	*out_len = file->piece_at + file->piece_len - pos;
	return true;
}

bool mbox_file_hash(MboxFile *file, int64_t from, int64_t to, char out_hash[MBOX_HASH_LEN + 1],
		    GError **error)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	guint8 bytes[16 * 1024];

	while (from < to) {
		int64_t len = MIN((int64_t)sizeof bytes, to - from);
		if (!read_whole(file, from, bytes, len, error))
			return false;
		g_checksum_update(sum, bytes, (gssize)len);
		from += len;
	}
	g_strlcpy(out_hash, g_checksum_get_string(sum), MBOX_HASH_LEN + 1);
	return true;
}

bool mbox_file_hash_before(MboxFile *file, int64_t offset, char out_hash[MBOX_HASH_LEN + 1],
			   GError **error)
{
	return mbox_file_hash(file, MAX(offset - CONTEXT_BYTES, 0), offset, out_hash, error);
}

/* ---- mails ---- */

/*
 * Brings the scanner to @offset as if it had read the whole file; a separator can only span as many
 * bytes as are read here again.
 */
static bool prime_scanner(MboxFile *file, int64_t offset, GError **error)
{
	int64_t from = MAX(offset - CONTEXT_BYTES, 0);
	g_autoptr(GByteArray) context = mbox_file_read(file, from, offset, error);
	guint64 start;

	if (!context)
		return false;
	mbox_scanner_init(&file->scanner, (guint64)from);
	file->scanner.after_empty = from == 0;
	for (gsize at = 0, used; at < context->len; at += used)
		(void)mbox_scanner_feed(&file->scanner, context->data + at, context->len - at,
					&used, &start);
	return true;
}

/* On behind the next separator; MBOX_NONE at the end of the file. */
static MboxFound next_separator(MboxFile *file, int64_t *out_start, GError **error)
{
	guint64 start = 0;

	while ((int64_t)file->scanner.pos < file->size) {
		const guint8 *bytes;
		int64_t len;
		gsize used;

		if (!piece_at(file, (int64_t)file->scanner.pos, &bytes, &len, error))
			return MBOX_FAILED;
		if (mbox_scanner_feed(&file->scanner, bytes, (gsize)len, &used, &start)) {
			*out_start = (int64_t)start;
			return MBOX_FOUND;
		}
	}
	return MBOX_NONE;
}

/* @out_at: the first byte from @offset on that is not blank, or the end of the file. */
static bool skip_blanks(MboxFile *file, int64_t offset, int64_t *out_at, GError **error)
{
	for (*out_at = offset; *out_at < file->size;) {
		const guint8 *bytes;
		int64_t len;

		if (!piece_at(file, *out_at, &bytes, &len, error))
			return false;
		for (int64_t i = 0; i < len; i++, ++*out_at) {
			if (!g_ascii_isspace((char)bytes[i]))
				return true;
		}
	}
	return true;
}

MboxFound mbox_file_next(MboxFile *file, MboxExtent *out_mail, GError **error)
{
	int64_t start = 0;
	guint64 cut = 0;

	if (file->start < 0)
		return MBOX_NONE;
	*out_mail = (MboxExtent){.start = file->start, .body = file->body, .end = file->size};
	MboxFound found = next_separator(file, &start, error);
	if (found == MBOX_FAILED)
		return found;
	/* A separator that wants only its LF is enough to say that the mail before it is whole. */
	if (found == MBOX_NONE && mbox_scanner_end(&file->scanner, &cut)) {
		found = MBOX_FOUND;
		start = (int64_t)cut;
	}
	if (found == MBOX_FOUND)
		out_mail->end = start;
	out_mail->last = found == MBOX_NONE;
	file->start = found == MBOX_FOUND ? start : -1;
	file->body = (int64_t)file->scanner.pos;
	return MBOX_FOUND;
}

/* @found: of the search for the first separator; @first: the byte that is no blank. */
static MboxFound judge_beginning(MboxFile *file, MboxFound found, int64_t separator, int64_t first,
				 bool quiet)
{
	guint64 cut = 0;

	if (found == MBOX_NONE && file->scanner.line_pos == (guint64)first && !quiet)
		return MBOX_NONE; /* the line is still being written */
	if (found == MBOX_NONE && mbox_scanner_end(&file->scanner, &cut)) {
		found = MBOX_FOUND;
		separator = (int64_t)cut;
	}
	if (found != MBOX_FOUND || separator != first)
		return MBOX_GREW;
	file->start = separator;
	file->body = (int64_t)file->scanner.pos;
	return MBOX_FOUND;
}

/* Bytes before the first separator of a file are a mail without one. */
static MboxFound find_headless(MboxFile *file, MboxExtent *out_mail, GError **error)
{
	mbox_scanner_init(&file->scanner, 0);
	file->start = 0;
	file->body = 0;
	return mbox_file_next(file, out_mail, error);
}

MboxFound mbox_file_find(MboxFile *file, int64_t offset, bool quiet, MboxExtent *out_mail,
			 GError **error)
{
	int64_t first, separator = 0;

	file->start = -1;
	if (!skip_blanks(file, offset, &first, error))
		return MBOX_FAILED;
	if (first == file->size)
		return MBOX_NONE;
	if (!prime_scanner(file, offset, error))
		return MBOX_FAILED;
	MboxFound found = next_separator(file, &separator, error);
	if (found == MBOX_FAILED)
		return found;
	found = judge_beginning(file, found, separator, first, quiet);
	if (found == MBOX_GREW && offset == 0)
		return find_headless(file, out_mail, error);
	return found == MBOX_FOUND ? mbox_file_next(file, out_mail, error) : found;
}
