/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/run/jobspec.h"

#include "bot/base/error.h"
#include "bot/run/yamlnode.h"

#include <string.h>

#define MAX_NAME_BYTES 64
#define MAX_VALUE_BYTES 1024
#define MAX_PARAMS 64
#define MAX_COMBINATIONS 256
#define PATH_VALUE_BYTES 31

/* What the sandbox sets itself; a parameter of that name would change how the tools work. */
static const char *const reserved_names[] = {
	"PATH", "HOME", "OUT",   "NPROC", "TZ",  "TMPDIR", "PIN_CPUS", "SOURCE_DATE_EPOCH",
	"ENV",  "IFS",  "SHELL", "USER",  "PS4", "OPTIND", "MAKEFLAGS"};
static const char *const reserved_prefixes[] = {"LD_", "LC_", "BASH", "GCONV_"};

static void param_free(JobParam *param)
{
	g_free(param->key);
	g_free(param->value);
	g_free(param);
}

static JobSpec *jobspec_new(void)
{
	JobSpec *spec = g_new0(JobSpec, 1);

	spec->params = g_ptr_array_new_with_free_func((GDestroyNotify)param_free);
	return spec;
}

void jobspec_free(JobSpec *spec)
{
	if (spec == NULL)
		return;
	g_free(spec->suite);
	g_free(spec->testcase);
	g_free(spec->category);
	g_ptr_array_unref(spec->params);
	g_free(spec);
}

static bool fail_at(const char *what, const YamlNode *node, const char *name, const char *why,
		    GError **error)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG, "%s:%zu: %s: %s", what, node->line, name,
		    why);
	return false;
}

static bool is_name(const char *text)
{
	size_t len = strlen(text);

	if (len == 0 || len > MAX_NAME_BYTES || !(g_ascii_isalpha(text[0]) || text[0] == '_'))
		return false;
	for (size_t i = 1; i < len; i++) {
		if (!g_ascii_isalnum(text[i]) && strchr("_.-", text[i]) == NULL)
			return false;
	}
	return true;
}

static bool is_reserved(const char *key)
{
	g_autofree char *name = jobspec_env_name(key);

	for (size_t i = 0; i < G_N_ELEMENTS(reserved_names); i++) {
		if (strcmp(name, reserved_names[i]) == 0)
			return true;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(reserved_prefixes); i++) {
		if (g_str_has_prefix(name, reserved_prefixes[i]))
			return true;
	}
	return false;
}

static bool check_key(const char *what, const YamlNode *key, GError **error)
{
	/* An odd key may hold control bytes of its own, so it is not repeated in the message. */
	if (!is_name(key->text))
		return fail_at(what, key, "key",
			       "must be a letter or _, then letters, digits, _ . -; at most 64",
			       error);
	if (is_reserved(key->text))
		return fail_at(what, key, key->text,
			       "the sandbox sets this variable itself; choose another name", error);
	return true;
}

/* YAML takes U+0085, U+2028 and U+2029 for line breaks too, and drops U+FEFF. */
static bool is_printable(gunichar c)
{
	GUnicodeType type = g_unichar_type(c);

	return type != G_UNICODE_CONTROL && type != G_UNICODE_LINE_SEPARATOR &&
	       type != G_UNICODE_PARAGRAPH_SEPARATOR && c != 0xFEFF;
}

static bool check_value(const char *what, const char *key, const YamlNode *value, GError **error)
{
	if (value->kind != YAMLNODE_SCALAR)
		return fail_at(what, value, key, "must be a word or a list of words", error);
	if (strlen(value->text) > MAX_VALUE_BYTES)
		return fail_at(what, value, key, "the value is longer than 1024 bytes", error);
	for (const char *p = value->text; *p != '\0'; p += g_utf8_skip[(guchar)*p]) {
		if (!is_printable(g_utf8_get_char(p)))
			return fail_at(what, value, key,
				       "the value holds a control character or a line break",
				       error);
	}
	return true;
}

