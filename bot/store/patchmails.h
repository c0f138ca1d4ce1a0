/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * patchmails - the PatchMail of a message, stored and read back.  Private to bot/store.
 */

#include "bot/model/series.h"
#include "bot/store/db.h"

bool patchmail_save(Db *db, int64_t message_row, const PatchMail *mail,
		    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** patchmail_poster: (transfer full) (nullable): the address as people are compared, lower case. */
char *patchmail_poster(const Mailbox *from);
