/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/limits.h"
#include "mailparse/msgid.h"

#include "tests/unit/check_main.h"

#include <string.h>

START_TEST(msgid_has_one_canonical_form)
{
	static const char *const rows[][2] = {
		{"<a@example.org>", "a@example.org"},
		{"a@example.org", "a@example.org"},
		{"  <a@example.org>  ", "a@example.org"},
		{"<a@example.org> (comment) <b@example.org>", "a@example.org"},
		{"(by (an) \\) agent) <a@example.org>", "a@example.org"},
		{"< a@ example.org >", "a@example.org"},
		{"<a@\r\n\texample.org>", "a@example.org"},
		{"<<a@example.org>>", "a@example.org"},
		{"<a@example.org", "a@example.org"},
		{"<A@Example.ORG>", "A@Example.ORG"},
		{"<a/b%c?d=e&f#g@example.org>", "a/b%c?d=e&f#g@example.org"},
		{"a(b)c@example.org", "a(b)c@example.org"},
		{"<a(b\"@example.org>", "a(b\"@example.org"},
		{"<no-at-sign>", "no-at-sign"},
		{"", NULL},
		{"<>", NULL},
		{"   ", NULL},
		{"(only a comment)", NULL},
		{"<a\001b@example.org>", NULL},
		{"<a\177b@example.org>", NULL},
		{"<\303\266@example.org>", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *id = msgid_canonical(rows[i][0]);

		ck_assert_msg(g_strcmp0(id, rows[i][1]) == 0, "%s: got %s", rows[i][0], id);
	}
}
END_TEST

START_TEST(msgid_canonical_form_is_its_own_canonical_form)
{
	static const char *const texts[] = {
		"<a@example.org>",    "<a <b@example.org>", "<<x>>", "< y z >", "a(b",
		"<a(b)c@example.org>"};

	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autofree char *once = msgid_canonical(texts[i]);
		g_autofree char *bracketed = g_strdup_printf("<%s>", once);
		g_autofree char *twice = msgid_canonical(bracketed);
		g_autoptr(GPtrArray) listed = msgid_list(bracketed);

		ck_assert_str_eq(once, twice);
		ck_assert_uint_eq(listed->len, 1);
		ck_assert_str_eq(g_ptr_array_index(listed, 0), once);
	}
}
END_TEST

