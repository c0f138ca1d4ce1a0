/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * robot - does a program write under this name?
 *
 * Told from words of the name and of the local part ("kernel test robot", "syzbot+x@", "tip-bot2").
 * A tracker that relays what a person typed (bugzilla-daemon) is no robot in this sense.
 */

#include "mailparse/message.h"

#include <stdbool.h>

/** robot_has_word: one of the words in @text is one that only robots are called by. */
bool robot_has_word(const char *text);

/** robot_is_mailbox: by its name or the local part of its address, up to a "+". */
bool robot_is_mailbox(const Mailbox *mailbox);

/** robot_is_sender: false when the mail has no usable From. */
bool robot_is_sender(const Message *message);

/** robot_is_tracker: the mail relays a bug tracker's page. */
bool robot_is_tracker(const Message *message);

/**
 * robot_is_notice: a program tells that a patch or pull request moved on (patchwork-bot,
 * pr-tracker-bot, `patch "..." added to ...`); nobody tested anything.
 */
bool robot_is_notice(const Message *message);
