/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/run/resultfile.h"

#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/base/json.h"

#include <math.h>
#include <string.h>

#define MAX_KEYS 20000
#define MAX_KEY_BYTES 256
#define MAX_NUMBER_BYTES 64
#define MAX_TESTCASE_BYTES 64

/* Keys whose names are lkp's own; everything else belongs to the testcase. */
static const char *const shared_prefixes[] = {"time.", "dmesg."};

void result_value_free(ResultValue *value)
{
	g_free(value->key);
	g_free(value);
}

const ResultValue *resultfile_find(const GPtrArray *values, const char *key)
{
	for (guint i = 0; i < values->len; i++) {
		const ResultValue *value = g_ptr_array_index(values, i);

		if (strcmp(value->key, key) == 0)
			return value;
	}
	return NULL;
}

static GPtrArray *new_values(void)
{
	return g_ptr_array_new_with_free_func((GDestroyNotify)result_value_free);
}

static void add_value(GPtrArray *values, char *key, double number)
{
	ResultValue *value = g_new(ResultValue, 1);

	value->key = key;
	value->value = number;
	g_ptr_array_add(values, value);
}

static bool is_key(const char *text, size_t len, size_t max_len)
{
	if (len == 0 || len > max_len)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!g_ascii_isalnum(text[i]) &&
		    (text[i] == '\0' || strchr("_.:%/()+#-", text[i]) == NULL))
			return false;
	}
	return true;
}

/*
 * A decimal number, as printf() writes it.  strtod() alone would also take "inf", "nan" and
 * "0x1p3"; too large is not finite, too small is 0, both as IEEE has it.
 */
static bool parse_number(const char *text, size_t len, double *out_number)
{
	char buffer[MAX_NUMBER_BYTES + 1];
	char *end = NULL;

	if (len == 0 || len > MAX_NUMBER_BYTES)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!g_ascii_isdigit(text[i]) &&
		    (text[i] == '\0' || strchr("+-.eE", text[i]) == NULL))
			return false;
	}
	memcpy(buffer, text, len);
	buffer[len] = '\0';
	*out_number = g_ascii_strtod(buffer, &end);
	return end == buffer + len && isfinite(*out_number);
}

static bool refuse(const char *what, size_t line, const char *why, GError **error)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_PEER, "%s:%zu: %s", what, line, why);
	return false;
}

typedef struct {
	const char *testcase;
	GPtrArray *values;
	GHashTable *index; /* key -> number of its value + 1 */
	GArray *n_seen;    /* how many numbers the mean of each value holds */
} Lines;

static char *full_key(const Lines *lines, const char *key, size_t len)
{
	for (size_t i = 0; i < G_N_ELEMENTS(shared_prefixes); i++) {
		size_t prefix_len = strlen(shared_prefixes[i]);

		if (len > prefix_len && memcmp(key, shared_prefixes[i], prefix_len) == 0)
			return g_strndup(key, len);
	}
	return g_strdup_printf("%s.%.*s", lines->testcase, (int)len, key);
}

/* A running mean: a sum of large finite numbers might be infinite, their mean is not. */
static void merge(Lines *lines, guint at, double number)
{
	ResultValue *value = g_ptr_array_index(lines->values, at);
	guint n = ++g_array_index(lines->n_seen, guint, at);

	value->value += number / n - value->value / n;
}

static bool take_line(Lines *lines, const char *line, size_t len, size_t number, GError **error)
{
	const char *separator = memmem(line, len, ": ", 2);
	double value;

	if (len == 0 || line[0] == '#')
		return true;
	if (separator == NULL || !is_key(line, (size_t)(separator - line), MAX_KEY_BYTES))
		return refuse("results", number,
			      "not \"key: value\" with a key of letters, digits, _.:%/()+#-",
			      error);
	const char *text = separator + 2;
	if (!parse_number(text, len - (size_t)(text - line), &value))
		return refuse("results", number, "the value is no finite decimal number", error);

	g_autofree char *key = full_key(lines, line, (size_t)(separator - line));
	guint at = GPOINTER_TO_UINT(g_hash_table_lookup(lines->index, key));
	if (at > 0) {
		merge(lines, at - 1, value);
		return true;
	}
	if (lines->values->len >= MAX_KEYS)
		return refuse("results", number, "more than 20,000 keys", error);
	guint one = 1;
	g_array_append_val(lines->n_seen, one);
	add_value(lines->values, g_steal_pointer(&key), value);
	const ResultValue *added = g_ptr_array_index(lines->values, lines->values->len - 1);
	g_hash_table_insert(lines->index, added->key, GUINT_TO_POINTER(lines->values->len));
	return true;
}

