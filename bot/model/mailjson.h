/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * mailjson - what we see in a mail, as JSON: printed by `lorebot parse`, kept with a request.
 *
 * The shape is the command-line contract: lorebot(1), "OUTPUT OF PARSE AND SERIES".
 */

#include "mailparse/mail.h"

#include <jansson.h>

/** request_to_json: a new reference. */
json_t *request_to_json(const Request *request);

/**
 * mail_to_json:
 * @file: as the user named it
 *
 * A new reference.
 */
json_t *mail_to_json(const Mail *mail, const char *file);
