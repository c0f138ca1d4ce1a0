/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What makes a body safe and readable: clean, fill, guard, quote. */
#include "../check_main.h"

#include "bot/base/error.h"
#include "bot/report/clean.h"
#include "bot/report/fill.h"
#include "bot/report/guard.h"
#include "bot/report/quote.h"

#include <string.h>

static void assert_fills(const char *text, const char *wanted)
{
	g_autoptr(GString) out = g_string_new(NULL);

	fill_append(out, text);

	ck_assert_str_eq(out->str, wanted);
}

START_TEST(fill_joins_lines_and_keeps_paragraphs)
{
	assert_fills("a\nb\n\nc\n", "a b\n\nc\n");
	assert_fills("", "");
	assert_fills("\n", "\n");
	assert_fills("a  \t b", "a b\n");
}
END_TEST

START_TEST(fill_hangs_a_list_item)
{
	assert_fills("- one two three four five six seven eight nine ten eleven twelve thirteen\n"
		     "  fourteen fifteen\n",
		     "- one two three four five six seven eight nine ten eleven twelve thirteen\n"
		     "  fourteen fifteen\n");
}
END_TEST

START_TEST(fill_counts_characters_not_bytes)
{
	g_autoptr(GString) text = g_string_new(NULL);
	for (int i = 0; i < 38; i++)
		g_string_append(text, "\xc3\xa4 ");
	g_autofree char *wanted = g_strconcat(g_strchomp(text->str), "\n", NULL);

	assert_fills(text->str, wanted);
}
END_TEST

START_TEST(fill_never_begins_a_line_with_a_label)
{
	for (int n = 60; n < 80; n++) {
		g_autofree char *start = g_strnfill((gsize)n, 'x');
		g_autofree char *text = g_strconcat("a ", start, " base-commit: names it", NULL);
		g_autoptr(GString) out = g_string_new(NULL);

		fill_append(out, text);

		ck_assert_msg(strstr(out->str, "\nbase-commit:") == NULL, "%s", out->str);
	}
}
END_TEST

START_TEST(fill_never_begins_a_line_with_what_tools_act_on)
{
	static const char *const words[] = {"#lorebot", "diff -u", "Reviewed-by:x@example.net",
					    "<eve@example.net>"};
	for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
		for (int width = 60; width < 80; width++) {
			g_autofree char *before = g_strnfill((gsize)width, 'x');
			g_autofree char *text = g_strdup_printf("a %s %s b", before, words[i]);
			g_autoptr(GString) out = g_string_new(NULL);

			fill_append(out, text);

			g_autofree char *body = guard_body(out->str, NULL, NULL);
			ck_assert_msg(body != NULL, "%s", out->str);
		}
	}
}
END_TEST

START_TEST(guard_knows_what_other_tools_act_on)
{
	static const struct {
		const char *line;
		GuardKind kind;
	} rows[] = {
		{"", GUARD_PLAIN},
		{"Hello,", GUARD_PLAIN},
		{"Reviewed-by: Eve <eve@example.net>", GUARD_TRAILER},
		{" \t reviewed-BY: x", GUARD_TRAILER},
		{"\xc2\xa0Reviewed-by: x", GUARD_TRAILER},
		{"\xe3\x80\x80Reviewed-by:\xc2\xa0x@example.net", GUARD_TRAILER},
		{"Reviewed-by:x", GUARD_TRAILER},
		{"Fixes: 0123456789ab", GUARD_TRAILER},
		{"Closes: https://example.org/", GUARD_TRAILER},
		{"base-commit: 0123", GUARD_TRAILER},
		{"| Reported-by: lorebot <l@example.org>", GUARD_PLAIN},
		{"> Reviewed-by: Eve <eve@example.net>", GUARD_PLAIN},
		{">Reviewed-by: Eve <eve@example.net>", GUARD_PLAIN},
		{"testcase: wordcount", GUARD_PLAIN},
		{"commit: 0123 (\"a\")", GUARD_PLAIN},
		{"commit: 0123 (\"mail eve@example.net\")", GUARD_LABEL},
		{"commit: 0123456789012345678901234567890123456789 (\"a eve@example.net\")",
		 GUARD_PLAIN},
		{" commit: 0123456789012345678901234567890123456789 (\"a eve@example.net\")",
		 GUARD_LABEL},
		{"url: https://example.org/x@y.z", GUARD_PLAIN},
		{"patch link: eve@example.net", GUARD_PLAIN},
		{"x: @example.net", GUARD_PLAIN},
		{"x: eve@net", GUARD_PLAIN},
		{"x: eve@.net.x", GUARD_LABEL},
		{"x: eve@net.", GUARD_PLAIN},
		{"Anybody-knows: eve@example.net", GUARD_LABEL},
		{"diff --git a/x b/x", GUARD_PATCH},
		{"  diff --git a/x b/x", GUARD_PATCH},
		{"--- a/x", GUARD_PATCH},
		{"---", GUARD_PATCH},
		{"----------------", GUARD_PLAIN},
		{"Index: x", GUARD_PATCH},
		{"#lorebot test x", GUARD_COMMAND},
		{"> > #syz test: x", GUARD_COMMAND},
		{">#regzbot introduced: x", GUARD_COMMAND},
		{"# a comment", GUARD_PLAIN},
		{"<eve@example.net>", GUARD_ADDRESS},
		{"a < b > c", GUARD_PLAIN},
	};
	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
		ck_assert_msg(guard_line(rows[i].line) == rows[i].kind, "\"%s\" is %u",
			      rows[i].line, guard_line(rows[i].line));
}
END_TEST