static bool take_lines(Lines *lines, const char *text, gsize len, GError **error)
{
	const char *end = text + len;
	size_t number = 1;

	for (const char *line = text; line < end; number++) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		const char *line_end = newline != NULL ? newline : end;

		if (!take_line(lines, line, (size_t)(line_end - line), number, error))
			return false;
		line = newline != NULL ? newline + 1 : end;
	}
	return true;
}

GPtrArray *resultfile_parse_lines(const char *text, gsize len, const char *testcase, GError **error)
{
	if (len > RESULTFILE_MAX_BYTES) {
		refuse("results", 1, "more than 1 MiB", error);
		return NULL;
	}
	g_autoptr(GPtrArray) values = new_values();
	g_autoptr(GHashTable) index = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GArray) n_seen = g_array_new(FALSE, FALSE, sizeof(guint));
	Lines lines = {testcase, values, index, n_seen};

	if (!take_lines(&lines, text, len, error))
		return NULL;
	return g_steal_pointer(&values);
}

/* The shortest of 15 to 17 digits that reads back as the same double. */
static void append_number(GString *out, double number)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	for (int digits = 15; digits <= 17; digits++) {
		char format[8];

		g_snprintf(format, sizeof(format), "%%.%dg", digits);
		g_ascii_formatd(text, sizeof(text), format, number);
		if (g_ascii_strtod(text, NULL) == number)
			break;
	}
	g_string_append(out, text);
}

/* Keys are ASCII without quotes and backslashes, so nothing needs escaping. */
bool resultfile_write(const char *path, const GPtrArray *values, GError **error)
{
	g_autoptr(GString) out = g_string_new("{\n");

	for (guint i = 0; i < values->len; i++) {
		const ResultValue *value = g_ptr_array_index(values, i);

		g_string_append_printf(out, "  \"%s\": ", value->key);
		append_number(out, value->value);
		g_string_append(out, i + 1 < values->len ? ",\n" : "\n");
	}
	g_string_append(out, "}\n");
	if (out->len > RESULTFILE_MAX_BYTES)
		return refuse(path, 1, "more than 1 MiB of results", error);
	return fs_write_durable(path, out->str, out->len, 0644, error);
}

static bool take_member(const char *path, const char *key, const json_t *member, GPtrArray *values,
			GError **error)
{
	if (!is_key(key, strlen(key), MAX_TESTCASE_BYTES + 1 + MAX_KEY_BYTES))
		return refuse(path, values->len + 2,
			      "a key is not made of letters, digits, _.:%/()+#-", error);
	if (!json_is_number(member))
		return refuse(path, values->len + 2, "a value is no number", error);
	if (values->len >= MAX_KEYS)
		return refuse(path, values->len + 2, "more than 20,000 keys", error);
	double number = json_number_value(member);
	if (!isfinite(number))
		return refuse(path, values->len + 2, "a value is not finite", error);
	add_value(values, g_strdup(key), number);
	return true;
}

static GPtrArray *values_from_json(const char *path, json_t *root, GError **error)
{
	g_autoptr(GPtrArray) values = new_values();
	const char *key;
	json_t *member;

	if (!json_is_object(root)) {
		refuse(path, 1, "not an object of \"key\": number", error);
		return NULL;
	}
	json_object_foreach(root, key, member)
	{
		if (!take_member(path, key, member, values, error))
			return NULL;
	}
	return g_steal_pointer(&values);
}

/* Whoever wrote the file broke the format: PEER, but a full disk stays what it is. */
static void set_peer_error(GError **error, GError *reason)
{
	bool kept = g_error_matches(reason, BOT_ERROR, BOT_ERROR_NOT_FOUND) ||
		    g_error_matches(reason, BOT_ERROR, BOT_ERROR_TRANSIENT);

	if (!kept)
		reason->code = BOT_ERROR_PEER;
	g_propagate_error(error, reason);
}

GPtrArray *resultfile_parse_json(const char *json, gsize len, const char *what, GError **error)
{
	GError *reason = NULL;

	if (len > RESULTFILE_MAX_BYTES) {
		refuse(what, 1, "more than 1 MiB", error);
		return NULL;
	}
	autojson *root = json_parse_bytes(json, len, what, &reason);
	if (root == NULL) {
		set_peer_error(error, reason);
		return NULL;
	}
	return values_from_json(what, root, error);
}

GPtrArray *resultfile_read(const char *path, GError **error)
{
	GError *reason = NULL;
	g_autoptr(GBytes) bytes = fs_read(path, RESULTFILE_MAX_BYTES, &reason);

	if (bytes == NULL) {
		set_peer_error(error, reason);
		return NULL;
	}
	gsize len;
	const char *text = g_bytes_get_data(bytes, &len);
	return resultfile_parse_json(text != NULL ? text : "", len, path, error);
}
