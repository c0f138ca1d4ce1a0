/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * mail - everything we see in one mail: `lorebot parse` prints it, the understand stage acts on it.
 */

#include "mailparse/message.h"
#include "mailparse/patch.h"
#include "mailparse/request.h"
#include "mailparse/subject.h"

typedef enum {
	MAIL_PATCH,
	MAIL_COVER,
	MAIL_REPLY,
	MAIL_PULL_REQUEST,
	MAIL_ROBOT_REPORT,
	MAIL_AUTO_REPLY,
	MAIL_ANNOUNCEMENT,
	MAIL_OTHER,
} MailKind;

typedef struct {
	Message *message;
	SubjectPrefix *prefix;
	MailKind kind;
	Patch *patch;      /* NULL when the mail carries no diff                            */
	Damage *lost;      /* of a patch that was there and cannot be read; NULL            */
	Request *request;  /* never NULL                                                    */
	PatchNotes *notes; /* of a mail without a patch, else NULL: see mail_notes()          */
} Mail;

/**
 * mail_read:
 * @bytes: one whole mail
 * @context: whose request it might be; NULL: nobody's
 * @error: as message_parse() and patch_from_message()
 */
Mail *mail_read(const guint8 *bytes, gsize len, const RequestContext *context,
		GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * mail_from_message: as mail_read(), of a mail that was parsed already.
 * @message: (transfer full): kept in the result, freed on error
 */
Mail *mail_from_message(Message *message, const RequestContext *context,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;
void mail_free(Mail *mail);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Mail, mail_free)

/** mail_kind_name: "patch", "cover", "reply", "pull-request", ... */
const char *mail_kind_name(MailKind kind);

/** mail_kind_from_name: MAIL_OTHER for an unknown name. */
MailKind mail_kind_from_name(const char *name);

/** mail_notes: (transfer none): what it tells tools, in its patch or its text; never NULL. */
const PatchNotes *mail_notes(const Mail *mail);

/** mail_damage: (transfer none): of its patch, or what made that unreadable; NULL when none. */
const Damage *mail_damage(const Mail *mail);
