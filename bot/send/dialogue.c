/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/send/dialogue.h"

#include "bot/base/failpoint.h"
#include "bot/base/log.h"

#include <string.h>

#define PIPELINE_DEPTH 50u /* commands on their way: neither side's buffers may fill up */
#define BLOCK_BYTES 16384u

typedef struct {
	const SmtpStream *stream;
	const SmtpTimeouts *timeouts;
	const SmtpMail *mail;
	SmtpResult *result;
	ReplyReader reader;
	bool pipelining;
	bool eight_bit;
	bool has_size;
	guint64 max_size; /* 0: not stated */
	bool broken;      /* nothing more can be said on this stream */
} Dialogue;

SmtpTimeouts smtp_timeouts(long connect_timeout_ms)
{
	double scale =
		connect_timeout_ms <= 0 ? 1.0 : MIN((double)connect_timeout_ms / 30000, 10.0);

	return (SmtpTimeouts){
		.command_ms = MAX((int)(scale * 5 * 60 * 1000), 1),
		.data_ms = MAX((int)(scale * 2 * 60 * 1000), 1),
		.block_ms = MAX((int)(scale * 3 * 60 * 1000), 1),
		.dot_ms = MAX((int)(scale * 10 * 60 * 1000), 1),
		.quit_ms = MAX((int)(scale * 5 * 1000), 1),
	};
}

/* Each of these returns false, for `return end_...(...)`. */

static bool end_with(Dialogue *dialogue, SmtpOutcome outcome, const char *reply)
{
	dialogue->result->outcome = outcome;
	g_free(dialogue->result->reply);
	dialogue->result->reply = log_escape(reply, -1);
	return false;
}

static bool end_broken(Dialogue *dialogue, SmtpOutcome outcome, const GError *why,
		       const char *where)
{
	g_autofree char *reply = g_strdup_printf("%s: %s", where, why->message);

	dialogue->broken = true;
	return end_with(dialogue, outcome, reply);
}

static bool end_replied(Dialogue *dialogue, SmtpOutcome outcome, const SmtpReply *reply)
{
	g_free(dialogue->result->reply);
	dialogue->result->reply = g_strdup_printf("%d %s", reply->code, reply->text);
	dialogue->result->outcome = outcome;
	/* RFC 5321 section 3.8: after 421 the server closes. */
	dialogue->broken = dialogue->broken || reply->code == 421;
	return false;
}

/* What a reply that is no yes comes to: for good, or for now. */
static SmtpOutcome outcome_of_no(const SmtpReply *reply)
{
	return reply->code >= 500 ? SMTP_REFUSED : SMTP_DEFERRED;
}

static bool is_yes(const SmtpReply *reply)
{
	return reply->code >= 200 && reply->code < 300;
}

static bool write_text(Dialogue *dialogue, const char *text, int timeout_ms, GError **error)
{
	return dialogue->stream->write(dialogue->stream->data, text, strlen(text), timeout_ms,
				       error);
}

/*
 * Says @commands.  What the server said before it was asked would be taken for the answer, so it is
 * a broken protocol.
 */
static bool say(Dialogue *dialogue, const char *commands, const char *where)
{
	g_autoptr(GError) why = NULL;

	if (dialogue->reader.len > 0) {
		dialogue->broken = true;
		return end_with(dialogue, SMTP_DEFERRED, "the server speaks without being asked");
	}
	if (write_text(dialogue, commands, dialogue->timeouts->command_ms, &why))
		return true;
	return end_broken(dialogue, SMTP_DEFERRED, why, where);
}

static bool hear(Dialogue *dialogue, int timeout_ms, SmtpReply *reply, const char *where)
{
	g_autoptr(GError) why = NULL;

	if (!reply_read(&dialogue->reader, timeout_ms, reply, &why))
		return end_broken(dialogue, SMTP_DEFERRED, why, where);
	if (reply->code == 421)
		return end_replied(dialogue, SMTP_DEFERRED, reply);
	return true;
}

/* ---- EHLO ---- */

static void note_extension(Dialogue *dialogue, const char *line)
{
	g_auto(GStrv) words = g_strsplit(line, " ", 3);

	if (words[0] == NULL)
		return;
	if (g_ascii_strcasecmp(words[0], "PIPELINING") == 0)
		dialogue->pipelining = true;
	if (g_ascii_strcasecmp(words[0], "8BITMIME") == 0)
		dialogue->eight_bit = true;
	if (g_ascii_strcasecmp(words[0], "SIZE") == 0) {
		dialogue->has_size = true;
		dialogue->max_size = words[1] == NULL ? 0 : g_ascii_strtoull(words[1], NULL, 10);
	}
}

