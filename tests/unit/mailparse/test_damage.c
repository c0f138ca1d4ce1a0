/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/damage.h"

#include "tests/unit/check_main.h"

#include <string.h>

#define HEAD "diff --git a/f.c b/f.c\nindex 1..2 100644\n--- a/f.c\n+++ b/f.c\n"
#define LONG "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void assert_damage(const char *text, PatchDamage undone, const char *name)
{
	g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
	g_autoptr(Diff) diff = diff_parse(bytes, NULL);

	ck_assert_uint_gt(diff->files->len, 0);
	g_autoptr(Damage) damage = damage_find(diff, undone, NULL);
	ck_assert_pstr_eq(damage ? patch_damage_name(damage->kind) : NULL, name);
}

START_TEST(a_whole_diff_is_not_damaged)
{
	assert_damage(HEAD "@@ -1 +1 @@\n-a\n+b\n", PATCH_DAMAGE_NONE, NULL);
	assert_damage(HEAD "@@ -1 +1 @@\n-a\r\n+b\r\n", PATCH_DAMAGE_NONE, NULL);
	assert_damage(HEAD "@@ -1 +1 @@\n-a\n+b &gt; c\n", PATCH_DAMAGE_NONE, NULL);
}
END_TEST

START_TEST(each_mark_of_a_mailer_is_told)
{
	assert_damage(HEAD "@@ -1 +1 @@\n-a\n+b\n", PATCH_DAMAGE_FLOWED, "flowed");
	assert_damage(HEAD "@@ -1,2 +1,2 @@\n-a\n+" LONG "\nb\n c\n", PATCH_DAMAGE_NONE, "wrapped");
	assert_damage(HEAD "@@ -1,2 +1,2 @@ static int\nfoo(void)\n a\n-b\n+c\n", PATCH_DAMAGE_NONE,
		      "wrapped");
	assert_damage(HEAD "@@ -1,2 +1,2 @@\n-a\n", PATCH_DAMAGE_NONE, "truncated");
	assert_damage(HEAD "@@ -1,2 +1,2 @@\n+a\n\n", PATCH_DAMAGE_NONE, "truncated");
	assert_damage(HEAD "@@ -1,2 +1,2 @@\n-a\n+b\n\302\240c\n", PATCH_DAMAGE_NONE, "nbsp");
	assert_damage(HEAD "@@ -1,2 +1,2 @@\n-a\n+\302\240b\n c\n", PATCH_DAMAGE_NONE, "nbsp");
	assert_damage(HEAD "@@ -1,2 +1,2 @@\n-a\n+b\n\tc\n", PATCH_DAMAGE_NONE, "leading-space");
	assert_damage(HEAD "@@ -1 +1 @@\n-p->x\n+p-&gt;y\n", PATCH_DAMAGE_NONE, "html");
	assert_damage("diff --git a/f b/f\r\n--- a/f\r\n+++ b/f\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n",
		      PATCH_DAMAGE_NONE, "crlf");
}
END_TEST

START_TEST(a_cut_at_any_byte_is_read)
{
	const char *text = HEAD "@@ -1,2 +1,2 @@\n-a\n+b\n c\n";

	for (gsize len = strlen(HEAD); len <= strlen(text); len++) {
		g_autoptr(GBytes) bytes = g_bytes_new(text, len);
		g_autoptr(Diff) diff = diff_parse(bytes, NULL);
		g_autoptr(Damage) damage = damage_find(diff, PATCH_DAMAGE_NONE, NULL);
		ck_assert(damage == NULL || damage->kind == PATCH_DAMAGE_TRUNCATED);
	}
}
END_TEST

CHECK_MAIN("damage", a_whole_diff_is_not_damaged, each_mark_of_a_mailer_is_told,
	   a_cut_at_any_byte_is_read)
