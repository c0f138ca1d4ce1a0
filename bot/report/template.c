/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/report/template.h"

#include "bot/report/clean.h"
#include "bot/report/fill.h"
#include "bot/report/template_node.h"

#include "bot/base/error.h"

#include <stdbool.h>
#include <string.h>

#define RENDER_MAX_BYTES (4u * 1024 * 1024)

/* The facts and the items of the lists we are in, innermost last. */
typedef struct {
	const json_t *scopes[TEMPLATE_MAX_DEPTH + 1]; /* no template is nested deeper */
	size_t n_scopes;
	GString *out;
} Render;

static bool render_nodes(Render *render, const GPtrArray *nodes, GError **error);

static bool fail(const TemplateNode *node, GError **error, const char *what)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT, "template %s, line %u: {{%s}} %s",
		    node->file, node->line, node->text, what);
	return false;
}

static const json_t *find_first(const Render *render, const char *name)
{
	for (size_t i = render->n_scopes; i > 0; i--) {
		const json_t *found = json_object_get(render->scopes[i - 1], name);
		if (found != NULL)
			return found;
	}
	return NULL;
}

static const json_t *find(const Render *render, const TemplateNode *node, GError **error)
{
	if (strcmp(node->text, ".") == 0)
		return render->scopes[render->n_scopes - 1];

	g_auto(GStrv) parts = g_strsplit(node->text, ".", -1);
	const json_t *value = find_first(render, parts[0]);
	for (guint i = 1; value != NULL && parts[i] != NULL; i++)
		value = json_object_get(value, parts[i]);
	if (value == NULL)
		fail(node, error, "is no known fact");
	return value;
}

static bool render_value(const TemplateNode *node, const json_t *value, GString *out,
			 GError **error)
{
	if (json_is_string(value)) {
		clean_append(out, json_string_value(value));
		return true;
	}
	if (json_is_integer(value)) {
		g_string_append_printf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		return true;
	}
	/* A fraction has no one way to be printed: the facts hold it as text too. */
	return fail(node, error,
		    json_is_null(value) ? "is empty" : "is neither a text nor a whole number");
}

static bool render_quote(const TemplateNode *node, const json_t *value, GString *out,
			 GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);

	if (!render_value(node, value, text, error))
		return false;
	if (text->len > 0 && text->str[text->len - 1] == '\n')
		g_string_truncate(text, text->len - 1);

	g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);
	for (guint i = 0; lines[i] != NULL; i++) {
		const char *mark = *lines[i] == '>' || *lines[i] == '\0' ? ">" : "> ";
		g_string_append_printf(out, "%s%s%s", i > 0 ? "\n" : "", mark, lines[i]);
	}
	return true;
}

static bool is_true(const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_STRING:
		return json_string_length(value) > 0;
	case JSON_ARRAY:
		return json_array_size(value) > 0;
	case JSON_INTEGER:
		return json_integer_value(value) != 0;
	case JSON_OBJECT:
	case JSON_REAL:
	case JSON_TRUE:
		return true;
	case JSON_FALSE:
	case JSON_NULL:
		return false;
	}
	return false;
}

static bool render_each(Render *render, const TemplateNode *node, const json_t *list,
			GError **error)
{
	if (!json_is_array(list))
		return fail(node, error, "is no list");
	for (size_t i = 0; i < json_array_size(list); i++) {
		render->scopes[render->n_scopes++] = json_array_get(list, i);
		if (!render_nodes(render, node->children, error))
			return false;
		render->n_scopes--;
	}
	return true;
}

static bool render_fill(Render *render, const TemplateNode *node, GError **error)
{
	g_autoptr(GString) inner = g_string_new(NULL);
	GString *outer = render->out;

	render->out = inner;
	bool ok = render_nodes(render, node->children, error);
	render->out = outer;
	if (ok)
		fill_append(outer, inner->str);
	return ok;
}

static bool render_named(Render *render, const TemplateNode *node, GError **error)
{
	const json_t *value = find(render, node, error);

	if (value == NULL)
		return false;
	switch (node->kind) {
	case NODE_VALUE:
		return render_value(node, value, render->out, error);
	case NODE_QUOTE:
		return render_quote(node, value, render->out, error);
	case NODE_EACH:
		return render_each(render, node, value, error);
	case NODE_IF:
		if (is_true(value))
			return render_nodes(render, node->children, error);
		return node->otherwise == NULL || render_nodes(render, node->otherwise, error);
	case NODE_TEXT:
	case NODE_FILL:
		break;
	}
	return true;
}

static bool render_node(Render *render, const TemplateNode *node, GError **error)
{
	if (node->kind == NODE_FILL)
		return render_fill(render, node, error);
	if (node->kind != NODE_TEXT)
		return render_named(render, node, error);
	g_string_append(render->out, node->text);
	return true;
}

static bool render_nodes(Render *render, const GPtrArray *nodes, GError **error)
{
	for (guint i = 0; i < nodes->len; i++) {
		const TemplateNode *node = g_ptr_array_index(nodes, i);
		if (!render_node(render, node, error))
			return false;
		if (render->out->len > RENDER_MAX_BYTES) {
			g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT,
				    "template %s, line %u: the text has grown over %u bytes",
				    node->file, node->line, RENDER_MAX_BYTES);
			return false;
		}
	}
	return true;
}

char *template_render(const Template *template, const json_t *facts, GError **error)
{
	g_autoptr(GString) out = g_string_new(NULL);
	Render render = {.scopes = {facts}, .n_scopes = 1, .out = out};

	if (!render_nodes(&render, template->nodes, error))
		return NULL;
	return g_string_free(g_steal_pointer(&out), FALSE);
}