/* Again, although the one who opened the stream has said it: its answer was not given to us. */
static bool greet(Dialogue *dialogue)
{
	g_auto(SmtpReply) reply = {0};
	g_autofree char *command = g_strdup_printf("EHLO %s\r\n", dialogue->mail->helo);

	if (!say(dialogue, command, "EHLO") ||
	    !hear(dialogue, dialogue->timeouts->command_ms, &reply, "EHLO"))
		return false;
	if (!is_yes(&reply)) /* the operator's or the server's fault, not the mail's */
		return end_replied(dialogue, SMTP_DEFERRED, &reply);
	for (guint i = 1; reply.lines[0] != NULL && reply.lines[i] != NULL; i++)
		note_extension(dialogue, reply.lines[i]);
	return true;
}

/* ---- envelope ---- */

static GBytes *wire_of(const Dialogue *dialogue)
{
	return dialogue->eight_bit ? dialogue->mail->wire_8bit : dialogue->mail->wire_7bit;
}

static bool fits(Dialogue *dialogue)
{
	gsize size = g_bytes_get_size(wire_of(dialogue));

	if (dialogue->max_size == 0 || size <= dialogue->max_size)
		return true;
	g_autofree char *reply = g_strdup_printf("the mail has %" G_GSIZE_FORMAT
						 " bytes, the server takes %" G_GUINT64_FORMAT,
						 size, dialogue->max_size);
	return end_with(dialogue, SMTP_REFUSED, reply);
}

static void append_mail(const Dialogue *dialogue, GString *out)
{
	g_string_append_printf(out, "MAIL FROM:<%s>", dialogue->mail->mail->envelope_from->addr);
	if (dialogue->has_size)
		g_string_append_printf(out, " SIZE=%" G_GSIZE_FORMAT,
				       g_bytes_get_size(wire_of(dialogue)));
	if (dialogue->eight_bit)
		g_string_append(out, " BODY=8BITMIME");
	g_string_append(out, "\r\n");
}

static void append_rcpt(const Dialogue *dialogue, guint i, GString *out)
{
	const Mailbox *recipient = g_ptr_array_index(dialogue->mail->mail->recipients, i);

	g_string_append_printf(out, "RCPT TO:<%s>\r\n", recipient->addr);
}

/* Hears the answers to RCPT @from up to before @to. */
static bool hear_recipients(Dialogue *dialogue, guint from, guint to)
{
	for (guint i = from; i < to; i++) {
		g_auto(SmtpReply) reply = {0};
		if (!hear(dialogue, dialogue->timeouts->command_ms, &reply, "RCPT"))
			return false;
		dialogue->result->codes[i] = reply.code;
		dialogue->result->texts[i] = g_strdup(reply.text);
	}
	return true;
}

/*
 * After a refused MAIL the answers to the RCPTs sent along with it mean nothing, but they must be
 * read before QUIT.
 */
static bool refuse_sender(Dialogue *dialogue, const SmtpReply *reply, guint n_answers)
{
	end_replied(dialogue, outcome_of_no(reply), reply);
	for (guint i = 0; i < n_answers && !dialogue->broken; i++) {
		g_auto(SmtpReply) ignored = {0};
		if (!reply_read(&dialogue->reader, dialogue->timeouts->command_ms, &ignored, NULL))
			dialogue->broken = true;
	}
	return false;
}

/* MAIL with the RCPTs that may go along with it; *out_n is how many did. */
static bool name_sender(Dialogue *dialogue, guint *out_n)
{
	guint n_recipients = dialogue->mail->mail->recipients->len;
	guint n_along = dialogue->pipelining ? MIN(n_recipients, PIPELINE_DEPTH) : 0;
	g_autoptr(GString) commands = g_string_new(NULL);
	g_auto(SmtpReply) reply = {0};

	append_mail(dialogue, commands);
	for (guint i = 0; i < n_along; i++)
		append_rcpt(dialogue, i, commands);
	if (!say(dialogue, commands->str, "MAIL") ||
	    !hear(dialogue, dialogue->timeouts->command_ms, &reply, "MAIL"))
		return false;
	if (!is_yes(&reply))
		return refuse_sender(dialogue, &reply, n_along);
	*out_n = n_along;
	return hear_recipients(dialogue, 0, n_along);
}

static bool name_recipients(Dialogue *dialogue, guint from)
{
	guint n_recipients = dialogue->mail->mail->recipients->len;
	guint step = dialogue->pipelining ? PIPELINE_DEPTH : 1;

	for (guint i = from; i < n_recipients; i += step) {
		guint to = MIN(i + step, n_recipients);
		g_autoptr(GString) commands = g_string_new(NULL);
		for (guint k = i; k < to; k++)
			append_rcpt(dialogue, k, commands);
		if (!say(dialogue, commands->str, "RCPT") || !hear_recipients(dialogue, i, to))
			return false;
	}
	return true;
}

