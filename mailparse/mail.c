/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/mail.h"

#include "mailparse/autoreply.h"
#include "mailparse/robot.h"

#include <string.h>

static const char *const kind_names[] = {
	[MAIL_PATCH] = "patch",
	[MAIL_COVER] = "cover",
	[MAIL_REPLY] = "reply",
	[MAIL_PULL_REQUEST] = "pull-request",
	[MAIL_ROBOT_REPORT] = "robot-report",
	[MAIL_AUTO_REPLY] = "auto-reply",
	[MAIL_ANNOUNCEMENT] = "announcement",
	[MAIL_OTHER] = "other",
};

const char *mail_kind_name(MailKind kind)
{
	g_return_val_if_fail(kind < G_N_ELEMENTS(kind_names), "other");

	return kind_names[kind];
}

MailKind mail_kind_from_name(const char *name)
{
	for (gsize i = 0; i < G_N_ELEMENTS(kind_names); i++) {
		if (strcmp(kind_names[i], name) == 0)
			return (MailKind)i;
	}
	return MAIL_OTHER;
}

/* A person's account that a robot writes from, told by what it says of itself. */
static bool is_report(const Message *message)
{
	return robot_is_sender(message) || strstr(message_body(message), "\nMy bot found errors");
}

/* Robots post patches too, but most of what they number are the commits they tested. */
static bool posts_patch(const Mail *mail)
{
	if (!mail->prefix->is_patch || mail->prefix->is_reply || mail->prefix->is_forward)
		return false;
	bool own = mail->patch && mail->patch->location != PATCH_LOCATION_QUOTED;
	return own || (mail->prefix->numbered && !robot_is_sender(mail->message));
}

/* Out-of-office notes, bounces, trackers and notices; a test robot's mail is a report. */
static bool is_auto_reply(const Mail *mail)
{
	const Message *message = mail->message;

	if (robot_is_tracker(message) || robot_is_notice(message))
		return true;
	return !robot_is_sender(message) && autoreply_is(message, posts_patch(mail));
}

/* The two wordings of git request-pull, which stands at the start of a line. */
static bool has_pull_text(const char *body)
{
	return strstr(body, "\nare available in the Git repository at:") ||
	       strstr(body, "\nare available in the git repository at:");
}

static bool is_announcement(const SubjectPrefix *prefix)
{
	static const char *const words[] = {"ANNOUNCE", "ANN", "ANNOUNCEMENT"};

	for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
		gsize len = strlen(words[i]);
		for (gsize j = 0; prefix->tags[j]; j++) {
			if (g_ascii_strcasecmp(prefix->tags[j], words[i]) == 0)
				return true;
		}
		if (g_ascii_strncasecmp(prefix->title, words[i], len) == 0 &&
		    prefix->title[len] == ':')
			return true;
	}
	return g_str_has_prefix(prefix->title, "linux-next: Tree for ");
}

static MailKind kind_of(const Mail *mail)
{
	const Message *message = mail->message;
	const SubjectPrefix *prefix = mail->prefix;

	if (is_auto_reply(mail))
		return MAIL_AUTO_REPLY;
	if (posts_patch(mail))
		return prefix->numbered && prefix->number == 0 ? MAIL_COVER : MAIL_PATCH;
	if (is_report(message))
		return MAIL_ROBOT_REPORT;
	if (!prefix->is_reply && (prefix->is_pull || has_pull_text(message_body(message))))
		return MAIL_PULL_REQUEST;
	if (prefix->is_reply || message->in_reply_to->len > 0)
		return MAIL_REPLY;
	return is_announcement(prefix) ? MAIL_ANNOUNCEMENT : MAIL_OTHER;
}

Mail *mail_from_message(Message *message, const RequestContext *context, GError **error)
{
	static const RequestContext nobody = {0};
	GError *local = NULL;
	g_autoptr(Mail) mail = g_new0(Mail, 1);

	mail->message = message;
	mail->prefix = subject_parse(mail->message->subject);
	mail->patch = patch_from_message(mail->message, &local);
	if (local) {
		g_propagate_error(error, local);
		return NULL;
	}
	if (!mail->patch) {
		mail->lost = damage_find_lost(mail->message);
		mail->notes = notes_read(message_body(mail->message));
	}
	mail->kind = kind_of(mail);
	mail->request =
		request_from_message(mail->message, mail->patch, context ? context : &nobody);
	return g_steal_pointer(&mail);
}

Mail *mail_read(const guint8 *bytes, gsize len, const RequestContext *context, GError **error)
{
	Message *message = message_parse(bytes, len, error);

	return message ? mail_from_message(message, context, error) : NULL;
}

const Damage *mail_damage(const Mail *mail)
{
	return mail->patch ? mail->patch->damage : mail->lost;
}

const PatchNotes *mail_notes(const Mail *mail)
{
	return mail->patch ? mail->patch->notes : mail->notes;
}

void mail_free(Mail *mail)
{
	if (!mail)
		return;
	message_free(mail->message);
	subject_free(mail->prefix);
	patch_free(mail->patch);
	damage_free(mail->lost);
	request_free(mail->request);
	notes_free(mail->notes);
	g_free(mail);
}
