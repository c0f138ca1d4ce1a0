/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/watch.h"

#include <poll.h>
#include <sys/inotify.h>
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