/* One recipient is enough to go on; without any, one "not now" makes it worth another try. */
static bool check_recipients(Dialogue *dialogue)
{
	SmtpOutcome outcome = SMTP_REFUSED;
	size_t worst = 0;

	for (size_t i = 0; i < dialogue->result->n; i++) {
		int code = dialogue->result->codes[i];
		if (code >= 200 && code < 300)
			return true;
		if (code < 500) {
			outcome = SMTP_DEFERRED;
			worst = i;
		}
	}
	g_autofree char *reply =
		g_strdup_printf("no recipient was taken: %d %s", dialogue->result->codes[worst],
				dialogue->result->texts[worst]);
	return end_with(dialogue, outcome, reply);
}

/* ---- the mail itself ---- */

static bool open_data(Dialogue *dialogue)
{
	g_auto(SmtpReply) reply = {0};

	if (!say(dialogue, "DATA\r\n", "DATA") ||
	    !hear(dialogue, dialogue->timeouts->data_ms, &reply, "DATA"))
		return false;
	if (reply.code == 354)
		return true;
	if (reply.code >= 400)
		return end_replied(dialogue, outcome_of_no(&reply), &reply);
	/* A yes to DATA: the two sides no longer agree on where they are. */
	dialogue->broken = true;
	return end_replied(dialogue, SMTP_DEFERRED, &reply);
}

static bool write_mail(Dialogue *dialogue)
{
	gsize len = 0;
	const char *bytes = g_bytes_get_data(wire_of(dialogue), &len);
	g_autoptr(GError) why = NULL;

	for (gsize at = 0; at < len; at += BLOCK_BYTES) {
		if (!dialogue->stream->write(dialogue->stream->data, bytes + at,
					     MIN(BLOCK_BYTES, len - at),
					     dialogue->timeouts->block_ms, &why))
			return end_broken(dialogue, SMTP_DEFERRED, why, "in the mail");
	}
	return true;
}

/*
 * A server that speaks before the dot has given up, or lies in wait with a yes that would be taken
 * for the answer to the dot.  Without the dot nothing is taken: this end is known for sure.
 */
static bool check_silence(Dialogue *dialogue)
{
	g_auto(SmtpReply) reply = {0};
	g_autoptr(GError) why = NULL;

	if (!reply_is_pending(&dialogue->reader))
		return true;
	dialogue->broken = true;
	if (!reply_read(&dialogue->reader, dialogue->timeouts->quit_ms, &reply, &why))
		return end_broken(dialogue, SMTP_DEFERRED, why, "in the mail");
	if (reply.code >= 400 && reply.code != 421)
		return end_replied(dialogue, outcome_of_no(&reply), &reply);
	return end_replied(dialogue, SMTP_DEFERRED, &reply);
}

/* From the first byte of the dot until its reply, whatever breaks leaves the mail `unknown`. */
static bool end_data(Dialogue *dialogue)
{
	g_auto(SmtpReply) reply = {0};
	g_autoptr(GError) why = NULL;

	dialogue->result->outcome = SMTP_UNKNOWN;
	if (!write_text(dialogue, ".\r\n", dialogue->timeouts->block_ms, &why))
		return end_broken(dialogue, SMTP_UNKNOWN, why, "at the final dot");
	failpoint("send.after_dot");
	if (!reply_read(&dialogue->reader, dialogue->timeouts->dot_ms, &reply, &why))
		return end_broken(dialogue, SMTP_UNKNOWN, why, "after the final dot");
	if (reply.code >= 400)
		return end_replied(dialogue, outcome_of_no(&reply), &reply);
	if (!is_yes(&reply)) {
		dialogue->broken = true;
		return end_replied(dialogue, SMTP_UNKNOWN, &reply);
	}
	end_replied(dialogue, SMTP_ACCEPTED, &reply);
	return true;
}

/* The mail's fate is decided: what goes wrong here changes nothing. */
static void quit(Dialogue *dialogue)
{
	g_auto(SmtpReply) reply = {0};

	if (dialogue->broken || dialogue->reader.len > 0 ||
	    !write_text(dialogue, "QUIT\r\n", dialogue->timeouts->quit_ms, NULL))
		return;
	(void)!reply_read(&dialogue->reader, dialogue->timeouts->quit_ms, &reply, NULL);
}

void dialogue_run(const SmtpStream *stream, const SmtpTimeouts *timeouts, const SmtpMail *mail,
		  SmtpResult *result)
{
	Dialogue dialogue = {
		.stream = stream,
		.timeouts = timeouts,
		.mail = mail,
		.result = result,
		.reader = {.stream = stream},
	};
	guint n_along = 0;

	result->outcome = SMTP_DEFERRED;
	(void)(greet(&dialogue) && fits(&dialogue) && name_sender(&dialogue, &n_along) &&
	       name_recipients(&dialogue, n_along) && check_recipients(&dialogue) &&
	       open_data(&dialogue) && write_mail(&dialogue) && check_silence(&dialogue) &&
	       end_data(&dialogue));
	quit(&dialogue);
}
