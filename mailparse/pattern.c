/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/pattern.h"

GRegex *pattern_get(const char *pattern)
{
	static GMutex lock;
	static GHashTable *compiled;

	g_mutex_lock(&lock);
	if (!compiled)
		compiled = g_hash_table_new(g_direct_hash, g_direct_equal);
	GRegex *regex = g_hash_table_lookup(compiled, pattern);
	if (!regex) {
		regex = g_regex_new(pattern, G_REGEX_CASELESS | G_REGEX_OPTIMIZE, 0, NULL);
		g_hash_table_insert(compiled, (gpointer)(gsize)pattern, regex);
	}
	g_mutex_unlock(&lock);
	g_assert(regex != NULL);
	return regex;
}

bool pattern_matches(const char *pattern, const char *text)
{
	return g_regex_match(pattern_get(pattern), text, 0, NULL);
}

bool pattern_matches_any(const char *const *patterns, const char *text)
{
	for (gsize i = 0; patterns[i]; i++) {
		if (pattern_matches(patterns[i], text))
			return true;
	}
	return false;
}
