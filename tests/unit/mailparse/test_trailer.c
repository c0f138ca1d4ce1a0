/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/limits.h"
#include "mailparse/trailer.h"

#include "tests/unit/check_main.h"

#include <string.h>

static char *describe(const char *message)
{
	g_autoptr(GPtrArray) trailers = trailer_list(message);
	GString *out = g_string_new(NULL);

	for (guint i = 0; i < trailers->len; i++) {
		const Trailer *trailer = g_ptr_array_index(trailers, i);

		g_string_append_printf(out, "%s%s=%s", i > 0 ? "|" : "", trailer->key,
				       trailer->value);
	}
	return g_string_free(out, FALSE);
}

/* As `git interpret-trailers --parse` of 2.39 prints them. */
START_TEST(trailers_are_those_that_git_takes)
{
	static const char *const rows[][2] = {
		{"foo: fix\n\nText.\n\nSigned-off-by: Ann <ann@x.org>\nAcked-by: Bo <bo@x.org>\n",
		 "Signed-off-by=Ann <ann@x.org>|Acked-by=Bo <bo@x.org>"},
		{"foo: fix\n\nFixes: 123 (\"x: y\")\n", "Fixes=123 (\"x: y\")"},
		{"foo: fix\n\nA: b\n\n\n \n", "A=b"},
		{"foo: fix\n\nA: b", "A=b"},
		{"foo: fix\n\nA: b\n  c\n\td\nE:f\n", "A=b c d|E=f"},
		{"foo: fix\n\nKey : value\n", "Key=value"},
		{"foo: fix\n\nA: b\n\nText.\n", ""},
		{"foo: fix\nA: b\n", ""},
		{"A: b\n", ""},
		{"foo: fix\n\nText here\nA: b\n", ""},
		{"foo: fix\n\nSigned-off-by: Ann\n[ann: changed x]\nAcked-by: Bo\n",
		 "Signed-off-by=Ann|Acked-by=Bo"},
		{"foo: fix\n\n1\n2\n3\nSigned-off-by: Ann\n", "Signed-off-by=Ann"},
		{"foo: fix\n\n1\n2\n3\n4\nSigned-off-by: Ann\n", ""},
		{"foo: fix\n\nA: b\n(cherry picked from commit 123)\nC: d\n", "A=b|C=d"},
		{"foo: fix\n\n  indented\nA: b\n", ""},
		{"foo: fix\n\nhttp://x.org/\n", "http=//x.org/"},
		{"foo: fix\n\nTwo words: x\n", ""},
		{"foo: fix\n\n: x\n", ""},
		{"foo: fix\n\nA:\n", "A="},
		{"", ""},
		{"\n\n", ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *got = describe(rows[i][0]);

		ck_assert_msg(strcmp(got, rows[i][1]) == 0, "%s: got %s", rows[i][0], got);
	}
}
END_TEST

START_TEST(trailers_have_a_limit)
{
	g_autoptr(GString) message = g_string_new("foo: fix\n\n");

	for (unsigned i = 0; i < MAIL_MAX_TRAILERS + 1; i++)
		g_string_append(message, "A: b\n");
	g_autoptr(GPtrArray) trailers = trailer_list(message->str);

	ck_assert_uint_eq(trailers->len, MAIL_MAX_TRAILERS);
}
END_TEST

START_TEST(trailers_of_a_huge_message_are_found_at_its_end)
{
	g_autoptr(GString) message = g_string_new("foo: fix\n\n");

	while (message->len < 1024 * 1024)
		g_string_append(message, "Text.\n");
	g_string_append(message, "\nA: b\nC: d\n");
	g_autofree char *got = describe(message->str);

	ck_assert_str_eq(got, "A=b|C=d");
}
END_TEST

CHECK_MAIN("trailer", trailers_are_those_that_git_takes, trailers_have_a_limit,
	   trailers_of_a_huge_message_are_found_at_its_end)
