/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/inbody.h"

#include "tests/unit/check_main.h"

#include <string.h>

#define FORMAT_PATCH_LINE                                                                          \
	">From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\n"

typedef struct {
	const char *text;
	const char *from; /* "name<addr>" */
	const char *subject;
	const char *date;
	const char *rest;
} Row;

/* What `git mailinfo` 2.39 says of each, its patch part given. */
static const Row rows[] = {
	{"Text.\n", NULL, NULL, NULL, "Text.\n"},
	{"", NULL, NULL, NULL, ""},
	{"From: Ann <ann@x.org>\n\nText.\n", "Ann<ann@x.org>", NULL, NULL, "Text.\n"},
	{"\n\nFrom: Ann <ann@x.org>\n\nText.\n", "Ann<ann@x.org>", NULL, NULL, "Text.\n"},
	{"From: Ann <ann@x.org>\nText.\n", "Ann<ann@x.org>", NULL, NULL, "Text.\n"},
	{"from: Ann <ann@x.org>\nSUBJECT: x\n\nText.\n", "Ann<ann@x.org>", "x", NULL, "Text.\n"},
	{"Date: Tue, 5 Mar 2024 10:00:00 +0100\nSubject: [PATCH v2] foo:\n  fix\nFrom: Ann\n "
	 "<ann@x.org>\n\n"
	 "Text.\n",
	 "Ann<ann@x.org>", "[PATCH v2] foo: fix", "Tue, 5 Mar 2024 10:00:00 +0100", "Text.\n"},
	{"From: =?utf-8?q?Bj=C3=B6rn?= <b@x.org>\nSubject: =?utf-8?q?=C3=B6?=\n\nText.\n",
	 "Bj\303\266rn<b@x.org>", "\303\266", NULL, "Text.\n"},
	{"From: Ann <ann@x.org>\n\nSubject: part of the text\n", "Ann<ann@x.org>", NULL, NULL,
	 "Subject: part of the text\n"},
	{"From: Ann <ann@x.org>\nFrom: Bo <bo@x.org>\nText.\n", "Ann<ann@x.org>", NULL, NULL,
	 "From: Bo <bo@x.org>\nText.\n"},
	{"Text.\nFrom: Ann <ann@x.org>\n", NULL, NULL, NULL, "Text.\nFrom: Ann <ann@x.org>\n"},
	{"Cc: Bo <bo@x.org>\nText.\n", NULL, NULL, NULL, "Cc: Bo <bo@x.org>\nText.\n"},
	{FORMAT_PATCH_LINE "From: Ann <ann@x.org>\n\nText.\n", "Ann<ann@x.org>", NULL, NULL,
	 "Text.\n"},
	{"From: Ann <ann@x.org>\n" FORMAT_PATCH_LINE "Subject: x\n\nText.\n", "Ann<ann@x.org>", "x",
	 NULL, "Text.\n"},
	{FORMAT_PATCH_LINE "\nFrom: Ann <ann@x.org>\n\nText.\n", "Ann<ann@x.org>", NULL, NULL,
	 "Text.\n"},
	{">From the start.\n", NULL, NULL, NULL, ">From the start.\n"},
	{"[PATCH] foo: fix\n\nFrom: Ann <ann@x.org>\n\nText.\n", "Ann<ann@x.org>",
	 "[PATCH] foo: fix", NULL, "Text.\n"},
	{"[PATCH v2] foo: fix\n\nText.\n", NULL, NULL, NULL, "[PATCH v2] foo: fix\n\nText.\n"},
	{" From: Ann <ann@x.org>\n", NULL, NULL, NULL, " From: Ann <ann@x.org>\n"},
	{"From: nobody\n\nText.\n", NULL, NULL, NULL, "Text.\n"},
	{"From: Ann <ann@x.org>", "Ann<ann@x.org>", NULL, NULL, ""},
};

START_TEST(inbody_headers_are_read_as_git_mailinfo_reads_them)
{
	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		const Row *row = &rows[i];
		g_autoptr(Inbody) inbody = inbody_read(row->text);
		g_autofree char *from = inbody->from ? g_strdup_printf("%s<%s>", inbody->from->name,
								       inbody->from->addr)
						     : NULL;

		ck_assert_msg(g_strcmp0(from, row->from) == 0, "%s: from %s", row->text, from);
		ck_assert_msg(g_strcmp0(inbody->subject, row->subject) == 0, "%s: subject %s",
			      row->text, inbody->subject);
		ck_assert_msg(g_strcmp0(inbody->date, row->date) == 0, "%s: date %s", row->text,
			      inbody->date);
		ck_assert_msg(strcmp(inbody->rest, row->rest) == 0, "%s: rest %s", row->text,
			      inbody->rest);
	}
}
END_TEST

START_TEST(inbody_date_is_read_with_its_zone)
{
	g_autoptr(Inbody) inbody = inbody_read("Date: Tue, 5 Mar 2024 10:00:00 -0130\n\n");

	ck_assert_int_eq(inbody->date_us / G_USEC_PER_SEC, 1709638200);
	ck_assert_int_eq(inbody->date_offset_min, -90);
}
END_TEST

START_TEST(inbody_headers_cut_anywhere_are_read)
{
	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		for (gsize len = 0; len < strlen(rows[i].text); len++) {
			g_autofree char *cut = g_strndup(rows[i].text, len);
			g_autoptr(Inbody) inbody = inbody_read(cut);

			ck_assert(inbody->rest >= cut && inbody->rest <= cut + len);
		}
	}
}
END_TEST

CHECK_MAIN("inbody", inbody_headers_are_read_as_git_mailinfo_reads_them,
	   inbody_date_is_read_with_its_zone, inbody_headers_cut_anywhere_are_read)
