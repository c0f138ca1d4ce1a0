/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/voice.h"

#include "tests/unit/check_main.h"

#include <string.h>

/* What is left of @body in the voice that is wanted, lines joined by "/". */
static char *speak_below(const char *answered, const char *body, Voice wanted)
{
	g_autoptr(GHashTable) lines = answered ? voice_lines(answered) : NULL;
	GString *said = g_string_new(NULL);
	VoiceWalk walk;
	Voice voice;
	Line line;

	voice_walk_init(&walk, body, lines);
	while (voice_walk_next(&walk, &line, &voice)) {
		bool quote = wanted == VOICE_QUOTE && voice == VOICE_INTRODUCTION;
		if ((voice != wanted && !quote) || line_is_blank(&line))
			continue;
		if (said->len > 0)
			g_string_append_c(said, '/');
		g_string_append_len(said, line.text, (gssize)line.len);
	}
	return g_string_free(said, FALSE);
}

static char *speak(const char *body, Voice wanted)
{
	return speak_below(NULL, body, wanted);
}

START_TEST(a_line_behind_any_quote_mark_is_quoted)
{
	static const char *const lines[] = {
		"> text",       ">text",     "  > text", ">>> text",  "| text",
		"Bo> text",     "Bo>> text", "AB>text",  " Bo> text", "bo.r> text",
		"Bo Lee> text", "Bo>",       ": text",   "} text",    "] text",
		"&gt; text",    "» text",    "│ text",   ":",         "Jörg> text",
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
		"-----Ursprüngliche Nachricht-----",
		"------------------ 原始邮件 ------------------",
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
		"From: Ann <ann@example.org>\nSubject: foo\n\nMine.\n",
		"See below.\n\n-- >8 --\nFrom: Ann <ann@example.org>\nSubject: foo\n\nMine.\n",
		"See below.\nFrom 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 "
		"2001\n"
		"From: Ann <ann@example.org>\nSubject: foo\n\nMine.\n",
		"See below.\nFrom: Ann\n\nMine.\n",
		"Facts:\nkernel: 6.9\nhost: box\nmine: Mine.",
		"Reported-by: Bo <bo@example.org>\nLink: https://x.org/\nTested-by: Cy\nMine.",
		"It works.\nThe log is below:\n\nMine.\n",
		"I tested what you asked for:\nMine.\n",
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

/* What leads in an original that bears no marks, below words of the writer's own. */
static void assert_ends(const char *const *ends)
{
	for (gsize i = 0; ends[i]; i++) {
		g_autofree char *body =
			g_strconcat("Agreed.\n\n", ends[i], "\n\nPlease test.\nHis.\n", NULL);
		g_autofree char *said = speak(body, VOICE_WRITER);
		ck_assert_msg(g_strcmp0(said, "Agreed.") == 0, "%s: %s", ends[i], said);
	}
}

START_TEST(the_header_of_an_original_is_known_in_every_tongue)
{
	static const char *const ends[] = {
		"From: Bo\nSent: Monday\nTo: Ann\nSubject: foo",
		"From: Bo Reviewer <bo@example.org>\nSubject: foo",
		"From: Bo Reviewer\nDate: Mon, 6 May 2024\nSubject: foo",
		"Subject: foo\nFrom: Bo Reviewer <bo@example.org>\nTo: Ann",
		"**From:** Bo\n**Sent:** Monday\n**To:** Ann",
		"From: Bo\n\nSent: Monday\n\nTo: Ann\n\nSubject: foo",
		"From: Bo\nTo: Ann <ann@example.org>, Cy <cy@example.org>,\n  Di <di@example.org>\n"
		"Subject: foo",
		"________________________________\nVon: Bo",
		"Von: Bo\nGesendet: Montag, 6. Mai 2024 10:00\nAn: Ann\nBetreff: foo",
		"De : Bo\nEnvoyé : lundi 6 mai 2024\nÀ : Ann\nObjet : foo",
		"De\u00a0: Bo\nObjet\u00a0: foo",
		"De: Bo\nEnviado el: lunes, 6 de mayo\nPara: Ann\nAsunto: foo",
		"De: Bo\nEnviada em: segunda-feira\nPara: Ann\nAssunto: foo",
		"Da: Bo\nInviato: lunedì 6 maggio\nA: Ann\nOggetto: foo",
		"Van: Bo\nVerzonden: maandag 6 mei\nAan: Ann\nOnderwerp: foo",
		"Od: Bo\nWysłano: poniedziałek\nDo: Ann\nTemat: foo",
		"Od: Bo\nOdesláno: pondělí\nKomu: Ann\nPředmět: foo",
		"Från: Bo\nSkickat: den 6 maj\nTill: Ann\nÄmne: foo",
		"Fra: Bo\nSendt: 6. maj\nTil: Ann\nEmne: foo",
		"Lähettäjä: Bo\nLähetetty: maanantai\nVastaanottaja: Ann\nAihe: foo",
		"Feladó: Bo\nElküldve: 6\nCímzett: Ann\nTárgy: foo",
		"Kimden: Bo\nGönderildi: Pazartesi\nKime: Ann\nKonu: foo",
		"От: Bo\nОтправлено: 6\n"
		"Кому: Ann\nТема: foo",
		"发件人: Bo\n发送时间: 2024\n收件人: Ann\n"
		"主题: foo",
		"发件人：Bo\n主题：foo",
		"差出人: Bo\n件名: foo",
		"보낸 사람: Bo\n제목: foo",
		"Ab: Bo <bo@example.org>\nTemp: Mon 10:00\nRes: foo",
		NULL,
	};

	assert_ends(ends);
}
END_TEST

START_TEST(the_ruler_above_an_original_is_known_in_every_tongue)
{
	static const char *const ends[] = {
		"--- Original Message ---",
		"---- Original message ----",
		"=== Forwarded message ===",
		"-----Message d'origine-----",
		"-----Message d’origine-----",
		"----- Mail original -----",
		"-----Mensaje original-----",
		"-----Messaggio originale-----",
		"-----Mensagem original-----",
		"-----Oorspronkelijk bericht-----",
		"-----Ursprungligt meddelande-----",
		"-----Oprindelig meddelelse-----",
		"-----Alkuperäinen viesti-----",
		"-----Wiadomość oryginalna-----",
		"-----Původní zpráva-----",
		"-----Eredeti üzenet-----",
		"-----Özgün İleti-----",
		"-----Исходное сообщение-----",
		"-----原始邮件-----",
		"----- 原始郵件 -----",
		"-----元のメッセージ-----",
		"-----원본 메시지-----",
		"Début du message réexpédié :",
		"Anfang der weitergeleiteten Nachricht:",
		NULL,
	};

	assert_ends(ends);
}
END_TEST

START_TEST(an_attribution_is_known_in_every_tongue)
{
	static const char *const ends[] = {
		"Bo wrote:",
		"Bo Reviewer writes:",
		"Bo Reviewer <bo@example.org> writes:",
		"On Monday, Bo wrote:",
		"On Mon, May 6, 2024 at 10:00 AM Bo Reviewer\n<bo@example.org> wrote:",
		"On Mon, May 6, 2024 at 10:00 AM Bo Reviewer <bo@example.org>\nwrote:",
		"On Mon, May 6, 2024 at 10:00 AM\nBo Reviewer\n<bo@example.org>\nwrote:",
		"On Mon, May 6, 2024 at 10:00 AM Bo Reviewer <bo@example.org> wrote",
		"On Mon, 6 May 2024 10:00:00 +0200 Bo wrote the following:",
		"Bo Reviewer wrote on Mon, 6 May 2024:",
		"Bo Reviewer <bo@example.org>\nwrote:",
		"* Bo Reviewer <bo@example.org> [2024-05-06 10:00]:",
		"Quoting Bo Reviewer <bo@example.org>:",
		"You wrote:",
		"Am 06.05.24 um 10:00 schrieb Bo:",
		"Am Montag, 6. Mai 2024 schrieb Bo Reviewer\n<bo@example.org>:",
		"Bo schrieb:",
		"Zitat von Bo <bo@example.org>:",
		"Le lun. 6 mai 2024 à 10:00, Bo Reviewer <bo@example.org> a\nécrit :",
		"Le 06/05/2024, Bo a écrit\u00a0:",
		"Bo a écrit :",
		"El lun, 6 may 2024 a las 10:00, Bo (<bo@example.org>)\nescribió:",
		"Il giorno lun 6 mag 2024 alle ore 10:00 Bo <bo@example.org> ha\nscritto:",
		"Em seg., 6 de mai. de 2024 às 10:00, Bo <bo@example.org>\nescreveu:",
		"Op ma 6 mei 2024 om 10:00 schreef Bo <bo@example.org>:",
		"Den mån 6 maj 2024 kl 10:00 skrev Bo <bo@example.org>:",
		"pon., 6 maj 2024 o 10:00 Bo <bo@example.org> napisał(a):",
		"po 6. 5. 2024 v 10:00 odesílatel Bo <bo@example.org> napsal:",
		"пн, 6 мая 2024 г. в 10:00, Bo <bo@example.org>:",
		"06.05.2024 10:00, Bo пишет:",
		"6 May 2024 Pzt, 10:00 tarihinde Bo <bo@example.org> şunu yazdı:",
		"Bo <bo@example.org> 于2024年5月6日周一 10:00写道：",
		"在 2024/5/6 10:00, Bo 写道:",
		"Boさんは書きました:",
		"2024年5月6日(月) 10:00 Bo <bo@example.org>:",
		"2024년 5월 6일 (월) 10:00, Bo <bo@example.org>님이 작성:",
		NULL,
	};

	assert_ends(ends);
}
END_TEST

START_TEST(a_signature_mark_may_have_other_blanks)
{
	static const char *const ends[] = {"--\u00a0", "--  ", "--\t", "-- \r", "—", NULL};

	assert_ends(ends);
}
END_TEST

START_TEST(a_digest_is_many_mails)
{
	static const char *const ends[] = {
		"Today's Topics:\n\n   1. foo (Bo Reviewer)\n\n"
		"----------------------------------------------------------------------\n\n"
		"Message: 1\nDate: Mon, 6 May 2024 10:00:00 +0200\n"
		"From: Bo Reviewer <bo@example.org>\nTo: lab@lists.example.org\nSubject: foo\n"
		"Message-ID: <a@example.org>",
		"------------------------------\n\nDate: Mon, 6 May 2024 10:00:00 +0200\n"
		"From: Bo Reviewer <bo@example.org>\nSubject: foo",
		NULL,
	};

	for (gsize i = 0; ends[i]; i++) {
		g_autofree char *body = g_strconcat(ends[i], "\n\nPlease test.\n", NULL);
		g_autofree char *said = speak(body, VOICE_WRITER);
		ck_assert_msg(!strstr(said, "Please"), "%s", said);
	}
}
END_TEST

START_TEST(what_the_answered_mail_says_is_a_quote_without_marks)
{
	static const char report[] = "Hi Ann,\n\nplease test the patch below.\n\n#lorebot test\n\n"
				     "diff --git a/f b/f\n+please test it\n";
	g_autofree char *kept = speak_below(
		report, "please test the patch below.\n\n#lorebot test\nNo.\n", VOICE_WRITER);
	g_autofree char *said_twice = speak_below(report, "Yes.\n#lorebot test\n", VOICE_WRITER);
	g_autofree char *diff =
		speak_below(report, "Mine.\n\ndiff --git a/f b/f\n+please test it\n", VOICE_WRITER);

	ck_assert_str_eq(kept, "No.");
	ck_assert_str_eq(said_twice, "Yes./#lorebot test");
	ck_assert_str_eq(diff, "Mine./diff --git a/f b/f/+please test it");
}
END_TEST

CHECK_MAIN("voice", the_header_of_an_original_is_known_in_every_tongue,
	   the_ruler_above_an_original_is_known_in_every_tongue,
	   an_attribution_is_known_in_every_tongue, a_signature_mark_may_have_other_blanks,
	   a_digest_is_many_mails, what_the_answered_mail_says_is_a_quote_without_marks,
	   a_line_behind_any_quote_mark_is_quoted, a_sign_within_a_line_quotes_nothing,
	   what_is_indented_below_an_attribution_is_quoted, the_talk_ends_where_another_mail_begins,
	   a_header_or_an_attribution_alone_ends_nothing, what_is_set_off_is_a_sample)
