/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/report/facts_reproduce.h"

#include "bot/report/clean.h"
#include "bot/report/facts_metric.h"

#include "bot/base/json.h"

#include <string.h>

static void put(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static void put_line(json_t *object, const char *key, const char *text)
{
	put(object, key, facts_json_line(text));
}

/* One word for a shell, as plain as can be: ids and URLs of strangers are pasted by readers. */
static char *shell_word(const char *text)
{
	const char *plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
			    "@%+=:,./_-";
	g_autofree char *line = clean_line(text);

	if (*line != '\0' && *line != '-' && strspn(line, plain) == strlen(line))
		return g_steal_pointer(&line);
	return g_shell_quote(line);
}

static char *shell_words(const char *text)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);

	for (guint i = 0; words[i] != NULL; i++) {
		char *quoted = shell_word(words[i]);
		g_free(words[i]);
		words[i] = quoted;
	}
	return g_strjoinv(" ", words);
}

static bool is_variable(const char *name)
{
	return (g_ascii_isalpha(*name) || *name == '_') &&
	       name[strspn(name,
			   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")] ==
		       '\0';
}

static json_t *environment_json(const ReportFacts *facts)
{
	json_t *list = json_array();

	for (guint i = 0; facts->params != NULL && i < facts->params->len; i++) {
		const ReportParam *param = g_ptr_array_index(facts->params, i);
		if (!is_variable(param->key))
			continue;
		g_autofree char *value = shell_word(param->value);
		g_autofree char *line = g_strconcat(param->key, "=", value, NULL);
		json_array_append_new(list, facts_json_line(line));
	}
	return list;
}

static json_t *job_lines_json(const char *job_yaml)
{
	json_t *list = json_array();
	g_autofree char *clean = job_yaml == NULL ? NULL : g_strchomp(clean_text(job_yaml));
	g_auto(GStrv) lines = clean == NULL ? NULL : g_strsplit(clean, "\n", -1);

	for (guint i = 0; lines != NULL && lines[i] != NULL; i++)
		json_array_append_new(list, json_text(lines[i]));
	return list;
}

json_t *facts_reproduce_to_json(const ReportFacts *facts)
{
	json_t *object = json_object();
	const char *mail =
		facts->patch_link != NULL ? facts->patch_link : facts->answered.message_id;
	g_autofree char *branch = facts->branch_url == NULL ? NULL : shell_words(facts->branch_url);
	g_autofree char *base_url = facts->base_url == NULL ? NULL : shell_word(facts->base_url);
	g_autofree char *patch = mail == NULL ? NULL : shell_word(mail);
	g_autofree char *testcase = facts->testcase == NULL ? NULL : shell_word(facts->testcase);

	put_line(object, "branch", branch);
	put_line(object, "base_url", base_url);
	put_line(object, "patch", patch);
	put_line(object, "testcase", testcase);
	put(object, "environment", environment_json(facts));
	put(object, "job", job_lines_json(facts->job_yaml));
	return object;
}
