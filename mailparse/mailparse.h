/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * mailparse - the error domain and start of the mail reader.
 *
 * Everything below mailparse/ is pure: bytes in, structs out, no I/O, clock, configuration, git or
 * SQL, and all of it may be handed hostile bytes.
 */

#include <glib.h>

typedef enum {
	MAIL_ERROR_SYNTAX, /* not what the grammar asks; the message says where                  */
	MAIL_ERROR_LIMIT,  /* over a limit of limits.h                                           */
	MAIL_ERROR_UNSAFE, /* a value that must never be used (control byte in an address, ...)  */
} MailError;

#define MAIL_ERROR mail_error_quark()
GQuark mail_error_quark(void);

/** mailparse_start: idempotent, starts GMime. */
void mailparse_start(void);
