/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

int watch_open(void)
{
	return inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
}

bool watch_add(int watch_fd, const char *path, uint32_t events)
{
	return inotify_add_watch(watch_fd, path, events) >= 0;
}

bool watch_drain(int watch_fd)
{
	char events[4096];
	bool spoke = false;

	while (read(watch_fd, events, sizeof events) > 0)
		spoke = true;
	return spoke;
}

void watch_wait(int watch_fd, int stop_fd, int timeout_ms)
{
	struct pollfd fds[] = {{.fd = watch_fd, .events = POLLIN},
			       {.fd = stop_fd, .events = POLLIN}};

	/* An interrupted wait is a short one. */
	(void)poll(fds, G_N_ELEMENTS(fds), timeout_ms);
}

bool watch_stop_asked(int stop_fd)
{
	struct pollfd fd = {.fd = stop_fd, .events = POLLIN};

	return poll(&fd, 1, 0) > 0;
}

/* There a lease is refused in the same way because the server has granted nothing. */
static bool is_far_away(int fd)
{
	struct statfs info;

	return fstatfs(fd, &info) != 0 || info.f_type == NFS_SUPER_MAGIC ||
	       info.f_type == CIFS_SUPER_MAGIC || info.f_type == SMB2_SUPER_MAGIC;
}

bool watch_stat(int fd, struct stat *out_info, bool *out_unwritten, bool *out_written)
{
	/* Whoever opens it in between must not kill us: this signal is ignored by default. */
	(void)fcntl(fd, F_SETSIG, SIGURG);
	*out_unwritten = fcntl(fd, F_SETLEASE, F_RDLCK) == 0;
	*out_written = !*out_unwritten && errno == EAGAIN && !is_far_away(fd);
	bool fine = fstat(fd, out_info) == 0;
	int errnum = errno;
	if (*out_unwritten)
		(void)fcntl(fd, F_SETLEASE, F_UNLCK);
	errno = errnum;
	return fine;
}
