/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/git.h"

#include "bot/base/error.h"

void git_start(void)
{
	static gsize started = 0;

	if (g_once_init_enter(&started)) {
		git_libgit2_init();
		/* Our repositories may be owned by another uid than ours (root runs the demo of a
		 * user); we never run anything a repository's configuration names. */
		git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
		g_once_init_leave(&started, 1);
	}
}

static BotError code_of(int rc, int klass)
{
	switch (rc) {
	case GIT_ENOTFOUND:
	case GIT_EINVALIDSPEC:
	case GIT_EUNBORNBRANCH:
		return BOT_ERROR_NOT_FOUND;
	case GIT_ELOCKED:
		return BOT_ERROR_TRANSIENT;
	case GIT_EAMBIGUOUS:
	case GIT_ECONFLICT:
	case GIT_EAPPLYFAIL:
	case GIT_EEXISTS:
	case GIT_EMERGECONFLICT:
		return BOT_ERROR_CONFLICT;
	default:
		break;
	}
	return klass == GIT_ERROR_NET || klass == GIT_ERROR_OS || klass == GIT_ERROR_NOMEMORY
		       ? BOT_ERROR_TRANSIENT
		       : BOT_ERROR_PERMANENT;
}

bool git_fail(GError **error, int rc, const char *format, ...)
{
	/* May be NULL or stale (docs/error-handling.md of libgit2): taken at once, used with care.
	 */
	const git_error *last = git_error_last();
	va_list args;

	va_start(args, format);
	g_autofree char *what = g_strdup_vprintf(format, args);
	va_end(args);

	g_set_error(error, BOT_ERROR, (int)code_of(rc, last == NULL ? 0 : last->klass),
		    "%s: %s (libgit2 %d)", what,
		    last == NULL || last->message == NULL ? "no reason given" : last->message, rc);
	git_error_clear();
	return false;
}
