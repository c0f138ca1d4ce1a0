/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/damage.h"

#include "tests/unit/check_main.h"

#include <string.h>

#define HEAD "diff --git a/f.c b/f.c\nindex 1..2 100644\n--- a/f.c\n+++ b/f.c\n"
#define LONG "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void assert_damage(const char *text, bool flowed, const char *name)
{
	g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
	g_autoptr(Diff) diff = diff_parse(bytes, NULL);

	ck_assert_uint_gt(diff->files->len, 0);
	ck_assert_pstr_eq(patch_damage_name(damage_find(diff, flowed)), name);
}

START_TEST(a_whole_diff_is_not_damaged)
{
	assert_damage(HEAD "@@ -1 +1 @@\n-a\n+b\n", false, NULL);
	assert_damage(HEAD "@@ -1 +1 @@\n-a\r\n+b\r\n", false, NULL);
	assert_damage(HEAD "@@ -1 +1 @@\n-a\n+b &gt; c\n", false, NULL);
}
END_TEST

START_TEST(each_mark_of_a_mailer_is_told)
{
	assert_damage(HEAD "@@ -1 +1 @@\n-a\n+b\n", true, "flowed");
	assert_damage(HEAD "@@ -1,2 +1,2 @@\n-a\n+" LONG "\nb\n c\n", false, "wrapped");
	assert_damage(HEAD "@@ -1,2 +1,2 @@ static int\nfoo(void)\n a\n-b\n+c\n", false, "wrapped");
	assert_damage(HEAD "@@ -1,2 +1,2 @@\n-a\n", false, "truncated");
	assert_damage(HEAD "@@ -1,2 +1,2 @@\n+a\n\n", false, "truncated");
	assert_damage(HEAD "@@ -1,2 +1,2 @@\n-a\n+b\n\302\240c\n", false, "nbsp");
	assert_damage(HEAD "@@ -1,2 +1,2 @@\n-a\n+\302\240b\n c\n", false, "nbsp");
	assert_damage(HEAD "@@ -1,2 +1,2 @@\n-a\n+b\n\tc\n", false, "tabs");
	assert_damage(HEAD "@@ -1 +1 @@\n-p->x\n+p-&gt;y\n", false, "html");
	assert_damage("diff --git a/f b/f\r\n--- a/f\r\n+++ b/f\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n",
		      false, "crlf");
}
END_TEST

START_TEST(a_cut_at_any_byte_is_read)
{
	const char *text = HEAD "@@ -1,2 +1,2 @@\n-a\n+b\n c\n";

	for (gsize len = strlen(HEAD); len <= strlen(text); len++) {
		g_autoptr(GBytes) bytes = g_bytes_new(text, len);
		g_autoptr(Diff) diff = diff_parse(bytes, NULL);
		PatchDamage damage = damage_find(diff, false);
		ck_assert(damage == PATCH_DAMAGE_NONE || damage == PATCH_DAMAGE_TRUNCATED);
	}
}
END_TEST

CHECK_MAIN("damage", a_whole_diff_is_not_damaged, each_mark_of_a_mailer_is_told,
	   a_cut_at_any_byte_is_read)
