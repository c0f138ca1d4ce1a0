/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * cli - the command line: one table of commands, one file a command.
 *
 *	lorebot [--config FILE] [--clock ISO] [-v] COMMAND [ARGUMENTS]
 *
 * Exit status: 0 ok, 1 refused or failed, 2 usage, 75 try again, 78 configuration.  Data goes to
 * standard output (JSON: one object a line), everything for a person to standard error.
 */

#include "bot/base/clock.h"
#include "bot/stage/stage.h"
#include "bot/store/db.h"
#include "config/config.h"
#include "mailparse/mbox.h"

#include <glib.h>
#include <stdbool.h>

typedef enum {
	NEEDS_NOTHING = 0,
	NEEDS_CONFIG = 1,    /* Cli.config is loaded                                          */
	NEEDS_STORE = 2 | 1, /* Cli.db is open (made when missing)                            */
} CliNeeds;

typedef struct {
	const char *program;     /* argv[0]                                                       */
	const char *config_path; /* --config, $LOREBOT_CONFIG or /etc/lorebot/lorebot.conf        */
	bool verbose;
	Clock *clock;
	Config *config; /* NULL unless needed                                            */
	Db *db;         /* NULL unless needed                                            */
} Cli;

#define ANY_NUMBER G_MAXINT

typedef struct {
	const char *name;
	CliNeeds needs;
	/* argv[0] is the command's name.  Returns false with @error set, or true with *out_status.
	 */
	bool (*run)(const Cli *cli, int argc, char **argv, int *out_status, GError **error);
	int most_arguments;    /* words beside options; ANY_NUMBER                              */
	const char *arguments; /* "[--json] FILE..."                                            */
	const char *summary;   /* one line                                                      */
	const char *help;      /* the rest of `lorebot COMMAND --help`                          */
} Command;

/* Commands that serve one end, as --help shows them. */
typedef struct {
	const char *title;
	const Command *const *commands; /* NULL-terminated */
} CommandGroup;

/** cli_groups: all commands in the order of --help; ends with a NULL title. */
const CommandGroup *cli_groups(void);

/**
 * cli_parse_options:
 * Parses @entries out of argc/argv; --help prints the command's help and sets *out_done.
 * @error: USAGE naming the wrong word, or one too many, and the usage
 */
bool cli_parse_options(const Command *command, const GOptionEntry *entries, int *argc, char ***argv,
		       bool *out_done, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** cli_usage: always false: USAGE with what is wrong and the usage of @command. */
bool cli_usage(const Command *command, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);

/**
 * cli_find_source:
 * @name: (nullable)
 * @out_section: NULL for no name
 * @error: USAGE naming the sources there are
 */
bool cli_find_source(const Config *config, const char *name, const SourceSection **out_section,
		     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** cli_main: what main() calls. */
int cli_main(int argc, char **argv);

/**
 * cli_each_message:
 * @argument: a file, or "-" for standard input; an mbox with two or more messages gives each
 * @take: gets them one by one, as they are read: an archive may be larger than memory.  What is
 *   over MAIL_MAX_BYTES is cut, but not below that
 * @error: of fs_open_regular(), or TRANSIENT when reading failed
 */
bool cli_each_message(const char *argument, MboxTakeFunc take, gpointer data,
		      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** cli_read_messages: (transfer full) (element-type GBytes): all of them, as cli_each_message(). */
GPtrArray *cli_read_messages(const char *argument, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* One row a command, in bot/cli/NAME.c (or the file that holds its family). */
extern const Command command_apply, command_approve, command_backlog, command_compare,
	command_config, command_doctor, command_pause, command_parse, command_queue, command_reject,
	command_resume, command_retry, command_run_once, command_series, command_serve,
	command_show, command_status, command_stop_all;
/* The stages, bot/cli/stages.c. */
extern const Command command_intake, command_understand, command_plan, command_build, command_run,
	command_report, command_send;
