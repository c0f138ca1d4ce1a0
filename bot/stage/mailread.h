/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * mailread - a stored mail read with the one it answers in view.
 *
 * Reading is pure and cheap, so stages read a mail again rather than keep a second form of it.
 */

#include "bot/stage/stage.h"
#include "mailparse/mail.h"

/**
 * mailread_bytes:
 * @error: MAIL_ERROR for a mail that cannot be read, BOT_ERROR for the store
 */
Mail *mailread_bytes(StageContext *context, GBytes *raw, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** mailread_row: the stored message @row. */
Mail *mailread_row(StageContext *context, int64_t row, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * mailread_archive_link:
 * @list: (nullable)
 *
 * Returns: (transfer full) (nullable): where the mail can be read by anyone; NULL when the list has
 *   no public archive or the mail no id of its own
 */
char *mailread_archive_link(const ListSection *list, const char *message_id);
