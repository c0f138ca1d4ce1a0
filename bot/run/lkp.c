/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/run/lkp.h"

#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/base/json.h"
#include "bot/base/log.h"

#include <math.h>
#include <string.h>

#define SOURCES_KEY "stats_source"
#define INCOMPLETE_KEY "last_state.is_incomplete_run"
/* Short rows are filled up, so the number of keys times runs is bounded too: 128 MiB of values. */
#define MAX_CELLS ((size_t)16 * 1024 * 1024)

static void matrix_row_free(MatrixRow *row)
{
	g_free(row->key);
	g_free(row->values);
	g_free(row);
}

Matrix *matrix_new(void)
{
	Matrix *matrix = g_new0(Matrix, 1);

	matrix->rows = g_ptr_array_new_with_free_func((GDestroyNotify)matrix_row_free);
	matrix->by_key = g_hash_table_new(g_str_hash, g_str_equal);
	matrix->sources = g_ptr_array_new_with_free_func(g_free);
	return matrix;
}

void matrix_free(Matrix *matrix)
{
	if (matrix == NULL)
		return;
	g_hash_table_unref(matrix->by_key);
	g_ptr_array_unref(matrix->rows);
	g_ptr_array_unref(matrix->sources);
	g_free(matrix->incomplete);
	g_free(matrix);
}

G_GNUC_PRINTF(3, 4)
static bool refuse(GError **error, const char *what, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *reason = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT, "%s: %s", what, reason);
	return false;
}

/* Keys stand in tables, one a line, last on it: no blanks, nothing that moves the cursor. */
static bool check_key(const char *key, const char *what, GError **error)
{
	if (strlen(key) > LKP_MAX_KEY_BYTES)
		return refuse(error, what, "a key has more than %u bytes", LKP_MAX_KEY_BYTES);
	bool ok = *key != '\0' && g_utf8_validate(key, -1, NULL);
	for (const char *at = key; ok && *at != '\0'; at = g_utf8_find_next_char(at, NULL))
		ok = g_unichar_isgraph(g_utf8_get_char(at));
	if (ok)
		return true;
	g_autofree char *shown = log_escape(key, -1);
	return refuse(error, what, "key \"%s\" is empty or has blanks or control characters",
		      shown);
}

static bool check_value(double value, const char *key, const char *what, GError **error)
{
	if (isnan(value) || fabs(value) <= SAMPLE_MAX_MAGNITUDE)
		return true;
	return refuse(error, what, "%s has a value beyond %g, which is no measurement", key,
		      SAMPLE_MAX_MAGNITUDE);
}

static MatrixRow *append_row(Matrix *matrix, const char *key)
{
	MatrixRow *row = g_new0(MatrixRow, 1);

	row->key = g_strdup(key);
	row->values = g_new0(double, matrix->n_runs);
	g_ptr_array_add(matrix->rows, row);
	g_hash_table_insert(matrix->by_key, row->key, row);
	return row;
}

static void mark_incomplete(Matrix *matrix)
{
	const MatrixRow *row = matrix_find(matrix, INCOMPLETE_KEY);

	g_free(matrix->incomplete);
	matrix->incomplete = g_new0(bool, matrix->n_runs);
	for (size_t i = 0; row != NULL && i < matrix->n_runs; i++)
		matrix->incomplete[i] = row->values[i] == 1;
}

static bool read_sources(Matrix *matrix, const json_t *sources, const char *what, GError **error)
{
	if (!json_is_array(sources))
		return refuse(error, what, SOURCES_KEY " is no list");
	for (size_t i = 0; i < json_array_size(sources); i++) {
		const char *source = json_string_value(json_array_get(sources, i));

		if (source == NULL)
			return refuse(error, what, SOURCES_KEY " holds something else than text");
		g_ptr_array_add(matrix->sources, g_strdup(source));
	}
	return true;
}

