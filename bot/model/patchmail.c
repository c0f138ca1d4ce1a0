/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/model/patchmail.h"

PatchMail *patch_mail_from_mail(const Mail *mail)
{
	const Message *message = mail->message;
	PatchMail *patch_mail = g_new0(PatchMail, 1);

	patch_mail->message_id = g_strdup(message->message_id);
	patch_mail->references = g_ptr_array_ref(message->references);
	patch_mail->answers = message->in_reply_to->len > 0;
	patch_mail->from = message->from == NULL ? NULL : mailbox_copy(message->from);
	patch_mail->date_us = message->date_us;
	patch_mail->prefix = subject_parse(message->subject);
	/* A robot's report and the like keep the subject of what they are about. */
	patch_mail->prefix->is_patch = mail->kind == MAIL_PATCH || mail->kind == MAIL_COVER;
	patch_mail->has_diff = mail->patch != NULL;
	patch_mail->patch_id = mail->patch == NULL ? NULL : g_strdup(mail->patch->patch_id);
	const PatchNotes *notes = mail_notes(mail);
	patch_mail->base_commit = g_strdup(notes->base_commit);
	patch_mail->change_id = g_strdup(notes->change_id);
	patch_mail->replaces = notes->replaces[0] == NULL ? NULL : g_strdupv(notes->replaces);
	return patch_mail;
}
