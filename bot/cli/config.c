/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/cli.h"

#include "bot/base/error.h"
#include "bot/cli/say.h"
#include "bot/stage/suite.h"
#include "bot/stats/compare.h"
#include "bot/stats/rank.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void warn_missing(const char *section, const char *name, const char *key, const char *path,
			 const char *part)
{
	g_autofree char *whole = g_build_filename(path, part, NULL);

	if (g_path_is_absolute(path) && !g_file_test(whole, G_FILE_TEST_EXISTS))
		warn("warning: [%s \"%s\"] %s: there is no %s", section, name, key, whole);
}

/* What a source on this machine must hold, by its scheme. */
static void warn_source(const SourceSection *source)
{
	static const struct {
		const char *scheme;
		const char *part;
	} places[] = {
		{"maildir:", "new"}, {"mbox:", ""}, {"mboxrd:", ""}, {"public-inbox:", "git"}};

	for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
		if (source->fetch == NULL && g_str_has_prefix(source->url, places[i].scheme))
			warn_missing("source", source->name, "url",
				     source->url + strlen(places[i].scheme), places[i].part);
	}
}

/* What may come later or be on another disk is no fault of the file, but worth a word. */
static void warn_places(const Config *config)
{
	for (guint i = 0; i < config->sources->len; i++) {
		const SourceSection *source = config->sources->pdata[i];
		warn_source(source);
		if (source->password_file != NULL)
			warn_missing("source", source->name, "passwordFile", source->password_file,
				     "");
	}
	for (guint i = 0; i < config->trees->len; i++) {
		const TreeSection *tree = config->trees->pdata[i];
		if (tree->mirror != NULL)
			warn_missing("tree", tree->name, "mirror", tree->mirror, "");
	}
}

/* ---- what is no fault, and yet does not do what was meant ---- */

static void warn_sources(const GPtrArray *sources)
{
	if (sources->len == 0)
		warn("warning: no [source \"NAME\"]: no mail is read; give it a url");
	for (guint i = 0; i < sources->len; i++) {
		const SourceSection *source = sources->pdata[i];
		for (guint j = 0; j < i; j++) {
			const SourceSection *other = sources->pdata[j];
			if (strcmp(source->url, other->url) == 0)
				warn("warning: [source \"%s\"] url: the same as of [source "
				     "\"%s\"]; "
				     "each mail is read twice",
				     source->name, other->name);
		}
	}
}

static void warn_lists(const GPtrArray *lists)
{
	if (lists->len == 0)
		warn("warning: no [list \"NAME\"]: what is read is never tested");
	for (guint i = 0; i < lists->len; i++) {
		const ListSection *list = lists->pdata[i];
		if (list->trees[0] == NULL)
			warn("warning: [list \"%s\"] names no tree: nothing of it can be built",
			     list->name);
		if (list->suites[0] == NULL)
			warn("warning: [list \"%s\"] names no suite: nothing of it can be measured",
			     list->name);
		if (list->consent == NULL)
			warn("note: [list \"%s\"] has no consent: patches are declined, only "
			     "requests are run",
			     list->name);
	}
}

/* The most metrics that one suite of @list judges together. */
static bool count_metrics(const Config *config, const ListSection *list, guint *most,
			  GError **error)
{
	for (guint i = 0; list->suites[i] != NULL; i++) {
		g_autoptr(GPtrArray) specs = suite_load(config, list->suites[i], error);
		for (guint j = 0; specs != NULL && j < specs->len; j++) {
			const JobSpec *spec = specs->pdata[j];
			g_autoptr(Workload) workload =
				suite_workload(config, spec->testcase, error);
			if (workload == NULL)
				return false;
			*most = MAX(*most, workload->headline->len);
		}
		if (specs == NULL)
			return false;
	}
	return true;
}

static bool warn_runs(const Config *config, GError **error)
{
	guint most = 1;

	for (guint i = 0; i < config->lists->len; i++) {
		if (!count_metrics(config, config->lists->pdata[i], &most, error))
			return false;
	}
	size_t least = rank_n_min(most, COMPARE_OPTIONS_DEFAULT.alpha);
	g_autofree char *metrics = counted(most, "metric", "metrics judged together");
	if (config->run.runs < least)
		warn("warning: [run] runs: %u runs a commit can never tell a change, every verdict "
		     "is \"unclear\"; for %s set at least %zu",
		     config->run.runs, metrics, least);
	return true;
}

/* The nearest part of it that is there must let us in; whoever serves may be another user. */
static void warn_state_dir(const char *path)
{
	g_autofree char *part = g_strdup(path);

	while (access(part, F_OK) != 0 && strcmp(part, "/") != 0) {
		char *parent = g_path_get_dirname(part);
		g_free(part);
		part = parent;
	}
	if (access(part, W_OK | X_OK) != 0)
		warn("warning: [bot] stateDir: %s cannot be %s: user %s may not write to %s", path,
		     strcmp(part, path) == 0 ? "used" : "made", g_get_user_name(), part);
}

static bool check(const Cli *cli, GError **error)
{
	g_autoptr(Config) config = config_load(cli->config_path, error);

	if (config == NULL || !suite_check_all(config, error))
		return false;
	warn_places(config);
	warn_sources(config->sources);
	warn_lists(config->lists);
	warn_state_dir(config->bot.state_dir);
	if (!warn_runs(config, error))
		return false;
	g_autofree char *sources = counted(config->sources->len, "source", "sources");
	g_autofree char *lists = counted(config->lists->len, "list", "lists");
	g_autofree char *trees = counted(config->trees->len, "tree", "trees");
	say("%s: ok: %s, %s, %s; sending by %s", cli->config_path, sources, lists, trees,
	    config->send.transport == TRANSPORT_SMTP   ? "smtp"
	    : config->send.transport == TRANSPORT_FILE ? "file"
						       : "dry-run");
	return true;
}

static bool explain(const char *key, GError **error)
{
	g_autofree char *text = config_explain(key);

	if (text == NULL) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_USAGE,
			    "there is no key \"%s\"; `lorebot config explain` lists all", key);
		return false;
	}
	fputs(text, stdout);
	return true;
}

static bool run_config(const Cli *cli, int argc, char **argv, int *out_status, GError **error)
{
	bool done = false;

	(void)out_status;
	if (!cli_parse_options(&command_config, NULL, &argc, &argv, &done, error) || done)
		return done;
	if (argc == 2 && strcmp(argv[1], "check") == 0)
		return check(cli, error);
	if (argc >= 2 && argc <= 3 && strcmp(argv[1], "explain") == 0)
		return explain(argc == 3 ? argv[2] : NULL, error);
	return cli_usage(&command_config, error, "say check or explain");
}

const Command command_config = {
	.name = "config",
	.needs = NEEDS_NOTHING,
	.run = run_config,
	.most_arguments = 2,
	.arguments = "check | explain [KEY]",
	.summary = "check the operator's file, or say what each key does",
	.help = "check    every fault of the file, one a line; exit status 78 if there is one; "
		"warns of\n"
		"         places that are not there (servers are not asked) and of what cannot do\n"
		"         what was meant, like a list without tree\n"
		"explain  type, default and meaning of each key, or of one (\"source.url\")",
};
