/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/daemon/stopfd.h"

#include "bot/base/error.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>

int stopfd_open(GError **error)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	if (sigprocmask(SIG_BLOCK, &signals, NULL) != 0) {
		bot_error_set_errno(error, errno, "cannot block signals");
		return -1;
	}
	/* Nobody reads it, so it stays readable. */
	int fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		bot_error_set_errno(error, errno, "cannot make a signal descriptor");
	return fd;
}
