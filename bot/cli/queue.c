/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/cli.h"

#include "bot/base/error.h"
#include "bot/base/json.h"
#include "bot/cli/say.h"
#include "bot/store/outbox.h"

#include <stdio.h>
#include <string.h>

static void print_mail(const OutgoingMail *mail)
{
	g_autofree char *people = counted(mail->recipients->len, "person", "people");
	g_autofree char *attempts = counted(mail->attempts, "attempt", "attempts");

	say("%" G_GINT64_FORMAT " %-9s %s", mail->row, outgoing_state_name(mail->state),
	    mail->subject);
	say("    <%s> to %s, %s", mail->message_id, people, attempts);
	if (mail->hold_reason != NULL && mail->state == OUTGOING_HELD)
		say("    held: %s (lorebot show mail:%" G_GINT64_FORMAT ", then approve or reject)",
		    mail->hold_reason, mail->row);
	if (mail->last_reply != NULL)
		say("    %s", mail->last_reply);
}

static void print_mail_json(const OutgoingMail *mail)
{
	json_t *recipients = json_array();

	for (guint i = 0; i < mail->recipients->len; i++) {
		const Mailbox *recipient = mail->recipients->pdata[i];
		json_array_append_new(recipients, json_text(recipient->addr));
	}
	autojson *line = json_pack(
		"{s:I, s:s, s:s, s:o, s:o, s:o, s:i, s:o, s:I}", "mail", (json_int_t)mail->row,
		"state", outgoing_state_name(mail->state), "message_id", mail->message_id,
		"subject", json_text(mail->subject), "recipients", recipients, "held",
		json_text(mail->hold_reason), "attempts", (int)mail->attempts, "last_reply",
		json_text(mail->last_reply), "job", (json_int_t)mail->job_row);
	json_print_line(stdout, line);
}

static bool run_queue(const Cli *cli, int argc, char **argv, int *out_status, GError **error)
{
	gboolean json = FALSE;
	bool done = false;
	const GOptionEntry entries[] = {
		{"json", 0, 0, G_OPTION_ARG_NONE, &json, NULL, NULL},
		{NULL, 0, 0, 0, NULL, NULL, NULL},
	};

	(void)out_status;
	if (!cli_parse_options(&command_queue, entries, &argc, &argv, &done, error) || done)
		return done;
	g_autoptr(GPtrArray) mails = outbox_list(cli->db, error);
	if (mails == NULL)
		return false;
	for (guint i = 0; i < mails->len; i++)
		(json ? print_mail_json : print_mail)(mails->pdata[i]);
	if (mails->len == 0 && !json)
		say("no mail was written yet");
	return true;
}

const Command command_queue = {
	.name = "queue",
	.needs = NEEDS_STORE,
	.run = run_queue,
	.arguments = "[--json]",
	.summary = "our mails: held, queued, sent, confirmed, and what servers said",
	.help = NULL,
};

static bool read_row(const Command *command, int argc, char **argv, int64_t *out_row,
		     bool *out_done, GError **error)
{
	guint64 row = 0;

	if (!cli_parse_options(command, NULL, &argc, &argv, out_done, error) || *out_done)
		return *out_done;
	const char *text = argc == 2 ? argv[1] : "";
	if (g_str_has_prefix(text, "mail:"))
		text += strlen("mail:");
	if (argc != 2 || !g_ascii_string_to_unsigned(text, 10, 1, G_MAXINT64, &row, NULL))
		return cli_usage(command, error,
				 "name one mail by its number, as `lorebot queue` prints it");
	*out_row = (int64_t)row;
	return true;
}

static bool decide(const Cli *cli, const Command *command, int argc, char **argv, bool approve,
		   GError **error)
{
	int64_t row = 0;
	bool done = false;

	if (!read_row(command, argc, argv, &row, &done, error) || done)
		return done;
	if (!outbox_decide(cli->db, row, approve, g_get_user_name(), error))
		return false;
	if (approve)
		stage_wake(db_state_dir(cli->db), "send");
	say("mail %" G_GINT64_FORMAT ": %s", row, approve ? "approved" : "rejected");
	if (approve && cli->config->send.transport == TRANSPORT_DRY_RUN)
		say("  send.transport is dry-run: it is not sent; when that is changed, `lorebot "
		    "retry mail:%" G_GINT64_FORMAT "` brings it back",
		    row);
	return true;
}

static bool run_approve(const Cli *cli, int argc, char **argv, int *out_status, GError **error)
{
	(void)out_status;
	return decide(cli, &command_approve, argc, argv, true, error);
}

static bool run_reject(const Cli *cli, int argc, char **argv, int *out_status, GError **error)
{
	(void)out_status;
	return decide(cli, &command_reject, argc, argv, false, error);
}

const Command command_approve = {
	.name = "approve",
	.needs = NEEDS_STORE,
	.run = run_approve,
	.most_arguments = 1,
	.arguments = "N",
	.summary = "let a held mail go out, just as it stands",
	.help = "N is the number that `lorebot queue` prints; see it first with `lorebot show "
		"mail:N`.",
};

const Command command_reject = {
	.name = "reject",
	.needs = NEEDS_STORE,
	.run = run_reject,
	.most_arguments = 1,
	.arguments = "N",
	.summary = "a mail that is held or queued is never sent",
	.help = "It stays in the store, with who rejected it.",
};
