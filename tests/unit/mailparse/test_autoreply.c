/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/autoreply.h"

#include "tests/unit/check_main.h"

#include <string.h>

static bool is_auto(const char *from, const char *subject, const char *body)
{
	g_autofree char *text =
		g_strconcat("From: ", from, "\nSubject: ", subject, "\n\n", body, NULL);
	g_autoptr(Message) message = message_parse((const guint8 *)text, strlen(text), NULL);

	ck_assert_ptr_nonnull(message);
	return autoreply_is(message, false);
}

START_TEST(the_subject_tells_in_many_tongues)
{
	static const char *const subjects[] = {
		"Out of office",
		"Out of Office: foo is slow",
		"Out of office reply",
		"[lab] Out of office: foo",
		"Automatic reply: [PATCH] foo: faster",
		"Auto Reply: foo",
		"Autoreply (was: foo)",
		"Automatic reply from Ann Author",
		"On vacation",
		"Abwesend: foo",
		"Abwesenheitsnotiz: foo",
		"Automatische Antwort: foo",
		"Nicht im Büro: foo",
		"Réponse automatique : foo",
		"Respuesta automática: foo",
		"Fuera de la oficina: foo",
		"Risposta automatica: foo",
		"Fuori sede: foo",
		"Resposta automática: foo",
		"Automatisch antwoord: foo",
		"Autosvar: foo",
		"Automaattinen vastaus: foo",
		"Automatyczna odpowiedź: foo",
		"Automatická odpověď: foo",
		"Otomatik Yanıt: foo",
		"Автоматический ответ: foo",
		"自动回复: foo",
		"自動回覆：foo",
		"自動応答: foo",
		"자동 회신: foo",
		"Undelivered Mail Returned to Sender",
		"Undeliverable: foo",
		"Delivery Status Notification (Failure)",
		"Mail delivery failed: returning message to sender",
		"Returned mail: see transcript for details",
		"failure notice",
		"Unzustellbar: foo",
		"Non remis : foo",
		"No se puede entregar: foo",
		"Impossibile recapitare: foo",
		"Não é possível entregar: foo",
		"Niet-bezorgbaar: foo",
		"Не удается доставить: foo",
		"无法传递: foo",
		"系统退信",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(subjects); i++)
		ck_assert_msg(is_auto("Ann <ann@example.org>", subjects[i], "x\n"), "%s",
			      subjects[i]);
}
END_TEST

START_TEST(a_mail_server_is_known_by_its_name)
{
	ck_assert(is_auto("MAILER-DAEMON@mx.example.org", "foo", "x\n"));
	ck_assert(is_auto("Mail Delivery Subsystem <x@mx.example.org>", "foo", "x\n"));
	ck_assert(is_auto("x@example.org", "foo",
			  "This is the mail system at host mx.example.org.\n"));
	ck_assert(is_auto("x@example.org", "foo", "Hi. This is the qmail-send program at x.\n"));
	ck_assert(is_auto("x@example.org", "foo",
			  "A message that you sent could not be delivered to\nsome recipients.\n"));
	ck_assert(is_auto("x@example.org", "foo",
			  "Your message to bo@example.org couldn't be delivered.\n"));
}
END_TEST

START_TEST(the_text_tells_that_somebody_is_away)
{
	static const char *const bodies[] = {
		"I am out of the office until Monday, 6 May with limited access to e-mail.\n",
		"Hello,\n\nI'm on vacation and will be back on May 6.\nFor urgent matters please "
		"contact bo@example.org.\n",
		"Thank you for your mail. I am currently out of office.\nThis is an automatic "
		"reply.\n",
		"I am on parental leave until July. Your mail will not be read, please contact "
		"Bo.\n",
		"Ich bin bis zum 6. Mai nicht im Büro.  Ihre E-Mail wird nicht "
		"weitergeleitet.\n",
		"Ich bin im Urlaub und ab 6. Mai wieder erreichbar. In dringenden Fällen wenden "
		"Sie sich an Bo.\n",
		"Je suis absent jusqu'au 6 mai. En cas d'urgence, contactez Bo.\n",
		"Estoy fuera de la oficina hasta el 6 de mayo. Para asuntos urgentes, contactar "
		"con Bo.\n",
		"Sono fuori sede fino al 6 maggio. Per questioni urgenti contattare Bo.\n",
		"Estou de férias até 6 de maio. Em caso urgente, contactar Bo.\n",
		"Ik ben afwezig tot 6 mei. Bij spoed kunt u contact opnemen met Bo.\n",
		"Jestem na urlopie do 6 maja. Wracam 7 maja. W pilnej sprawie proszę o kontakt.\n",
		"Я в отпуске до 6 мая. По срочным вопросам обращайтесь к Бо.\n",
		"您好，我正在休假，直到5月6日。紧急事务请联系 Bo。\n",
		"5月6日まで不在です。緊急の場合は Bo へご連絡ください。\n",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(bodies); i++)
		ck_assert_msg(is_auto("Ann <ann@example.org>", "Re: foo", bodies[i]), "%s",
			      bodies[i]);
}
END_TEST

START_TEST(old_marks_count_as_well)
{
	static const char *const marks[] = {"X-Autoreply: yes", "X-Autorespond: foo",
					    "Precedence: auto_reply",
					    "Auto-Submitted: auto-generated"};

	for (gsize i = 0; i < G_N_ELEMENTS(marks); i++) {
		g_autofree char *subject = g_strconcat("foo\n", marks[i], NULL);
		ck_assert_msg(is_auto("Ann <ann@example.org>", subject, "x\n"), "%s", marks[i]);
	}
	ck_assert(!is_auto("Ann <ann@example.org>", "foo\nPrecedence: bulk", "x\n"));
}
END_TEST

START_TEST(people_who_write_of_such_things_are_people)
{
	static const char *const subjects[] = {
		"Re: Out of office: foo",
		"Out of office replies on the list",
		"Automatic reply handling is broken",
		"[PATCH] mail: auto reply only once",
		"Delivery of interrupts fails",
		"absent pages in foo",
		"failure notices",
	};
	static const char *const bodies[] = {
		"I am on vacation next week. Could you please test the patch at LINK?\n",
		"Sorry for the delay, I was out of office.\n",
		"The server will not respond until it is restarted.\n",
		"> I am out of the office until Monday with limited access to e-mail.\n\nEnjoy!\n",
		"The following message is printed when it failed:\n\n\tfoo\n",
		"Interrupts that could not be delivered are lost.\n",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(subjects); i++)
		ck_assert_msg(!is_auto("Ann <ann@example.org>", subjects[i], "x\n"), "%s",
			      subjects[i]);
	for (gsize i = 0; i < G_N_ELEMENTS(bodies); i++)
		ck_assert_msg(!is_auto("Ann <ann@example.org>", "Re: foo", bodies[i]), "%s",
			      bodies[i]);
}
END_TEST

START_TEST(who_posts_a_patch_may_go_away)
{
	const char *text = "From: Ann <ann@example.org>\nSubject: [PATCH 0/2] foo\n\n"
			   "I am out of the office until Monday and will not respond before.\n";
	g_autoptr(Message) message = message_parse((const guint8 *)text, strlen(text), NULL);

	ck_assert(!autoreply_is(message, true));
	ck_assert(autoreply_is(message, false));
}
END_TEST

CHECK_MAIN("autoreply", the_subject_tells_in_many_tongues, a_mail_server_is_known_by_its_name,
	   the_text_tells_that_somebody_is_away, old_marks_count_as_well,
	   people_who_write_of_such_things_are_people, who_posts_a_patch_may_go_away)
