/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/cli.h"
#include "bot/cli/parse_summary.h"

#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/base/json.h"
#include "bot/model/mailjson.h"
#include "mailparse/limits.h"

#include <stdio.h>

typedef struct {
	GStrv as;
	char *parent_file;
	gboolean summary;
} ParseOptions;

static Message *read_parent(const char *path, GError **error)
{
	gsize len = 0;
	g_autoptr(GBytes) bytes = fs_read(path, MAIL_MAX_BYTES, error);

	if (bytes == NULL)
		return NULL;
	const guint8 *data = g_bytes_get_data(bytes, &len);
	Message *parent = message_parse(data, len, error);
	if (parent == NULL)
		g_prefix_error(error, "%s: ", path);
	return parent;
}

static void print_unreadable(const char *file, const GError *why)
{
	autojson *line =
		json_pack("{s:o, s:o}", "file", json_text(file), "error", json_text(why->message));
	json_print_line(stdout, line);
}

typedef struct {
	const char *file;
	const RequestContext *context;
	ParseSummary *summary; /* NULL: every mail gets its line */
	bool all;              /* could be read so far           */
} Parse;

static void refuse(Parse *parse, const GError *why)
{
	parse->all = false;
	if (parse->summary != NULL)
		parse_summary_add_refusal(parse->summary, why);
	else
		print_unreadable(parse->file, why);
}

static void take_mail(GBytes *bytes, gpointer data)
{
	Parse *parse = data;
	g_autoptr(GError) why = NULL;
	gsize len = 0;
	const guint8 *raw = g_bytes_get_data(bytes, &len);
	g_autoptr(Mail) mail = mail_read(raw, len, parse->context, &why);

	if (mail == NULL) {
		refuse(parse, why);
	} else if (parse->summary != NULL) {
		parse_summary_add(parse->summary, mail);
	} else {
		autojson *line = mail_to_json(mail, parse->file);
		json_print_line(stdout, line);
	}
}

/* One that cannot be read makes the exit status 1 at the end. */
static bool parse_file(const char *file, const RequestContext *context, ParseSummary *summary)
{
	g_autoptr(GError) why = NULL;
	Parse parse = {.file = file, .context = context, .summary = summary, .all = true};

	if (!cli_each_message(file, take_mail, &parse, &why))
		refuse(&parse, why);
	return parse.all;
}

static bool parse_files(char **files, const RequestContext *context, bool summarize)
{
	ParseSummary *summary = summarize ? parse_summary_new() : NULL;
	bool all = true;

	for (; *files != NULL; files++)
		all &= parse_file(*files, context, summary);
	if (summary != NULL)
		parse_summary_print(summary);
	parse_summary_free(summary);
	return all;
}

static bool run_parse(const Cli *cli, int argc, char **argv, int *out_status, GError **error)
{
	ParseOptions options = {0};
	const GOptionEntry entries[] = {
		{"as", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.as, NULL, NULL},
		{"parent", 0, 0, G_OPTION_ARG_FILENAME, &options.parent_file, NULL, NULL},
		{"summary", 0, 0, G_OPTION_ARG_NONE, &options.summary, NULL, NULL},
		{NULL, 0, 0, 0, NULL, NULL, NULL},
	};
	bool done = false;
	bool ok = cli_parse_options(&command_parse, entries, &argc, &argv, &done, error);
	g_auto(GStrv) as = options.as;
	g_autofree char *parent_file = options.parent_file;

	(void)cli;
	if (!ok || done)
		return ok;
	if (argc < 2)
		return cli_usage(&command_parse, error, "name a file, or - for standard input");
	g_autoptr(Message) parent = parent_file == NULL ? NULL : read_parent(parent_file, error);
	if (parent_file != NULL && parent == NULL)
		return false;
	RequestContext context = {
		.own = (const char *const *)as,
		.any = as != NULL && g_strv_contains((const char *const *)as, "any"),
		.parent = parent,
	};
	*out_status = !parse_files(argv + 1, &context, options.summary);
	return true;
}

const Command command_parse = {
	.name = "parse",
	.needs = NEEDS_NOTHING,
	.run = run_parse,
	.most_arguments = ANY_NUMBER,
	.arguments = "[--as ADDR|any]... [--parent FILE] [--summary] FILE...",
	.summary = "show what we see in each mail, one JSON line a message",
	.help = "FILE is a mail, an mbox with two or more messages, or - for standard input.\n"
		"  --as ADDR      our own address (again for each); \"any\" stands in for "
		"whichever robot\n"
		"                 or reporter a mail addresses\n"
		"  --parent FILE  the mail that the FILEs answer\n"
		"  --summary      one line for all: mails, their kinds, requests, refusals by "
		"reason\n"
		"A mail that cannot be parsed gives {\"file\",\"error\"} and exit status 1 at the "
		"end.",
};