/* How many runs: of a stats.json 1; false when lists and single numbers are mixed. */
static bool count_runs(json_t *object, size_t n_sources, size_t *out_n_runs, const char *what,
		       GError **error)
{
	bool single = false, lists = false;
	size_t longest = 0;
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value)
	{
		single = single || json_is_number(value);
		if (json_is_array(value) && strcmp(key, SOURCES_KEY) != 0) {
			lists = true;
			longest = MAX(longest, json_array_size(value));
		}
	}
	if (single && (lists || n_sources > 0))
		return refuse(error, what, "mixes numbers (one run) with lists (many runs)");
	if (n_sources > 0 && longest > n_sources)
		return refuse(error, what, "a key has %zu values for %zu runs", longest, n_sources);
	*out_n_runs = single ? 1 : MAX(longest, n_sources);
	if (*out_n_runs > LKP_MAX_RUNS)
		return refuse(error, what, "has %zu runs, more than %u", *out_n_runs, LKP_MAX_RUNS);
	if (json_object_size(object) > LKP_MAX_KEYS ||
	    json_object_size(object) * *out_n_runs > MAX_CELLS)
		return refuse(error, what, "has too many keys (%zu)", json_object_size(object));
	return true;
}

static bool holds_text(const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		if (json_is_string(json_array_get(list, i)))
			return true;
	}
	return json_is_string(list);
}

static bool read_value(const json_t *value, const char *key, double *out, const char *what,
		       GError **error)
{
	if (json_is_null(value)) {
		*out = (double)NAN;
		return true;
	}
	if (!json_is_number(value))
		return refuse(error, what, "%s holds something else than numbers", key);
	*out = json_number_value(value);
	return check_value(*out, key, what, error);
}

static bool read_row(Matrix *matrix, const char *key, const json_t *value, const char *what,
		     GError **error)
{
	if (!check_key(key, what, error))
		return false;
	if (holds_text(value))
		return true;
	if (!json_is_array(value) && !json_is_number(value) && !json_is_null(value))
		return refuse(error, what, "%s holds something else than numbers", key);

	MatrixRow *row = append_row(matrix, key);
	for (size_t i = 0; i < matrix->n_runs; i++) {
		const json_t *cell = json_is_array(value) ? json_array_get(value, i) : value;

		row->values[i] = (double)NAN;
		if (cell != NULL && !read_value(cell, key, &row->values[i], what, error))
			return false;
	}
	return true;
}

static bool read_rows(Matrix *matrix, json_t *object, const char *what, GError **error)
{
	const json_t *sources = json_object_get(object, SOURCES_KEY);
	const char *key;
	json_t *value;

	if (sources != NULL && !read_sources(matrix, sources, what, error))
		return false;
	if (!count_runs(object, matrix->sources->len, &matrix->n_runs, what, error))
		return false;
	while (matrix->sources->len < matrix->n_runs)
		g_ptr_array_add(matrix->sources,
				g_strdup_printf("%s#%u", what, matrix->sources->len));
	json_object_foreach(object, key, value)
	{
		if (strcmp(key, SOURCES_KEY) != 0 && !read_row(matrix, key, value, what, error))
			return false;
	}
	mark_incomplete(matrix);
	return true;
}

Matrix *matrix_parse(const char *json, size_t len, const char *what, GError **error)
{
	g_autoptr(Matrix) matrix = matrix_new();

	if (len > LKP_MAX_BYTES) {
		(void)refuse(error, what, "has more than %zu bytes", LKP_MAX_BYTES);
		return NULL;
	}
	autojson *object = json_parse_bytes(json, len, what, error);
	if (object == NULL)
		return NULL;
	if (!json_is_object(object)) {
		(void)refuse(error, what, "is no JSON object of keys and numbers");
		return NULL;
	}
	if (!read_rows(matrix, object, what, error))
		return NULL;
	return g_steal_pointer(&matrix);
}

Matrix *matrix_load(const char *path, GError **error)
{
	g_autoptr(GBytes) bytes = fs_read(path, LKP_MAX_BYTES, error);
	gsize len;

	if (bytes == NULL)
		return NULL;
	const char *json = g_bytes_get_data(bytes, &len);
	return matrix_parse(json, len, path, error);
}

/* The column of @source, made when it is new: 0 or missing in all rows. */
static size_t take_column(Matrix *matrix, const char *source)
{
	guint at;

	if (g_ptr_array_find_with_equal_func(matrix->sources, source, g_str_equal, &at))
		return at;
	at = (guint)matrix->n_runs++;
	g_ptr_array_add(matrix->sources, g_strdup(source));
	for (guint i = 0; i < matrix->rows->len; i++) {
		MatrixRow *row = g_ptr_array_index(matrix->rows, i);
		row->values = g_renew(double, row->values, matrix->n_runs);
	}
	return at;
}

