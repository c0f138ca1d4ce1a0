/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/run/workload.h"

#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/run/yamlnode.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define MAX_METRICS 20
#define MAX_FILES 256
#define MAX_FILE_BYTES (16 * 1024 * 1024)
#define MAX_DEPTH 4
#define DEFAULT_DELTA 0.02
#define MIB ((uint64_t)1024 * 1024)

static void metric_free(WorkloadMetric *metric)
{
	g_free(metric->key);
	g_free(metric->unit);
	g_free(metric);
}

void workload_free(Workload *workload)
{
	if (workload == NULL)
		return;
	g_free(workload->testcase);
	g_free(workload->dir);
	g_free(workload->description);
	g_ptr_array_unref(workload->headline);
	g_free(workload);
}

static bool fail_at(const char *file, const YamlNode *node, const char *key, const char *cure,
		    GError **error)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG, "%s:%zu: %s: %s", file, node->line, key,
		    cure);
	return false;
}

/* One line of text a mail may show. */
static bool take_text(const char *file, const char *key, const YamlNode *node, char **out_text,
		      GError **error)
{
	if (node->kind != YAMLNODE_SCALAR || node->text[0] == '\0' || strlen(node->text) > 200)
		return fail_at(file, node, key, "must be one line of 1 to 200 bytes", error);
	for (const char *p = node->text; *p != '\0'; p++) {
		if (g_ascii_iscntrl(*p))
			return fail_at(file, node, key, "must be one line of text", error);
	}
	g_free(*out_text);
	*out_text = g_strdup(node->text);
	return true;
}

/* "64M" with @units "KMG" is 64 Mi; @units "" takes a plain number. */
static bool take_count(const char *file, const char *key, const YamlNode *node, const char *units,
		       uint64_t min, uint64_t max, uint64_t *out_count, GError **error)
{
	char *end = NULL;
	guint64 count = 0;

	if (node->kind == YAMLNODE_SCALAR && g_ascii_isdigit(node->text[0]) &&
	    strlen(node->text) <= 12) {
		count = g_ascii_strtoull(node->text, &end, 10);
		const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
		if (unit != NULL) {
			unsigned shift = 10 * (unsigned)(unit - units + 1);

			count = count <= max >> shift ? count << shift : G_MAXUINT64;
			end++;
		}
	}
	if (end == NULL || *end != '\0' || count < min || count > max) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG,
			    "%s:%zu: %s: must be a whole number%s from %" G_GUINT64_FORMAT
			    " to %" G_GUINT64_FORMAT,
			    file, node->line, key, *units != '\0' ? " (K, M, G may follow)" : "",
			    (guint64)min, (guint64)max);
		return false;
	}
	*out_count = count;
	return true;
}

static bool take_fraction(const char *file, const char *key, const YamlNode *node, double max,
			  double *out_fraction, GError **error)
{
	char *end = NULL;
	double fraction = -1;

	if (node->kind == YAMLNODE_SCALAR && g_ascii_isdigit(node->text[0]))
		fraction = g_ascii_strtod(node->text, &end);
	if (end == NULL || *end != '\0' || !isfinite(fraction) || fraction < 0 || fraction > max) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG,
			    "%s:%zu: %s: must be a number from 0 to %g", file, node->line, key,
			    max);
		return false;
	}
	*out_fraction = fraction;
	return true;
}

static bool take_direction(const char *file, const YamlNode *node, Direction *out_direction,
			   GError **error)
{
	static const struct {
		const char *name;
		Direction direction;
	} names[] = {{"higher", DIRECTION_HIGHER_IS_BETTER},
		     {"lower", DIRECTION_LOWER_IS_BETTER},
		     {"none", DIRECTION_NONE}};

	for (size_t i = 0; i < G_N_ELEMENTS(names) && node->kind == YAMLNODE_SCALAR; i++) {
		if (strcmp(node->text, names[i].name) == 0) {
			*out_direction = names[i].direction;
			return true;
		}
	}
	return fail_at(file, node, "direction", "must be higher, lower (is better) or none", error);
}

static bool take_metric_key(const char *file, const YamlNode *node, char **out_key, GError **error)
{
	if (!take_text(file, "key", node, out_key, error))
		return false;
	for (const char *p = *out_key; *p != '\0'; p++) {
		if (!g_ascii_isalnum(*p) && strchr("_.:%/()+#-", *p) == NULL)
			return fail_at(file, node, "key",
				       "must be letters, digits and _.:%/()+#- only", error);
	}
	return true;
}

