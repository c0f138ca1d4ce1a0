/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/targets.h"

#include "tests/unit/check_main.h"

#include <string.h>

#define HEAD                                                                                       \
	"From: Ann <ann@example.org>\nTo: bot@lab.example.org\nIn-Reply-To: <r@lab>\n"             \
	"Subject: Re: [foo] 0123456789: speed -5.0% regression\n\n"
#define REPO "https://git.example.org/ann/linux.git"
#define OTHER "git://git.example.org/bo/linux.git"
#define HASH "0123456789abcdef0123456789abcdef01234567"

static Request *read_body(const char *body)
{
	static const char *const own[] = {"bot@lab.example.org", NULL};
	const RequestContext context = {.own = own};
	g_autofree char *text = g_strconcat(HEAD, body, "\n", NULL);
	g_autoptr(Message) message = message_parse((const guint8 *)text, strlen(text), NULL);
	g_autoptr(Patch) patch = patch_from_message(message, NULL);

	return request_from_message(message, patch, &context);
}

/* "URL REF URL REF", "-" for no ref */
static char *sources_of(const Request *request)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < request->sources->len; i++) {
		const RequestSource *source = request->sources->pdata[i];
		g_string_append_printf(text, "%s%s %s", i > 0 ? " " : "", source->url,
				       source->ref ? source->ref : "-");
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

static char *commits_of(const Request *request)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < request->commits->len; i++) {
		const RequestCommit *commit = request->commits->pdata[i];
		g_string_append_printf(text, "%s%s", i > 0 ? " " : "", commit->sha);
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

typedef struct {
	const char *body, *repo, *branch;
} BranchRow;

START_TEST(a_branch_is_named_in_many_ways)
{
	static const BranchRow rows[] = {
		{"Could you please test " REPO " wip-foo?", REPO, "wip-foo"},
		{"Could you please test this branch:\n\n  " REPO " wish\n", REPO, "wish"},
		{"Could you please test this branch?\n\n    " REPO "\n    ann/wip\n", REPO,
		 "ann/wip"},
		{"Could you please test the wish branch of " REPO "?", REPO, "wish"},
		{"Please test branch 'wish' of " REPO ".", REPO, "wish"},
		{"Please test the branch \"wish\" from " REPO, REPO, "wish"},
		{"Please test my tree at " REPO ", branch wip/foo.", REPO, "wip/foo"},
		{"Can you test " REPO " (branch wish)?", REPO, "wish"},
		{"Can you test this?\n\nRepo: " REPO "\nBranch: wish\n", REPO, "wish"},
		{"Can you test it from here please:\ngit fetch " REPO " wip-foo && git checkout "
		 "FETCH_HEAD\n",
		 REPO, "wip-foo"},
		{"Can you test this tree:\n\n  git clone -b wish " REPO "\n", REPO, "wish"},
		{"Can you test what is in\n\n  " REPO " tags/foo-6.9\n", REPO, "tags/foo-6.9"},
		{"Can you test the tag foo-6.9 in " REPO "?", REPO, "foo-6.9"},
		{"I pushed it to the 'wish' branch of my tree.\nCan you test it please?\n" REPO
		 "\n",
		 REPO, "wish"},
		{"Can you run this with " REPO "#wish please", REPO "#wish", "wish"},
		{"Could you test " REPO "/log/?h=wip-foo please?", REPO "/log/?h=wip-foo",
		 "wip-foo"},
		{"Could you test the same tree again: " REPO "?", REPO, NULL},
		{"Could you test the fixed branch: " REPO " and tell me the numbers?", REPO, NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(Request) request = read_body(rows[i].body);
		ck_assert_msg(request->act && request->runnable, "%s", rows[i].body);
		ck_assert_msg(g_strcmp0(request->repo, rows[i].repo) == 0, "%s: %s", rows[i].body,
			      request->repo);
		ck_assert_msg(g_strcmp0(request->branch, rows[i].branch) == 0, "%s: %s",
			      rows[i].body, request->branch);
	}
}
END_TEST

START_TEST(sources_say_where_git_finds_what_a_page_shows)
{
	static const char *const rows[][2] = {
		{"Please test " REPO "/log/?h=wip-foo", REPO " wip-foo"},
		{"Please test " REPO "/commit/?id=" HASH, REPO " " HASH},
		{"Please test https://github.com/ann/linux/pull/7",
		 "https://github.com/ann/linux refs/pull/7/head"},
		{"Please test these branches:\n\n  " REPO " wip-a\n  " OTHER " wip-b\n",
		 REPO " wip-a " OTHER " wip-b"},
		{"Please test these branches:\n\n  " REPO " wip-a\n  " REPO " wip-b\n",
		 REPO " wip-a " REPO " wip-b"},
		{"#lorebot test " REPO " wish", REPO " wish"},
		{"#lorebot test " REPO "/log/?h=wish", REPO " wish"},
		{"Please test https://lore.kernel.org/all/1@example.org/", ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(Request) request = read_body(rows[i][0]);
		g_autofree char *sources = sources_of(request);
		ck_assert_msg(request->act, "%s", rows[i][0]);
		ck_assert_msg(strcmp(sources, rows[i][1]) == 0, "%s: %s", rows[i][0], sources);
	}
}
END_TEST

START_TEST(commits_are_named_in_lists_and_in_sentences)
{
	static const char *const rows[][2] = {
		{"Could you please test these commits:\n\n  0123456789ab (\"x: y\")\n"
		 "  ba9876543210 (\"x: z\")\n",
		 "0123456789ab ba9876543210"},
		{"Could you please test commit 0123456789ab (\"x: y\") from linux-next?",
		 "0123456789ab"},
		{"Can you please try 0123456789ab and ba9876543210?", "0123456789ab ba9876543210"},
		{"Can you check if 0123456789ab (\"x: y\") fixes this?", "0123456789ab"},
		{"Can you check if the regression from 0123456789ab (\"x: y\") is still there on "
		 "the "
		 "latest tree?",
		 ""},
		{"Can you retest this on top of 0123456789ab please?", ""},
		{"Can you try reverting 0123456789ab?", "0123456789ab"},
		{"Can you test " REPO " " HASH "?", HASH},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(Request) request = read_body(rows[i][0]);
		g_autofree char *commits = commits_of(request);
		ck_assert_msg(request->act, "%s", rows[i][0]);
		ck_assert_msg(strcmp(commits, rows[i][1]) == 0, "%s: %s", rows[i][0], commits);
	}
}
END_TEST

START_TEST(links_stand_in_footnotes_and_message_ids)
{
#define LINK "https://lore.kernel.org/all/1@example.org/"
	static const char *const rows[][2] = {
		{"Could you test the series at [1]?\n\nThanks\n\n[1] " LINK, LINK},
		{"Could you test the series at [1]?\n\nThanks\n\n[1]: " LINK, LINK},
		{"Could you test the series at [1]?\n\nThanks\n\n1. " LINK, LINK},
		{"Could you test the series at [12]?\n\nThanks\n\n[12]\n" LINK, LINK},
		{"There is a fix for it [1].  Could you test it?\n\nThanks\n\n[1] " LINK, LINK},
		{"Could you test the series?\nMessage-ID: <20260105.100000-foo@example.org>\n",
		 "20260105.100000-foo@example.org"},
		{"Could you test the patch <20260105100000.1234-1-ann@example.org>?",
		 "20260105100000.1234-1-ann@example.org"},
		{"The logs are at [1].  Could you test it again on the latest tree?\n\n[1] " LINK,
		 NULL},
		{"Could you test the fix by Bo <bo@example.org>?", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(Request) request = read_body(rows[i][0]);
		ck_assert_msg(request->act, "%s", rows[i][0]);
		ck_assert_msg(g_strcmp0(request->links[0], rows[i][1]) == 0, "%s: %s", rows[i][0],
			      request->links[0]);
	}
#undef LINK
}
END_TEST

START_TEST(a_release_is_a_target_too)
{
	static const char *const rows[][2] = {
		{"Could you please test v6.9-rc3?", "v6.9-rc3"},
		{"Can you retest with next-20260105?", "next-20260105"},
		{"Can you try this again on v6.9 please?", "v6.9"},
		{"It is known since v6.8.  Can you test again?", NULL},
		{"Could you test the fix on top of v6.9?", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(Request) request = read_body(rows[i][0]);
		ck_assert_msg(request->act, "%s", rows[i][0]);
		ck_assert_msg(g_strcmp0(request->branch, rows[i][1]) == 0, "%s: %s", rows[i][0],
			      request->branch);
	}
}
END_TEST

CHECK_MAIN("targets", a_branch_is_named_in_many_ways, sources_say_where_git_finds_what_a_page_shows,
	   commits_are_named_in_lists_and_in_sentences, links_stand_in_footnotes_and_message_ids,
	   a_release_is_a_target_too)
