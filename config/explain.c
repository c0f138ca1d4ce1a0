/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config/keys.h"

#include <string.h>

#define WIDTH 72

/* @text wrapped at blanks, each line after @indent. */
static void append_wrapped(GString *out, const char *indent, const char *text)
{
	while (*text != '\0') {
		size_t len = strlen(text), cut = len;

		if (len > WIDTH) {
			cut = WIDTH;
			while (cut > 0 && text[cut] != ' ')
				cut--;
			cut = cut == 0 ? len : cut;
		}
		g_string_append_printf(out, "%s%.*s\n", indent, (int)cut, text);
		text += cut;
		text += strspn(text, " ");
	}
}

static void append_section(GString *out, const SectionKind *kind)
{
	g_string_append_printf(out, "%s[%s%s]  %s\n", out->len > 0 ? "\n" : "", kind->name,
			       kind->named ? " \"NAME\"" : "", kind->help);
}

static void append_key(GString *out, const Key *key)
{
	g_string_append_printf(out, "  %s.%s (%s", key->section, key->name,
			       key_type_name(key->type));
	if (key->flags & KEY_REQUIRED)
		g_string_append(out, "; required");
	if (key->fallback != NULL)
		g_string_append_printf(out, "; default %s", key->fallback);
	g_string_append(out, ")\n");
	append_wrapped(out, "      ", key->help);
}

static bool matches(const Key *key, const char *wanted)
{
	g_autofree char *full = g_strconcat(key->section, ".", key->name, NULL);

	return wanted == NULL || g_ascii_strcasecmp(wanted, key->section) == 0 ||
	       g_ascii_strcasecmp(wanted, full) == 0;
}

char *config_explain(const char *wanted)
{
	g_autoptr(GString) out = g_string_new(NULL);
	size_t n_kinds = 0, n = 0;
	const SectionKind *kinds = sections_all(&n_kinds);
	const Key *keys = keys_all(&n);

	for (size_t k = 0; k < n_kinds; k++) {
		bool begun = false;

		for (size_t i = 0; i < n; i++) {
			if (strcmp(keys[i].section, kinds[k].name) != 0 ||
			    !matches(&keys[i], wanted))
				continue;
			if (!begun)
				append_section(out, &kinds[k]);
			begun = true;
			append_key(out, &keys[i]);
		}
	}
	return out->len == 0 ? NULL : g_string_free(g_steal_pointer(&out), FALSE);
}
