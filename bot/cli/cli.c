/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/cli.h"

#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/base/log.h"
#include "config/suggest.h"
#include "mailparse/limits.h"
#include "mailparse/mailparse.h"
#include "mailparse/mbox.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_CONFIG "/etc/lorebot/lorebot.conf"

static const Command *find_command(const char *name)
{
	for (const CommandGroup *group = cli_groups(); group->title != NULL; group++) {
		for (const Command *const *command = group->commands; *command != NULL; command++) {
			if (strcmp((*command)->name, name) == 0)
				return *command;
		}
	}
	return NULL;
}

/* What @wrong may have been meant for; NULL. */
static const char *near_command(const char *wrong)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();

	for (const CommandGroup *group = cli_groups(); group->title != NULL; group++) {
		for (const Command *const *command = group->commands; *command != NULL; command++)
			g_ptr_array_add(names, (gpointer)(uintptr_t)(*command)->name);
	}
	g_ptr_array_add(names, NULL);
	return suggest(wrong, (const char *const *)names->pdata);
}

static void print_help(void)
{
	puts("usage: lorebot [--config FILE] [--clock ISO] [-v] COMMAND [ARGUMENTS]\n"
	     "\n"
	     "A test robot that is driven by mail: it watches lists for patches and requests,\n"
	     "builds and measures what they mean, and answers in the thread.\n"
	     "\n"
	     "Commands (lorebot COMMAND --help says more):");
	for (const CommandGroup *group = cli_groups(); group->title != NULL; group++) {
		printf("\n%s\n", group->title);
		for (const Command *const *command = group->commands; *command != NULL; command++)
			printf("  %-11s %s\n", (*command)->name, (*command)->summary);
	}
	puts("\n"
	     "Options:\n"
	     "  --config FILE  the operator's file; else $LOREBOT_CONFIG, else " DEFAULT_CONFIG "\n"
	     "  --clock ISO    a fixed time, for demos and replays; nothing is sent by network "
	     "then\n"
	     "  -v, --verbose  log more\n"
	     "  --version\n"
	     "\n"
	     "Start with `bot/demo` in a checkout, or see lorebot(1).");
}

static char *usage_of(const Command *command)
{
	return g_strdup_printf("lorebot %s%s%s", command->name,
			       *command->arguments == '\0' ? "" : " ", command->arguments);
}

bool cli_usage(const Command *command, GError **error, const char *format, ...)
{
	g_autofree char *usage = usage_of(command);
	va_list args;

	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, BOT_ERROR, BOT_ERROR_USAGE, "%s: %s; usage: %s", command->name, text,
		    usage);
	return false;
}

static void print_command_help(const Command *command)
{
	g_autofree char *usage = usage_of(command);

	printf("usage: %s\n\n%s.\n", usage, command->summary);
	if (command->help != NULL)
		printf("\n%s\n", command->help);
}

bool cli_parse_options(const Command *command, const GOptionEntry *entries, int *argc, char ***argv,
		       bool *out_done, GError **error)
{
	g_autoptr(GOptionContext) context = g_option_context_new(NULL);

	*out_done = false;
	for (int i = 1; i < *argc && strcmp((*argv)[i], "--") != 0; i++) {
		if (strcmp((*argv)[i], "--help") == 0 || strcmp((*argv)[i], "-h") == 0) {
			print_command_help(command);
			*out_done = true;
			return true;
		}
	}
	g_option_context_set_help_enabled(context, FALSE);
	if (entries != NULL)
		g_option_context_add_main_entries(context, entries, NULL);
	g_autoptr(GError) wrong = NULL;
	if (!g_option_context_parse(context, argc, argv, &wrong))
		return cli_usage(command, error, "%s", wrong->message);
	if (*argc - 1 > command->most_arguments)
		return cli_usage(command, error, "unexpected \"%s\"",
				 (*argv)[1 + command->most_arguments]);
	return true;
}

typedef struct {
	char *config;
	char *clock;
	gboolean verbose;
	gboolean version;
	gboolean help;
} GlobalOptions;

static bool parse_global(int *argc, char ***argv, GlobalOptions *options, GError **error)
{
	const GOptionEntry entries[] = {
		{"config", 0, 0, G_OPTION_ARG_FILENAME, &options->config, NULL, NULL},
		{"clock", 0, 0, G_OPTION_ARG_STRING, &options->clock, NULL, NULL},
		{"verbose", 'v', 0, G_OPTION_ARG_NONE, &options->verbose, NULL, NULL},
		{"version", 0, 0, G_OPTION_ARG_NONE, &options->version, NULL, NULL},
		{"help", 'h', 0, G_OPTION_ARG_NONE, &options->help, NULL, NULL},
		{NULL, 0, 0, 0, NULL, NULL, NULL},
	};
	g_autoptr(GOptionContext) context = g_option_context_new(NULL);

	g_option_context_set_help_enabled(context, FALSE);
	/* The command's own options must not be eaten here. */
	g_option_context_set_strict_posix(context, TRUE);
	g_option_context_add_main_entries(context, entries, NULL);
	return g_option_context_parse(context, argc, argv, error);
}

