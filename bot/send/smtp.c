/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/send/smtp.h"

#include "bot/send/dialogue.h"
#include "bot/send/wire.h"

#include "bot/base/error.h"
#include "bot/base/log.h"

#include <string.h>

void smtp_result_clear(SmtpResult *result)
{
	g_clear_pointer(&result->reply, g_free);
	g_clear_pointer(&result->codes, g_free);
	for (size_t i = 0; i < result->n; i++)
		g_free(result->texts[i]);
	g_clear_pointer(&result->texts, g_free);
	result->n = 0;
}

static void result_init(SmtpResult *result, size_t n)
{
	*result = (SmtpResult){
		.outcome = SMTP_DEFERRED,
		.codes = g_new0(int, MAX(n, 1)),
		.texts = g_new0(char *, MAX(n, 1)),
		.n = n,
	};
}

static bool read_link(gpointer data, void *buffer, size_t size, int timeout_ms, size_t *out_len,
		      GError **error)
{
	return link_read(data, buffer, size, timeout_ms, -1, out_len, error);
}

static bool write_link(gpointer data, const void *bytes, size_t len, int timeout_ms, GError **error)
{
	return link_write(data, bytes, len, timeout_ms, error);
}

/* A host name or "[192.0.2.1]"; anything else could say more than a name. */
static bool is_helo(const char *helo)
{
	const char *allowed =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.:[]_-";

	return *helo != '\0' && strlen(helo) <= 255 && strspn(helo, allowed) == strlen(helo);
}

static bool has_envelope(const OutgoingMail *mail, GError **error)
{
	if (mail->envelope_from != NULL && mail->recipients != NULL && mail->recipients->len > 0)
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT,
		    "the stored mail is not fit to be sent: it has no sender or no recipient");
	return false;
}

static bool refuse_mail(SmtpResult *result, GError *why, GError **error)
{
	result->outcome = SMTP_REFUSED;
	result->reply = log_escape(why->message, -1);
	g_propagate_error(error, why);
	return false;
}

static void talk(const LinkOptions *options, const SmtpMail *mail, SmtpResult *result)
{
	g_autoptr(GError) why = NULL;
	g_autoptr(Link) link = link_open(options, &why);

	if (link == NULL) {
		result->reply = log_escape(why->message, -1);
		return;
	}
	SmtpStream stream = {.read = read_link, .write = write_link, .data = link};
	SmtpTimeouts timeouts = smtp_timeouts(options->connect_timeout_ms);
	dialogue_run(&stream, &timeouts, mail, result);
}

bool smtp_send(const LinkOptions *options, const char *helo, const OutgoingMail *mail,
	       SmtpResult *out_result, GError **error)
{
	GError *why = NULL;

	result_init(out_result, mail->recipients == NULL ? 0 : mail->recipients->len);
	if (!has_envelope(mail, &why))
		return refuse_mail(out_result, why, error);
	g_autoptr(GBytes) wire_8bit = wire_make(mail->bytes, true, &why);
	if (wire_8bit == NULL)
		return refuse_mail(out_result, why, error);
	g_autoptr(GBytes) wire_7bit = wire_make(mail->bytes, false, &why);
	if (wire_7bit == NULL)
		return refuse_mail(out_result, why, error);
	if (!is_helo(helo)) {
		out_result->reply = g_strdup("our own name for EHLO is neither a host name nor an "
					     "address literal");
		return true;
	}

	SmtpMail ready = {
		.mail = mail, .wire_8bit = wire_8bit, .wire_7bit = wire_7bit, .helo = helo};
	talk(options, &ready, out_result);
	return true;
}
