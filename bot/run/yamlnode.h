/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * yamlnode - a small YAML document as a tree, for job files and workload.yaml.
 *
 * Every scalar is text: what it means is the caller's business.  Refused are anchors, aliases and
 * tags (a file of ten lines could otherwise stand for a million), more than one document, a key
 * that stands twice in a map, and nesting deeper than YAMLNODE_MAX_DEPTH.  Private to bot/run.
 */

#include <glib.h>
#include <stdbool.h>

#define YAMLNODE_MAX_BYTES 65536
#define YAMLNODE_MAX_DEPTH 4

typedef enum { YAMLNODE_SCALAR, YAMLNODE_LIST, YAMLNODE_MAP } YamlNodeKind;

typedef struct {
	YamlNodeKind kind;
	size_t line;         /* counted from 1                                             */
	char *text;          /* of a scalar; valid UTF-8 without NUL                       */
	GPtrArray *children; /* (element-type YamlNode) of a list; of a map key, value, ... */
} YamlNode;

/**
 * yamlnode_parse:
 * @what: named in errors, like a file name
 * @error: CONFIG "WHAT:LINE: reason"
 *
 * Returns: (transfer full): the one document's root
 */
YamlNode *yamlnode_parse(const char *yaml, gsize len, const char *what,
			 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** yamlnode_load: as yamlnode_parse() of a file; a missing one is CONFIG too. */
YamlNode *yamlnode_load(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void yamlnode_free(YamlNode *node);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(YamlNode, yamlnode_free)
