/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each tests/golden/message/NAME.in is a mail, NAME.expect what message_parse() must see in it. */
#include "mailparse/message.h"

#include "tests/unit/check_main.h"

#include <string.h>

static void print_ids(GString *out, const char *label, const GPtrArray *ids)
{
	for (guint i = 0; i < ids->len; i++)
		g_string_append_printf(out, "%s: %s\n", label, (char *)g_ptr_array_index(ids, i));
}

static void print_mailbox(GString *out, const char *label, const Mailbox *mailbox)
{
	if (mailbox != NULL)
		g_string_append_printf(out, "%s: %s <%s>\n", label, mailbox->name, mailbox->addr);
}

static void print_mailboxes(GString *out, const char *label, const GPtrArray *mailboxes)
{
	for (guint i = 0; i < mailboxes->len; i++)
		print_mailbox(out, label, g_ptr_array_index(mailboxes, i));
}

static void print_text(GString *out, const char *label, const char *text)
{
	if (text != NULL)
		g_string_append_printf(out, "%s: %s\n", label, text);
}

/* A line a line, "| " before each, "$" where the last has no end; a CR is shown. */
static void print_body(GString *out, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (gsize i = 0; lines[i] != NULL; i++) {
		g_auto(GStrv) pieces = g_strsplit(lines[i], "\r", -1);
		g_autofree char *shown = g_strjoinv("<CR>", pieces);

		if (lines[i + 1] != NULL)
			g_string_append_printf(out, "| %s\n", shown);
		else if (*shown != '\0')
			g_string_append_printf(out, "| %s$\n", shown);
	}
}

static void print_part(GString *out, const MessagePart *part)
{
	g_string_append_printf(out, "part: %s", part->content_type);
	g_string_append_printf(out, " charset=%s", part->charset ? part->charset : "-");
	g_string_append_printf(out, " bytes=%" G_GSIZE_FORMAT, g_bytes_get_size(part->bytes));
	g_string_append(out, part->attachment ? " attachment" : "");
	g_string_append(out, part->alternative ? " alternative" : "");
	g_string_append(out, part->flowed ? " flowed" : "");
	g_string_append(out, part->delsp ? " delsp" : "");
	g_string_append(out, part->forwarded ? " forwarded" : "");
	if (part->filename != NULL)
		g_string_append_printf(out, " filename=\"%s\"", part->filename);
	g_string_append_c(out, '\n');
	if (part->text != NULL)
		print_body(out, part->text);
}

static char *print_message(const Message *message)
{
	GString *out = g_string_new(NULL);

	print_text(out, "id", message->message_id);
	print_ids(out, "in-reply-to", message->in_reply_to);
	print_ids(out, "reference", message->references);
	print_mailbox(out, "from", message->from);
	print_mailbox(out, "sender", message->sender);
	print_mailboxes(out, "reply-to", message->reply_to);
	print_mailboxes(out, "to", message->to);
	print_mailboxes(out, "cc", message->cc);
	print_text(out, "subject", message->subject);
	if (message->date != NULL)
		g_string_append_printf(out, "date: %s = %" G_GINT64_FORMAT " %+d\n", message->date,
				       message->date_us / G_USEC_PER_SEC, message->date_offset_min);
	print_text(out, "type", message->content_type);
	print_text(out, "list-id", message->list_id);
	print_text(out, "auto-submitted", message->auto_submitted);
	print_text(out, "return-path", message->return_path);
	g_string_append(out, message_is_automatic(message) ? "automatic\n" : "");
	for (guint i = 0; i < message->parts->len; i++)
		print_part(out, g_ptr_array_index(message->parts, i));
	return g_string_free(out, FALSE);
}

static char *golden_folder(void)
{
	return g_build_filename(g_getenv("LOREBOT_TEST_DATA"), "golden", "message", NULL);
}

static char *read_golden(const char *folder, const char *name, const char *end, gsize *out_len)
{
	g_autofree char *file = g_strconcat(name, end, NULL);
	g_autofree char *path = g_build_filename(folder, file, NULL);
	char *data = NULL;

	ck_assert_msg(g_file_get_contents(path, &data, out_len, NULL), "cannot read %s", path);
	return data;
}

static void check_golden(const char *folder, const char *name)
{
	g_autoptr(GError) error = NULL;
	gsize len;
	gsize n_expected;
	g_autofree char *mail = read_golden(folder, name, ".in", &len);
	g_autofree char *expected = read_golden(folder, name, ".expect", &n_expected);

	g_autoptr(Message) message = message_parse((const guint8 *)mail, len, &error);

	g_autofree char *got =
		message ? print_message(message) : g_strdup_printf("error: %s\n", error->message);
	ck_assert_msg(strcmp(got, expected) == 0, "%s: got\n%s\nwant\n%s", name, got, expected);
}

START_TEST(message_is_read_as_the_golden_file_says)
{
	g_autofree char *folder = golden_folder();
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	unsigned n_mails = 0;

	ck_assert_ptr_nonnull(dir);
	for (const char *file; (file = g_dir_read_name(dir)) != NULL;) {
		if (g_str_has_suffix(file, ".in")) {
			g_autofree char *name = g_strndup(file, strlen(file) - strlen(".in"));

			check_golden(folder, name);
			n_mails++;
		}
	}

	ck_assert_uint_ge(n_mails, 30);
}
END_TEST

CHECK_MAIN("golden", message_is_read_as_the_golden_file_says)
