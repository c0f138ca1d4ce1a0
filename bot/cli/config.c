/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/cli.h"

#include "bot/base/error.h"
#include "bot/cli/say.h"
#include "bot/stage/suite.h"

#include <stdio.h>
#include <string.h>

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

static bool check(const Cli *cli, GError **error)
{
	g_autoptr(Config) config = config_load(cli->config_path, error);

	if (config == NULL || !suite_check_all(config, error))
		return false;
	warn_places(config);
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
		"         places that are not there (servers are not asked)\n"
		"explain  type, default and meaning of each key, or of one (\"source.url\")",
};
