/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * template_node - what a template is once it is read.  Private to template_parse.c and template.c.
 */

#include "bot/report/template.h"

#define TEMPLATE_MAX_DEPTH 16u /* nested blocks and includes together */

typedef enum {
	NODE_TEXT,
	NODE_VALUE,
	NODE_QUOTE,
	NODE_EACH,
	NODE_IF,
	NODE_FILL,
} NodeKind;

typedef struct {
	NodeKind kind;
	char *text;           /* NODE_TEXT: the text; NODE_FILL: NULL; else the name         */
	GRefString *file;     /* of the template it stands in                                */
	unsigned line;        /* 1 first                                                     */
	GPtrArray *children;  /* (element-type TemplateNode) EACH, IF, FILL; else NULL       */
	GPtrArray *otherwise; /* (element-type TemplateNode) IF; else NULL                   */
} TemplateNode;

struct Template {
	GPtrArray *nodes; /* (element-type TemplateNode) */
};
