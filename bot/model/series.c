/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/model/series.h"

void patch_mail_free(PatchMail *mail)
{
	if (mail == NULL)
		return;
	g_free(mail->message_id);
	g_clear_pointer(&mail->references, g_ptr_array_unref);
	g_clear_pointer(&mail->from, mailbox_free);
	g_clear_pointer(&mail->prefix, subject_free);
	g_free(mail->patch_id);
	g_free(mail->base_commit);
	g_free(mail->change_id);
	g_strfreev(mail->replaces);
	g_free(mail);
}

void series_free(Series *series)
{
	if (series == NULL)
		return;
	g_free(series->key);
	g_free(series->title);
	g_clear_pointer(&series->author, mailbox_free);
	g_clear_pointer(&series->patches, g_ptr_array_unref);
	g_free(series->previous);
	g_free(series->base_commit);
	g_free(series);
}

static void add_sentence(GString *note, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void add_sentence(GString *note, const char *format, ...)
{
	va_list args;

	if (note->len > 0)
		g_string_append_c(note, ' ');
	va_start(args, format);
	g_string_append_vprintf(note, format, args);
	va_end(args);
}

/* "1, 3 and 4": the patches whose revision is @revision. Returns: NULL when there are none */
static char *numbers_of(const Series *series, unsigned revision, unsigned *out_n)
{
	g_autoptr(GString) text = g_string_new(NULL);
	unsigned last = 0;

	*out_n = 0;
	for (guint i = 0; i < series->patches->len; i++) {
		const PatchMail *mail = series->patches->pdata[i];
		if (mail == NULL || mail->prefix->revision != revision)
			continue;
		if (last != 0)
			g_string_append_printf(text, "%s%u", text->len == 0 ? "" : ", ", last);
		last = i + 1;
		(*out_n)++;
	}
	if (last == 0)
		return NULL;
	g_string_append_printf(text, "%s%u", text->len == 0 ? "" : " and ", last);
	return g_string_free(g_steal_pointer(&text), FALSE);
}

static void note_lent(const Series *series, GString *note)
{
	for (unsigned revision = 0; revision < series->revision; revision++) {
		unsigned n = 0;
		g_autofree char *numbers = numbers_of(series, revision, &n);
		if (numbers != NULL)
			add_sentence(note, "v%u has no %s %s of its own: %s of v%u.",
				     series->revision, n == 1 ? "patch" : "patches", numbers,
				     n == 1 ? "it is that" : "they are those", revision);
	}
}

static bool is_afterthought(const PatchMail *mail)
{
	return mail != NULL && mail->prefix->number > mail->prefix->total;
}

char *series_note(const Series *series)
{
	g_autoptr(GString) note = g_string_new(NULL);

	note_lent(series, note);
	if (series->guessed)
		add_sentence(note, "It names no version; the earlier posting has the same title.");
	if (series->cover != NULL && series->cover->prefix->total != series->total)
		add_sentence(note, "Its cover letter counts %u patches.",
			     series->cover->prefix->total);
	for (guint i = 0; i < series->patches->len; i++) {
		if (is_afterthought(series->patches->pdata[i]))
			add_sentence(note, "Patch %u was added behind the last.", i + 1);
	}
	return note->len == 0 ? NULL : g_string_free(g_steal_pointer(&note), FALSE);
}
