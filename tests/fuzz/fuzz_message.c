/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/inbody.h"
#include "mailparse/limits.h"
#include "mailparse/mbox.h"
#include "mailparse/message.h"
#include "mailparse/msgid.h"
#include "mailparse/subject.h"
#include "mailparse/trailer.h"

#include "tests/fuzz/mail_checks.h"

#include <glib.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_ids(const GPtrArray *ids)
{
	g_assert_cmpuint(ids->len, <=, MAIL_MAX_REFERENCES);
	for (guint i = 0; i < ids->len; i++)
		check_line(g_ptr_array_index(ids, i));
}

static void check_parts(const Message *message)
{
	g_assert_cmpuint(message->parts->len, <=, MAIL_MAX_PARTS);
	for (guint i = 0; i < message->parts->len; i++) {
		const MessagePart *part = g_ptr_array_index(message->parts, i);

		check_line(part->content_type);
		g_assert_true(part->text == NULL || g_utf8_validate(part->text, -1, NULL));
		g_assert_true(part->filename == NULL || strchr(part->filename, '/') == NULL);
	}
}

static void check_readings(const Message *message)
{
	const char *body = message_body(message);
	g_autoptr(SubjectPrefix) prefix = subject_parse(message->subject);
	g_autoptr(Inbody) inbody = inbody_read(body);
	g_autoptr(GPtrArray) trailers = trailer_list(body);

	check_line(prefix->title);
	g_assert_cmpuint(prefix->total, >=, 1);
	g_assert_true(inbody->rest >= body && inbody->rest <= body + strlen(body));
	g_assert_cmpuint(trailers->len, <=, MAIL_MAX_TRAILERS);
}

static void check_message(const uint8_t *data, size_t size)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Message) message = message_parse(data, size, &error);
	g_autofree char *id = message_peek_id(data, size, NULL);

	check_line(id);
	g_assert_true((message == NULL) == (error != NULL));
	if (message == NULL)
		return;
	g_assert_cmpstr(id, ==, message->message_id);
	check_line(message->subject);
	check_ids(message->references);
	check_ids(message->in_reply_to);
	for (guint i = 0; i < message->to->len; i++)
		check_mailbox(g_ptr_array_index(message->to, i));
	if (message->from != NULL)
		check_mailbox(message->from);
	check_parts(message);
	check_readings(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_message(data, size);
	return 0;
}
