/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/git/commitmsg.h"

#include "mailparse/trailer.h"

#include <stdbool.h>
#include <string.h>

static void strip_space(GString *out, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	bool gap = false;

	for (char **line = lines; *line; line++) {
		g_strchomp(*line);
		if ((*line)[0] == '\0') {
			gap = out->len > 0;
			continue;
		}
		if (gap)
			g_string_append_c(out, '\n');
		gap = false;
		g_string_append(out, *line);
		g_string_append_c(out, '\n');
	}
}

static bool has_link(const GPtrArray *trailers, const char *link)
{
	for (guint i = 0; i < trailers->len; i++) {
		const Trailer *trailer = trailers->pdata[i];
		if (g_ascii_strcasecmp(trailer->key, "Link") == 0 &&
		    strcmp(trailer->value, link) == 0)
			return true;
	}
	return false;
}

char *commitmsg_compose(const char *title, const char *body, const char *link)
{
	GString *out = g_string_new(NULL);
	g_autofree char *whole = g_strdup_printf("%s\n\n%s", title, body ? body : "");

	strip_space(out, whole);
	if (link) {
		g_autoptr(GPtrArray) trailers = trailer_list(out->str);
		if (has_link(trailers, link))
			return g_string_free(out, FALSE);
		g_string_append_printf(out, "%sLink: %s\n", trailers->len > 0 ? "" : "\n", link);
	}
	return g_string_free(out, FALSE);
}

static bool is_crud(char c)
{
	return (guchar)c <= 32 || strchr(".,:;<>\"\\'", c);
}

char *commitmsg_clean_name(const char *name)
{
	gsize start = 0;
	gsize end = strlen(name);
	GString *out = g_string_new(NULL);

	while (start < end && is_crud(name[start]))
		start++;
	while (end > start && is_crud(name[end - 1]))
		end--;
	for (gsize i = start; i < end; i++) {
		if (!strchr("<>\n", name[i]))
			g_string_append_c(out, name[i]);
	}
	return g_string_free(out, FALSE);
}
