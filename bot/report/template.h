/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * template - plain text with holes: {{name}}, {{#each list}}, {{#if name}} ... {{else}} ...
 * {{/if}}.
 *
 * No logic beyond each, if and else; a tag alone on its line eats the line.  {{a.b}} looks into an
 * object, {{.}} is the item of a list of texts.  An unknown name is an error (a mail must never go
 * out with a hole).  Values are inserted as they are, without control bytes but LF and TAB; {{quote
 * name}} puts "> " before each line; {{>name}} includes the template of that name.
 */

#include <glib.h>
#include <jansson.h>

typedef struct Template Template;

/**
 * template_load:
 * @name: "report": file templates/NAME.txt
 * @error: NOT_FOUND, PERMANENT with file, line and reason
 */
Template *template_load(const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** template_parse: from text; includes are looked up as template_load() does. */
Template *template_parse(const char *text, const char *name,
			 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void template_free(Template *template);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Template, template_free)

/** template_render: @error PERMANENT naming template, line and the unknown name. */
char *template_render(const Template *template, const json_t *facts,
		      GError **error) G_GNUC_WARN_UNUSED_RESULT;
