/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/cli.h"

#include "bot/base/error.h"
#include "bot/base/json.h"
#include "bot/model/patchmail.h"
#include "bot/series/assemble.h"

#include <stdio.h>

static json_t *patch_ids(const Series *series)
{
	json_t *list = json_array();

	for (guint i = 0; i < series->patches->len; i++) {
		const PatchMail *patch = series->patches->pdata[i];
		if (patch != NULL)
			json_array_append_new(list, json_text(patch->message_id));
	}
	return list;
}

static json_t *missing_numbers(const Series *series)
{
	json_t *list = json_array();

	for (guint i = 0; i < series->patches->len; i++) {
		if (series->patches->pdata[i] == NULL)
			json_array_append_new(list, json_integer(i + 1));
	}
	return list;
}

static void print_series(const Series *series)
{
	g_autofree char *note = series_note(series);
	autojson *line = json_pack(
		"{s:o, s:o, s:i, s:i, s:o, s:o, s:o, s:b, s:o, s:o, s:o}", "title",
		json_text(series->title), "author",
		json_text(series->author == NULL ? NULL : series->author->addr), "revision",
		(int)series->revision, "total", (int)series->total, "cover",
		json_text(series->cover == NULL ? NULL : series->cover->message_id), "patches",
		patch_ids(series), "missing", missing_numbers(series), "complete",
		series_is_complete(series), "previous", json_text(series->previous), "base_commit",
		json_text(series->base_commit), "note", json_text(note));
	json_print_line(stdout, line);
}

typedef struct {
	const char *file;
	GPtrArray *mails; /* (element-type PatchMail) */
	bool all;         /* could be read so far     */
} Gathering;

static void take_mail(GBytes *bytes, gpointer data)
{
	Gathering *gathering = data;
	g_autoptr(GError) why = NULL;
	gsize len = 0;
	const guint8 *raw = g_bytes_get_data(bytes, &len);
	g_autoptr(Mail) mail = mail_read(raw, len, NULL, &why);

	if (mail == NULL) {
		g_printerr("lorebot: %s: %s\n", gathering->file, why->message);
		gathering->all = false;
	} else {
		g_ptr_array_add(gathering->mails, patch_mail_from_mail(mail));
	}
}

static bool add_file(GPtrArray *into, const char *file)
{
	g_autoptr(GError) why = NULL;
	Gathering gathering = {.file = file, .mails = into, .all = true};

	if (!cli_each_message(file, take_mail, &gathering, &why)) {
		g_printerr("lorebot: %s\n", why->message);
		return false;
	}
	return gathering.all;
}

static bool run_series(const Cli *cli, int argc, char **argv, int *out_status, GError **error)
{
	g_autoptr(GPtrArray) mails =
		g_ptr_array_new_with_free_func((GDestroyNotify)patch_mail_free);
	bool done = false;

	(void)cli;
	if (!cli_parse_options(&command_series, NULL, &argc, &argv, &done, error) || done)
		return done;
	if (argc < 2)
		return cli_usage(&command_series, error, "name a file, or - for standard input");
	for (int i = 1; i < argc; i++)
		*out_status |= !add_file(mails, argv[i]);

	g_autoptr(GPtrArray) all = series_assemble(mails);
	for (guint i = 0; i < all->len; i++)
		print_series(all->pdata[i]);
	return true;
}

const Command command_series = {
	.name = "series",
	.needs = NEEDS_NOTHING,
	.run = run_series,
	.most_arguments = ANY_NUMBER,
	.arguments = "FILE...",
	.summary = "put patch mails together, one JSON line a series",
	.help = "FILE is a mail, an mbox with two or more messages, or - for standard input.\n"
		"\"patches\" holds Message-IDs in order, \"missing\" the numbers that are not "
		"there,\n\"note\" what is odd about it.",
};
