/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/run/yamlnode.h"

#include "bot/base/error.h"
#include "bot/base/fs.h"

#include <string.h>
#include <yaml.h>

typedef struct {
	yaml_parser_t parser;
	const char *what;
} Reader;

void yamlnode_free(YamlNode *node)
{
	if (node == NULL)
		return;
	g_free(node->text);
	g_clear_pointer(&node->children, g_ptr_array_unref);
	g_free(node);
}

static YamlNode *new_node(YamlNodeKind kind, const yaml_event_t *event)
{
	YamlNode *node = g_new0(YamlNode, 1);

	node->kind = kind;
	node->line = event->start_mark.line + 1;
	if (kind != YAMLNODE_SCALAR)
		node->children = g_ptr_array_new_with_free_func((GDestroyNotify)yamlnode_free);
	return node;
}

static bool next_event(Reader *reader, yaml_event_t *event, GError **error)
{
	if (yaml_parser_parse(&reader->parser, event) == 1)
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG, "%s:%zu: %s", reader->what,
		    reader->parser.problem_mark.line + 1,
		    reader->parser.problem != NULL ? reader->parser.problem : "no YAML");
	return false;
}

static bool refuse(const Reader *reader, const yaml_event_t *event, const char *why, GError **error)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG, "%s:%zu: %s", reader->what,
		    event->start_mark.line + 1, why);
	return false;
}

static YamlNode *read_node(Reader *reader, const yaml_event_t *event, unsigned depth,
			   GError **error);

static bool map_has_key(const YamlNode *map, const char *key)
{
	for (guint i = 0; i < map->children->len; i += 2) {
		const YamlNode *other = g_ptr_array_index(map->children, i);

		if (strcmp(other->text, key) == 0)
			return true;
	}
	return false;
}

/* One child of @parent; in a map every even one is a key. */
static bool take_child(Reader *reader, YamlNode *parent, const yaml_event_t *event, unsigned depth,
		       GError **error)
{
	g_autoptr(YamlNode) child = read_node(reader, event, depth + 1, error);

	if (child == NULL)
		return false;
	if (parent->kind == YAMLNODE_MAP && parent->children->len % 2 == 0) {
		if (child->kind != YAMLNODE_SCALAR)
			return refuse(reader, event, "a key must be a plain word", error);
		if (map_has_key(parent, child->text))
			return refuse(reader, event, "this key stands here twice", error);
	}
	g_ptr_array_add(parent->children, g_steal_pointer(&child));
	return true;
}

static bool read_children(Reader *reader, YamlNode *node, unsigned depth, GError **error)
{
	for (;;) {
		yaml_event_t event;

		if (!next_event(reader, &event, error))
			return false;
		bool end = event.type == YAML_SEQUENCE_END_EVENT ||
			   event.type == YAML_MAPPING_END_EVENT;
		bool ok = end || take_child(reader, node, &event, depth, error);
		yaml_event_delete(&event);
		if (!ok || end)
			return ok;
	}
}

static bool is_decorated(const yaml_event_t *event)
{
	if (event->type == YAML_SCALAR_EVENT)
		return event->data.scalar.anchor != NULL || event->data.scalar.tag != NULL;
	if (event->type == YAML_SEQUENCE_START_EVENT)
		return event->data.sequence_start.anchor != NULL ||
		       event->data.sequence_start.tag != NULL;
	return event->data.mapping_start.anchor != NULL || event->data.mapping_start.tag != NULL;
}

static YamlNode *read_scalar(Reader *reader, const yaml_event_t *event, GError **error)
{
	const char *text = (const char *)event->data.scalar.value;

	if (memchr(text, '\0', event->data.scalar.length) != NULL) {
		refuse(reader, event, "a value holds a NUL byte", error);
		return NULL;
	}
	YamlNode *node = new_node(YAMLNODE_SCALAR, event);
	node->text = g_strndup(text, event->data.scalar.length);
	return node;
}

static YamlNode *read_node(Reader *reader, const yaml_event_t *event, unsigned depth,
			   GError **error)
{
	if (event->type != YAML_SCALAR_EVENT && event->type != YAML_SEQUENCE_START_EVENT &&
	    event->type != YAML_MAPPING_START_EVENT) {
		refuse(reader, event, "anchors, aliases and tags are not taken; write it out",
		       error);
		return NULL;
	}
	if (is_decorated(event) || depth > YAMLNODE_MAX_DEPTH) {
		refuse(reader, event,
		       depth > YAMLNODE_MAX_DEPTH
			       ? "nested too deep"
			       : "anchors, aliases and tags are not taken; write it out",
		       error);
		return NULL;
	}
	if (event->type == YAML_SCALAR_EVENT)
		return read_scalar(reader, event, error);

	g_autoptr(YamlNode) node = new_node(
		event->type == YAML_MAPPING_START_EVENT ? YAMLNODE_MAP : YAMLNODE_LIST, event);
	if (!read_children(reader, node, depth, error))
		return NULL;
	return g_steal_pointer(&node);
}

/* Steps over one event that must be of @type. */
static bool expect(Reader *reader, yaml_event_type_t type, const char *why, GError **error)
{
	yaml_event_t event;

	if (!next_event(reader, &event, error))
		return false;
	bool ok = event.type == type || refuse(reader, &event, why, error);
	yaml_event_delete(&event);
	return ok;
}

static YamlNode *read_document(Reader *reader, GError **error)
{
	yaml_event_t event;

	if (!expect(reader, YAML_STREAM_START_EVENT, "no YAML", error) ||
	    !expect(reader, YAML_DOCUMENT_START_EVENT, "the file is empty", error) ||
	    !next_event(reader, &event, error))
		return NULL;

	g_autoptr(YamlNode) root = read_node(reader, &event, 1, error);
	yaml_event_delete(&event);
	if (root == NULL || !expect(reader, YAML_DOCUMENT_END_EVENT, "no end", error) ||
	    !expect(reader, YAML_STREAM_END_EVENT, "only one document a file", error))
		return NULL;
	return g_steal_pointer(&root);
}

YamlNode *yamlnode_parse(const char *yaml, gsize len, const char *what, GError **error)
{
	if (len > YAMLNODE_MAX_BYTES) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG,
			    "%s: %" G_GSIZE_FORMAT " bytes, more than %d", what, len,
			    YAMLNODE_MAX_BYTES);
		return NULL;
	}
	Reader reader = {.what = what};
	if (yaml_parser_initialize(&reader.parser) != 1) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT, "%s: no memory", what);
		return NULL;
	}
	yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&reader.parser, (const unsigned char *)yaml, len);

	YamlNode *root = read_document(&reader, error);
	yaml_parser_delete(&reader.parser);
	return root;
}

YamlNode *yamlnode_load(const char *path, GError **error)
{
	g_autoptr(GError) reason = NULL;
	g_autoptr(GBytes) bytes = fs_read(path, YAMLNODE_MAX_BYTES, &reason);

	if (bytes == NULL) {
		g_set_error(error, BOT_ERROR,
			    g_error_matches(reason, BOT_ERROR, BOT_ERROR_TRANSIENT)
				    ? BOT_ERROR_TRANSIENT
				    : BOT_ERROR_CONFIG,
			    "%s", reason->message);
		return NULL;
	}
	gsize len;
	const char *text = g_bytes_get_data(bytes, &len);
	return yamlnode_parse(text != NULL ? text : "", len, path, error);
}
