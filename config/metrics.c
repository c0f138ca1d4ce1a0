/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config/metrics.h"

#include "bot/base/error.h"
#include "bot/base/fs.h"

#include <math.h>
#include <string.h>
#include <yaml.h>

#define MAX_INDEX_BYTES ((size_t)1024 * 1024)
#define MAX_ENTRIES 2000u
#define MAX_PATTERN_BYTES 512u
#define MAX_UNIT_BYTES 32u

typedef yaml_document_t YamlDocument;

typedef struct {
	const char *what;
	YamlDocument *document;
	GError **error;
} Reader;

static void metric_entry_free(MetricEntry *entry)
{
	g_clear_pointer(&entry->pattern, g_regex_unref);
	g_free(entry->unit);
	g_free(entry);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MetricEntry, metric_entry_free)

G_GNUC_PRINTF(3, 4)
static bool refuse(const Reader *reader, const yaml_node_t *node, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *reason = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(reader->error, BOT_ERROR, BOT_ERROR_CONFIG, "%s:%zu: %s", reader->what,
		    node->start_mark.line + 1, reason);
	return false;
}

static bool read_pattern(const Reader *reader, MetricEntry *entry, const yaml_node_t *node,
			 const char *text)
{
	g_autoptr(GError) local = NULL;
	g_autofree char *whole = g_strdup_printf("\\A(?:%s)\\z", text);

	if (strlen(text) > MAX_PATTERN_BYTES)
		return refuse(reader, node, "the pattern has more than %u bytes",
			      MAX_PATTERN_BYTES);
	g_clear_pointer(&entry->pattern, g_regex_unref);
	entry->pattern = g_regex_new(whole, G_REGEX_DOLLAR_ENDONLY | G_REGEX_OPTIMIZE, 0, &local);
	if (entry->pattern == NULL)
		return refuse(reader, node, "\"%s\" is no regular expression: %s", text,
			      local->message);
	return true;
}

static bool read_direction(const Reader *reader, MetricEntry *entry, const yaml_node_t *node,
			   const char *text)
{
	entry->direction = direction_from_name(text);
	if (strcmp(direction_name(entry->direction), text) != 0)
		return refuse(reader, node, "direction is higher, lower or none, not \"%s\"", text);
	return true;
}

static bool read_unit(const Reader *reader, MetricEntry *entry, const yaml_node_t *node,
		      const char *text)
{
	bool ok = *text != '\0' && strlen(text) <= MAX_UNIT_BYTES;

	for (const char *at = text; ok && *at != '\0'; at = g_utf8_find_next_char(at, NULL))
		ok = g_unichar_isprint(g_utf8_get_char(at));
	if (!ok)
		return refuse(reader, node, "a unit is a short printable word, at most %u bytes",
			      MAX_UNIT_BYTES);
	g_free(entry->unit);
	entry->unit = g_strdup(text);
	return true;
}

static bool read_headline(const Reader *reader, MetricEntry *entry, const yaml_node_t *node,
			  const char *text)
{
	entry->headline = strcmp(text, "yes") == 0 || strcmp(text, "true") == 0;
	if (!entry->headline && strcmp(text, "no") != 0 && strcmp(text, "false") != 0)
		return refuse(reader, node, "headline is yes or no, not \"%s\"", text);
	return true;
}

static bool read_number(const Reader *reader, double *out, const yaml_node_t *node,
			const char *text)
{
	char *end;

	*out = g_ascii_strtod(text, &end);
	if (end == text || *end != '\0' || !isfinite(*out) || *out <= 0 || *out > 1e9)
		return refuse(reader, node, "\"%s\" is no number above 0", text);
	return true;
}

static bool read_delta(const Reader *reader, MetricEntry *entry, const yaml_node_t *node,
		       const char *text)
{
	return read_number(reader, &entry->delta, node, text);
}

static bool read_delta_absolute(const Reader *reader, MetricEntry *entry, const yaml_node_t *node,
				const char *text)
{
	return read_number(reader, &entry->delta_absolute, node, text);
}

static const struct {
	const char *name;
	bool (*read)(const Reader *reader, MetricEntry *entry, const yaml_node_t *node,
		     const char *text);
} fields[] = {
	{"key", read_pattern}, {"direction", read_direction},
	{"unit", read_unit},   {"headline", read_headline},
	{"delta", read_delta}, {"delta_absolute", read_delta_absolute},
};

static const char *scalar(const yaml_node_t *node)
{
	if (node->type != YAML_SCALAR_NODE ||
	    strlen((const char *)node->data.scalar.value) != node->data.scalar.length)
		return NULL;
	return (const char *)node->data.scalar.value;
}