START_TEST(msgid_alone_is_taken_byte_for_byte)
{
	static const char *const rows[][2] = {
		{"(x)y@example.org", "(x)y@example.org"},
		{" <a(b@example.org> ", "a(b@example.org"},
		{"a\\\"b;c@[x]", "a\\\"b;c@[x]"},
		{"a b@example.org", NULL},
		{"<a@example.org> <b@example.org>", NULL},
		{"<>", NULL},
		{"", NULL},
		{"a\001@example.org", NULL},
		{"\303\266@example.org", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *id = msgid_bare(rows[i][0]);

		ck_assert_msg(g_strcmp0(id, rows[i][1]) == 0, "%s: got %s", rows[i][0], id);
	}
}
END_TEST

START_TEST(msgid_over_the_limit_is_none)
{
	g_autofree char *longest = g_strnfill(MSGID_MAX_BYTES, 'a');
	g_autofree char *longer = g_strnfill(MSGID_MAX_BYTES + 1, 'a');

	g_autofree char *taken = msgid_canonical(longest);
	g_autofree char *refused = msgid_canonical(longer);

	ck_assert_ptr_nonnull(taken);
	ck_assert_ptr_null(refused);
}
END_TEST

static void check_list(const char *field, const char *want)
{
	g_autoptr(GPtrArray) ids = msgid_list(field);

	g_ptr_array_add(ids, NULL);
	g_autofree char *got = g_strjoinv(" ", (GStrv)ids->pdata);
	ck_assert_msg(strcmp(got, want) == 0, "%s: got %s", field, got);
}

START_TEST(msgid_list_takes_only_what_stands_in_brackets)
{
	check_list("<a@x> <b@x>\r\n\t<c@x>", "a@x b@x c@x");
	check_list("<a@x><b@x>,<c@x>", "a@x b@x c@x");
	check_list("<a@x> (Bo's message of \"<z@x>\") <b@x>", "a@x b@x");
	check_list("Your message of Tue <a@x> ann@example.org", "a@x");
	check_list("<a@x> <b@x> <a@x>", "a@x b@x");
	check_list("<a@x> <a@x> <a@x> <b@x> <a@x>", "a@x b@x");
	check_list("<a@x <b@x>", "b@x");
	check_list("<a@x> <b@x", "a@x");
	check_list("<a@x> (never closed <b@x>", "a@x b@x");
	check_list("> <\303\266> <a@x>", "a@x");
	check_list("", "");
	check_list(NULL, "");
}
END_TEST

START_TEST(msgid_list_keeps_the_last_ones_of_too_many)
{
	g_autoptr(GString) field = g_string_new(NULL);

	for (unsigned i = 0; i < MAIL_MAX_REFERENCES + 5; i++)
		g_string_append_printf(field, "<%u@x> ", i);
	g_autoptr(GPtrArray) ids = msgid_list(field->str);

	ck_assert_uint_eq(ids->len, MAIL_MAX_REFERENCES);
	ck_assert_str_eq(g_ptr_array_index(ids, 0), "5@x");
}
END_TEST

static char *synthetic(const char *head, const char *body)
{
	const ByteSlice pieces[] = {{head, strlen(head)}, {body, strlen(body)}};

	return msgid_synthetic(pieces, G_N_ELEMENTS(pieces));
}

START_TEST(msgid_synthetic_knows_line_ends_and_pieces_apart)
{
	g_autofree char *lf = synthetic("a", "Text.\n\nMore.\n");
	g_autofree char *crlf = synthetic("a", "Text.\r\n\r\nMore.\r\n\r\n");
	g_autofree char *other = synthetic("a", "Text.\nMore.\n");
	g_autofree char *moved = synthetic("a\nText.", "\nMore.\n");

	ck_assert_str_eq(lf, crlf);
	ck_assert_str_ne(lf, other);
	ck_assert_str_ne(lf, moved);
	ck_assert(msgid_is_synthetic(lf));
}
END_TEST

START_TEST(msgid_of_a_mail_is_not_synthetic)
{
	ck_assert(!msgid_is_synthetic("a@example.org"));
	ck_assert(!msgid_is_synthetic("@synthetic.invalid"));
	ck_assert(!msgid_is_synthetic("0123456789abcdef0123456789abcdex@synthetic.invalid"));
	ck_assert(!msgid_is_synthetic("0123456789abcdef0123456789abcdef0@synthetic.invalid"));
}
END_TEST

START_TEST(msgid_is_escaped_for_a_url_path)
{
	g_autofree char *plain = msgid_url_escape("20240305.1-x_y~z+1=2@example.org");
	g_autofree char *hostile = msgid_url_escape("a/b%<script>\"?#&@example.org");

	ck_assert_str_eq(plain, "20240305.1-x_y~z+1=2@example.org");
	ck_assert_str_eq(hostile, "a%2Fb%25%3Cscript%3E%22%3F%23%26@example.org");
}
END_TEST

CHECK_MAIN("msgid", msgid_has_one_canonical_form, msgid_canonical_form_is_its_own_canonical_form,
	   msgid_over_the_limit_is_none, msgid_alone_is_taken_byte_for_byte,
	   msgid_list_takes_only_what_stands_in_brackets,
	   msgid_list_keeps_the_last_ones_of_too_many,
	   msgid_synthetic_knows_line_ends_and_pieces_apart, msgid_of_a_mail_is_not_synthetic,
	   msgid_is_escaped_for_a_url_path)
