/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/imap_mails.h"

#include "bot/base/error.h"
#include "bot/intake/source_private.h"
#include "mailparse/limits.h"

#include <stdlib.h>

static void clear_mail(void *element)
{
	ImapMail *mail = element;
	g_clear_pointer(&mail->bytes, g_bytes_unref);
	g_clear_pointer(&mail->refused, g_free);
}

GArray *imap_mails_new(void)
{
	GArray *mails = g_array_new(FALSE, TRUE, sizeof(ImapMail));

	g_array_set_clear_func(mails, clear_mail);
	return mails;
}

static int compare_uids(const void *a, const void *b)
{
	uint32_t left = ((const ImapMail *)a)->uid;
	uint32_t right = ((const ImapMail *)b)->uid;
	return (left > right) - (left < right);
}

bool imap_mails_add(GArray *mails, uint32_t first, uint32_t last, const ImapFetch *fetch,
		    ImapMail **out_mail, GError **error)
{
	*out_mail = NULL;
	/* News of changed flags also come as FETCH; "n:*" gives the last mail even below n. */
	if ((!fetch->has_size && !fetch->has_date) || fetch->uid < first || fetch->uid > last)
		return true;
	if (!fetch->has_size || !fetch->has_date || mails->len > last - first) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_PEER,
			    "the server lists UID %u without size or date, or twice", fetch->uid);
		return false;
	}
	ImapMail mail = {.uid = fetch->uid,
			 .seq = fetch->seq,
			 .size_bytes = fetch->size,
			 .arrived_us = fetch->date_us};
	g_array_append_val(mails, mail);
	*out_mail = &g_array_index(mails, ImapMail, mails->len - 1);
	return true;
}

ImapMail *imap_mails_find(const GArray *mails, uint32_t uid)
{
	ImapMail key = {.uid = uid};

	return bsearch(&key, mails->data, mails->len, sizeof(ImapMail), compare_uids);
}

void imap_mails_sort(GArray *mails)
{
	guint kept = 0;

	g_array_sort(mails, compare_uids);
	for (guint i = 0; i < mails->len; i++) {
		ImapMail *mail = &g_array_index(mails, ImapMail, i);
		if (kept > 0 && g_array_index(mails, ImapMail, kept - 1).uid == mail->uid) {
			clear_mail(mail);
			continue;
		}
		if (kept < i) {
			g_array_index(mails, ImapMail, kept) = *mail;
			*mail = (ImapMail){0};
		}
		kept++;
	}
	g_array_set_size(mails, kept);
}

void imap_mail_refuse_size(ImapMail *mail, int64_t size_bytes)
{
	mail->state = IMAP_MAIL_REFUSED;
	mail->size_bytes = size_bytes;
	mail->refused = source_refusal_of_size(size_bytes);
}

void imap_room_set(ImapRoom *room, size_t bytes)
{
	room->bytes = bytes;
	imap_session_set_max_kept(room->session, MIN(bytes, MAIL_MAX_BYTES));
}

/* A quoted string is not under the reader's cap, only under that of the text. */
void imap_mail_take(ImapMail *mail, const ImapFetch *fetch, ImapRoom *room)
{
	if (fetch->body_size > MAIL_MAX_BYTES) {
		imap_mail_refuse_size(mail, (int64_t)fetch->body_size);
	} else if (fetch->body && fetch->body_size <= room->bytes) {
		mail->state = IMAP_MAIL_TAKEN;
		mail->bytes = g_bytes_ref(fetch->body);
		mail->size_bytes = (int64_t)fetch->body_size;
		imap_room_set(room, room->bytes - (size_t)fetch->body_size);
	} else {
		mail->state = IMAP_MAIL_DEFERRED;
	}
}
