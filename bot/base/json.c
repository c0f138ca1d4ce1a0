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

/*
 * jansson escapes what is below a blank; DEL and U+0080 to U+009F (C2 80 to C2 9F) steer a
 * terminal, too.  Outside of strings there are none of them.
 */
static void put_without_controls(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		guchar c = (guchar)text[0], next = (guchar)text[1];

		if (c == 0x7f)
			fputs("\\u007F", out);
		else if (c == 0xc2 && next >= 0x80 && next < 0xa0)
			fprintf(out, "\\u%04X", (guchar) * ++text);
		else
			fputc(c, out);
	}
}

void json_print_line(FILE *out, const json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));

	if (text != NULL)
		put_without_controls(out, text);
	free(text);
	fputc('\n', out);
}

json_t *json_text(const char *text)
{
	if (text == NULL)
		return json_null();
	g_autofree char *valid = g_utf8_make_valid(text, -1);
	return json_string(valid);
}
