/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/report/facts_reproduce.h"

#include "bot/report/clean.h"
#include "bot/report/facts_metric.h"

#include "bot/base/json.h"

#include <stdbool.h>
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

static json_t *fetches_json(const ReportFacts *facts)
{
	json_t *list = json_array();

	for (guint i = 0; i < facts->fetches->len; i++) {
		g_autofree char *words = shell_words(facts->fetches->pdata[i]);
		json_array_append_new(list, facts_json_line(words));
	}
	return list;
}

static json_t *patch_json(const ReportPatch *patch)
{
	json_t *object = json_object();
	g_autofree char *mail = shell_word(patch->mail);

	put_line(object, "mail", mail);
	put(object, "is_series", json_boolean(patch->is_series));
	put(object, "revision", json_integer(patch->revision));
	return object;
}

static json_t *commit_json(const ReportCommit *commit)
{
	json_t *object = json_object();
	json_t *patches = json_array();

	for (guint i = 0; i < commit->patches->len; i++)
		json_array_append_new(patches, patch_json(commit->patches->pdata[i]));
	put_line(object, "sha", commit->sha);
	put_line(object, "role", commit->role);
	put_line(object, "tree", commit->tree);
	put_line(object, "on", commit->on);
	put(object, "patches", patches);
	return object;
}

static void put_commits(json_t *object, const ReportFacts *facts)
{
	json_t *list = json_array();
	bool is_made = false;

	for (guint i = 0; i < facts->commits->len; i++) {
		const ReportCommit *commit = facts->commits->pdata[i];
		json_array_append_new(list, commit_json(commit));
		is_made = is_made || commit->patches->len > 0;
	}
	put(object, "commits", list);
	put(object, "is_made", json_boolean(is_made));
}

json_t *facts_reproduce_to_json(const ReportFacts *facts)
{
	json_t *object = json_object();
	g_autofree char *testcase = facts->testcase == NULL ? NULL : shell_word(facts->testcase);

	put(object, "fetches", fetches_json(facts));
	put_commits(object, facts);
	put_line(object, "testcase", testcase);
	put(object, "environment", environment_json(facts));
	put(object, "job", job_lines_json(facts->job_yaml));
	return object;
}