static bool take_metric_member(const char *file, const YamlNode *key, const YamlNode *value,
			       WorkloadMetric *metric, GError **error)
{
	if (strcmp(key->text, "key") == 0)
		return take_metric_key(file, value, &metric->key, error);
	if (strcmp(key->text, "unit") == 0)
		return take_text(file, "unit", value, &metric->unit, error);
	if (strcmp(key->text, "direction") == 0)
		return take_direction(file, value, &metric->direction, error);
	if (strcmp(key->text, "delta") == 0)
		return take_fraction(file, "delta", value, 1, &metric->delta, error);
	if (strcmp(key->text, "delta_absolute") == 0)
		return take_fraction(file, "delta_absolute", value, 1e15, &metric->delta_absolute,
				     error);
	return fail_at(file, key, key->text,
		       "unknown; a metric has key, unit, direction, delta, delta_absolute", error);
}

static WorkloadMetric *read_metric(const char *file, const YamlNode *node, GError **error)
{
	WorkloadMetric *metric = g_new0(WorkloadMetric, 1);
	bool ok = node->kind == YAMLNODE_MAP;

	if (!ok)
		fail_at(file, node, "metrics", "each entry must be a map of key, unit, direction",
			error);
	metric->delta = DEFAULT_DELTA;
	for (guint i = 0; ok && i + 1 < node->children->len; i += 2)
		ok = take_metric_member(file, g_ptr_array_index(node->children, i),
					g_ptr_array_index(node->children, i + 1), metric, error);
	if (ok && metric->key == NULL)
		ok = fail_at(file, node, "metrics", "this metric has no key", error);
	if (!ok) {
		metric_free(metric);
		return NULL;
	}
	if (metric->unit == NULL)
		metric->unit = g_strdup("");
	return metric;
}

static bool take_metrics(const char *file, const YamlNode *list, Workload *workload, GError **error)
{
	if (list->kind != YAMLNODE_LIST || list->children->len == 0 ||
	    list->children->len > MAX_METRICS)
		return fail_at(file, list, "metrics", "must be a list of 1 to 20 metrics", error);
	for (guint i = 0; i < list->children->len; i++) {
		const YamlNode *node = g_ptr_array_index(list->children, i);
		WorkloadMetric *metric = read_metric(file, node, error);

		if (metric == NULL)
			return false;
		g_ptr_array_add(workload->headline, metric);
	}
	return true;
}

static bool take_limit(const char *file, const YamlNode *key, const YamlNode *value,
		       Workload *workload, GError **error)
{
	uint64_t count = 0;

	if (strcmp(key->text, "memory") == 0)
		return take_count(file, "memory", value, "KMG", 16 * MIB, 1024 * 1024 * MIB,
				  &workload->memory_bytes, error);
	if (strcmp(key->text, "disk") == 0)
		return take_count(file, "disk", value, "KMG", MIB, 1024 * 1024 * MIB,
				  &workload->disk_bytes, error);
	if (strcmp(key->text, "processes") == 0) {
		if (!take_count(file, "processes", value, "", 4, 32768, &count, error))
			return false;
		workload->n_processes = (unsigned)count;
		return true;
	}
	bool is_build = strcmp(key->text, "build_seconds") == 0;
	if (!is_build && strcmp(key->text, "run_seconds") != 0)
		return fail_at(
			file, key, key->text,
			"unknown; limits are memory, disk, processes, build_seconds, run_seconds",
			error);
	if (!take_count(file, key->text, value, "", 1, 604800, &count, error))
		return false;
	*(is_build ? &workload->build_timeout_ms : &workload->run_timeout_ms) =
		(int64_t)count * 1000;
	return true;
}

static bool take_limits(const char *file, const YamlNode *map, Workload *workload, GError **error)
{
	if (map->kind != YAMLNODE_MAP)
		return fail_at(file, map, "limits", "must be a map", error);
	for (guint i = 0; i + 1 < map->children->len; i += 2) {
		if (!take_limit(file, g_ptr_array_index(map->children, i),
				g_ptr_array_index(map->children, i + 1), workload, error))
			return false;
	}
	return true;
}

static bool take_entry(const char *file, const YamlNode *key, const YamlNode *value,
		       Workload *workload, GError **error)
{
	if (strcmp(key->text, "description") == 0)
		return take_text(file, "description", value, &workload->description, error);
	if (strcmp(key->text, "metrics") == 0)
		return take_metrics(file, value, workload, error);
	if (strcmp(key->text, "limits") == 0)
		return take_limits(file, value, workload, error);
	return fail_at(file, key, key->text, "unknown; known are description, metrics, limits",
		       error);
}