static bool check_run(const Matrix *matrix, const char *source, const char *const *keys,
		      const double *values, size_t n, GError **error)
{
	size_t n_keys = matrix->rows->len + n;

	if (matrix->n_runs + 1 > LKP_MAX_RUNS || n_keys > LKP_MAX_KEYS ||
	    n_keys * (matrix->n_runs + 1) > MAX_CELLS)
		return refuse(error, source, "is one run too many");
	for (size_t i = 0; i < n; i++) {
		if (!check_key(keys[i], source, error) ||
		    !check_value(values[i], keys[i], source, error))
			return false;
	}
	return true;
}

bool matrix_add_run(Matrix *matrix, const char *source, const char *const *keys,
		    const double *values, size_t n, GError **error)
{
	if (!check_run(matrix, source, keys, values, n, error))
		return false;

	size_t column = take_column(matrix, source);
	for (guint i = 0; i < matrix->rows->len; i++) {
		MatrixRow *row = g_ptr_array_index(matrix->rows, i);
		row->values[column] = (double)NAN;
	}
	for (size_t i = 0; i < n; i++) {
		MatrixRow *row = g_hash_table_lookup(matrix->by_key, keys[i]);

		if (row == NULL)
			row = append_row(matrix, keys[i]);
		row->values[column] = values[i];
	}
	mark_incomplete(matrix);
	return true;
}

/* "sched_debug.cpu.nr_running.12": what one CPU had. */
static bool is_of_one_cpu(const char *key)
{
	const char *last = strrchr(key, '.');

	return g_str_has_prefix(key, "sched_debug.") && last != NULL && last[1] != '\0' &&
	       strspn(last + 1, "0123456789") == strlen(last + 1);
}

static json_t *number(double value)
{
	if (isnan(value))
		return json_integer(0);
	if (value == trunc(value) && fabs(value) < 9007199254740992.0)
		return json_integer((json_int_t)value);
	return json_real(value);
}

/* NULL when all its values are zero or missing. */
static json_t *row_to_json(const MatrixRow *row, size_t n_runs)
{
	json_t *list = json_array();
	bool any = false;

	for (size_t i = 0; i < n_runs; i++) {
		any = any || (row->values[i] != 0 && !isnan(row->values[i]));
		json_array_append_new(list, number(row->values[i]));
	}
	if (any)
		return list;
	json_decref(list);
	return NULL;
}

char *matrix_to_json(const Matrix *matrix)
{
	autojson *object = json_object();
	json_t *sources = json_array();

	for (guint i = 0; i < matrix->rows->len; i++) {
		const MatrixRow *row = g_ptr_array_index(matrix->rows, i);
		json_t *list = is_of_one_cpu(row->key) ? NULL : row_to_json(row, matrix->n_runs);

		if (list != NULL)
			json_object_set_new(object, row->key, list);
	}
	for (guint i = 0; i < matrix->sources->len; i++)
		json_array_append_new(sources, json_text(g_ptr_array_index(matrix->sources, i)));
	json_object_set_new(object, SOURCES_KEY, sources);

	char *dumped = json_dumps(object, JSON_INDENT(2));
	char *json = g_strconcat(dumped, "\n", NULL);
	free(dumped);
	return json;
}

const MatrixRow *matrix_find(const Matrix *matrix, const char *key)
{
	return g_hash_table_lookup(matrix->by_key, key);
}

size_t matrix_n_complete(const Matrix *matrix)
{
	size_t n = 0;

	for (size_t i = 0; i < matrix->n_runs; i++)
		n += !matrix->incomplete[i];
	return n;
}

/* The values of the complete runs with @filler for those that are missing. */
static Sample *sample_of(const Matrix *matrix, const char *key, double filler)
{
	const MatrixRow *row = matrix_find(matrix, key);
	g_autofree double *values = g_new(double, matrix->n_runs);
	size_t n = 0;

	for (size_t i = 0; row != NULL && i < matrix->n_runs; i++) {
		if (!matrix->incomplete[i])
			values[n++] = isnan(row->values[i]) ? filler : row->values[i];
	}
	return sample_new(values, n);
}

Sample *matrix_sample(const Matrix *matrix, const char *key)
{
	return sample_of(matrix, key, (double)NAN);
}

Sample *matrix_padded(const Matrix *matrix, const char *key)
{
	return sample_of(matrix, key, 0);
}

double matrix_sum(const Matrix *matrix, const char *key)
{
	const MatrixRow *row = matrix_find(matrix, key);
	double sum = 0;

	for (size_t i = 0; row != NULL && i < matrix->n_runs; i++)
		sum += isnan(row->values[i]) ? 0 : row->values[i];
	return sum;
}
