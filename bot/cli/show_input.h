/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * show_input - what came in, as `lorebot show` tells it: a mail, and the series or request it made.
 */

#include "bot/cli/cli.h"
#include "bot/store/messages.h"

bool show_message(const Cli *cli, const StoredMessage *message, GError **error);
bool show_series(const Cli *cli, int64_t row, GError **error);
bool show_request(const Cli *cli, int64_t row, GError **error);
