/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/notes.h"

#include "tests/unit/check_main.h"

START_TEST(notes_below_a_cover_are_read)
{
	g_autoptr(PatchNotes) notes = notes_read(
		"base-commit: 0123456789ABCDEF0123456789abcdef01234567\nbase-commit: bad\n"
		"prerequisite-patch-id: 1111111111111111111111111111111111111111\n"
		"prerequisite-patch-id: short\nChange-Id: I12\nchange-id: second\n");

	ck_assert_str_eq(notes->base_commit, "0123456789abcdef0123456789abcdef01234567");
	ck_assert_str_eq(notes->change_id, "I12");
	ck_assert_uint_eq(g_strv_length(notes->prerequisites), 1);
	ck_assert_ptr_null(notes->replaces[0]);
}
END_TEST

START_TEST(what_must_be_there_first_is_kept_in_all_its_spellings)
{
	g_autoptr(PatchNotes) notes =
		notes_read("prerequisite-patch-id: 1111111111111111111111111111111111111111\n"
			   "prerequisite-change-id: 20260101-foo-0123456789ab:v2\n"
			   "Depends-on: <a/b@example.org>\n"
			   "Depends-On: https://lore.example.org/lab/c%2Bd@example.org/T/#u\n"
			   "Based-on: <e@example.org>\n"
			   "Depends-On: I0123456789\nDepends-on: nothing much\nBased-on:\n"
			   "> Based-on: <quoted@example.org>\n");
	g_autofree char *all = g_strjoinv(" ", notes->prerequisites);

	ck_assert_str_eq(all, "1111111111111111111111111111111111111111"
			      " change-id:20260101-foo-0123456789ab:v2"
			      " message-id:a/b@example.org message-id:c+d@example.org"
			      " message-id:e@example.org");
	ck_assert_ptr_null(notes->change_id);
}
END_TEST

START_TEST(the_posting_before_is_named_in_many_ways)
{
#define URL "https://lore.example.org/r/20260105-foo-v1-0-abc@example.org"
	static const char *const lines[] = {
		"Supersedes: <20260105-foo-v1-0-abc@example.org>",
		"supersedes: 20260105-foo-v1-0-abc@example.org",
		"- Link to v1: " URL,
		"Link to v1: " URL "/",
		"v1: " URL,
		"V1: <" URL ">",
		"  v1 - " URL,
		"* v1 " URL,
		"[v1] " URL,
		"[v1]: " URL,
		"RFC: " URL,
		"RFC v1: " URL,
		"- Link to RFC v1: " URL,
		"Previous version: " URL,
		"Previous version (v1): " URL,
		"Prior posting: " URL,
		"Obsoletes: <20260105-foo-v1-0-abc@example.org>",
	};
	static const char *const others[] = {
		"Link: " URL,
		"Closes: " URL,
		"Cc: v1@example.org",
		"> v1: " URL,
		"See " URL,
		"v1: fixed what Bo <bo@example.org> found",
		"+v1: " URL,
		"v1: http://example.org/no-mail",
		"Reported-by: Bo <bo@example.org>",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(lines); i++) {
		g_autoptr(PatchNotes) notes = notes_read(lines[i]);
		ck_assert_msg(g_strcmp0(notes->replaces[0], "20260105-foo-v1-0-abc@example.org") ==
				      0,
			      "%s: %s", lines[i], notes->replaces[0]);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(others); i++) {
		g_autoptr(PatchNotes) notes = notes_read(others[i]);
		ck_assert_msg(notes->replaces[0] == NULL, "%s: %s", others[i], notes->replaces[0]);
	}
#undef URL
}
END_TEST

START_TEST(postings_before_are_counted)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < 1000; i++)
		g_string_append_printf(text, "Supersedes: <%u@example.org>\nSupersedes: <0@x>\n",
				       i);
	g_autoptr(PatchNotes) notes = notes_read(text->str);
	ck_assert_uint_eq(g_strv_length(notes->replaces), 50);
}
END_TEST

CHECK_MAIN("notes", notes_below_a_cover_are_read,
	   what_must_be_there_first_is_kept_in_all_its_spellings,
	   the_posting_before_is_named_in_many_ways, postings_before_are_counted)
