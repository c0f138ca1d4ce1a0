/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/maildir_file.h"

#include "bot/base/autofd.h"
#include "bot/base/clock.h"
#include "bot/intake/watch.h"
#include "mailparse/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define EMPTY_FOR_US (60 * CLOCK_US_PER_S)

/* All of a file, up to one byte over the cap at least. */
static bool read_all(int fd, GByteArray *out_bytes)
{
	guint8 buffer[64 * 1024];

	while (out_bytes->len <= MAIL_MAX_BYTES) {
		ssize_t n = read(fd, buffer, sizeof buffer);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0;
		g_byte_array_append(out_bytes, buffer, (guint)n);
	}
	return true;
}

static bool is_young(const struct stat *info)
{
	int64_t changed_us = (int64_t)info->st_mtim.tv_sec * CLOCK_US_PER_S;

	return g_get_real_time() - changed_us < EMPTY_FOR_US;
}

static MaildirFileState unreadable(int *out_errnum)
{
	*out_errnum = errno;
	return MAILDIR_FILE_UNREADABLE;
}

MaildirFileState maildir_file_read(int folder_fd, const char *name, GBytes **out_bytes,
				   int64_t *out_size, int *out_errnum)
{
	autofd int fd = openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat info;
	bool unwritten, written;

	*out_bytes = NULL;
	if (fd < 0 && (errno == ENOENT || errno == ELOOP))
		return MAILDIR_FILE_MOVED;
	if (fd < 0 || !watch_stat(fd, &info, &unwritten, &written))
		return unreadable(out_errnum);
	if (!S_ISREG(info.st_mode))
		return MAILDIR_FILE_MOVED;
	if (written || (info.st_size == 0 && is_young(&info)))
		return MAILDIR_FILE_UNFINISHED;

	/* It may grow meanwhile, where nobody could say whether it is written. */
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	if (info.st_size <= MAIL_MAX_BYTES && !read_all(fd, bytes))
		return unreadable(out_errnum);
	*out_size = bytes->len > 0 ? bytes->len : info.st_size;
	if (*out_size <= MAIL_MAX_BYTES)
		*out_bytes = g_byte_array_free_to_bytes(g_steal_pointer(&bytes));
	return MAILDIR_FILE_READ;
}