START_TEST(guard_lets_the_meant_tag_pass_once)
{
	const char *tag = "Tested-by: lorebot <l@example.org>";
	g_autofree char *twice = g_strconcat(tag, "\n", tag, NULL);
	g_autoptr(GError) error = NULL;

	g_autofree char *once = guard_body("a\nTested-by: lorebot <l@example.org>\nb", tag, &error);
	g_autofree char *again = guard_body(twice, tag, &error);

	ck_assert_str_eq(once, "a\nTested-by: lorebot <l@example.org>\nb");
	ck_assert_ptr_null(again);
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PERMANENT));
}
END_TEST

START_TEST(guard_refuses_a_tag_that_differs_in_one_byte)
{
	g_autofree char *body = guard_body("Tested-by: lorebot <l@example.net>",
					   "Tested-by: lorebot <l@example.org>", NULL);

	ck_assert_ptr_null(body);
}
END_TEST

static void assert_quotes(const char *body, const char *wanted)
{
	g_autofree char *quote = quote_trim(body);

	ck_assert_pstr_eq(quote, wanted);
}

START_TEST(quote_takes_the_text_up_to_the_signature_or_the_patch)
{
	assert_quotes("a\nb\n-- \nme\n", "a\nb");
	assert_quotes("\n\na\n\n", "a");
	assert_quotes("see below\n\ndiff --git a/x b/x\n+y\n", "see below");
	assert_quotes("see below\n---\n x | 1 +\n", "see below");
	assert_quotes(NULL, NULL);
	assert_quotes("", NULL);
	assert_quotes("-- \nme\n", NULL);
}
END_TEST

START_TEST(quote_drops_commands_deep_quotes_and_quoted_patches)
{
	assert_quotes("please\n#lorebot test x y\n> #syz test\n", "please");
	assert_quotes("> one\n>> two\n>>> three\n> > > three\n", "> one\n>> two");
	assert_quotes("> diff --git a/x b/x\n> --- a/x\nok\n", "ok");
	assert_quotes("#lorebot test x y\n", NULL);
}
END_TEST

START_TEST(quote_of_a_long_mail_keeps_what_its_writer_said)
{
	g_autoptr(GString) body = g_string_new(NULL);
	for (int i = 0; i < 60; i++)
		g_string_append_printf(body, "> line %d\n", i);
	g_string_append(body, "please run it\n");

	assert_quotes(body->str, "[...]\nplease run it");
}
END_TEST

START_TEST(quote_has_at_most_forty_lines)
{
	g_autoptr(GString) body = g_string_new(NULL);
	for (int i = 0; i < 60; i++)
		g_string_append_printf(body, "line %d\n", i);

	g_autofree char *quote = quote_trim(body->str);

	g_auto(GStrv) lines = g_strsplit(quote, "\n", -1);
	ck_assert_uint_eq(g_strv_length(lines), QUOTE_MAX_LINES);
	ck_assert_str_eq(lines[QUOTE_MAX_LINES - 1], "[...]");
}
END_TEST

START_TEST(quote_cuts_long_lines_between_characters)
{
	for (gsize pad = 0; pad < 4; pad++) {
		g_autofree char *start = g_strnfill(196 + pad, 'x');
		g_autofree char *body = g_strconcat(
			start, "\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87", NULL);

		g_autofree char *quote = quote_trim(body);

		ck_assert(g_utf8_validate(quote, -1, NULL));
		ck_assert(g_str_has_suffix(quote, " [...]"));
		ck_assert_uint_le(strlen(quote), QUOTE_MAX_LINE_BYTES + strlen(" [...]"));
	}
}
END_TEST

START_TEST(clean_line_has_one_line_and_valid_text)
{
	g_autofree char *line = clean_line(" a\r\nb\tc\xff\x01 ");

	ck_assert_str_eq(line, "a b c\xef\xbf\xbd");
	ck_assert_ptr_null(clean_line(NULL));
}
END_TEST

CHECK_MAIN("body", fill_joins_lines_and_keeps_paragraphs, fill_hangs_a_list_item,
	   fill_counts_characters_not_bytes, fill_never_begins_a_line_with_a_label,
	   fill_never_begins_a_line_with_what_tools_act_on, guard_knows_what_other_tools_act_on,
	   guard_lets_the_meant_tag_pass_once, guard_refuses_a_tag_that_differs_in_one_byte,
	   quote_takes_the_text_up_to_the_signature_or_the_patch,
	   quote_drops_commands_deep_quotes_and_quoted_patches,
	   quote_of_a_long_mail_keeps_what_its_writer_said, quote_has_at_most_forty_lines,
	   quote_cuts_long_lines_between_characters, clean_line_has_one_line_and_valid_text)
