/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/autoreply.h"

#include "mailparse/pattern.h"
#include "mailparse/voice.h"

#include <string.h>

#define OPENING_MAX_BYTES 1500u /* of the text that is looked at */

/* What stands between the mark of a program and the subject that it answers. */
#define SUBJECT_END " ?(?:[:：,.!(\\[–—-]|re\\b|$)"

static bool subject_says_so(const char *subject)
{
	static const char *const patterns[] = {
		/* answers */
		"^(?:\\[[^\\]]{1,60}\\] )?(?:"
		"out[ -]of[ -](?:the[ -])?office(?: (?:auto\\w*[ "
		"-]?)?(?:reply|response|notice|message))?"
		"|ooo(?: reply)?|(?:auto(?:matic|mated)?[ -]?)(?:reply|response|answer)(?: "
		"(?:from|to) .{1,80})?"
		"|(?:on|away on) (?:vacation|holiday|annual leave|leave)|away from (?:my mail|the "
		"office)"
		"|vacation (?:reply|notice|message)"
		"|abwesend(?:heit)?|abwesenheits(?:notiz|meldung|nachricht|assistent)|nicht im "
		"b(?:ü|ue)ro"
		"|automatische (?:antwort|abwesenheitsnotiz|nachricht)"
		"|r(?:é|e)ponse automatique|absen(?:ce|t)(?: du bureau)?|message d['’]absence"
		"|respuesta autom(?:á|a)tica|fuera de (?:la )?oficina|ausencia"
		"|odpowied(?:ź|z) automatyczna|risposta automatica|fuori (?:sede|ufficio)|resposta "
		"autom(?:á|a)tica|fora do "
		"escrit(?:ó|o)rio"
		"|resposta autom(?:à|a)tica|automatisch antwoord|afwezig(?:heid)?|niet aanwezig"
		"|automatiskt svar|autosvar|automatisk svar|fr(?:å|a)nvaro|automaattinen "
		"vastaus|poissa"
		"|automatyczna odpowied(?:ź|z)|autoodpowied(?:ź|z)|poza biurem|nieobecno(?:ść|sc)"
		"|automatick(?:á|a) odpov(?:ě|e)(?:ď|d)|automatick(?:á|a) odpove(?:ď|d)"
		"|automatikus v(?:á|a)lasz|otomatik (?:yan(?:ı|i)t|cevap)|r(?:ă|a)spuns automat"
		"|автоматический ответ|автоответ\\w*|автоматична відповідь|вне офиса|αυτόματη "
		"απάντηση"
		"|自动(?:回复|答复)|自動(?:回覆|答覆|回复|応答|返信)|不在(?:通知|の|连絡|連絡)|"
		"休假|자동 ?(?:회신|응답)|부재중"
		"|trả lời tự động|balasan otomatis|תשובה אוטומטית|رد تلقائي"
		")" SUBJECT_END,
		/* failures */
		"^(?:"
		"undeliver(?:able|ed)(?: (?:mail|message)\\b.*)?|mail (?:delivery|system) "
		"(?:failed|failure|error)"
		"|delivery (?:status notification|(?:has )?fail\\w*|report|incomplete|delayed)"
		"|(?:mail|message) delivery (?:fail\\w*|delayed|problem)|returned mail|mail "
		"returned"
		"|failure notice|non[ -]?delivery|(?:your )?message (?:not|was not|could not be) "
		"delivered"
		"|warning: (?:could not send|message)|unzustellbar|nicht zustellbar|unzustellbare"
		"|(?:é|e)chec de (?:la )?(?:remise|distribution)|non remis|no (?:se puede "
		"entregar|entregado)"
		"|no se pudo entregar|impossibile recapitare|non recapitabile|mancat[ao] "
		"(?:recapito|consegna)"
		"|n(?:ã|a)o (?:é poss(?:í|i)vel entregar|entregue)|onbestelbaar|niet[ -]bezorg\\w+"
		"|nie mo(?:ż|z)na dostarczy(?:ć|c)|niedostarcz\\w+|nedoru(?:č|c)iteln\\w+|kan inte "
		"levereras"
		"|kunne ikke leveres|teslim edilemedi|не ?удается доставить|не ?удалось "
		"доставить|недоставлен\\w*"
		"|не "
		"доставлено|无法(?:传递|送达|投递)|未(?:传递|送达)|(?:系统)?退信|無法傳遞|配信(?:"
		"不能|エラー)|送信エラー"
		"|배달되지|반송"
		")(?:[ :：,.!(\\[–—-]|$)",
		NULL,
	};

	for (gsize i = 0; patterns[i]; i++) {
		if (pattern_matches(patterns[i], subject))
			return true;
	}
	return false;
}

static bool sender_is_server(const Mailbox *from)
{
	static const char name[] = "^mail delivery (?:sub)?system$|^mail delivery service$";

	if (!from)
		return false;
	return g_ascii_strncasecmp(from->addr, "mailer-daemon@", 14) == 0 ||
	       pattern_matches(name, from->name);
}

