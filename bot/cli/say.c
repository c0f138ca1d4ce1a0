/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/say.h"

#include "bot/base/log.h"

#include <stdarg.h>
#include <stdio.h>

G_GNUC_PRINTF(2, 0) static void put_line(FILE *out, const char *format, va_list args)
{
	g_autofree char *text = g_strdup_vprintf(format, args);
	g_autofree char *safe = log_escape(text, -1);

	fputs(safe, out);
	fputc('\n', out);
}

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_line(stdout, format, args);
	va_end(args);
}

void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_line(stderr, format, args);
	va_end(args);
}

char *counted(int64_t n, const char *one, const char *many)
{
	return g_strdup_printf("%" G_GINT64_FORMAT " %s", n, n == 1 ? one : many);
}
