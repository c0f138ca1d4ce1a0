/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/patch.h"
#include "mailparse/patchtext.h"

#include "tests/unit/check_main.h"

#include <string.h>

#define DIFF "diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
#define OTHER "diff --git a/g b/g\nindex 1..2 100644\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n"

static Patch *read_patch(const char *headers, const char *body)
{
	g_autofree char *text = g_strconcat(headers, "\n", body, NULL);
	g_autoptr(Message) message = message_parse((const guint8 *)text, strlen(text), NULL);

	ck_assert_ptr_nonnull(message);
	return patch_from_message(message, NULL);
}

static Patch *read_plain(const char *from, const char *subject, const char *body)
{
	g_autofree char *headers = g_strdup_printf("From: %s\nSubject: %s\n", from, subject);

	return read_patch(headers, body);
}

START_TEST(a_mail_without_a_diff_carries_no_patch)
{
	ck_assert_ptr_null(
		read_plain("Ann <ann@example.org>", "[PATCH] foo", "---\nno diff here\n"));
}
END_TEST

START_TEST(titles_are_cleaned_as_git_does)
{
	static const char *const rows[][2] = {
		{"[PATCH v2 1/3] foo: bar", "foo: bar"},
		{"Re: [PATCH] foo: bar", "foo: bar"},
		{"re: Re: [a] [PATCH] [b] foo", "foo"},
		{"foo: [bar] baz", "foo: [bar] baz"},
		{"[PATCH foo", "[PATCH foo"},
		{"  : foo", "foo"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(Patch) patch =
			read_plain("Ann <ann@example.org>", rows[i][0], "m\n---\n" DIFF);
		ck_assert_str_eq(patch->title, rows[i][1]);
	}
}
END_TEST

START_TEST(the_message_ends_where_git_ends_it)
{
	static const char *const rows[][2] = {
		{"one\n---\nnotes\n" DIFF, "one\n"},
		{"one\n\n---  \nnotes\n" DIFF, "one\n\n"},
		{"one\n" DIFF, "one\n"},
		{"one\nIndex: f\n====\n--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n", "one\n"},
		{"one\n--- two\nthree\n" DIFF, "one\n"},
		{"one\n---- two\n------\n---\n" DIFF, "one\n---- two\n------\n"},
		{"\n\n  one\n---\n" DIFF, "  one\n"},
		{DIFF, ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(Patch) patch =
			read_plain("Ann <ann@example.org>", "[PATCH] foo", rows[i][0]);
		ck_assert_str_eq(patch->message, rows[i][1]);
	}
}
END_TEST

START_TEST(authors_are_named_as_git_names_them)
{
	static const char *const rows[][3] = {
		{"Ann Author <ann@example.org>", "Ann Author", "ann@example.org"},
		{"Li <li@example.org>", "Li", "li@example.org"},
		{"<ann@Example.ORG>", "ann@Example.ORG", "ann@Example.ORG"},
		{"\"ann@home\" <ann@example.org>", "ann@example.org", "ann@example.org"},
		{"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA "
		 "<ann@example.org>",
		 "ann@example.org", "ann@example.org"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(Patch) patch = read_plain(rows[i][0], "[PATCH] foo", "m\n---\n" DIFF);
		ck_assert_str_eq(patch->author->name, rows[i][1]);
		ck_assert_str_eq(patch->author->addr, rows[i][2]);
	}
}
END_TEST

/* What a list writes over a From does not hide who wrote the patch. */
START_TEST(the_author_of_a_mail_that_a_list_rewrote_is_found)
{
#define VIA "From: \"Ann Author via lab\" <lab@lists.example.org>\n"
#define ANN "Ann Author <ann@example.org>\n"
	static const char *const rows[][3] = {
		{VIA "X-Original-From: " ANN, "Ann Author", "ann@example.org"},
		{VIA "Reply-To: " ANN, "Ann Author", "ann@example.org"},
		{VIA "Reply-To: lab@lists.example.org, ann@example.org\n", "Ann Author",
		 "ann@example.org"},
		{VIA "To: other@lists.example.org\nReply-To: other@lists.example.org, " ANN,
		 "Ann Author", "ann@example.org"},
		{VIA "Cc: Bo Reviewer <bo@example.org>, " ANN, "Ann Author", "ann@example.org"},
		{"From: 'Ann Author' via lab <lab@lists.example.org>\nX-Original-From: " ANN,
		 "Ann Author", "ann@example.org"},
		/* Nothing says who it was: never a guess. */
		{VIA, "Ann Author via lab", "lab@lists.example.org"},
		{VIA "Cc: Bo Reviewer <bo@example.org>\n", "Ann Author via lab",
		 "lab@lists.example.org"},
		{VIA "Reply-To: bo@example.org, cy@example.org\n", "Ann Author via lab",
		 "lab@lists.example.org"},
		{VIA "To: other@lists.example.org\nReply-To: other@lists.example.org\n",
		 "Ann Author via lab", "lab@lists.example.org"},
		/* Nothing was rewritten. */
		{"From: Bo Reviewer <bo@example.org>\nReply-To: " ANN "X-Original-From: " ANN,
		 "Bo Reviewer", "bo@example.org"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *headers = g_strconcat(rows[i][0], "Subject: [PATCH] foo\n", NULL);
		g_autoptr(Patch) patch = read_patch(headers, "m\n---\n" DIFF);
		ck_assert_str_eq(patch->author->name, rows[i][1]);
		ck_assert_str_eq(patch->author->addr, rows[i][2]);
	}
}
END_TEST

#define MIXED                                                                                      \
	"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n"                         \
	"--B\nContent-Type: text/plain\n\n"

/* README.md, exception "attachments win in an answer". */
START_TEST(in_an_answer_an_attached_diff_wins_over_one_in_the_talk)
{
	const char *attached =
		"\n--B\nContent-Type: text/x-patch\n"
		"Content-Disposition: attachment; filename=g.patch\n\n" OTHER "\n--B--\n";
	g_autofree char *body = g_strconcat("See:\n" DIFF, attached, NULL);

	g_autoptr(Patch) answer =
		read_patch("From: Ann <ann@example.org>\nSubject: Re: foo\n" MIXED, body);
	g_autoptr(Patch) posted =
		read_patch("From: Ann <ann@example.org>\nSubject: [PATCH] foo\n" MIXED, body);

	ck_assert_int_eq(answer->location, PATCH_LOCATION_ATTACHMENT);
	ck_assert_str_eq(((DiffFile *)answer->diff->files->pdata[0])->path, "g");
	ck_assert_int_eq(posted->location, PATCH_LOCATION_INLINE);
	ck_assert_str_eq(((DiffFile *)posted->diff->files->pdata[0])->path, "f");
}
END_TEST

/* RFC 2046 section 4.1.4: a subtype of text that nobody knows is plain text. */
START_TEST(a_mail_of_one_part_of_any_kind_of_text_is_read)
{
	static const struct {
		const char *headers;
		bool read;
	} rows[] = {
		{"Content-Type: text/pla\n", true},
		{"Content-Type: text/x-lab; charset=utf-8\n", true},
		{"Content-Type: text/enriched\n", false},
		{"Content-Type: text/x-lab\nContent-Disposition: attachment\n", false},
		{"Content-Type: text/x-sh; name=fix.sh\n", false},
		{"Content-Type: application/x-lab\n", false},
		{"Content-Type: text/html\n", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *headers =
			g_strconcat("From: Ann <ann@example.org>\nSubject: [PATCH] foo\n",
				    rows[i].headers, NULL);
		g_autoptr(Patch) patch = read_patch(headers, "m\n---\n" DIFF);

		ck_assert_msg((patch != NULL) == rows[i].read, "%s", rows[i].headers);
		if (patch != NULL) {
			ck_assert_int_eq(patch->location, PATCH_LOCATION_INLINE);
			ck_assert_str_eq(patch->message, "m\n");
		}
	}
}
END_TEST

START_TEST(a_script_that_holds_a_diff_is_not_the_patch)
{
	const char *body =
		"See:\n" DIFF "\n--B\nContent-Type: application/x-perl\n"
		"Content-Disposition: attachment; filename=make.pl\n\n" OTHER "\n--B--\n";

	g_autoptr(Patch) patch =
		read_patch("From: Ann <ann@example.org>\nSubject: Re: foo\n" MIXED, body);

	ck_assert_int_eq(patch->location, PATCH_LOCATION_INLINE);
}
END_TEST

START_TEST(quoted_diffs_are_found_behind_up_to_three_marks)
{
	for (unsigned depth = 1; depth <= 4; depth++) {
		g_auto(GStrv) lines = g_strsplit(DIFF, "\n", -1);
		g_autofree char *mark = g_strnfill(depth, '>');
		g_autoptr(GString) body = g_string_new(NULL);
		for (gsize i = 0; lines[i] != NULL; i++)
			g_string_append_printf(body, "%s %s\n", mark, lines[i]);

		g_autoptr(Patch) patch = read_plain("Ann <ann@example.org>", "Re: foo", body->str);

		ck_assert_msg((patch != NULL) == (depth <= 3), "depth %u", depth);
		ck_assert(patch == NULL || patch->location == PATCH_LOCATION_QUOTED);
	}
}
END_TEST

START_TEST(a_remark_between_quoted_lines_ends_the_hunk)
{
	g_autoptr(Patch) patch = read_plain("Ann <ann@example.org>", "Re: foo",
					    "> --- a/f\n> +++ b/f\n> @@ -1,3 +1,3 @@\n>  "
					    "one\n\nWhy?\n\n> -two\n> +three\n>  four\n");

	const DiffFile *file = patch->diff->files->pdata[0];
	ck_assert(!file->complete);
	ck_assert_uint_eq(((DiffHunk *)file->hunks->pdata[0])->lines->len, 1);
}
END_TEST

START_TEST(scissors_are_told_from_rulers_and_prose)
{
	static const struct {
		const char *line;
		bool is;
	} rows[] = {
		{"-- >8 --", true},
		{"--8<--------------", true},
		{"---8<--- cut here", true},
		{"- - - >% - - - >% - - -", true},
		{"----------", false},
		{"8<", false},
		{"", false},
		{"I have 8< 10 and many more words here -", false},
		{"-- >8", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
		ck_assert_msg(patchtext_is_scissors(rows[i].line, strlen(rows[i].line)) ==
				      rows[i].is,
			      "%s", rows[i].line);
}
END_TEST

CHECK_MAIN("patch", a_mail_without_a_diff_carries_no_patch, titles_are_cleaned_as_git_does,
	   the_message_ends_where_git_ends_it, authors_are_named_as_git_names_them,
	   the_author_of_a_mail_that_a_list_rewrote_is_found,
	   in_an_answer_an_attached_diff_wins_over_one_in_the_talk,
	   a_mail_of_one_part_of_any_kind_of_text_is_read,
	   a_script_that_holds_a_diff_is_not_the_patch,
	   quoted_diffs_are_found_behind_up_to_three_marks,
	   a_remark_between_quoted_lines_ends_the_hunk, scissors_are_told_from_rulers_and_prose)
