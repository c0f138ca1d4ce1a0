/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/url.h"

#include "tests/unit/check_main.h"

START_TEST(repositories_are_told_from_links_and_pages)
{
	static const struct {
		const char *word;
		UrlKind kind;
		const char *repo, *ref;
	} rows[] = {
		{"git://git.example.org/pub/linux.git", URL_REPO,
		 "git://git.example.org/pub/linux.git", NULL},
		{"https://github.com/ann/linux", URL_REPO, "https://github.com/ann/linux", NULL},
		{"git@github.com:ann/linux.git", URL_REPO, "git@github.com:ann/linux.git", NULL},
		{"https://git.kernel.org/pub/scm/linux/kernel/git/x/y.git/", URL_REPO,
		 "https://git.kernel.org/pub/scm/linux/kernel/git/x/y.git/", NULL},
		{"https://github.com/ann/linux/tree/wip", URL_REPO, "https://github.com/ann/linux",
		 "wip"},
		{"https://github.com/ann/linux/releases/tag/v1", URL_REPO,
		 "https://github.com/ann/linux", "v1"},
		{"https://lore.kernel.org/all/20240506-foo@example.org/", URL_ARCHIVE, NULL, NULL},
		{"https://patchwork.example.org/patch/12/", URL_ARCHIVE, NULL, NULL},
		{"https://github.com/ann/linux/commit/0123456789abcdef", URL_COMMIT,
		 "https://github.com/ann/linux", "0123456789abcdef"},
		{"https://github.com/ann/linux/pull/9", URL_PULL, "https://github.com/ann/linux",
		 "refs/pull/9/head"},
		{"https://example.org/foo.html", URL_OTHER, NULL, NULL},
		{"https://example.org/tree/foo", URL_OTHER, NULL, NULL},
		{"https://github.com/ann/linux/issues/3", URL_OTHER, NULL, NULL},
		{"https://github.com/ann/linux/releases", URL_OTHER, NULL, NULL},
		{"ftp://example.org/x.git", URL_OTHER, NULL, NULL},
		{"https://a\"b/c.git", URL_OTHER, NULL, NULL},
		{"linux", URL_OTHER, NULL, NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *repo = NULL;
		g_autofree char *ref = NULL;
		UrlKind kind = url_read(rows[i].word, &repo, &ref);
		ck_assert_msg(kind == rows[i].kind, "%s: %u", rows[i].word, (guint)kind);
		ck_assert_msg(g_strcmp0(repo, rows[i].repo) == 0, "%s: %s", rows[i].word, repo);
		ck_assert_msg(g_strcmp0(ref, rows[i].ref) == 0, "%s: %s", rows[i].word, ref);
	}
}
END_TEST

START_TEST(a_link_is_not_a_repository_as_a_whole)
{
	ck_assert(url_is_link(URL_COMMIT) && url_is_link(URL_PULL) && url_is_link(URL_ARCHIVE));
	ck_assert(!url_is_link(URL_REPO) && !url_is_link(URL_OTHER));
}
END_TEST

CHECK_MAIN("url", repositories_are_told_from_links_and_pages, a_link_is_not_a_repository_as_a_whole)
