/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/log.h"

#include "bot/base/clock.h"

#include <string.h>
#include <unistd.h>

/* The log writer is one of the three pieces of state a process has (with library init and the
 * SIGTERM flag): every module writes to it, and passing it everywhere would hide what matters. */
static struct {
	const char *program;
	LogLevel least;
	bool colour;
} writer = {"lorebot", LOG_LEVEL_INFO, false};

void log_setup(const char *program, LogLevel least)
{
	writer.program = program;
	writer.least = least;
	writer.colour = isatty(STDERR_FILENO) == 1;
}

static void append_escaped(GString *out, const char *text, gsize len)
{
	while (len > 0) {
		gunichar c = g_utf8_get_char_validated(text, (gssize)len);
		gsize width = 1;
		bool plain = c != (gunichar)-1 && c != (gunichar)-2 && g_unichar_isprint(c);
		if (plain) {
			width = (gsize)g_utf8_skip[(guchar)*text];
			g_string_append_len(out, text, (gssize)width);
		} else {
			g_string_append_printf(out, "\\x%02x", (guchar)*text);
		}
		text += width;
		len -= width;
	}
}

char *log_escape(const char *text, gssize len)
{
	GString *out = g_string_new(NULL);
	append_escaped(out, text, len < 0 ? strlen(text) : (gsize)len);
	return g_string_free(out, FALSE);
}

static const char *level_name(LogLevel level)
{
	switch (level) {
	case LOG_LEVEL_DEBUG:
		return "debug";
	case LOG_LEVEL_INFO:
		return "info";
	case LOG_LEVEL_WARNING:
		return "warning";
	case LOG_LEVEL_ERROR:
		return "error";
	}
	return "?";
}

static const char *level_colour(LogLevel level)
{
	if (!writer.colour || level < LOG_LEVEL_WARNING)
		return "";
	return level == LOG_LEVEL_ERROR ? "\033[31m" : "\033[33m";
}

void log_event(LogLevel level, const char *event, const char *format, ...)
{
	if (level < writer.least)
		return;

	va_list args;
	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);

	g_autofree char *when = clock_format_iso(g_get_real_time());
	g_autofree char *safe = log_escape(text, -1);
	const char *colour = level_colour(level);
	g_autofree char *line =
		g_strdup_printf("%s %s[%d] %s%s %s%s: %s\n", when, writer.program, (int)getpid(),
				colour, level_name(level), event, *colour ? "\033[0m" : "", safe);
	/* One write a line, so that lines of several processes do not mix. */
	ssize_t written = write(STDERR_FILENO, line, strlen(line));
	(void)written; /* nowhere left to complain */
}