static bool read_field(const Reader *reader, MetricEntry *entry, const yaml_node_pair_t *pair)
{
	const yaml_node_t *key = yaml_document_get_node(reader->document, pair->key);
	const yaml_node_t *value = yaml_document_get_node(reader->document, pair->value);
	const char *name = scalar(key);
	const char *text = scalar(value);

	if (name == NULL || text == NULL)
		return refuse(reader, key, "an entry has only single words and values");
	for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) {
		if (strcmp(fields[i].name, name) == 0)
			return fields[i].read(reader, entry, value, text);
	}
	return refuse(reader, key,
		      "\"%s\" is unknown; known are key, direction, unit, headline, delta and "
		      "delta_absolute",
		      name);
}

static MetricEntry *read_entry(const Reader *reader, const yaml_node_t *node)
{
	g_autoptr(MetricEntry) entry = g_new0(MetricEntry, 1);

	entry->delta = METRICS_DEFAULT_DELTA;
	if (node->type != YAML_MAPPING_NODE) {
		(void)refuse(reader, node, "an entry is a mapping that begins with \"- key: ...\"");
		return NULL;
	}
	for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++) {
		if (!read_field(reader, entry, pair))
			return NULL;
	}
	if (entry->pattern == NULL) {
		(void)refuse(reader, node, "an entry needs a key");
		return NULL;
	}
	return g_steal_pointer(&entry);
}

static bool read_entries(const Reader *reader, MetricIndex *index)
{
	const yaml_node_t *root = yaml_document_get_root_node(reader->document);

	if (root == NULL)
		return true;
	if (root->type != YAML_SEQUENCE_NODE)
		return refuse(reader, root, "the index is a list of entries, \"- key: ...\"");
	for (const yaml_node_item_t *item = root->data.sequence.items.start;
	     item < root->data.sequence.items.top; item++) {
		MetricEntry *entry =
			read_entry(reader, yaml_document_get_node(reader->document, *item));

		if (entry == NULL)
			return false;
		g_ptr_array_add(index->entries, entry);
		if (index->entries->len > MAX_ENTRIES)
			return refuse(reader, root, "has more than %u entries", MAX_ENTRIES);
	}
	return true;
}

static bool load_document(yaml_parser_t *parser, YamlDocument *document, const char *what,
			  GError **error)
{
	if (yaml_parser_load(parser, document))
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG, "%s:%zu: %s", what,
		    parser->problem_mark.line + 1,
		    parser->problem != NULL ? parser->problem : "is no YAML");
	return false;
}

MetricIndex *metrics_parse(const char *yaml, gsize len, const char *what, GError **error)
{
	yaml_parser_t parser;
	YamlDocument document;

	if (len > MAX_INDEX_BYTES) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG, "%s: has more than %zu bytes", what,
			    MAX_INDEX_BYTES);
		return NULL;
	}
	yaml_parser_initialize(&parser);
	/* An empty GBytes has no pointer, which libyaml does not take. */
	yaml_parser_set_input_string(&parser, (const unsigned char *)(len > 0 ? yaml : ""), len);
	bool loaded = load_document(&parser, &document, what, error);
	yaml_parser_delete(&parser);
	if (!loaded)
		return NULL;

	g_autoptr(MetricIndex) index = g_new0(MetricIndex, 1);
	index->entries = g_ptr_array_new_with_free_func((GDestroyNotify)metric_entry_free);
	const Reader reader = {what, &document, error};
	bool ok = read_entries(&reader, index);
	yaml_document_delete(&document);
	return ok ? g_steal_pointer(&index) : NULL;
}

MetricIndex *metrics_load(const char *path, GError **error)
{
	g_autofree char *delivered = path == NULL ? fs_share_path("config", "metrics.yaml") : NULL;
	const char *file = path != NULL ? path : delivered;
	g_autoptr(GBytes) bytes = fs_read(file, MAX_INDEX_BYTES, error);
	gsize len;

	if (bytes == NULL)
		return NULL;
	const char *yaml = g_bytes_get_data(bytes, &len);
	return metrics_parse(yaml, len, file, error);
}

void metrics_free(MetricIndex *index)
{
	if (index == NULL)
		return;
	g_ptr_array_unref(index->entries);
	g_free(index);
}

const MetricEntry *metrics_find(const MetricIndex *index, const char *key)
{
	for (guint i = 0; i < index->entries->len; i++) {
		const MetricEntry *entry = g_ptr_array_index(index->entries, i);

		if (g_regex_match(entry->pattern, key, 0, NULL))
			return entry;
	}
	return NULL;
}