/* The writer's words above anything that he quotes, blanks folded: a program has its say first. */
static char *take_opening(const char *body)
{
	GString *text = g_string_new(NULL);
	VoiceWalk walk;
	Voice voice;
	Line line;

	voice_walk_init(&walk, body, NULL);
	while (text->len < OPENING_MAX_BYTES && voice_walk_next(&walk, &line, &voice) &&
	       voice_is_own(voice)) {
		g_autofree char *copy = g_strndup(line.text, MIN(line.len, OPENING_MAX_BYTES));
		g_string_append(text, g_strstrip(copy));
		g_string_append_c(text, ' ');
	}
	return g_string_free(text, FALSE);
}

static bool text_says_away(const char *text)
{
	/* Where words begin, which is all the same to what stands there and much cheaper to look
	 * at. */
	static const char away[] =
		"\\b(?:out of (?:the )?office|on (?:\\w+ )?(?:vacation|leave|holidays?)\\b"
		"|away from (?:the office|my (?:desk|mail|e-?mail))"
		"|(?:currently|presently) (?:away|unavailable|out\\b|travell?ing)|not in the office"
		"|abwesend|nicht (?:im (?:büro|haus)|erreichbar)|im urlaub|außer haus"
		"|absente?\\b|en congés?|en vacances|fuera de la oficina|de vacaciones"
		"|fuori (?:sede|ufficio)|in ferie|assente\\b|fora do escritório|de férias"
		"|ausente\\b|afwezig|niet op kantoor|met vakantie|inte på kontoret|på semester"
		"|poza biurem|na urlopie|nieobecn|na dovolené|szabadságon"
		"|в отпуске|отсутств|не в офисе|у відпустці)"
		"|休假|不在办公室|外出|出差|度假|不在|休暇|부재중|휴가";
	static const char until[] =
		"\\buntil\\b|\\btill\\b|\\breturn(?:ing)?\\b|\\bback "
		"(?:on|in|at|to)\\b|\\bthrough\\b"
		"|\\bbis\\b|wieder (?:da|im|erreichbar|zurück)|\\bzurück\\b|jusqu|de "
		"retour|\\bhasta\\b"
		"|regres|\\bfino a|rientr|\\baté\\b|\\bretorn|\\btot\\b|\\bterug\\b|tillbaka|\\bdo "
		"dnia\\b"
		"|\\bdo \\d|wrac|wróc|vrát|\\d-ig\\b|\\bдо\\b|верн|直到|至|返回|まで|戻|까지";
	static const char meanwhile[] =
		"(?:limited|no|intermittent|sporadic|infrequent|irregular|reduced|occasional) "
		"(?:or no )?access|(?:will|may|might|shall) (?:\\w+ )?(?:not "
		")?(?:respond|reply|answer|"
		"read|get back|be (?:delayed|slow|forwarded))|\\burgent|\\bemergenc|please "
		"(?:contact|"
		"call|reach|email|e-mail|write to)|dringend|wenden sie "
		"sich|(?:gelesen|weitergeleitet|"
		"beantworte)|urgence|contacte[rz]|veuillez|urgente|contattare|contactar|contacto|"
		"spoed|neem contact|kontakta|pilne|kontakt|срочн|обращ|отвеч|紧急|急事|联系|回复"
		"|緊急|連絡|返信|연락|회신";
	static const char automatic[] =
		"\\b(?:auto(?:matic(?:ally)?|mated)?[ -]?(?:generated )?(?:e-?mail |mail )?"
		"(?:repl(?:y|ied)|respon[sd]\\w*|answer|message|notification))\\b"
		"|automatische (?:antwort|nachricht|e-?mail)|automatisch (?:generiert|erstellt)"
		"|(?:réponse|message) automatique|respuesta automática|risposta automatica"
		"|resposta automática|automatisch (?:antwoord|bericht)|automatiskt? svar"
		"|automatyczna|автоматическ|自动(?:回复|答复)|自動(?:返信|応答|回覆)|자동";
	bool is_away = pattern_matches(away, text);

	if (is_away && pattern_matches(automatic, text))
		return true;
	return is_away && pattern_matches(until, text) && pattern_matches(meanwhile, text);
}

static bool text_is_of_server(const char *text)
{
	return pattern_matches(
		"^.{0,120}?(?:this is the (?:mail system|qmail-send program|postfix program)"
		"|this message was created automatically by (?:the )?mail"
		"|(?:a|your) message (?:that you sent )?(?:to .{1,120} )?(?:could "
		"not|couldn['’]t|wasn"
		"['’]t|was not|has not been|cannot|can ?not) (?:be )?delivered"
		"|delivery (?:to the following|has failed|of (?:your|the) (?:e?mail|message))"
		"|the following (?:address(?:es)?|recipients?|message to)\\b.{0,80}(?:fatal "
		"errors|undeliver"
		"|not be delivered|failed))",
		text);
}

bool autoreply_is(const Message *message, bool posts_patch)
{
	if (message_is_automatic(message) || sender_is_server(message->from))
		return true;
	if (posts_patch)
		return false;
	if (subject_says_so(message->subject))
		return true;
	g_autofree char *opening = take_opening(message_body(message));
	return text_says_away(opening) || text_is_of_server(opening);
}
