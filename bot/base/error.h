/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * error - the one error domain of everything above mailparse.
 *
 * The code tells the caller its next move; the message tells the person what, where and what to do.
 * A function returns bool or a pointer and sets a GError; nothing prints, nothing aborts on input.
 */

#include <glib.h>
#include <stdbool.h>

typedef enum {
	BOT_ERROR_TRANSIENT, /* try again later: network, lock, disk full                       */
	BOT_ERROR_PERMANENT, /* the same input will fail the same way; record it and go on      */
	BOT_ERROR_PEER,      /* a server or a child broke its protocol: drop the connection     */
	BOT_ERROR_CONFLICT,  /* a patch does not apply, a key is taken, a state has moved on    */
	BOT_ERROR_CORRUPT,   /* our own stored data is not what it must be: stop, tell a person */
	BOT_ERROR_CONFIG,    /* the operator's file is wrong: exit 78                           */
	BOT_ERROR_USAGE,     /* the command line is wrong: exit 2                               */
	BOT_ERROR_NOT_FOUND, /* the named thing does not exist                                  */
	BOT_ERROR_BUG,       /* cannot happen                                                   */
} BotError;

#define BOT_ERROR bot_error_quark()
GQuark bot_error_quark(void);

/**
 * bot_error_set_errno:
 * @error: (nullable): where to put it
 * @errnum: an errno value; ENOSPC, EAGAIN, EINTR, EDQUOT, ENOMEM, EBUSY become TRANSIENT,
 *   ENOENT NOT_FOUND, all others PERMANENT
 * @format: what was being done to what, without a full stop
 *
 * The message is "WHAT: strerror".
 */
void bot_error_set_errno(GError **error, int errnum, const char *format, ...) G_GNUC_PRINTF(3, 4);

/**
 * bot_error_exit_code:
 * @error: (nullable): what a command failed with
 *
 * Returns: 0 for NULL, 2 for USAGE, 75 for TRANSIENT and PEER, 78 for CONFIG, else 1 (sysexits.h)
 */
int bot_error_exit_code(const GError *error);
