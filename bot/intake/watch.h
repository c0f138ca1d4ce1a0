/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * watch - files and folders of this machine that tell when they change, by inotify.
 *
 * What inotify cannot see (another client's writes to a network file system) is the caller's to
 * find, by looking again when a wait has ended.
 */

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/** watch_open: a descriptor, or -1 with errno set. */
int watch_open(void);

/**
 * watch_add: again for a path that was made anew; an existing watch is kept as it is.
 *
 * Returns: false with errno set
 */
bool watch_add(int watch_fd, const char *path, uint32_t events);

/** watch_drain: reads away what there is to tell; true when there was anything. */
bool watch_drain(int watch_fd);

/**
 * watch_wait: until something is told, @stop_fd is readable or @timeout_ms have passed.
 * @watch_fd, @stop_fd: -1 for none
 *
 * May end early: the caller looks for news in any case.
 */
void watch_wait(int watch_fd, int stop_fd, int timeout_ms);

/** watch_stop_asked: @stop_fd (-1 for none) is readable. */
bool watch_stop_asked(int stop_fd);

/**
 * watch_stat:
 * @fd: of a regular file, open for reading only
 * @out_unwritten: nobody had the file open for writing when @out_info was taken.  True only where
 *   the kernel vouches for it (F_SETLEASE in fcntl(2))
 * @out_written: somebody had.  Neither: the file is not ours, or far away
 *
 * Returns: false with errno set
 */
bool watch_stat(int fd, struct stat *out_info, bool *out_unwritten, bool *out_written);
