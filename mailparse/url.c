/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/url.h"

#include "mailparse/page.h"

#include <string.h>

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

bool url_is(const char *word)
{
	static const char *const schemes[] = {"https://", "http://", "git://", "ssh://", "git@"};

	for (gsize i = 0; i < G_N_ELEMENTS(schemes); i++) {
		gsize len = strlen(schemes[i]);
		if (g_str_has_prefix(word, schemes[i]) && g_ascii_isalnum(word[len]))
			return is_clean(word) && strpbrk(word + len, "/:") != NULL;
	}
	return false;
}

static bool is_archive(const char *word)
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
		"/pipermail/",
		"//www.spinics.net/",
		"/mail-archive",
		NULL,
	};

	return has_any(word, archives);
}

/* Not of a repository, but of something that is kept beside one. */
static bool is_other_page(const char *word)
{
	static const char *const pages[] = {"/issues/", "/wiki",   "/blob/",    "/raw/", ".txt",
					    ".html",    "/plain/", "/releases", NULL};

	return has_any(word, pages) && !strstr(word, "/releases/tag/");
}

static bool is_repo(const char *word)
{
	static const char *const hosts[] = {"//github.com/",
					    "//gitlab.",
					    "//git.",
					    "//cgit.",
					    "//gitea.",
					    "/git/",
					    "//codeberg.org/",
					    "//bitbucket.org/",
					    "//salsa.debian.org/",
					    "//gitee.com/",
					    "//repo.or.cz/",
					    ".googlesource.com/",
					    "//sourceware.org/git",
					    NULL};

	return g_str_has_prefix(word, "git://") || g_str_has_prefix(word, "ssh://") ||
	       g_str_has_prefix(word, "git@") || strstr(word, ".git") || has_any(word, hosts);
}

UrlKind url_read(const char *word, char **out_repo, char **out_ref)
{
	*out_repo = *out_ref = NULL;
	if (!url_is(word))
		return URL_OTHER;
	if (is_archive(word))
		return URL_ARCHIVE;
	if (is_other_page(word) || !is_repo(word))
		return URL_OTHER;
	switch (page_read(word, out_repo, out_ref)) {
	case PAGE_COMMIT:
		return URL_COMMIT;
	case PAGE_PULL:
		return URL_PULL;
	case PAGE_TREE:
		return URL_REPO;
	case PAGE_NONE:
		*out_repo = g_strdup(word);
		return URL_REPO;
	}
	g_assert_not_reached();
}

bool url_is_link(UrlKind kind)
{
	return kind == URL_COMMIT || kind == URL_PULL || kind == URL_ARCHIVE;
}
