/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/error.h"

#include <errno.h>
#include <string.h>

G_DEFINE_QUARK(bot_error, bot_error)

static BotError code_of_errno(int errnum)
{
	switch (errnum) {
	case ENOENT:
		return BOT_ERROR_NOT_FOUND;
	case ENOSPC:
	case EDQUOT:
	case EAGAIN:
	case EINTR:
	case ENOMEM:
	case EBUSY:
	case EMFILE:
	case ENFILE:
		return BOT_ERROR_TRANSIENT;
	default:
		return BOT_ERROR_PERMANENT;
	}
}

void bot_error_set_errno(GError **error, int errnum, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	g_autofree char *what = g_strdup_vprintf(format, args);
	va_end(args);

	g_set_error(error, BOT_ERROR, (int)code_of_errno(errnum), "%s: %s", what,
		    g_strerror(errnum));
}

int bot_error_exit_code(const GError *error)
{
	if (error == NULL)
		return 0;
	if (error->domain == G_OPTION_ERROR)
		return 2;
	if (error->domain != BOT_ERROR)
		return 1;
	switch ((BotError)error->code) {
	case BOT_ERROR_USAGE:
		return 2;
	case BOT_ERROR_TRANSIENT:
	case BOT_ERROR_PEER:
		return 75;
	case BOT_ERROR_CONFIG:
		return 78;
	case BOT_ERROR_PERMANENT:
	case BOT_ERROR_CONFLICT:
	case BOT_ERROR_CORRUPT:
	case BOT_ERROR_NOT_FOUND:
	case BOT_ERROR_BUG:
		break;
	}
	return 1;
}
