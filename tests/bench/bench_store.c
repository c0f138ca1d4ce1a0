/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many mails a second the store takes in, and hands on: batches of 500 in one transaction, 5 KB
 * a mail, synchronous=FULL.  `meson test --benchmark store`; argument: how many mails.
 */
#include "bot/base/clock.h"
#include "bot/base/fs.h"
#include "bot/store/messages.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAIL_BYTES 5300
#define BATCH 500

static void must(bool ok, const GError *error)
{
	if (ok)
		return;
	g_printerr("%s\n", error == NULL ? "failed" : error->message);
	exit(1);
}

static void take_in(Db *db, int first, int n)
{
	g_autofree char *text = g_strnfill(MAIL_BYTES, 'x');
	g_autoptr(GError) error = NULL;

	must(db_begin(db, &error), error);
	for (int i = first; i < first + n; i++) {
		g_autofree char *id = g_strdup_printf("20260131.%d-1-ann@example.org", i);
		g_autofree char *locator = g_strdup_printf("INBOX/1700000000/%d", i);
		memcpy(text, id, strlen(id));
		g_autoptr(GBytes) bytes = g_bytes_new(text, MAIL_BYTES);
		IncomingOutcome outcome;
		Incoming incoming = {.source = "lab",
				     .locator = locator,
				     .bytes = bytes,
				     .message_id = id,
				     .date_us = i,
				     .arrived_us = i};
		must(messages_record(db, &incoming, &outcome, &error), error);
	}
	must(db_commit(db, &error), error);
}

static int hand_on(Db *db)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) claimed = messages_claim(db, BATCH, &error);
	MessageFacts facts = {.kind = "other", .subject = "Re: [PATCH] lib: make foo faster"};

	must(claimed != NULL, error);
	must(db_begin(db, &error), error);
	for (guint i = 0; i < claimed->len; i++) {
		const StoredMessage *message = claimed->pdata[i];
		must(messages_understood(db, message->row, &facts, &error), error);
	}
	must(db_commit(db, &error), error);
	return (int)claimed->len;
}

typedef struct {
	gint64 wall_us;
	clock_t cpu;
} Watch;

static Watch watch_start(void)
{
	return (Watch){g_get_monotonic_time(), clock()};
}

static void watch_tell(const Watch *watch, const char *what, int n)
{
	double wall_s = (double)(g_get_monotonic_time() - watch->wall_us) / 1e6;
	double cpu_s = (double)(clock() - watch->cpu) / CLOCKS_PER_SEC;

	g_print("%-18s %6.0f mails/s, %6.0f by CPU time\n", what, n / wall_s, n / cpu_s);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 20000;
	g_autofree char *dir = g_dir_make_tmp("lorebot-bench-XXXXXX", NULL);
	g_autoptr(Clock) clock = clock_new_system();
	g_autoptr(GError) error = NULL;
	Db *db = db_open(dir, true, clock, &error);

	must(db != NULL, error);
	Watch watch = watch_start();
	for (int i = 0; i < n; i += BATCH)
		take_in(db, i, MIN(BATCH, n - i));
	watch_tell(&watch, "intake", n);
	watch = watch_start();
	while (hand_on(db) > 0)
		continue;
	watch_tell(&watch, "claim and finish", n);
	db_close(db);
	must(fs_remove_tree(dir, &error), error);
	return 0;
}
