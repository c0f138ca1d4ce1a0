/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/page.h"

#include "tests/unit/check_main.h"

#define CGIT "https://git.example.org/pub/scm/ann/linux.git"
#define HUB "https://github.com/ann/linux"
#define LAB "https://gitlab.example.org/ann/linux"
#define BERG "https://codeberg.org/ann/linux"
#define HUT "https://git.sr.ht/~ann/linux"
#define HASH "0123456789abcdef0123456789abcdef01234567"

typedef struct {
	const char *url;
	PageKind kind;
	const char *repo, *ref;
} Row;

static void check(const Row *rows, gsize n)
{
	for (gsize i = 0; i < n; i++) {
		g_autofree char *repo = NULL;
		g_autofree char *ref = NULL;
		PageKind kind = page_read(rows[i].url, &repo, &ref);
		ck_assert_msg(kind == rows[i].kind, "%s: %u", rows[i].url, (guint)kind);
		ck_assert_msg(g_strcmp0(repo, rows[i].repo) == 0, "%s: %s", rows[i].url, repo);
		ck_assert_msg(g_strcmp0(ref, rows[i].ref) == 0, "%s: %s", rows[i].url, ref);
	}
}

START_TEST(pages_of_cgit_are_read)
{
	static const Row rows[] = {
		{CGIT "/log/?h=wip-foo", PAGE_TREE, CGIT, "wip-foo"},
		{CGIT "/log?h=ann/topic", PAGE_TREE, CGIT, "ann/topic"},
		{CGIT "/log/?h=ann%2Ftopic&qt=author&q=x", PAGE_TREE, CGIT, "ann/topic"},
		{CGIT "/log/drivers/x?h=wip-foo", PAGE_TREE, CGIT, "wip-foo"},
		{CGIT "/tree/drivers/x.c?h=v6.9#n12", PAGE_TREE, CGIT, "v6.9"},
		{CGIT "/tree/drivers/x.c", PAGE_TREE, CGIT, NULL},
		{CGIT "/log/", PAGE_TREE, CGIT, NULL},
		{CGIT "/commit/?id=" HASH, PAGE_COMMIT, CGIT, HASH},
		{CGIT "/commit/?h=next&id=" HASH, PAGE_COMMIT, CGIT, HASH},
		{CGIT "/commit/?h=next", PAGE_COMMIT, CGIT, "next"},
		{CGIT "/commit/fs/x?id=" HASH, PAGE_COMMIT, CGIT, HASH},
		{CGIT "/patch/?id=" HASH, PAGE_COMMIT, CGIT, HASH},
		{CGIT "/tag/?h=foo-6.9", PAGE_TREE, CGIT, "foo-6.9"},
		{"https://git.example.org/wireguard/log/?h=stable", PAGE_TREE,
		 "https://git.example.org/wireguard", "stable"},
		{"https://git.kernel.org/cgit/linux/kernel/git/ann/linux.git/log/?h=x/y", PAGE_TREE,
		 "https://git.kernel.org/pub/scm/linux/kernel/git/ann/linux.git", "x/y"},
		{"https://git.kernel.org/torvalds/c/" HASH, PAGE_COMMIT, NULL, HASH},
		{"https://git.kernel.org/linus/" HASH, PAGE_COMMIT, NULL, HASH},
		{"https://git.example.org/logs/linux.git/log/?h=a", PAGE_TREE,
		 "https://git.example.org/logs/linux.git", "a"},
	};
	check(rows, G_N_ELEMENTS(rows));
}
END_TEST

START_TEST(pages_of_gitweb_are_read)
{
	static const Row rows[] = {
		{"https://git.example.org/?p=project/x.git;a=shortlog;h=refs/heads/wip", PAGE_TREE,
		 "https://git.example.org/project/x.git", "wip"},
		{"https://git.example.org/gitweb/?p=x.git&a=log&h=wip", PAGE_TREE,
		 "https://git.example.org/x.git", "wip"},
		{"https://git.example.org/git/?p=x.git;a=commitdiff;h=" HASH, PAGE_COMMIT,
		 "https://git.example.org/git/x.git", HASH},
		{"https://git.example.org/?p=x.git", PAGE_TREE, "https://git.example.org/x.git",
		 NULL},
		{"https://git.kernel.org/?p=linux/kernel/git/ann/x.git;a=summary", PAGE_TREE,
		 "https://git.kernel.org/pub/scm/linux/kernel/git/ann/x.git", NULL},
		{"https://git.example.org/x.git/shortlog/refs/heads/wip/a", PAGE_TREE,
		 "https://git.example.org/x.git", "wip/a"},
		{"https://git.example.org/x.git/commit/" HASH, PAGE_COMMIT,
		 "https://git.example.org/x.git", HASH},
	};
	check(rows, G_N_ELEMENTS(rows));
}
END_TEST

