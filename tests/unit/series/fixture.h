/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * fixture - a few mails as rows of a table, and what they became as one line of text.
 */

#include "bot/series/assemble.h"
#include "mailparse/mailparse.h"
#include "tests/unit/check_main.h"

#include <string.h>

#define MINUTE_US (INT64_C(60) * 1000000)
#define DAY_US (INT64_C(86400) * 1000000)

typedef struct {
	const char *id;
	const char *subject;
	const char *refs;   /* nearest first, separated by blanks, "~" before them  */
			    /* when there is no In-Reply-To; NULL: none             */
	int64_t minute;     /* Date                                                 */
	const char *from;   /* NULL: Ann                                            */
	const char *diff;   /* patch id; NULL: one of its own; "-": no diff         */
	const char *change; /* change id, or "<ID": names the posting before; NULL   */
} Row;

static inline PatchMail *mail_of(const Row *row)
{
	PatchMail *mail = g_new0(PatchMail, 1);
	const char *named = row->refs == NULL ? "" : row->refs;
	bool gateway = named[0] == '~';
	g_auto(GStrv) refs = g_strsplit(gateway ? named + 1 : named, " ", -1);

	mail->message_id = g_strdup(row->id);
	mail->references = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; refs[i] != NULL; i++)
		g_ptr_array_add(mail->references, g_strdup(refs[i]));
	mail->from =
		mailbox_parse(row->from == NULL ? "Ann Author <ann@example.org>" : row->from, NULL);
	mail->date_us = DAY_US * 20000 + row->minute * MINUTE_US;
	mail->arrived_us = mail->date_us;
	mail->prefix = subject_parse(row->subject);
	mail->answers = mail->references->len > 0 && !gateway;
	mail->has_diff = row->diff != NULL ? strcmp(row->diff, "-") != 0 : mail->prefix->number > 0;
	mail->patch_id = mail->has_diff ? g_strdup(row->diff == NULL ? row->id : row->diff) : NULL;
	bool names = row->change != NULL && row->change[0] == '<';
	mail->change_id = names ? NULL : g_strdup(row->change);
	mail->replaces = names ? g_strsplit(row->change + 1, " ", -1) : NULL;
	return mail;
}

static inline GPtrArray *mails_of(const Row *rows, guint n)
{
	GPtrArray *mails = g_ptr_array_new_with_free_func((GDestroyNotify)patch_mail_free);

	for (guint i = 0; i < n; i++)
		g_ptr_array_add(mails, mail_of(&rows[i]));
	return mails;
}

static inline const char *id_or_dash(const PatchMail *mail)
{
	return mail == NULL ? "-" : mail->message_id;
}

/* "v1 a+b/c complete <old": cover + patches, or without "cover+"; "<" names the previous one's key,
 * "?" says that it is a guess.
 */
static inline char *describe(const GPtrArray *all)
{
	g_autoptr(GString) text = g_string_new(NULL);
	static const char *const states[] = {"incomplete", "complete", "superseded"};

	for (guint i = 0; i < all->len; i++) {
		const Series *series = all->pdata[i];
		g_string_append_printf(text, "%sv%u ", i == 0 ? "" : "; ", series->revision);
		if (series->cover != NULL)
			g_string_append_printf(text, "%s+", series->cover->message_id);
		for (guint k = 0; k < series->patches->len; k++)
			g_string_append_printf(text, "%s%s", k == 0 ? "" : "/",
					       id_or_dash(series->patches->pdata[k]));
		g_string_append_printf(text, " %s", states[series->state]);
		if (series->previous != NULL)
			g_string_append_printf(text, " <%s%s", series->previous,
					       series->guessed ? "?" : "");
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

static inline char *assembled(const GPtrArray *mails)
{
	g_autoptr(GPtrArray) all = series_assemble(mails);
	return describe(all);
}
