/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * rewritten - who wrote a mail whose From: a list replaced.
 *
 * Lists that keep DMARC put their own address there, "Ann Author via lab <lab@...>" (Mailman,
 * Google Groups), and the writer's into X-Original-From, Reply-To or Cc.  This names the author of
 * a commit; whom we answer does not depend on it.
 */

#include "mailparse/message.h"

/**
 * rewritten_author:
 *
 * The mailbox of X-Original-From; else the one of Reply-To or Cc that bears the name before
 * " via "; else the only one of Reply-To, nameless, that is neither From nor in To or Cc.
 *
 * Returns: (transfer full) (nullable): NULL when From was not rewritten, or nothing tells the
 * author
 */
Mailbox *rewritten_author(const Message *message);
