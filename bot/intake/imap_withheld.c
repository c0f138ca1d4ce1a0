/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/intake/imap_withheld.h"

#include "bot/base/clock.h"

#define HOLD_US (INT64_C(60) * 60 * CLOCK_US_PER_S)

bool imap_withheld_keep(ImapCursor *cursor, uint32_t uid)
{
	if (cursor->n_withheld == IMAP_WITHHELD_MOST)
		return false;
	cursor->withheld[cursor->n_withheld++] =
		(ImapWithheld){.uid = uid, .since_us = g_get_real_time()};
	return true;
}

static void forget(ImapCursor *cursor, uint32_t uid)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < cursor->n_withheld; i++) {
		if (cursor->withheld[i].uid != uid)
			cursor->withheld[kept++] = cursor->withheld[i];
	}
	cursor->n_withheld = kept;
}

/* By the clock of the machine: one that was set back makes it wait longer. */
static bool has_waited(const ImapWithheld *withheld)
{
	int64_t now_us = g_get_real_time();

	return now_us - withheld->since_us >= HOLD_US;
}

/* Those that are still listed, as far as there is room; the others are gone. */
static GArray *list_all(ImapCursor *cursor, ImapSession *session, uint32_t first, uint32_t last,
			size_t max_mails, GError **error)
{
	g_autoptr(GArray) all = imap_mails_new();
	ImapCursor before = *cursor;

	for (unsigned i = 0; i < before.n_withheld && all->len < max_mails; i++) {
		uint32_t uid = before.withheld[i].uid;
		if (uid < first || uid > last)
			continue;
		g_autoptr(GArray) one = imap_fetch_list(session, uid, uid, error);
		if (one == NULL)
			return NULL;
		if (one->len == 0)
			forget(cursor, uid);
		else
			g_array_append_vals(all, one->data, one->len);
	}
	return g_steal_pointer(&all);
}

static const ImapWithheld *find(const ImapCursor *cursor, uint32_t uid)
{
	for (unsigned i = 0; i < cursor->n_withheld; i++) {
		if (cursor->withheld[i].uid == uid)
			return &cursor->withheld[i];
	}
	return NULL;
}

static void settle(ImapCursor *cursor, ImapMail *mail, bool may_give_up)
{
	const ImapWithheld *withheld = find(cursor, mail->uid);

	if (mail->state == IMAP_MAIL_WITHHELD && may_give_up && has_waited(withheld))
		mail->state = IMAP_MAIL_REFUSED;
	if (mail->state != IMAP_MAIL_WITHHELD && mail->state != IMAP_MAIL_DEFERRED)
		forget(cursor, mail->uid);
}

bool imap_withheld_retry(ImapCursor *cursor, ImapSession *session, uint32_t first, uint32_t last,
			 size_t max_mails, size_t max_bytes, GArray **out_mails, GError **error)
{
	bool may_give_up = cursor->n_withheld < IMAP_WITHHELD_MOST;
	g_autoptr(GArray) mails = list_all(cursor, session, first, last, max_mails, error);

	if (mails == NULL || !imap_fetch_bodies(session, mails, max_bytes, error))
		return false;
	for (guint i = 0; i < mails->len; i++)
		settle(cursor, &g_array_index(mails, ImapMail, i), may_give_up);
	*out_mails = g_steal_pointer(&mails);
	return true;
}
