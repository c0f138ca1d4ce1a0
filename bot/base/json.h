/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * json - jansson with our errors: hostile input is bounded, output is one object a line.
 *
 * jansson bounds nesting itself (2048) and refuses NaN and invalid UTF-8.
 */

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

static inline void json_cleanup(json_t **value)
{
	json_decref(*value);
}
#define autojson __attribute__((cleanup(json_cleanup))) json_t

/**
 * json_parse_bytes:
 * @what: named in the error, like a file name
 * @error: PERMANENT with line and column; duplicate keys are an error
 */
json_t *json_parse_bytes(const char *bytes, size_t len, const char *what,
			 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** json_print_line: compact, keys in insertion order, control characters escaped, then a newline.
 */
void json_print_line(FILE *out, const json_t *value);

/**
 * json_text:
 * @text: (nullable): bytes that should be UTF-8; what is not is replaced by U+FFFD
 *
 * Returns: (transfer full): a JSON string, or null for NULL
 */
json_t *json_text(const char *text);
