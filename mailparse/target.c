/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/target.h"

#include <string.h>

#define HASH_MIN 7u
#define HASH_MAX 40u
#define REF_MAX_BYTES 250u

static bool has_any(const char *text, const char *const *needles)
{
	for (gsize i = 0; needles[i]; i++) {
		if (strstr(text, needles[i]))
			return true;
	}
	return false;
}

/* An URL holds no quotes, brackets or control bytes: it may end up in a mail and in an argv. */
static bool is_clean(const char *word)
{
	for (const char *c = word; *c; c++) {
		if (!g_ascii_isgraph(*c) || strchr("<>\"`\\", *c))
			return false;
	}
	return true;
}

bool target_is_url(const char *word)
{
	static const char *const schemes[] = {"https://", "http://", "git://", "ssh://", "git@"};

	for (gsize i = 0; i < G_N_ELEMENTS(schemes); i++) {
		gsize len = strlen(schemes[i]);
		if (g_str_has_prefix(word, schemes[i]) && g_ascii_isalnum(word[len]))
			return is_clean(word) && strpbrk(word + len, "/:") != NULL;
	}
	return false;
}

bool target_is_link(const char *word)
{
	static const char *const archives[] = {
		"//lore.kernel.org/",
		"//lkml.kernel.org/",
		"//lkml.org/",
		"//marc.info/",
		"//patchwork.",
		"/patchwork/",
		"//lists.",
		"//public-inbox.",
		"/msgid/",
		"//bugzilla.",
		"/mailman/",
		"//mid.",
		"/commit/",
		"/commit?",
		"a=commit",
		"/pull/",
		"/pipermail/",
		"//www.spinics.net/",
		"/merge_requests/",
		NULL,
	};

	if (!target_is_url(word))
		return false;
	return has_any(word, archives) && !strstr(word, ".git/log");
}

bool target_is_repo(const char *word)
{
	static const char *const hosts[] = {
		"//github.com/",        "//gitlab.", "//git.", "/git/", "//codeberg.org/",
		"//sourceware.org/git", NULL};
	static const char *const pages[] = {"/issues/", "/wiki",   "/blob/",    "/raw/", ".txt",
					    ".html",    "/plain/", "/releases", NULL};

	if (!target_is_url(word) || target_is_link(word) || has_any(word, pages))
		return false;
	return g_str_has_prefix(word, "git://") || g_str_has_prefix(word, "ssh://") ||
	       g_str_has_prefix(word, "git@") || strstr(word, ".git") || has_any(word, hosts);
}

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

char *target_commit_of_link(const char *link)
{
	static const char *const marks[] = {
		"/commit/?id=", "/commit/?h=", "/commit/", "?id=", "&id=", ";h=", "/-/commit/"};

	for (gsize i = 0; i < G_N_ELEMENTS(marks); i++) {
		const char *at = strstr(link, marks[i]);
		if (!at)
			continue;
		at += strlen(marks[i]);
		g_autofree char *word = g_strndup(at, strspn(at, "0123456789abcdefABCDEF"));
		if (target_is_hash(word))
			return g_steal_pointer(&word);
	}
	return NULL;
}