/* The field of @spec that @key names, or NULL for a parameter. */
static char **own_field(JobSpec *spec, const char *key)
{
	if (strcmp(key, "suite") == 0)
		return &spec->suite;
	if (strcmp(key, "testcase") == 0)
		return &spec->testcase;
	if (strcmp(key, "category") == 0)
		return &spec->category;
	return NULL;
}

static bool take_own_field(const char *what, const YamlNode *key, const YamlNode *value,
			   char **field, GError **error)
{
	if (value->kind != YAMLNODE_SCALAR || !is_name(value->text))
		return fail_at(what, value, key->text, "must be one name of letters, digits, _ . -",
			       error);
	*field = g_strdup(value->text);
	return true;
}

static JobParam *new_param(const char *key, const char *value)
{
	JobParam *param = g_new(JobParam, 1);

	param->key = g_strdup(key);
	param->value = g_strdup(value);
	return param;
}

static JobSpec *copy_spec(const JobSpec *from)
{
	JobSpec *spec = jobspec_new();

	spec->suite = g_strdup(from->suite);
	spec->testcase = g_strdup(from->testcase);
	spec->category = g_strdup(from->category);
	for (guint i = 0; i < from->params->len; i++) {
		const JobParam *param = g_ptr_array_index(from->params, i);

		g_ptr_array_add(spec->params, new_param(param->key, param->value));
	}
	return spec;
}

/* Every job so far, once for each value: the first parameter of the file varies slowest. */
static bool multiply(const char *what, const YamlNode *key, const YamlNode *value, GPtrArray **jobs,
		     GError **error)
{
	bool is_list = value->kind == YAMLNODE_LIST;
	guint n_values = is_list ? value->children->len : 1;

	if (n_values == 0)
		return fail_at(what, value, key->text, "the list is empty", error);
	if (n_values > MAX_COMBINATIONS || (*jobs)->len * n_values > MAX_COMBINATIONS)
		return fail_at(what, value, key->text, "more than 256 combinations", error);

	g_autoptr(GPtrArray) product = g_ptr_array_new_with_free_func((GDestroyNotify)jobspec_free);
	for (guint i = 0; i < (*jobs)->len; i++) {
		for (guint j = 0; j < n_values; j++) {
			const YamlNode *one =
				is_list ? g_ptr_array_index(value->children, j) : value;

			if (!check_value(what, key->text, one, error))
				return false;
			JobSpec *spec = copy_spec(g_ptr_array_index(*jobs, i));
			g_ptr_array_add(spec->params, new_param(key->text, one->text));
			g_ptr_array_add(product, spec);
		}
	}
	g_ptr_array_unref(*jobs);
	*jobs = g_steal_pointer(&product);
	return true;
}

static bool take_entry(const char *what, YamlNode *key, YamlNode *value, JobSpec *common,
		       GPtrArray *entries, GError **error)
{
	char **field = own_field(common, key->text);

	if (field != NULL)
		return take_own_field(what, key, value, field, error);
	if (!check_key(what, key, error))
		return false;
	if (entries->len / 2 >= MAX_PARAMS)
		return fail_at(what, key, key->text, "more than 64 parameters", error);
	g_ptr_array_add(entries, key);
	g_ptr_array_add(entries, value);
	return true;
}

/* "a.b" and "a-b" would be one variable in the sandbox. */
static bool check_clashes(const char *what, const GPtrArray *entries, GError **error)
{
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < entries->len; i += 2) {
		const YamlNode *key = g_ptr_array_index(entries, i);

		if (!g_hash_table_add(seen, jobspec_env_name(key->text)))
			return fail_at(what, key, key->text,
				       "another parameter has the same variable name", error);
	}
	return true;
}