static bool make_clock(Cli *cli, const char *iso, GError **error)
{
	int64_t us = 0;

	if (iso == NULL) {
		cli->clock = clock_new_system();
		return true;
	}
	if (!clock_parse_iso(iso, &us, error))
		return false;
	cli->clock = clock_new_fixed(us);
	return true;
}

static bool open_needs(Cli *cli, const Command *command, GError **error)
{
	if (command->needs & NEEDS_CONFIG) {
		cli->config = config_load(cli->config_path, error);
		if (cli->config == NULL)
			return false;
	}
	if ((command->needs & NEEDS_STORE) == NEEDS_STORE) {
		cli->db = db_open(cli->config->bot.state_dir, true, cli->clock, error);
		if (cli->db == NULL)
			return false;
	}
	return true;
}

static void cli_clear(Cli *cli)
{
	g_clear_pointer(&cli->db, db_close);
	g_clear_pointer(&cli->config, config_free);
	g_clear_pointer(&cli->clock, clock_free);
}

static bool wants_help(int argc, char **argv)
{
	return argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
}

/* Always false. */
static bool is_unknown(const char *name, GError **error)
{
	const char *near = near_command(name);

	g_set_error(error, BOT_ERROR, BOT_ERROR_USAGE,
		    "there is no command \"%s\"%s%s%s; lorebot --help lists them", name,
		    near != NULL ? ", did you mean \"" : "", near != NULL ? near : "",
		    near != NULL ? "\"?" : "");
	return false;
}

static bool help_about(const char *name, GError **error)
{
	const Command *command = find_command(name);

	if (command == NULL)
		return is_unknown(name, error);
	print_command_help(command);
	return true;
}

static bool run_command(Cli *cli, const char *clock, int argc, char **argv, int *out_status,
			GError **error)
{
	const Command *command = find_command(argv[0]);

	if (command == NULL)
		return is_unknown(argv[0], error);
	if (wants_help(argc, argv)) {
		print_command_help(command);
		return true;
	}
	return make_clock(cli, clock, error) && open_needs(cli, command, error) &&
	       command->run(cli, argc, argv, out_status, error);
}

static bool dispatch(Cli *cli, int argc, char **argv, int *out_status, GError **error)
{
	GlobalOptions options = {0};
	bool ok = parse_global(&argc, &argv, &options, error);
	g_autofree char *config = options.config;
	g_autofree char *clock = options.clock;

	if (!ok)
		return false;
	if (options.version) {
		puts("lorebot " LOREBOT_VERSION);
		return true;
	}
	if (options.help || (argc == 2 && strcmp(argv[1], "help") == 0)) {
		print_help();
		return true;
	}
	if (argc > 2 && strcmp(argv[1], "help") == 0)
		return help_about(argv[2], error);
	if (argc < 2) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_USAGE,
			    "no command given; lorebot --help lists them");
		return false;
	}
	const char *from_env = g_getenv("LOREBOT_CONFIG");
	cli->config_path = config != NULL ? config : from_env != NULL ? from_env : DEFAULT_CONFIG;
	cli->verbose = options.verbose;
	log_setup(argv[1], cli->verbose ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO);
	bool done = run_command(cli, clock, argc - 1, argv + 1, out_status, error);
	cli_clear(cli);
	return done;
}

/* What a stranger's mail says may stand in an error: escaped, line by line. */
static void print_error(const GError *error)
{
	g_auto(GStrv) lines = g_strsplit(error->message, "\n", -1);

	for (guint i = 0; lines[i] != NULL; i++) {
		g_autofree char *text = log_escape(lines[i], -1);
		fprintf(stderr, "%s%s\n", i == 0 ? "lorebot: " : "  ", text);
	}
}

static char *known_sources(const Config *config)
{
	g_autoptr(GString) names = g_string_new(NULL);

	for (guint i = 0; i < config->sources->len; i++) {
		const SourceSection *section = config->sources->pdata[i];
		g_string_append_printf(names, "%s%s", i == 0 ? "" : ", ", section->name);
	}
	return names->len == 0 ? g_strdup("none") : g_string_free(g_steal_pointer(&names), FALSE);
}

bool cli_find_source(const Config *config, const char *name, const SourceSection **out_section,
		     GError **error)
{
	*out_section = config_find_source(config, name);
	if (name == NULL || *out_section != NULL)
		return true;
	g_autofree char *known = known_sources(config);
	g_set_error(error, BOT_ERROR, BOT_ERROR_USAGE,
		    "there is no [source \"%s\"] in %s; there are: %s", name, config->path, known);
	return false;
}

int cli_main(int argc, char **argv)
{
	Cli cli = {.program = argv[0]};
	int status = 0;
	g_autoptr(GError) error = NULL;

	mailparse_start();
	if (dispatch(&cli, argc, argv, &status, &error))
		return fflush(stdout) == 0 ? status : 1;
	print_error(error);
	return bot_error_exit_code(error);
}
