/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * autofd - a file descriptor that closes itself at the end of its scope.
 *
 *	autofd int fd = open(...);
 *	return autofd_steal(&fd);
 */

#include <errno.h>
#include <unistd.h>

static inline void autofd_close(int *fd)
{
	if (*fd >= 0) {
		int saved = errno;
		close(*fd);
		errno = saved;
	}
	*fd = -1;
}

static inline int autofd_steal(int *fd)
{
	int taken = *fd;
	*fd = -1;
	return taken;
}

#define autofd __attribute__((cleanup(autofd_close)))
