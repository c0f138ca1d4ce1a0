/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/json.h"

#include "bot/base/error.h"

json_t *json_parse_bytes(const char *bytes, size_t len, const char *what, GError **error)
{
	json_error_t where;
	json_t *value = json_loadb(bytes, len, JSON_REJECT_DUPLICATES, &where);

	if (value == NULL)
		g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT,
			    "%s is no JSON: line %d column %d: %s", what, where.line, where.column,
			    where.text);
	return value;
}

void json_print_line(FILE *out, const json_t *value)
{
	json_dumpf(value, out, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
	fputc('\n', out);
}

json_t *json_text(const char *text)
{
	if (text == NULL)
		return json_null();
	g_autofree char *valid = g_utf8_make_valid(text, -1);
	return json_string(valid);
}
