/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/target.h"

#include <string.h>

#define HASH_MIN 7u
#define HASH_MAX 40u
#define REF_MAX_BYTES 250u

bool target_is_ref(const char *word)
{
	gsize len = strlen(word);

	if (len == 0 || len > REF_MAX_BYTES || strchr("-/.", word[0]) ||
	    strchr("/.,", word[len - 1]))
		return false;
	for (gsize i = 0; i < len; i++) {
		if (!g_ascii_isgraph(word[i]) || strchr("~^:?*[]\\<>\"'`(){},;!=&|$", word[i]))
			return false;
	}
	return !strstr(word, "..") && !strstr(word, "//") && !strstr(word, "@{");
}

bool target_is_hash(const char *word)
{
	gsize len = strlen(word);

	return len >= HASH_MIN && len <= HASH_MAX &&
	       strspn(word, "0123456789abcdefABCDEF") == len && strpbrk(word, "0123456789") != NULL;
}

char *target_trim(const char *word)
{
	const char *start = word + strspn(word, "<([{\"'`");
	gsize len = strlen(start);

	while (len > 0 && strchr(">)]}\"'`.,;:!?", start[len - 1])) {
		/* "...(foo)" keeps its bracket, as wiki links have it */
		if (start[len - 1] == ')' && memchr(start, '(', len))
			break;
		len--;
	}
	return g_strndup(start, len);
}
