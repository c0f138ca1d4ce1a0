/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "../check_main.h"

#include "bot/base/error.h"
#include "bot/base/json.h"
#include "bot/report/template.h"

#include <string.h>

static json_t *facts_from(const char *json)
{
	g_autoptr(GError) error = NULL;
	json_t *facts = json_parse_bytes(json, strlen(json), "facts", &error);

	ck_assert_msg(facts != NULL, "%s", error != NULL ? error->message : "");
	return facts;
}

static char *render(const char *text, const char *json)
{
	g_autoptr(GError) error = NULL;
	autojson *facts = facts_from(json);
	g_autoptr(Template) template = template_parse(text, "test", &error);

	ck_assert_msg(template != NULL, "%s", error != NULL ? error->message : "");
	char *out = template_render(template, facts, &error);
	ck_assert_msg(out != NULL, "%s", error != NULL ? error->message : "");
	return out;
}

static void assert_renders(const char *text, const char *json, const char *wanted)
{
	g_autofree char *out = render(text, json);

	ck_assert_str_eq(out, wanted);
}

static void assert_parse_error(const char *text, const char *wanted)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Template) template = template_parse(text, "test", &error);

	ck_assert_msg(template == NULL, "%s", text);
	ck_assert_msg(strstr(error->message, wanted) != NULL, "%s", error->message);
}

static void assert_render_error(const char *text, const char *json, const char *wanted)
{
	g_autoptr(GError) error = NULL;
	autojson *facts = facts_from(json);
	g_autoptr(Template) template = template_parse(text, "test", NULL);

	ck_assert_ptr_nonnull(template);
	g_autofree char *out = template_render(template, facts, &error);
	ck_assert_ptr_null(out);
	ck_assert(g_error_matches(error, BOT_ERROR, BOT_ERROR_PERMANENT));
	ck_assert_msg(strstr(error->message, wanted) != NULL, "%s", error->message);
}

START_TEST(values_stand_where_their_names_stood)
{
	assert_renders("a {{x}} b {{ y.z }} {{n}}\n", "{\"x\":\"1\",\"y\":{\"z\":\"2\"},\"n\":3}",
		       "a 1 b 2 3\n");
}
END_TEST

START_TEST(if_takes_what_is_there_and_else_the_other)
{
	const char *text = "{{#if x}}yes{{else}}no{{/if}}";
	static const struct {
		const char *json;
		const char *wanted;
	} rows[] = {
		{"{\"x\":true}", "yes"}, {"{\"x\":\"a\"}", "yes"}, {"{\"x\":1}", "yes"},
		{"{\"x\":[0]}", "yes"},  {"{\"x\":{}}", "yes"},    {"{\"x\":0.5}", "yes"},
		{"{\"x\":false}", "no"}, {"{\"x\":\"\"}", "no"},   {"{\"x\":0}", "no"},
		{"{\"x\":[]}", "no"},    {"{\"x\":null}", "no"},
	};
	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
		assert_renders(text, rows[i].json, rows[i].wanted);
}
END_TEST

START_TEST(each_repeats_with_the_item_before_what_is_outside)
{
	assert_renders(
		"{{#each list}}{{a}}{{b}};{{/each}}{{a}}",
		"{\"list\":[{\"a\":\"1\"},{\"a\":\"2\",\"b\":\"c\"}],\"a\":\"x\",\"b\":\"y\"}",
		"1y;2c;x");
	assert_renders("{{#each t}}[{{.}}]{{/each}}", "{\"t\":[\"p\",\"q\"]}", "[p][q]");
	assert_renders("{{#each t}}[{{.}}]{{/each}}", "{\"t\":[]}", "");
}
END_TEST

START_TEST(a_block_tag_alone_on_its_line_leaves_no_line)
{
	assert_renders("a\n{{#if x}}\nb\n{{else}}\nc\n{{/if}}\nd\n", "{\"x\":true}", "a\nb\nd\n");
	assert_renders("a\n  {{! note }}  \nb\n", "{}", "a\nb\n");
	assert_renders("{{#each l}}\n- {{.}}\n{{/each}}", "{\"l\":[\"1\",\"2\"]}", "- 1\n- 2\n");
}
END_TEST

START_TEST(a_value_alone_on_its_line_keeps_the_line)
{
	assert_renders("{{x}}\n\n{{x}}\n", "{\"x\":\"a\"}", "a\n\na\n");
	assert_renders("a {{#if x}}b{{/if}}\nc\n", "{\"x\":true}", "a b\nc\n");
}
END_TEST

START_TEST(quote_marks_each_line_and_does_not_pad_quotes)
{
	assert_renders("{{quote q}}\n", "{\"q\":\"one\\n\\n> two\\n\"}", "> one\n>\n>> two\n");
}
END_TEST

START_TEST(fill_wraps_what_was_inserted)
{
	g_autofree char *out = render(
		"{{#fill}}\nSome words and {{x}} in a paragraph that is long enough to be broken "
		"somewhere.\n{{/fill}}\n",
		"{\"x\":\"a value of some length that pushes the rest of the line to the right\"}");

	g_auto(GStrv) lines = g_strsplit(out, "\n", -1);
	ck_assert_uint_gt(g_strv_length(lines), 2);
	for (guint i = 0; lines[i] != NULL; i++)
		ck_assert_uint_le(strlen(lines[i]), 76);
}
END_TEST

