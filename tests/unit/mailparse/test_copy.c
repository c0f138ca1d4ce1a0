/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/copy.h"
#include "tests/unit/check_main.h"

#include <string.h>

#define FROM "From: Ann Author <ann@example.org>\n"
#define TEXT "Some text.\n\nMore of it.\n"
#define FOOTER "\n_______________________\nlab mailing list\nlab@example.org\n"
/* Of TEXT, simple. */
#define HASH "ysLJRbQGX9gVhMszvVCN8EutzWbrDws15fVRAMM6/fk="
#define SIGNATURE "DKIM-Signature: d=example.org; a=rsa-sha256; bh=" HASH "\n"

static CopyDifference compare(const char *first, const char *second)
{
	g_autoptr(GBytes) a = g_bytes_new_static(first, strlen(first));
	g_autoptr(GBytes) b = g_bytes_new_static(second, strlen(second));

	return copy_compare(a, b);
}

/* Both ways round: @purer is the better one of the two. */
static void check_altered(const char *purer, const char *altered, const char *what)
{
	CopyDifference late = compare(altered, purer), early = compare(purer, altered);

	ck_assert_int_eq(late.relation, COPY_ALTERED);
	ck_assert_int_eq(early.relation, COPY_ALTERED);
	ck_assert_msg(late.better && !early.better, "%s", altered);
	ck_assert_str_eq(late.what, what);
	ck_assert_str_eq(early.what, what);
}

static void check_other(const char *first, const char *second)
{
	CopyDifference difference = compare(first, second);

	ck_assert_msg(difference.relation == COPY_OTHER && !difference.better, "%s", second);
	difference = compare(second, first);
	ck_assert_msg(difference.relation == COPY_OTHER && !difference.better, "%s", second);
}

START_TEST(copy_fields_and_line_ends_of_a_door_make_no_difference)
{
	CopyDifference difference =
		compare("Received: by a\n" FROM "Subject: x\n\n" TEXT,
			"From lab Mon Jan  1 00:00:00 2026\nReceived: by b\r\nList-Id: "
			"<lab.example.org>\r\n"
			"From: Ann Author <ann@example.org>\r\nSubject: x\r\n\r\n"
			"Some text.\r\n\r\nMore of it.\r\n\r\n");

	ck_assert_int_eq(difference.relation, COPY_SAME);
	ck_assert(!difference.better);
}
END_TEST

START_TEST(copy_without_tag_footer_or_rewriting_is_the_better_one)
{
	check_altered(FROM "Subject: Re: [PATCH 1/2] x\n\n" TEXT,
		      FROM "Subject: Re: [lab] [PATCH 1/2] x\n\n" TEXT, "a tag in the subject");
	check_altered(FROM "Subject: x\n\n" TEXT, FROM "Subject: x\n\n" TEXT FOOTER, "a footer");
	check_altered(FROM "Subject: x\n\nSome text. \n",
		      FROM "Subject: x\n\nSome text. \n-- \nlab: https://example.org/lab\n",
		      "a footer");
	check_altered(FROM "Subject: x\n\n" TEXT,
		      "From: Ann via lab <lab@example.com>\nReply-To: Ann <ann@example.org>\n"
		      "Subject: x\n\n" TEXT,
		      "another address in From, as lists write it");
}
END_TEST

START_TEST(copy_as_it_was_signed_is_the_better_one)
{
	check_altered(FROM SIGNATURE "Subject: x\n\n" TEXT,
		      FROM SIGNATURE "Subject: x\nContent-Transfer-Encoding: base64\n\n"
				     "U29tZSB0ZXh0LgoKTW9yZSBvZiBpdC4K\n",
		      "other bytes of the same text");
}
END_TEST

START_TEST(copy_signature_counts_more_than_tag_and_footer)
{
	/* The first list puts a footer under the text and breaks the signature. */
	check_altered(FROM SIGNATURE "Subject: [lab] x\n\n" TEXT,
		      FROM SIGNATURE "Subject: x\n\n" TEXT FOOTER, "a tag in the subject");
	/* A list that signs what it altered proves nothing. */
	check_altered(
		FROM "Subject: x\n\n" TEXT,
		FROM
		"DKIM-Signature: d=example.com; a=rsa-sha256; bh=x\nSubject: x\n\n" TEXT FOOTER,
		"a footer");
}
END_TEST

START_TEST(copy_in_a_part_of_its_own_is_a_footer_too)
{
	check_altered(FROM "Subject: x\n\n" TEXT,
		      FROM
		      "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n"
		      "--b\nContent-Type: text/plain\n\n" TEXT "\n--b\nContent-Type: text/plain\n"
		      "Content-Disposition: inline\n\n____________\nlab@example.org\n\n--b--\n",
		      "a footer");
}
END_TEST

START_TEST(copy_that_says_something_else_is_never_taken)
{
	static const char mail[] = FROM "Subject: [PATCH] x\n\n" TEXT "\ndiff --git a/f b/f\n";

	check_other(mail, FROM "Subject: [PATCH] y\n\n" TEXT "\ndiff --git a/f b/f\n");
	/* Less of it: not by a signature, and not by a subject that makes it no patch. */
	check_other(mail, FROM SIGNATURE "Subject: [PATCH] x\n\n" TEXT);
	check_other(mail, FROM "Subject: x\n\n" TEXT "\ndiff --git a/f b/f\n");
	check_other(mail, "From: Eve <eve@example.com>\nSubject: [PATCH] x\n\n" TEXT
			  "\ndiff --git a/f b/f\n");
	check_other(FROM "Subject: x\n\n" TEXT,
		    FROM "Subject: x\n\n" TEXT "_____________\nmore\n#lorebot test\n"
			 "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n");
	check_other(FROM "Subject: x\n\n" TEXT,
		    FROM "Subject: x\n\n" TEXT "\n------\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n");
	check_other(FROM "Subject: x\n\nabc\n", FROM "Subject: x\n\nabc____\n");
	check_other("", mail);
}
END_TEST

CHECK_MAIN("copy", copy_fields_and_line_ends_of_a_door_make_no_difference,
	   copy_without_tag_footer_or_rewriting_is_the_better_one,
	   copy_as_it_was_signed_is_the_better_one, copy_signature_counts_more_than_tag_and_footer,
	   copy_in_a_part_of_its_own_is_a_footer_too, copy_that_says_something_else_is_never_taken)
