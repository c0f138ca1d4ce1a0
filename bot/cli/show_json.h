/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * show_json - all that is stored of one job, mail or message, for `lorebot show --json`.
 */

#include "bot/model/job.h"
#include "bot/model/outgoing.h"
#include "bot/store/db.h"
#include "bot/store/messages.h"

/** show_job_json, show_mail_json, show_message_json: one line on standard output. */
bool show_job_json(Db *db, const Job *job, GError **error) G_GNUC_WARN_UNUSED_RESULT;
bool show_mail_json(Db *db, const OutgoingMail *mail, GError **error) G_GNUC_WARN_UNUSED_RESULT;
bool show_message_json(Db *db, const StoredMessage *message,
		       GError **error) G_GNUC_WARN_UNUSED_RESULT;
