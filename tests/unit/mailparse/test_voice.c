/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/voice.h"

#include "tests/unit/check_main.h"

/* What is left of @body in the voice that is wanted, lines joined by "/". */
static char *speak(const char *body, Voice wanted)
{
	GString *said = g_string_new(NULL);
	VoiceWalk walk;
	Voice voice;
	Line line;

	voice_walk_init(&walk, body);
	while (voice_walk_next(&walk, &line, &voice)) {
		if (voice != wanted || line_is_blank(&line))
			continue;
		if (said->len > 0)
			g_string_append_c(said, '/');
		g_string_append_len(said, line.text, (gssize)line.len);
	}
	return g_string_free(said, FALSE);
}

START_TEST(a_line_behind_any_quote_mark_is_quoted)
{
	static const char *const lines[] = {
		"> text",       ">text",       "  > text",    ">>> text",  "| text",
		"Bo> text",     "Bo>> text",   "AB>text",     " Bo> text", "bo.r> text",
		"Bo Lee> text", "Bo>",         ": text",      "} text",    "] text",
		"&gt; text",    "\u00bb text", "\u2502 text", ":",         "J\u00f6rg> text",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(lines); i++) {
		g_autofree char *said = speak(lines[i], VOICE_QUOTE);
		ck_assert_str_eq(said, lines[i]);
	}
}
END_TEST

START_TEST(a_sign_within_a_line_quotes_nothing)
{
	static const char *const lines[] = {
		"ops->run must be set",
		"the ->run callback",
		"echo w >/proc/x",
		"Ann Author <ann@example.org>",
		"<https://x.org/>",
		":-) text",
		"a value > 5 fails",
		"#lorebot test",
		"- > item",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(lines); i++) {
		g_autofree char *said = speak(lines[i], VOICE_WRITER);
		ck_assert_str_eq(said, lines[i]);
	}
}
END_TEST

START_TEST(what_is_indented_below_an_attribution_is_quoted)
{
	g_autofree char *tab = speak("On 6 May 2024, Bo wrote:\n\n\tOne.\n\n\tTwo.\n\nMine.\n"
				     "\tSample.\n",
				     VOICE_WRITER);
	g_autofree char *blanks = speak("Yes.\nOn 6 May 2024 Bo Reviewer\n<bo@example.org> wrote:\n"
					"  One.\n  Two.\nMine.\n",
					VOICE_WRITER);
	g_autofree char *cut = speak("Yes, that is what I meant.\n\nOn 6 May 2024, Bo wrote:\n"
				     "...\nMine.\n",
				     VOICE_WRITER);

	ck_assert_str_eq(tab, "Mine.");
	ck_assert_str_eq(blanks, "Yes./Mine.");
	ck_assert_str_eq(cut, "Yes, that is what I meant./.../Mine.");
}
END_TEST

START_TEST(the_talk_ends_where_another_mail_begins)
{
	static const char *const ends[] = {
		"-- ",
		"--",
		"-----Original Message-----",
		"-------- Original Message --------",
		"-------- Forwarded Message --------",
		"---------- Forwarded message ---------",
		"----- Forwarded message from Bo <bo@example.org> -----",
		"  -----Original Message-----",
		"-----Urspr\u00fcngliche Nachricht-----",
		"------------------ \u539f\u59cb\u90ae\u4ef6 ------------------",
		"Begin forwarded message:",
		"________________________________",
		"From: Bo\nSent: Monday\nTo: Ann",
		"*From:* Bo\n*Date:* Monday\n*To:* Ann",
		"On 6 May 2024, Bo wrote:\n",
		"Am 06.05.2024 um 10:00 schrieb Bo:\n",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(ends); i++) {
		g_autofree char *body =
			g_strconcat("That does not work here.\n\n", ends[i], "\nHis.\n", NULL);
		g_autofree char *said = speak(body, VOICE_WRITER);
		ck_assert_msg(g_strcmp0(said, "That does not work here.") == 0, "%s: %s", ends[i],
			      said);
	}
}
END_TEST

START_TEST(a_header_or_an_attribution_alone_ends_nothing)
{
	static const char *const bodies[] = {
		"Hi Bo,\n\nOn 6 May 2024, Bo wrote:\n\nMine.\n",
		"On 6 May 2024, Bo wrote:\nMine.\n",
		"See below.\nFrom: Ann\nSubject: foo\n\nMine.\n",
		"See below.\n--- a/forwarded.c\nMine.\n",
		"See below.\n---\nMine.\n",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(bodies); i++) {
		g_autofree char *said = speak(bodies[i], VOICE_WRITER);
		ck_assert_msg(g_str_has_suffix(said, "Mine."), "%s", bodies[i]);
	}
}
END_TEST

START_TEST(what_is_set_off_is_a_sample)
{
	g_autofree char *said = speak("One.\n\tA\n    B\n  Two.\n```sh\nC\n```\nThree.\n"
				      "```D```\nFour.\n~~~\nE\n",
				      VOICE_WRITER);

	ck_assert_str_eq(said, "One./  Two./Three./Four.");
}
END_TEST

CHECK_MAIN("voice", a_line_behind_any_quote_mark_is_quoted, a_sign_within_a_line_quotes_nothing,
	   what_is_indented_below_an_attribution_is_quoted, the_talk_ends_where_another_mail_begins,
	   a_header_or_an_attribution_alone_ends_nothing, what_is_set_off_is_a_sample)
