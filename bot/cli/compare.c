/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/cli.h"

#include "bot/base/error.h"
#include "bot/base/json.h"
#include "bot/base/log.h"
#include "bot/stage/comparison.h"

#include <stdio.h>
#include <string.h>

typedef struct {
	char *select;
	char *order;
	GStrv labels;
	GStrv headline;
	gboolean json;
} Options;

static void options_clear(Options *options)
{
	g_free(options->select);
	g_free(options->order);
	g_strfreev(options->labels);
	g_strfreev(options->headline);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static const char *const select_words[] = {
	[COMPARISON_SELECT_DEFAULT] = "default",
	[COMPARISON_SELECT_LKP] = "lkp",
	[COMPARISON_SELECT_ALL] = "all",
};

static const char *const order_words[] = {
	[TABLE_ORDER_COUNT] = "count",
	[TABLE_ORDER_TEST_FIRST] = "test-first",
};

/* The place of @word among @words; the first when it is not given. */
static bool find_word(const char *option, const char *word, const char *const *words, size_t n,
		      int *out, GError **error)
{
	*out = 0;
	if (word == NULL)
		return true;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(words[i], word) == 0) {
			*out = (int)i;
			return true;
		}
	}
	g_autoptr(GString) list = g_string_new(words[0]);
	for (size_t i = 1; i < n; i++)
		g_string_append_printf(list, i + 1 < n ? ", %s" : " or %s", words[i]);
	g_set_error(error, BOT_ERROR, BOT_ERROR_USAGE, "%s is %s, not \"%s\"", option, list->str,
		    word);
	return false;
}

/* "SHA SUBJECT" is a commit with its subject, anything else a name. */
static TableCommit split_label(char *label)
{
	TableCommit commit = {.label = label};
	char *blank = strchr(label, ' ');

	if (blank != NULL && blank - label >= 10 &&
	    strspn(label, "0123456789abcdef") == (size_t)(blank - label)) {
		*blank = '\0';
		commit.subject = blank + 1;
	}
	return commit;
}

/* lkp keeps COMMIT/matrix.json: the folder's name says more than the file's. */
static char *default_label(const char *path)
{
	g_autofree char *dir = g_path_get_dirname(path);
	g_autofree char *folder = g_path_get_basename(dir);
	g_autofree char *file = g_path_get_basename(path);

	if (strlen(folder) == 40 && strspn(folder, "0123456789abcdef") == 40)
		return g_steal_pointer(&folder);
	if (g_str_has_suffix(file, ".json"))
		file[strlen(file) - strlen(".json")] = '\0';
	return log_escape(file, -1);
}

static GStrv make_labels(const Options *options, int n_files, char **files, GError **error)
{
	guint n_given = options->labels != NULL ? g_strv_length(options->labels) : 0;
	g_autoptr(GStrvBuilder) labels = g_strv_builder_new();

	if (n_given != 0 && n_given != (guint)n_files) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_USAGE,
			    "%u labels for %d matrices; give --label once for each, base first",
			    n_given, n_files);
		return NULL;
	}
	for (int i = 0; i < n_files; i++) {
		g_autofree char *label =
			n_given != 0 ? log_escape(options->labels[i], -1) : default_label(files[i]);
		g_strv_builder_add(labels, label);
	}
	return g_strv_builder_end(labels);
}

static GPtrArray *load_matrices(int n_files, char **files, GError **error)
{
	g_autoptr(GPtrArray) matrices = g_ptr_array_new_with_free_func((GDestroyNotify)matrix_free);

	for (int i = 0; i < n_files; i++) {
		Matrix *matrix = matrix_load(files[i], error);
		if (matrix == NULL)
			return NULL;
		g_ptr_array_add(matrices, matrix);
	}
	return g_steal_pointer(&matrices);
}

static void print_json(const ComparisonReport *report)
{
	for (guint i = 0; i < report->metrics->len; i++) {
		autojson *line =
			comparison_metric_json(g_ptr_array_index(report->metrics, i), report);
		json_print_line(stdout, line);
	}
}

static void print_table(const ComparisonReport *report, GStrv labels)
{
	g_autofree TableCommit *commits = g_new(TableCommit, report->n_commits);

	for (size_t i = 0; i < report->n_commits; i++)
		commits[i] = split_label(labels[i]);
	g_autofree char *table = comparison_print(report, NULL, commits);
	fputs(table, stdout);
}

static bool compare_files(const Options *options, int n_files, char **files, GError **error)
{
	int select = 0, order = 0;

	if (!find_word("--select", options->select, select_words, G_N_ELEMENTS(select_words),
		       &select, error) ||
	    !find_word("--order", options->order, order_words, G_N_ELEMENTS(order_words), &order,
		       error))
		return false;
	g_auto(GStrv) labels = make_labels(options, n_files, files, error);
	if (labels == NULL)
		return false;
	g_autoptr(MetricIndex) index = metrics_load(NULL, error);
	if (index == NULL)
		return false;
	g_autoptr(GPtrArray) matrices = load_matrices(n_files, files, error);
	if (matrices == NULL)
		return false;

	const ComparisonOptions how = {
		.select = (ComparisonSelect)select,
		.order = (TableOrder)order,
		.headline = (const char *const *)options->headline,
		.compare = COMPARE_OPTIONS_DEFAULT,
	};
	g_autoptr(ComparisonReport) report = comparison_make((const Matrix *const *)matrices->pdata,
							     matrices->len, index, &how, error);
	if (report == NULL)
		return false;
	if (options->json)
		print_json(report);
	else
		print_table(report, labels);
	return true;
}

static bool run_compare(const Cli *cli, int argc, char **argv, int *out_status, GError **error)
{
	g_auto(Options) options = {0};
	const GOptionEntry entries[] = {
		{"select", 0, 0, G_OPTION_ARG_STRING, &options.select, NULL, NULL},
		{"order", 0, 0, G_OPTION_ARG_STRING, &options.order, NULL, NULL},
		{"label", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.labels, NULL, NULL},
		{"headline", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.headline, NULL, NULL},
		{"json", 0, 0, G_OPTION_ARG_NONE, &options.json, NULL, NULL},
		{NULL, 0, 0, 0, NULL, NULL, NULL},
	};
	bool done;

	(void)cli;
	*out_status = 0;
	if (!cli_parse_options(&command_compare, entries, &argc, &argv, &done, error))
		return false;
	if (done)
		return true;
	if (argc < 3)
		return cli_usage(&command_compare, error,
				 "name two or more matrix.json files, base first");
	return compare_files(&options, argc - 1, argv + 1, error);
}

const Command command_compare = {
	.name = "compare",
	.needs = NEEDS_NOTHING,
	.run = run_compare,
	.most_arguments = ANY_NUMBER,
	.arguments = "[--select all|lkp|default] [--order count|test-first] [--label LABEL]... "
		     "[--headline KEY]... [--json] MATRIX MATRIX...",
	.summary = "print the comparison table of some commits' results",
	.help = "Each MATRIX is the matrix.json of one commit as lkp keeps it (or the stats.json "
		"of a\n"
		"single run), base first.  Rows: `all` there are; `lkp`, those that the kernel "
		"test\n"
		"robot would show; `default`, the headline metrics and then those of lkp.\n"
		"\n"
		"  --order count|test-first  groups with few rows first, or the test's own rows "
		"first\n"
		"  --label LABEL             once for each MATRIX: a tag, a sha, or \"SHA "
		"SUBJECT\"\n"
		"  --headline KEY            what verdicts are given of, instead of the metric "
		"index\n"
		"  --json                    one object a metric, with interval and verdict",
};
