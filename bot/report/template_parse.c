/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/report/template_node.h"

#include "bot/base/error.h"
#include "bot/base/fs.h"

#include <stdbool.h>
#include <string.h>

#define TEMPLATE_MAX_BYTES (64u * 1024)
#define NAME_CHARS "abcdefghijklmnopqrstuvwxyz0123456789_."
#define FILE_CHARS "abcdefghijklmnopqrstuvwxyz0123456789_-"

typedef struct {
	const char *text;
	const char *pos;
	GRefString *file;
	unsigned depth;
} Parser;

typedef struct {
	const char *start;    /* of "{{"                                                        */
	const char *end;      /* behind "}}", or behind the LF when it stands alone on its line */
	const char *text_end; /* of the text before: the start of the line when it stands alone */
	char *body;           /* between the braces, trimmed                                    */
} Tag;

static GPtrArray *parse_nodes(Parser *parser, char **out_closer, GError **error);

static void tag_clear(Tag *tag)
{
	g_free(tag->body);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Tag, tag_clear)

static void node_free(gpointer data)
{
	TemplateNode *node = data;

	g_free(node->text);
	g_ref_string_release(node->file);
	g_clear_pointer(&node->children, g_ptr_array_unref);
	g_clear_pointer(&node->otherwise, g_ptr_array_unref);
	g_free(node);
}

static unsigned line_of(const Parser *parser, const char *at)
{
	unsigned line = 1;

	for (const char *c = parser->text; c < at; c++)
		line += *c == '\n';
	return line;
}

static bool fail(const Parser *parser, const char *at, GError **error, const char *what,
		 const char *which)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT, "template %s, line %u: %s%s",
		    parser->file, line_of(parser, at), what, which);
	return false;
}

static TemplateNode *add_node(const Parser *parser, GPtrArray *nodes, NodeKind kind, char *text,
			      const char *at)
{
	TemplateNode *node = g_new0(TemplateNode, 1);

	node->kind = kind;
	node->text = text;
	node->file = g_ref_string_acquire(parser->file);
	node->line = line_of(parser, at);
	g_ptr_array_add(nodes, node);
	return node;
}

/* Blocks, includes and comments leave no line behind; a value is text like any other. */
static bool eats_its_line(const char *body)
{
	return strchr("#/>!", *body) != NULL || strcmp(body, "else") == 0;
}

static void widen_to_line(const Parser *parser, Tag *tag)
{
	const char *left = tag->start;
	const char *right = tag->end + strspn(tag->end, " \t");

	while (left > parser->text && (left[-1] == ' ' || left[-1] == '\t'))
		left--;
	if ((left > parser->text && left[-1] != '\n') || (*right != '\n' && *right != '\0'))
		return;
	tag->text_end = left;
	tag->end = *right == '\n' ? right + 1 : right;
}

/* Returns: false without @error when no tag is left. */
static bool find_tag(const Parser *parser, Tag *tag, GError **error)
{
	tag->start = strstr(parser->pos, "{{");
	if (tag->start == NULL)
		return false;

	const char *close = strstr(tag->start, "}}");
	if (close == NULL)
		return fail(parser, tag->start, error, "\"{{\" without \"}}\"", "");
	tag->body = g_strstrip(g_strndup(tag->start + 2, (gsize)(close - tag->start) - 2));
	tag->end = close + 2;
	tag->text_end = tag->start;
	if (*tag->body == '\0')
		return fail(parser, tag->start, error, "\"{{}}\" names nothing", "");
	if (eats_its_line(tag->body))
		widen_to_line(parser, tag);
	return true;
}

static bool is_name(const char *name)
{
	return strcmp(name, ".") == 0 ||
	       (*name != '\0' && *name != '.' && name[strlen(name) - 1] != '.' &&
		strspn(name, NAME_CHARS) == strlen(name));
}

/* Takes the word behind @keyword, which must be a name. */
static char *take_name(const Parser *parser, const Tag *tag, const char *keyword, GError **error)
{
	g_autofree char *name = g_strstrip(g_strdup(tag->body + strlen(keyword)));

	if (is_name(name))
		return g_steal_pointer(&name);
	fail(parser, tag->start, error, "this is no tag: ", tag->body);
	return NULL;
}

static bool close_with(const Parser *parser, const Tag *tag, const char *found, const char *wanted,
		       GError **error)
{
	if (g_strcmp0(found, wanted) == 0)
		return true;
	g_autofree char *what = g_strdup_printf("{{%s}} is not closed by ", tag->body);
	return fail(parser, tag->start, error, what, wanted);
}

static bool parse_block(Parser *parser, const Tag *tag, TemplateNode *node, GError **error)
{
	const char *closer = node->kind == NODE_IF     ? "/if"
			     : node->kind == NODE_EACH ? "/each"
						       : "/fill";
	g_autofree char *found = NULL;

	node->children = parse_nodes(parser, &found, error);
	if (node->children == NULL)
		return false;
	if (node->kind == NODE_IF && g_strcmp0(found, "else") == 0) {
		g_clear_pointer(&found, g_free);
		node->otherwise = parse_nodes(parser, &found, error);
		if (node->otherwise == NULL)
			return false;
	}
	return close_with(parser, tag, found, closer, error);
}

static bool parse_named(Parser *parser, const Tag *tag, GPtrArray *nodes, NodeKind kind,
			const char *keyword, GError **error)
{
	char *name = take_name(parser, tag, keyword, error);

	if (name == NULL)
		return false;
	TemplateNode *node = add_node(parser, nodes, kind, name, tag->start);
	return kind == NODE_VALUE || kind == NODE_QUOTE || parse_block(parser, tag, node, error);
}

