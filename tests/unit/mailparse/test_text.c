/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/text.h"

#include "mailparse/limits.h"

#include "tests/unit/check_main.h"

#include <string.h>

typedef struct {
	const char *bytes;
	const char *charset;
	const char *text;
} Row;

START_TEST(text_takes_valid_utf8_before_the_declared_charset)
{
	static const Row rows[] = {
		{"Gr\303\274n", NULL, "Gr\303\274n"},
		{"Gr\303\274n", "us-ascii", "Gr\303\274n"},
		{"Gr\303\274n", "iso-8859-1", "Gr\303\274n"},
		{"Gr\374n", "iso-8859-1", "Gr\303\274n"},
		{"Gr\374n", "utf-8", "Gr\303\274n"},
		{"Gr\374n", NULL, "Gr\303\274n"},
		{"Gr\374n", "no-such-charset", "Gr\303\274n"},
		{"\200 5", "iso-8859-1", "\342\202\254 5"},
		{"\330\371\204 \201", "windows-1252", "\303\230\303\271\342\200\236 \357\277\275"},
		{"\361\322\311", "koi8-r", "\320\257\321\200\320\270"},
		{"\033$B$3\033(B", "iso-2022-jp", "\343\201\223"},
		{"\033$B$3\033(B", NULL, "\033$B$3\033(B"},
		{"+APY-", "utf-7", "\303\266"},
		{"+APY-", "utf-8", "+APY-"},
		{"\357\273\277x", NULL, "x"},
		{"", "utf-16", ""},
		{"\377", "us-ascii//IGNORE", "\303\277"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *text =
			text_to_utf8(rows[i].bytes, strlen(rows[i].bytes), rows[i].charset);

		ck_assert_msg(strcmp(text, rows[i].text) == 0, "row %zu: got %s", i, text);
	}
}
END_TEST

START_TEST(text_drops_nuls_and_still_believes_the_charset)
{
	g_autofree char *utf8 = text_to_utf8("\303\266\0x", 4, "iso-8859-1");
	g_autofree char *latin2 = text_to_utf8("\263\0x", 3, "iso-8859-2");

	ck_assert_str_eq(utf8, "\303\266x");
	ck_assert_str_eq(latin2, "\305\202x");
}
END_TEST

START_TEST(text_lf_drops_only_crs_before_an_lf)
{
	char text[] = "a\r\nb\rc\r\r\n\r";

	ck_assert_str_eq(text_to_lf(text), "a\nb\rc\n\r");
}
END_TEST

START_TEST(text_field_is_decoded_as_mailers_write_it)
{
	static const char *const rows[][2] = {
		{"plain", "plain"},
		{"=?utf-8?q?Bj=C3=B6rn?= x", "Bj\303\266rn x"},
		{"=?UTF-8?B?QmrDtnJu?=", "Bj\303\266rn"},
		{"=?utf-8?b?QmrD?= =?utf-8?b?tnJu?=", "Bj\303\266rn"},
		{"=?utf-8?b?QmrD?=\r\n\t=?UTF-8?q?=B6rn?=", "Bj\303\266rn"},
		{"=?utf-8?q?a?= =?iso-8859-1?q?=F6?=", "a\303\266"},
		{"=?utf-8?q?a?= b =?utf-8?q?c?=", "a b c"},
		{"a=?utf-8?q?b?=c", "abc"},
		{"=?utf-8?q?a b?=", "a b"},
		{"=?utf-8*en?q?a_b?=", "a b"},
		{"=?us-ascii?q?caf=C3=A9?=", "caf\303\251"},
		{"=?iso-2022-jp?B?GyRCJDMbKEI=?=", "\343\201\223"},
		{"=?unknown-8bit?q?=F6?=", "\303\266"},
		{"=?utf-8?q?a=0D=0ABcc:_x?=", "a Bcc: x"},
		{"=?utf-8?q?a=00b?=", "ab"},
		{"=?utf-8?q?=ZZ=4?=", "=ZZ=4"},
		{"=?utf-8?x?a?=", "=?utf-8?x?a?="},
		{"=?utf-8?q?a", "=?utf-8?q?a"},
		{"=?utf-8?q", "=?utf-8?q"},
		{"=?", "=?"},
		{"=?\077q?a?=", "=?\077q?a?="},
		{"=?utf-8?b?\077=", ""},
		{"=?utf-8?b?Y?= x", "x"},
		{"=?utf-8?b?!!!?=", ""},
		{"  a \t b\r\n\tc\001d ", "a b c d"},
		{"Gr\374n", "Gr\303\274n"},
		{"a\302\205b\342\200\256c", "a b\342\200\256c"},
		{"", ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *text = text_decode_field(rows[i][0]);

		ck_assert_msg(strcmp(text, rows[i][1]) == 0, "%s: got <%s>", rows[i][0], text);
	}
}
END_TEST

START_TEST(text_field_costs_linear_time)
{
	static const char *const pieces[] = {
		"=?a?q?", "=?utf-8?q?a?= ", "=?", "=?a*", "?=", "\303"};

	for (gsize i = 0; i < G_N_ELEMENTS(pieces); i++) {
		g_autoptr(GString) field = g_string_new(NULL);

		while (field->len < MAIL_MAX_FIELD_BYTES)
			g_string_append(field, pieces[i]);

		gint64 start = g_get_monotonic_time();
		g_autofree char *text = text_decode_field(field->str);

		ck_assert(g_utf8_validate(text, -1, NULL));
		ck_assert_int_lt(g_get_monotonic_time() - start, G_USEC_PER_SEC / 2);
	}
}
END_TEST

static void check_unflow(const char *flowed, bool delsp, const char *want)
{
	g_autoptr(GBytes) in = g_bytes_new(flowed, strlen(flowed));
	g_autoptr(GBytes) out = text_unflow(in, delsp);
	gsize len;
	const char *data = g_bytes_get_data(out, &len);

	ck_assert_msg(len == strlen(want) && memcmp(data, want, len) == 0, "%s: got %.*s", flowed,
		      (int)len, data);
}

START_TEST(text_unflow_joins_within_one_quote_depth)
{
	check_unflow("a \nb\n", false, "a b\n");
	check_unflow("a \nb\n", true, "ab\n");
	check_unflow("a \r\nb\r\n", false, "a b\n");
	check_unflow("> a \n> b\nc", false, "> a b\nc");
	check_unflow("a \nb ", false, "a b ");
	check_unflow("> \n> a\n", false, "> \n> a\n");
	check_unflow("> a \nb\n", false, "> a \nb\n");
	check_unflow(">> a\n> b\n", false, ">> a\n> b\n");
	check_unflow("", false, "");
}
END_TEST

START_TEST(text_unflow_removes_one_stuffed_blank)
{
	check_unflow(" From x\n  y\n", false, "From x\n y\n");
	check_unflow(" > no quote\n", false, "> no quote\n");
	check_unflow(" +added\n", false, "+added\n");
}
END_TEST

START_TEST(text_unflow_keeps_the_signature_mark)
{
	check_unflow("a \n-- \nAnn\n", false, "a \n-- \nAnn\n");
	check_unflow("> -- \n> Ann\n", false, "> -- \n> Ann\n");
}
END_TEST

static void check_unsign(const char *text, const char *want)
{
	g_autoptr(GBytes) bytes = g_bytes_new_static(text, strlen(text));
	g_autoptr(GBytes) bare = text_unsign(bytes);
	g_autofree char *got = g_strndup(g_bytes_get_data(bare, NULL), g_bytes_get_size(bare));

	ck_assert_str_eq(got, want);
}

START_TEST(text_unsign_takes_armor_and_dash_escapes_away)
{
#define SIGNED "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n"
#define SIGNATURE "-----BEGIN PGP SIGNATURE-----\n\niQEz\n=ab\n-----END PGP SIGNATURE-----\n"
	check_unsign(SIGNED "x\n- --- a/f\n+++ b/f\n- -a\n- - b\n" SIGNATURE,
		     "x\n--- a/f\n+++ b/f\n-a\n- b\n");
	check_unsign("Hi,\n" SIGNED "x\n" SIGNATURE "_____\nlab mailing list\n",
		     "Hi,\nx\n_____\nlab mailing list\n");
	check_unsign("-----BEGIN PGP SIGNED MESSAGE-----\r\nHash: SHA1\r\n\r\n- -a\r\n", "-a\r\n");
	check_unsign("- --- a/f\n" SIGNATURE, "- --- a/f\n" SIGNATURE);
	check_unsign("> " SIGNED "> - -a\n", "> " SIGNED "> - -a\n");
	check_unsign("", "");
#undef SIGNED
#undef SIGNATURE
}
END_TEST

START_TEST(text_knows_a_diff)
{
	static const char git[] = "x\ndiff --git a/f b/f\n";
	static const char plain[] = "--- f.orig\n+++ f\n@@ -1 +1 @@\n";
	static const char talk[] = "--- f\n+++ f\nno hunk\n@@ -1 +1 @@\n--- \n";

	ck_assert(text_has_diff(git, strlen(git)));
	ck_assert(text_has_diff(plain, strlen(plain)));
	ck_assert(!text_has_diff(talk, strlen(talk)));
	ck_assert(!text_has_diff("", 0));
}
END_TEST

CHECK_MAIN("text", text_takes_valid_utf8_before_the_declared_charset,
	   text_drops_nuls_and_still_believes_the_charset, text_lf_drops_only_crs_before_an_lf,
	   text_field_is_decoded_as_mailers_write_it, text_field_costs_linear_time,
	   text_unflow_joins_within_one_quote_depth, text_unflow_removes_one_stuffed_blank,
	   text_unflow_keeps_the_signature_mark, text_unsign_takes_armor_and_dash_escapes_away,
	   text_knows_a_diff)