static GPtrArray *jobs_from_map(const char *what, const YamlNode *map, GError **error)
{
	g_autoptr(JobSpec) common = jobspec_new();
	g_autoptr(GPtrArray) entries = g_ptr_array_new();

	for (guint i = 0; i + 1 < map->children->len; i += 2) {
		if (!take_entry(what, g_ptr_array_index(map->children, i),
				g_ptr_array_index(map->children, i + 1), common, entries, error))
			return NULL;
	}
	if (common->testcase == NULL) {
		fail_at(what, map, "testcase", "is missing; it names the workload folder", error);
		return NULL;
	}
	if (!check_clashes(what, entries, error))
		return NULL;
	if (common->suite == NULL)
		common->suite = g_strdup(common->testcase);
	if (common->category == NULL)
		common->category = g_strdup("benchmark");

	g_autoptr(GPtrArray) jobs = g_ptr_array_new_with_free_func((GDestroyNotify)jobspec_free);
	g_ptr_array_add(jobs, g_steal_pointer(&common));
	for (guint i = 0; i < entries->len; i += 2) {
		if (!multiply(what, g_ptr_array_index(entries, i),
			      g_ptr_array_index(entries, i + 1), &jobs, error))
			return NULL;
	}
	return g_steal_pointer(&jobs);
}

static GPtrArray *jobs_from_root(const char *what, const YamlNode *root, GError **error)
{
	if (root->kind != YAMLNODE_MAP) {
		fail_at(what, root, "job", "the file must be a map of \"key: value\" lines", error);
		return NULL;
	}
	return jobs_from_map(what, root, error);
}

GPtrArray *jobspec_parse(const char *yaml, gsize len, const char *what, GError **error)
{
	g_autoptr(YamlNode) root = yamlnode_parse(yaml, len, what, error);

	return root != NULL ? jobs_from_root(what, root, error) : NULL;
}

GPtrArray *jobspec_load(const char *path, GError **error)
{
	g_autoptr(YamlNode) root = yamlnode_load(path, error);

	return root != NULL ? jobs_from_root(path, root, error) : NULL;
}

char *jobspec_env_name(const char *key)
{
	return g_strdelimit(g_strdup(key), ".-", '_');
}

/* Plain where nobody could read it as anything else; else in single quotes, which know one escape.
 */
static void append_value(GString *out, const char *value)
{
	bool plain = g_ascii_isalnum(value[0]) || value[0] == '/' || value[0] == '_';

	for (const char *p = value; *p != '\0' && plain; p++)
		plain = g_ascii_isalnum(*p) || strchr("/_.+%=-", *p) != NULL;
	if (plain) {
		g_string_append(out, value);
		return;
	}
	g_string_append_c(out, '\'');
	for (const char *p = value; *p != '\0'; p++) {
		if (*p == '\'')
			g_string_append_c(out, '\'');
		g_string_append_c(out, *p);
	}
	g_string_append_c(out, '\'');
}

char *jobspec_to_yaml(const JobSpec *spec)
{
	GString *out = g_string_new(NULL);

	g_string_append_printf(out, "suite: %s\ntestcase: %s\ncategory: %s\n", spec->suite,
			       spec->testcase, spec->category);
	for (guint i = 0; i < spec->params->len; i++) {
		const JobParam *param = g_ptr_array_index(spec->params, i);

		g_string_append_printf(out, "%s: ", param->key);
		append_value(out, param->value);
		g_string_append_c(out, '\n');
	}
	return g_string_free(out, FALSE);
}

static int by_key(gconstpointer a, gconstpointer b)
{
	const JobParam *const *left = a;
	const JobParam *const *right = b;

	return strcmp((*left)->key, (*right)->key);
}

char *jobspec_path_params(const JobSpec *spec)
{
	g_autoptr(GPtrArray) sorted = g_ptr_array_copy(spec->params, NULL, NULL);
	GString *out = g_string_new(NULL);

	g_ptr_array_set_free_func(sorted, NULL);
	g_ptr_array_sort(sorted, by_key);
	for (guint i = 0; i < sorted->len; i++) {
		const JobParam *param = g_ptr_array_index(sorted, i);
		size_t len = MIN(strlen(param->value), PATH_VALUE_BYTES);

		if (i > 0)
			g_string_append_c(out, '-');
		for (size_t j = 0; j < len; j++) {
			char c = param->value[j];
			bool kept = g_ascii_isalnum(c) || strchr("-+=:.%", c) != NULL;

			g_string_append_c(out, kept ? c : '_');
		}
	}
	if (out->len == 0)
		g_string_append(out, "defaults");
	return g_string_free(out, FALSE);
}