static char *load_text(const char *name, GError **error)
{
	if (*name == '\0' || strspn(name, FILE_CHARS) != strlen(name)) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
			    "\"%s\" is no name of a template", name);
		return NULL;
	}

	g_autofree char *base = g_strconcat(name, ".txt", NULL);
	g_autofree char *path = fs_share_path("templates", base);
	g_autoptr(GBytes) bytes = fs_read(path, TEMPLATE_MAX_BYTES, error);
	if (bytes == NULL)
		return NULL;
	gsize len = 0;
	const char *text = g_bytes_get_data(bytes, &len);
	if (len > 0 && g_utf8_validate(text, (gssize)len, NULL))
		return g_strndup(text, len);
	g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT, "template %s is empty or not UTF-8",
		    path);
	return NULL;
}

static GPtrArray *parse_text(const char *text, const char *name, unsigned depth, GError **error)
{
	g_autoptr(GRefString) file = g_ref_string_new(name);
	Parser parser = {.text = text, .pos = text, .file = file, .depth = depth};
	g_autofree char *closer = NULL;
	g_autoptr(GPtrArray) nodes = parse_nodes(&parser, &closer, error);

	if (nodes == NULL)
		return NULL;
	if (closer != NULL) {
		fail(&parser, parser.pos, error, "nothing is open that this closes: ", closer);
		return NULL;
	}
	return g_steal_pointer(&nodes);
}

static bool parse_include(Parser *parser, const Tag *tag, GPtrArray *nodes, GError **error)
{
	g_autofree char *name = g_strstrip(g_strdup(tag->body + 1));
	g_autofree char *text = load_text(name, error);

	if (text == NULL) {
		g_prefix_error(error, "template %s, line %u: ", parser->file,
			       line_of(parser, tag->start));
		return false;
	}
	g_autoptr(GPtrArray) included = parse_text(text, name, parser->depth, error);
	if (included == NULL)
		return false;
	g_ptr_array_extend_and_steal(nodes, g_steal_pointer(&included));
	return true;
}

static bool parse_tag(Parser *parser, const Tag *tag, GPtrArray *nodes, GError **error)
{
	const char *body = tag->body;

	if (*body == '!')
		return true;
	if (*body == '>')
		return parse_include(parser, tag, nodes, error);
	if (g_str_has_prefix(body, "#each "))
		return parse_named(parser, tag, nodes, NODE_EACH, "#each ", error);
	if (g_str_has_prefix(body, "#if "))
		return parse_named(parser, tag, nodes, NODE_IF, "#if ", error);
	if (strcmp(body, "#fill") == 0)
		return parse_block(parser, tag,
				   add_node(parser, nodes, NODE_FILL, NULL, tag->start), error);
	if (g_str_has_prefix(body, "quote "))
		return parse_named(parser, tag, nodes, NODE_QUOTE, "quote ", error);
	return parse_named(parser, tag, nodes, NODE_VALUE, "", error);
}

static void add_text(const Parser *parser, GPtrArray *nodes, const char *end)
{
	if (end > parser->pos)
		add_node(parser, nodes, NODE_TEXT,
			 g_strndup(parser->pos, (gsize)(end - parser->pos)), parser->pos);
}

/*
 * Nodes up to the end of the text or to a tag that ends a block; that one's body goes into
 * *out_closer, and whoever opened the block says whether it is the right one.
 */
static GPtrArray *parse_until_closer(Parser *parser, char **out_closer, GError **error)
{
	g_autoptr(GPtrArray) nodes = g_ptr_array_new_with_free_func(node_free);

	for (;;) {
		g_auto(Tag) tag = {0};
		g_autoptr(GError) broken = NULL;
		if (!find_tag(parser, &tag, &broken)) {
			if (broken != NULL) {
				g_propagate_error(error, g_steal_pointer(&broken));
				return NULL;
			}
			add_text(parser, nodes, parser->pos + strlen(parser->pos));
			parser->pos += strlen(parser->pos);
			return g_steal_pointer(&nodes);
		}
		add_text(parser, nodes, tag.text_end);
		parser->pos = tag.end;
		if (*tag.body == '/' || strcmp(tag.body, "else") == 0) {
			*out_closer = g_steal_pointer(&tag.body);
			return g_steal_pointer(&nodes);
		}
		if (!parse_tag(parser, &tag, nodes, error))
			return NULL;
	}
}

static GPtrArray *parse_nodes(Parser *parser, char **out_closer, GError **error)
{
	if (parser->depth >= TEMPLATE_MAX_DEPTH) {
		fail(parser, parser->pos, error, "blocks or includes are nested too deeply", "");
		return NULL;
	}
	parser->depth++;
	GPtrArray *nodes = parse_until_closer(parser, out_closer, error);
	parser->depth--;
	return nodes;
}

Template *template_parse(const char *text, const char *name, GError **error)
{
	GPtrArray *nodes = parse_text(text, name, 0, error);

	if (nodes == NULL)
		return NULL;
	Template *template = g_new0(Template, 1);
	template->nodes = nodes;
	return template;
}

Template *template_load(const char *name, GError **error)
{
	g_autofree char *text = load_text(name, error);

	return text == NULL ? NULL : template_parse(text, name, error);
}

void template_free(Template *template)
{
	if (template == NULL)
		return;
	g_ptr_array_unref(template->nodes);
	g_free(template);
}