START_TEST(an_include_stands_in_its_place)
{
	g_autofree char *out =
		render("a\n{{>footer}}\nb\n",
		       "{\"bot\":{\"name\":\"n\"},\"version\":null,\"footer\":\"f\"}");

	ck_assert_str_eq(out, "a\n-- \nn\nf\nb\n");
}
END_TEST

START_TEST(values_lose_control_bytes_and_marks_that_turn_the_text)
{
	assert_renders("{{x}}", "{\"x\":\"a\\u001b[1m\\rb\\t\\n\\u202ec\\u0085\\u2028d\"}",
		       "a[1mb\t\ncd");
}
END_TEST

START_TEST(a_hole_is_an_error_that_names_template_line_and_name)
{
	assert_render_error("a\n\n{{b.c}}", "{\"b\":{}}", "template test, line 3: {{b.c}}");
	assert_render_error("{{#if x}}{{/if}}", "{}", "{{x}} is no known fact");
	assert_render_error("{{#each x}}{{/each}}", "{}", "{{x}} is no known fact");
	assert_render_error("{{x}}", "{\"x\":null}", "is empty");
	assert_render_error("{{x}}", "{\"x\":0.5}", "neither a text nor a whole number");
	assert_render_error("{{x}}", "{\"x\":[]}", "neither a text nor a whole number");
	assert_render_error("{{#each x}}{{/each}}", "{\"x\":\"t\"}", "is no list");
	assert_render_error("{{quote x}}", "{\"x\":null}", "is empty");
	assert_render_error("{{#fill}}{{x}}{{/fill}}", "{}", "is no known fact");
	assert_render_error("{{x.y}}", "{\"x\":\"t\"}", "is no known fact");
}
END_TEST

START_TEST(what_is_no_template_is_an_error_with_its_line)
{
	assert_parse_error("a\n{{#if x}}\n", "line 2: {{#if x}} is not closed by /if");
	assert_parse_error("{{#each x}}{{/if}}", "is not closed by /each");
	assert_parse_error("{{#fill}}{{else}}{{/fill}}", "is not closed by /fill");
	assert_parse_error("{{/if}}", "nothing is open");
	assert_parse_error("{{else}}", "nothing is open");
	assert_parse_error("{{#if a}}{{else}}{{else}}{{/if}}", "is not closed by /if");
	assert_parse_error("a {{x", "without \"}}\"");
	assert_parse_error("{{}}", "names nothing");
	assert_parse_error("{{#if }}", "this is no tag");
	assert_parse_error("{{X}}", "this is no tag");
	assert_parse_error("{{a b}}", "this is no tag");
	assert_parse_error("{{.a}}", "this is no tag");
	assert_parse_error("{{#unless x}}", "this is no tag");
	assert_parse_error("{{>../etc/passwd}}", "is no name of a template");
	assert_parse_error("{{>nosuch}}", "nosuch");
}
END_TEST

START_TEST(nesting_has_an_end)
{
	g_autoptr(GString) text = g_string_new(NULL);
	for (int i = 0; i < 100000; i++)
		g_string_append(text, "{{#fill}}");

	assert_parse_error(text->str, "nested too deeply");
}
END_TEST

START_TEST(growth_has_an_end)
{
	g_autoptr(GString) list = g_string_new("{\"l\":[0");
	for (int i = 0; i < 299; i++)
		g_string_append(list, ",0");
	g_string_append(list, "]}");

	assert_render_error(
		"{{#each l}}{{#each l}}{{#each l}}some text here{{/each}}{{/each}}{{/each}}",
		list->str, "has grown over");
}
END_TEST

START_TEST(a_template_cut_at_any_byte_parses_or_fails_cleanly)
{
	const char *text = "{{! c }}\n{{#if a}}\n{{#each b}}{{.}}{{/each}}\n{{else}}{{quote c}}\n"
			   "{{/if}}{{#fill}}\n{{d.e}}\n{{/fill}}\n{{>footer}}\n";
	for (gsize len = 0; len < strlen(text); len++) {
		g_autofree char *cut = g_strndup(text, len);
		g_autoptr(GError) error = NULL;

		g_autoptr(Template) template = template_parse(cut, "test", &error);

		ck_assert((template == NULL) == (error != NULL));
	}
}
END_TEST

START_TEST(all_installed_templates_load)
{
	static const char *const names[] = {"report", "retest"};
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autoptr(GError) error = NULL;

		g_autoptr(Template) template = template_load(names[i], &error);

		ck_assert_msg(template != NULL, "%s", error != NULL ? error->message : "");
	}
}
END_TEST

CHECK_MAIN("template", values_stand_where_their_names_stood,
	   if_takes_what_is_there_and_else_the_other,
	   each_repeats_with_the_item_before_what_is_outside,
	   a_block_tag_alone_on_its_line_leaves_no_line, a_value_alone_on_its_line_keeps_the_line,
	   quote_marks_each_line_and_does_not_pad_quotes, fill_wraps_what_was_inserted,
	   an_include_stands_in_its_place, values_lose_control_bytes_and_marks_that_turn_the_text,
	   a_hole_is_an_error_that_names_template_line_and_name,
	   what_is_no_template_is_an_error_with_its_line, nesting_has_an_end, growth_has_an_end,
	   a_template_cut_at_any_byte_parses_or_fails_cleanly, all_installed_templates_load)
