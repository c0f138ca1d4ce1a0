/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/model/series.h"

void patch_mail_free(PatchMail *mail)
{
	if (mail == NULL)
		return;
	g_free(mail->message_id);
	g_clear_pointer(&mail->references, g_ptr_array_unref);
	g_clear_pointer(&mail->from, mailbox_free);
	g_clear_pointer(&mail->prefix, subject_free);
	g_free(mail->patch_id);
	g_free(mail->base_commit);
	g_free(mail->change_id);
	g_free(mail);
}

void series_free(Series *series)
{
	if (series == NULL)
		return;
	g_free(series->key);
	g_free(series->title);
	g_clear_pointer(&series->author, mailbox_free);
	g_clear_pointer(&series->patches, g_ptr_array_unref);
	g_free(series->previous);
	g_free(series->base_commit);
	g_free(series);
}
