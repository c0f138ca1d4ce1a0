/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an SMTP server may say: the input is its answers, parted by NUL, one for each thing we say.
 * A mail counts as taken only after the dot, and only when somebody is to get it.
 */
#include "bot/base/error.h"
#include "bot/send/dialogue.h"
#include "bot/send/wire.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
	const uint8_t *pos;     /* what may be read ... */
	const uint8_t *allowed; /* ... up to here     */
	const uint8_t *end;
	bool dot_sent;
} Server;

static bool server_write(gpointer data, const void *bytes, size_t len, int timeout_ms,
			 GError **error)
{
	Server *server = data;
	const uint8_t *from = server->allowed;

	(void)timeout_ms;
	(void)error;
	server->dot_sent = server->dot_sent || (len == 3 && memcmp(bytes, ".\r\n", 3) == 0);
	if (from < server->end && *from == '\0')
		from++;
	const uint8_t *stop = memchr(from, '\0', (size_t)(server->end - from));
	if (server->pos == server->allowed)
		server->pos = from;
	server->allowed = stop == NULL ? server->end : stop;
	return true;
}

static bool server_read(gpointer data, void *buffer, size_t size, int timeout_ms, size_t *out_len,
			GError **error)
{
	Server *server = data;
	size_t n = MIN(size, (size_t)(server->allowed - server->pos));

	*out_len = n;
	if (n == 0 && timeout_ms > 0) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT, "the server closed");
		return false;
	}
	memcpy(buffer, server->pos, n);
	server->pos += n;
	return true;
}

static OutgoingMail *make_mail(void)
{
	OutgoingMail *mail = g_new0(OutgoingMail, 1);

	mail->bytes = g_bytes_new_static("Content-Transfer-Encoding: 7bit\n\na\n", 35);
	mail->envelope_from = mailbox_new(NULL, "bot@example.org", NULL);
	mail->recipients = g_ptr_array_new_with_free_func((GDestroyNotify)mailbox_free);
	g_ptr_array_add(mail->recipients, mailbox_new(NULL, "ann@example.org", NULL));
	g_ptr_array_add(mail->recipients, mailbox_new(NULL, "max@example.org", NULL));
	return mail;
}

static void check_result(const SmtpResult *result, const Server *server)
{
	bool anybody = result->codes[0] / 100 == 2 || result->codes[1] / 100 == 2;

	g_assert_nonnull(result->reply);
	g_assert_true(g_utf8_validate(result->reply, -1, NULL));
	g_assert_null(strpbrk(result->reply, "\r\n\x1b"));
	if (result->outcome == SMTP_ACCEPTED)
		g_assert_true(server->dot_sent && anybody);
	if (result->outcome == SMTP_UNKNOWN)
		g_assert_true(server->dot_sent);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Server server = {.pos = data, .allowed = data, .end = data + size};
	SmtpStream stream = {server_read, server_write, &server};
	SmtpTimeouts timeouts = {1000, 1000, 1000, 1000, 1000};
	g_autoptr(OutgoingMail) mail = make_mail();
	g_autoptr(GBytes) wire = wire_make(mail->bytes, true, NULL);
	SmtpMail ready = {mail, wire, wire, "bot.example.org"};
	g_auto(SmtpResult) result = {.codes = g_new0(int, 2), .texts = g_new0(char *, 2), .n = 2};

	dialogue_run(&stream, &timeouts, &ready, &result);

	check_result(&result, &server);
	return 0;
}
