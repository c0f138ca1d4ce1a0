/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/clock.h"

#include "bot/base/error.h"

#include <string.h>

struct Clock {
	bool fixed;
	int64_t now_us;
};

Clock *clock_new_system(void)
{
	return g_new0(Clock, 1);
}

Clock *clock_new_fixed(int64_t now_us)
{
	Clock *clock = g_new0(Clock, 1);
	clock->fixed = true;
	clock->now_us = now_us;
	return clock;
}

void clock_free(Clock *clock)
{
	g_free(clock);
}

int64_t clock_now_us(const Clock *clock)
{
	return clock->fixed ? clock->now_us : g_get_real_time();
}

bool clock_is_fixed(const Clock *clock)
{
	return clock->fixed;
}

void clock_set(Clock *clock, int64_t now_us)
{
	g_return_if_fail(clock->fixed);
	clock->now_us = now_us;
}

bool clock_parse_iso(const char *text, int64_t *out_us, GError **error)
{
	g_autoptr(GTimeZone) utc = g_time_zone_new_utc();
	g_autofree char *full =
		strchr(text, 'T') == NULL ? g_strconcat(text, "T00:00:00Z", NULL) : g_strdup(text);
	g_autoptr(GDateTime) when = g_date_time_new_from_iso8601(full, utc);

	if (when == NULL) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_USAGE,
			    "\"%s\" is not a date; write 2026-01-31 or 2026-01-31T12:00:00Z", text);
		return false;
	}
	*out_us = g_date_time_to_unix(when) * CLOCK_US_PER_S + g_date_time_get_microsecond(when);
	return true;
}

static char *format_utc(int64_t us, const char *format)
{
	int64_t seconds = us / CLOCK_US_PER_S - (us % CLOCK_US_PER_S < 0);
	g_autoptr(GDateTime) when = g_date_time_new_from_unix_utc(seconds);
	/* Out of GLib's range (years 1 to 9999): say so in place of a date. */
	return when == NULL ? g_strdup("(no date)") : g_date_time_format(when, format);
}

char *clock_format_iso(int64_t us)
{
	return format_utc(us, "%Y-%m-%dT%H:%M:%SZ");
}

char *clock_format_rfc5322(int64_t us)
{
	static const char *const days[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
	static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
					     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	g_autoptr(GDateTime) when = g_date_time_new_from_unix_utc(us / CLOCK_US_PER_S);
	g_return_val_if_fail(when != NULL, NULL);
	/* Not by strftime: names of days and months must not follow the locale. */
	return g_strdup_printf(
		"%s, %d %s %04d %02d:%02d:%02d +0000", days[g_date_time_get_day_of_week(when) - 1],
		g_date_time_get_day_of_month(when), months[g_date_time_get_month(when) - 1],
		g_date_time_get_year(when), g_date_time_get_hour(when),
		g_date_time_get_minute(when), g_date_time_get_second(when));
}
