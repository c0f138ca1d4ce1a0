/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/git/refusal.h"

#include "bot/base/error.h"
#include "bot/base/log.h"

#define QUOTE_MAX_BYTES 72

void apply_failure_clear(ApplyFailure *failure)
{
	g_clear_pointer(&failure->path, g_free);
	g_clear_pointer(&failure->reason, g_free);
	*failure = (ApplyFailure){0};
}

bool refuse(ApplyFailure *failure, GError **error, const char *path, unsigned hunk,
	    const char *format, ...)
{
	g_autofree char *shown = path ? log_escape(path, -1) : NULL;
	g_autofree char *place = NULL;
	va_list args;

	apply_failure_clear(failure);
	va_start(args, format);
	failure->reason = g_strdup_vprintf(format, args);
	va_end(args);
	failure->path = g_strdup(path);
	failure->hunk = hunk;

	if (hunk > 0)
		place = g_strdup_printf("%s: hunk %u: ", shown, hunk);
	else
		place = shown ? g_strdup_printf("%s: ", shown) : g_strdup("");
	g_set_error(error, BOT_ERROR, BOT_ERROR_CONFLICT, "%s%s", place, failure->reason);
	return false;
}

char *refusal_quote(const char *bytes, gsize len)
{
	bool cut = len > QUOTE_MAX_BYTES;
	g_autofree char *escaped = log_escape(bytes, (gssize)(cut ? QUOTE_MAX_BYTES : len));

	return g_strdup_printf("\"%s%s\"", escaped, cut ? "..." : "");
}
