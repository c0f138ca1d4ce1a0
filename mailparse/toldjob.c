/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/toldjob.h"

#include "mailparse/line.h"
#include "mailparse/target.h"
#include "mailparse/url.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define MAX_LINES 2000u
#define MAX_PARAMETERS 50u
#define KEY_MAX_BYTES 40u
#define VALUE_MAX_BYTES 300u

typedef enum {
	FIELD_COMMIT,
	FIELD_BASE,
	FIELD_TREE,
	FIELD_BRANCH,
	FIELD_TESTCASE,
	FIELD_CONFIG,
	FIELD_COMPILER,
	FIELD_MACHINE,
	FIELD_REPRODUCER,
	FIELD_PARAMETERS,
	N_FIELDS,
} Field;

static const struct {
	const char *key;
	Field field;
} keys[] = {
	{"commit", FIELD_COMMIT},
	{"head commit", FIELD_COMMIT},
	{"git commit", FIELD_COMMIT},
	{"git-commit", FIELD_COMMIT},
	{"git_commit", FIELD_COMMIT},
	{"git_sha", FIELD_COMMIT},
	{"sha", FIELD_COMMIT},
	{"commit hash", FIELD_COMMIT},
	{"commit id", FIELD_COMMIT},
	{"first bad commit", FIELD_COMMIT},
	{"base", FIELD_BASE},
	{"base commit", FIELD_BASE},
	{"parent commit", FIELD_BASE},
	{"last good commit", FIELD_BASE},
	{"tree", FIELD_TREE},
	{"git tree", FIELD_TREE},
	{"git repo", FIELD_TREE},
	{"git_repo", FIELD_TREE},
	{"git url", FIELD_TREE},
	{"git_url", FIELD_TREE},
	{"git", FIELD_TREE},
	{"kernel repo", FIELD_TREE},
	{"branch", FIELD_BRANCH},
	{"git branch", FIELD_BRANCH},
	{"git_branch", FIELD_BRANCH},
	{"testcase", FIELD_TESTCASE},
	{"in testcase", FIELD_TESTCASE},
	{"test suite", FIELD_TESTCASE},
	{"test plan", FIELD_TESTCASE},
	{"test", FIELD_TESTCASE},
	{"suite", FIELD_TESTCASE},
	{"config", FIELD_CONFIG},
	{".config", FIELD_CONFIG},
	{"kernel config", FIELD_CONFIG},
	{"kconfig", FIELD_CONFIG},
	{"defconfig", FIELD_CONFIG},
	{"compiler", FIELD_COMPILER},
	{"toolchain", FIELD_COMPILER},
	{"test machine", FIELD_MACHINE},
	{"on test machine", FIELD_MACHINE},
	{"machine", FIELD_MACHINE},
	{"tbox_group", FIELD_MACHINE},
	{"platform", FIELD_MACHINE},
	{"hardware", FIELD_MACHINE},
	{"device", FIELD_MACHINE},
	{"reproduce", FIELD_REPRODUCER},
	{"reproducer", FIELD_REPRODUCER},
	{"syz repro", FIELD_REPRODUCER},
	{"c reproducer", FIELD_REPRODUCER},
	{"syzkaller reproducer", FIELD_REPRODUCER},
	{"parameters", FIELD_PARAMETERS},
	{"with following parameters", FIELD_PARAMETERS},
	{"the job as it ran here", FIELD_PARAMETERS},
};

typedef struct {
	char *values[N_FIELDS];
	GPtrArray *parameters;
	bool in_parameters;
	bool awaits_link; /* the link of the reproducer stands on the next line */
} Reader;

/* Without quote marks, blanks and bullets in front. */
static Line bare_line(Line line)
{
	while (line.len > 0 && strchr("> \t|*-", line.text[0]))
		line = line_after(line, 1);
	return line_chomp(line);
}

static char *tidy(const char *text, gsize len)
{
	if (len > VALUE_MAX_BYTES)
		return NULL;
	g_autofree char *word = g_strstrip(g_strndup(text, len));
	return word[0] == '\0' ? NULL : g_steal_pointer(&word);
}

/* "key: value"; a value may be missing. */
static bool split(const Line *line, char **out_key, char **out_value)
{
	const char *colon = memchr(line->text, ':', MIN(line->len, KEY_MAX_BYTES));

	*out_key = *out_value = NULL;
	if (!colon || colon == line->text)
		return false;
	gsize skip = (gsize)(colon - line->text) + 1;
	if (skip < line->len && !g_ascii_isspace(line->text[skip]))
		return false; /* an URL, a time */
	/* "reproduce (this is a W=1 build):" */
	const char *aside = memchr(line->text, '(', skip);
	*out_key = tidy(line->text, aside ? (gsize)(aside - line->text) : skip - 1);
	*out_value = tidy(line->text + skip, line->len - skip);
	return *out_key != NULL;
}

static Field field_of(const char *key)
{
	for (gsize i = 0; i < G_N_ELEMENTS(keys); i++) {
		if (g_ascii_strcasecmp(keys[i].key, key) == 0)
			return keys[i].field;
	}
	return N_FIELDS;
}

/* The first word of @value that is @fits. */
static char *first_word(const char *value, bool (*fits)(const char *))
{
	g_auto(GStrv) words = g_strsplit_set(value, " \t", -1);

	for (gsize i = 0; words[i]; i++) {
		g_autofree char *word = target_trim(words[i]);
		if (fits(word))
			return g_steal_pointer(&word);
	}
	return NULL;
}