START_TEST(pages_of_forges_are_read)
{
	static const Row rows[] = {
		{HUB "/tree/wip-foo", PAGE_TREE, HUB, "wip-foo"},
		{HUB "/tree/ann/topic/", PAGE_TREE, HUB, "ann/topic"},
		{HUB "/tree/v6.9/drivers/x", PAGE_TREE, HUB, "v6.9"},
		{HUB "/tree/master/fs", PAGE_TREE, HUB, "master"},
		{HUB "/tree/" HASH "/fs", PAGE_TREE, HUB, HASH},
		{HUB "/commits/wip-foo?author=ann", PAGE_TREE, HUB, "wip-foo"},
		{HUB "/commit/" HASH, PAGE_COMMIT, HUB, HASH},
		{HUB "/commit/" HASH ".patch", PAGE_COMMIT, HUB, HASH},
		{HUB "/commit/" HASH "#diff-12", PAGE_COMMIT, HUB, HASH},
		{HUB "/compare/master...ann:wip", PAGE_NONE, NULL, NULL},
		{HUB "/compare/master...wip-foo", PAGE_TREE, HUB, "wip-foo"},
		{HUB "/releases/tag/v6.9-ann", PAGE_TREE, HUB, "v6.9-ann"},
		{HUB "/pull/12", PAGE_PULL, HUB, "refs/pull/12/head"},
		{HUB "/pull/12/files", PAGE_PULL, HUB, "refs/pull/12/head"},
		{HUB "/pull/12.patch", PAGE_PULL, HUB, "refs/pull/12/head"},
		{LAB "/-/tree/ann/topic?ref_type=heads", PAGE_TREE, LAB, "ann/topic"},
		{LAB "/-/commits/wip", PAGE_TREE, LAB, "wip"},
		{LAB "/-/commit/" HASH, PAGE_COMMIT, LAB, HASH},
		{LAB "/-/tags/v1", PAGE_TREE, LAB, "v1"},
		{LAB "/-/merge_requests/7/diffs", PAGE_PULL, LAB, "refs/merge-requests/7/head"},
		{LAB "/commit/" HASH, PAGE_COMMIT, LAB, HASH},
		{BERG "/src/branch/ann/topic", PAGE_TREE, BERG, "ann/topic"},
		{BERG "/src/commit/" HASH "/fs", PAGE_TREE, BERG, HASH},
		{BERG "/commits/branch/wip", PAGE_TREE, BERG, "wip"},
		{BERG "/pulls/3", PAGE_PULL, BERG, "refs/pull/3/head"},
		{HUT "/tree/wip", PAGE_TREE, HUT, "wip"},
		{HUT "/log/wip", PAGE_TREE, HUT, "wip"},
		{HUT "/commit/" HASH, PAGE_COMMIT, HUT, HASH},
		{"https://x.googlesource.com/kernel/common/+/refs/heads/wip", PAGE_TREE,
		 "https://x.googlesource.com/kernel/common", "wip"},
		{"https://x.googlesource.com/kernel/common/+log/wip", PAGE_TREE,
		 "https://x.googlesource.com/kernel/common", "wip"},
		{"https://git.example.org/x.git#wip", PAGE_TREE, "https://git.example.org/x.git",
		 "wip"},
	};
	check(rows, G_N_ELEMENTS(rows));
}
END_TEST

START_TEST(what_shows_no_ref_is_no_page)
{
	static const Row rows[] = {
		{HUB, PAGE_NONE, NULL, NULL},
		{HUB "/", PAGE_NONE, NULL, NULL},
		{CGIT, PAGE_NONE, NULL, NULL},
		{HUB "/tree/", PAGE_NONE, NULL, NULL},
		{"https://github.com/tree/wip", PAGE_NONE, NULL, NULL},
		{"https://git.example.org/log?h=wip", PAGE_NONE, NULL, NULL},
		{HUB "/tree/--upload-pack=x", PAGE_NONE, NULL, NULL},
		{HUB "/tree/a..b", PAGE_NONE, NULL, NULL},
		{HUB "/tree/%00", PAGE_NONE, NULL, NULL},
		{HUB "/tree/%ff", PAGE_NONE, NULL, NULL},
		{HUB "/tree/a%0a--b", PAGE_NONE, NULL, NULL},
		{"git@example.org:ann/linux.git", PAGE_NONE, NULL, NULL},
		{"git@example.org:ann/linux.git#wip", PAGE_TREE, "git@example.org:ann/linux.git",
		 "wip"},
		{"https://git.example.org", PAGE_NONE, NULL, NULL},
		{"https://git.example.org/?p=", PAGE_NONE, NULL, NULL},
		{"https://git.example.org/?p=--x", PAGE_NONE, NULL, NULL},
		{CGIT "/log/?h=%2e%2e", PAGE_TREE, CGIT, NULL},
	};
	check(rows, G_N_ELEMENTS(rows));
}
END_TEST

CHECK_MAIN("page", pages_of_cgit_are_read, pages_of_gitweb_are_read, pages_of_forges_are_read,
	   what_shows_no_ref_is_no_page)
