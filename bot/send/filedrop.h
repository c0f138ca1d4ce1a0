/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * filedrop - transport `file`: each mail a file, for demos, replays and dry labs.
 */

#include "bot/model/outgoing.h"

/**
 * filedrop_write:
 * @directory: made when missing; the file is MESSAGE-ID.eml, with anything outside [A-Za-z0-9._@-]
 * as
 *   "_"; written durably, so a second write of the same mail changes nothing
 */
bool filedrop_write(const char *directory, const OutgoingMail *mail,
		    GError **error) G_GNUC_WARN_UNUSED_RESULT;