/* Takes over @value, which may be NULL, unless something stands there. */
static void keep(Reader *reader, Field field, char *value)
{
	if (reader->values[field])
		g_free(value);
	else
		reader->values[field] = value;
}

/* "URL BRANCH", "mainline" */
static void take_tree(Reader *reader, const char *value)
{
	g_auto(GStrv) words = g_strsplit_set(value, " \t", 3);

	if (reader->values[FIELD_TREE])
		return;
	reader->values[FIELD_TREE] = g_strdup(words[0]);
	if (words[1] && target_is_ref(words[1]))
		keep(reader, FIELD_BRANCH, g_strdup(words[1]));
}

static void take_field(Reader *reader, Field field, const char *value)
{
	reader->in_parameters = field == FIELD_PARAMETERS;
	reader->awaits_link = field == FIELD_REPRODUCER && !value;
	if (!value)
		return;
	switch (field) {
	case FIELD_COMMIT:
		keep(reader, field, first_word(value, target_is_hash));
		break;
	case FIELD_REPRODUCER:
		keep(reader, field, first_word(value, url_is));
		break;
	case FIELD_TREE:
		take_tree(reader, value);
		break;
	case FIELD_BASE:
	case FIELD_BRANCH:
	case FIELD_TESTCASE:
	case FIELD_CONFIG:
	case FIELD_COMPILER:
	case FIELD_MACHINE:
		keep(reader, field, g_strdup(value));
		break;
	case FIELD_PARAMETERS:
	case N_FIELDS:
		break;
	}
}

static void take_parameter(Reader *reader, const char *key, const char *value)
{
	if (!value || strchr(key, ' ') || reader->parameters->len >= MAX_PARAMETERS)
		reader->in_parameters = false;
	else
		g_ptr_array_add(reader->parameters, g_strdup_printf("%s=%s", key, value));
}

static void take_line(Reader *reader, Line line)
{
	g_autofree char *key = NULL;
	g_autofree char *value = NULL;

	if (line.len == 0) {
		reader->in_parameters = reader->in_parameters && reader->parameters->len == 0;
		return;
	}
	if (reader->awaits_link) {
		g_autofree char *text = tidy(line.text, line.len);
		reader->awaits_link = false;
		if (text)
			keep(reader, FIELD_REPRODUCER, first_word(text, url_is));
	}
	if (!split(&line, &key, &value)) {
		reader->in_parameters = false;
		return;
	}
	Field field = field_of(key);
	/* Parameters may be called as they like, "test" too. */
	if (reader->in_parameters)
		take_parameter(reader, key, value);
	else if (field != N_FIELDS)
		take_field(reader, field, value);
}

/* Something besides the commit says how it was tested. */
static bool tells_a_job(const Reader *reader)
{
	static const Field any[] = {FIELD_BASE,   FIELD_TREE,     FIELD_TESTCASE,
				    FIELD_CONFIG, FIELD_COMPILER, FIELD_REPRODUCER};

	for (gsize i = 0; reader->values[FIELD_COMMIT] && i < G_N_ELEMENTS(any); i++) {
		if (reader->values[any[i]])
			return true;
	}
	return false;
}

static ToldJob *job_of(Reader *reader)
{
	ToldJob *job = g_new0(ToldJob, 1);

	job->commit = g_steal_pointer(&reader->values[FIELD_COMMIT]);
	job->base = g_steal_pointer(&reader->values[FIELD_BASE]);
	job->tree = g_steal_pointer(&reader->values[FIELD_TREE]);
	job->branch = g_steal_pointer(&reader->values[FIELD_BRANCH]);
	job->testcase = g_steal_pointer(&reader->values[FIELD_TESTCASE]);
	job->config = g_steal_pointer(&reader->values[FIELD_CONFIG]);
	job->compiler = g_steal_pointer(&reader->values[FIELD_COMPILER]);
	job->machine = g_steal_pointer(&reader->values[FIELD_MACHINE]);
	job->reproducer = g_steal_pointer(&reader->values[FIELD_REPRODUCER]);
	g_ptr_array_add(reader->parameters, NULL);
	job->parameters = (GStrv)g_ptr_array_free(g_steal_pointer(&reader->parameters), FALSE);
	return job;
}

ToldJob *toldjob_read(const char *body)
{
	Reader reader = {.parameters = g_ptr_array_new_with_free_func(g_free)};
	gsize len = strlen(body);
	gsize pos = 0;
	Line line;

	for (guint n = 0; n < MAX_LINES && line_next(body, len, &pos, &line); n++)
		take_line(&reader, bare_line(line));
	ToldJob *job = tells_a_job(&reader) ? job_of(&reader) : NULL;
	g_clear_pointer(&reader.parameters, g_ptr_array_unref);
	for (guint i = 0; i < N_FIELDS; i++)
		g_free(reader.values[i]);
	return job;
}

void toldjob_free(ToldJob *job)
{
	if (!job)
		return;
	g_free(job->commit);
	g_free(job->base);
	g_free(job->tree);
	g_free(job->branch);
	g_free(job->testcase);
	g_free(job->config);
	g_free(job->compiler);
	g_free(job->machine);
	g_free(job->reproducer);
	g_strfreev(job->parameters);
	g_free(job);
}