static bool read_file(const char *file, Workload *workload, GError **error)
{
	g_autoptr(YamlNode) root = yamlnode_load(file, error);

	if (root == NULL)
		return false;
	if (root->kind != YAMLNODE_MAP)
		return fail_at(file, root, "workload", "must be a map of \"key: value\"", error);
	for (guint i = 0; i + 1 < root->children->len; i += 2) {
		if (!take_entry(file, g_ptr_array_index(root->children, i),
				g_ptr_array_index(root->children, i + 1), workload, error))
			return false;
	}
	if (workload->description == NULL)
		return fail_at(file, root, "description", "is missing", error);
	if (workload->headline->len == 0)
		return fail_at(file, root, "metrics", "is missing; name what is measured", error);
	return true;
}

static bool check_scripts(const char *dir, GError **error)
{
	static const char *const needed[] = {"build", "run", "parse"};

	for (size_t i = 0; i < G_N_ELEMENTS(needed); i++) {
		g_autofree char *path = g_build_filename(dir, needed[i], NULL);

		if (g_file_test(path, G_FILE_TEST_IS_REGULAR) && access(path, X_OK) == 0)
			continue;
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG,
			    "%s is missing or not executable; a workload has build, run and parse",
			    path);
		return false;
	}
	return true;
}

Workload *workload_load(const char *dir, GError **error)
{
	g_autoptr(Workload) workload = g_new0(Workload, 1);

	workload->dir = g_canonicalize_filename(dir, NULL);
	workload->testcase = g_path_get_basename(workload->dir);
	workload->headline = g_ptr_array_new_with_free_func((GDestroyNotify)metric_free);
	workload->memory_bytes = 1024 * MIB;
	workload->disk_bytes = 512 * MIB;
	workload->n_processes = 128;
	workload->build_timeout_ms = 600 * 1000;
	workload->run_timeout_ms = 120 * 1000;

	g_autofree char *file = g_build_filename(workload->dir, "workload.yaml", NULL);
	if (!read_file(file, workload, error) || !check_scripts(workload->dir, error))
		return NULL;
	return g_steal_pointer(&workload);
}

static int by_name(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static GPtrArray *sorted_names(const char *dir, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GDir) handle = g_dir_open(dir, 0, NULL);
	const char *name;

	if (handle == NULL) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG, "cannot read folder %s", dir);
		return NULL;
	}
	while ((name = g_dir_read_name(handle)) != NULL) {
		if (names->len >= MAX_FILES) {
			g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG, "%s: more than %d files",
				    dir, MAX_FILES);
			return NULL;
		}
		g_ptr_array_add(names, g_strdup(name));
	}
	g_ptr_array_sort(names, by_name);
	return g_steal_pointer(&names);
}

static bool hash_file(GChecksum *sum, const char *path, const char *name, GError **error)
{
	g_autoptr(GBytes) bytes = fs_read(path, MAX_FILE_BYTES, error);

	if (bytes == NULL)
		return false;
	gsize len;
	const guchar *data = g_bytes_get_data(bytes, &len);
	g_autofree char *head = g_strdup_printf("file %" G_GSIZE_FORMAT " %s %" G_GSIZE_FORMAT "\n",
						strlen(name), name, len);
	g_checksum_update(sum, (const guchar *)head, -1);
	if (len > 0)
		g_checksum_update(sum, data, (gssize)len);
	return true;
}

/* Names and sizes stand before the bytes, so no two folders hash alike by moving bytes around. */
static bool hash_dir(GChecksum *sum, const char *dir, unsigned depth, GError **error)
{
	g_autoptr(GPtrArray) names = sorted_names(dir, error);

	if (names == NULL)
		return false;
	for (guint i = 0; i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);
		g_autofree char *path = g_build_filename(dir, name, NULL);

		if (!g_file_test(path, G_FILE_TEST_IS_DIR)) {
			if (!hash_file(sum, path, name, error))
				return false;
			continue;
		}
		if (depth >= MAX_DEPTH) {
			g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG, "%s: nested too deep", dir);
			return false;
		}
		g_autofree char *head =
			g_strdup_printf("folder %" G_GSIZE_FORMAT " %s\n", strlen(name), name);
		g_checksum_update(sum, (const guchar *)head, -1);
		if (!hash_dir(sum, path, depth + 1, error))
			return false;
		g_checksum_update(sum, (const guchar *)"end\n", -1);
	}
	return true;
}

char *workload_hash(const Workload *workload, GError **error)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);

	if (!hash_dir(sum, workload->dir, 0, error))
		return NULL;
	return g_strdup(g_checksum_get_string(sum));
}
