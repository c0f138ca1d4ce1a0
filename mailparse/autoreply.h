/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * autoreply - does a program answer in the sender's stead, or a mail server report a failure?
 *
 * RFC 3834 has Auto-Submitted for it, but many do not set it.  Then the subject tells ("Automatic
 * reply:", "Undeliverable:" and their kin in some tongues), the sender (MAILER-DAEMON), or what the
 * text begins with: that somebody is away, until when, and what to do meanwhile.
 */

#include "mailparse/message.h"

#include <stdbool.h>

/**
 * autoreply_is:
 * @posts_patch: the mail posts a patch or a cover letter; such a text may say that its author will
 *   be away
 */
bool autoreply_is(const Message *message, bool posts_patch);
