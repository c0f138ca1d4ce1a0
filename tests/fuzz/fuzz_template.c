/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The template language: any text parses or fails, and what it renders is clean UTF-8. */
#include "bot/report/template.h"

#include "bot/base/json.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char facts_text[] =
	"{\"a\":\"one\\ntwo\\u001b\\u202e\",\"b\":{\"c\":\"x\",\"n\":7,\"z\":null},"
	"\"l\":[{\"k\":\"1\"},{\"k\":\"2\"}],\"t\":[\"p\",\"q: r\"],\"e\":[],\"f\":false}";

static void check_output(const char *out)
{
	g_assert_true(g_utf8_validate(out, -1, NULL));
	g_assert_null(strpbrk(out, "\x1b\x7f"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *raw = g_strndup((const char *)data, size);
	g_autofree char *valid = g_utf8_make_valid(raw, -1);
	g_autoptr(GError) error = NULL;
	autojson *facts = json_parse_bytes(facts_text, strlen(facts_text), "facts", NULL);

	if (strpbrk(valid, "\x1b\x7f") != NULL)
		return 0; /* text of a template is the operator's: it is not cleaned */
	g_autoptr(Template) template = template_parse(valid, "fuzz", &error);
	g_assert_true((template == NULL) == (error != NULL));
	if (template == NULL)
		return 0;

	g_autofree char *out = template_render(template, facts, &error);
	g_assert_true((out == NULL) == (error != NULL));
	if (out != NULL)
		check_output(out);
	return 0;
}
