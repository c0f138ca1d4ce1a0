/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/check_main.h"

#include "bot/git/binary.h"
#include "tests/unit/git/fixture.h"

#define HEAD "diff --git a/b b/b\nindex 1..2 100644\nGIT binary patch\n"

/* The data of a diff that git made between make_old() and the same with "XYZ" at 200. */
static const char delta_text[] = HEAD "delta 13\nVcmbQhJb`(_3Fe5%sEMbK0sta+1+D-9\n";

static GBytes *make_old(void)
{
	guint8 bytes[400];

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (guint8)(i * 7 + i * i);
	return g_bytes_new(bytes, sizeof(bytes));
}

START_TEST(a_delta_copies_and_inserts)
{
	g_autoptr(GBytes) old = make_old();
	g_autoptr(Diff) diff = fixture_diff(delta_text);
	g_autoptr(GError) error = NULL;
	guint8 expected[400];

	memcpy(expected, g_bytes_get_data(old, NULL), sizeof(expected));
	memcpy(expected + 200, "XYZ", 3);
	g_autoptr(GBytes) made = binary_apply(old, diff->files->pdata[0], &error);

	ck_assert_msg(made != NULL, "%s", error ? error->message : "");
	ck_assert_uint_eq(g_bytes_get_size(made), sizeof(expected));
	ck_assert_mem_eq(g_bytes_get_data(made, NULL), expected, sizeof(expected));
}
END_TEST

START_TEST(a_delta_for_another_size_is_refused)
{
	g_autoptr(GBytes) old = g_bytes_new("short", 5);
	g_autoptr(Diff) diff = fixture_diff(delta_text);
	g_autoptr(GError) error = NULL;

	ck_assert_ptr_null(binary_apply(old, diff->files->pdata[0], &error));
	ck_assert_str_eq(error->message, "the binary data is a delta for a file of another size");
}
END_TEST

/* No cut or changed byte may do more than be refused. */
START_TEST(damaged_data_never_crashes)
{
	g_autoptr(GBytes) old = make_old();

	for (size_t i = strlen(HEAD); i < strlen(delta_text); i++) {
		for (unsigned change = 0; change < 3; change++) {
			g_autofree char *text = g_strdup(delta_text);
			if (change == 0)
				text[i] = '\0';
			else
				text[i] = change == 1 ? '~' : '0';
			g_autoptr(Diff) diff = fixture_diff(text);
			if (diff->files->len == 0)
				continue;
			g_autoptr(GBytes) made = binary_apply(old, diff->files->pdata[0], NULL);
			(void)made;
		}
	}
}
END_TEST

START_TEST(data_without_a_block_is_refused)
{
	g_autoptr(GBytes) old = make_old();
	g_autoptr(Diff) diff =
		fixture_diff(HEAD "literal 99999999999\nVcmbQhJb`(_3Fe5%sEMbK0sta+1+D-9\n");
	g_autoptr(GError) error = NULL;

	ck_assert_ptr_null(binary_apply(old, diff->files->pdata[0], &error));
	ck_assert_str_eq(error->message,
			 "the binary data has no \"literal\" or \"delta\" line with a "
			 "usable size");
}
END_TEST

CHECK_MAIN("binary", a_delta_copies_and_inserts, a_delta_for_another_size_is_refused,
	   damaged_data_never_crashes, data_without_a_block_is_refused)
