/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * patchmail - a read mail cut down to what placing it into a series needs.
 */

#include "bot/model/series.h"
#include "mailparse/mail.h"

/**
 * patch_mail_from_mail: message_row and arrived_us are 0; the caller sets them when it stores it.
 * prefix->is_patch says whether the mail posts a patch or cover, not only what its subject looks
 * like.
 */
PatchMail *patch_mail_from_mail(const Mail *mail);
