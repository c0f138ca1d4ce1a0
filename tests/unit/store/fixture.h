/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * fixture - a fresh database under a fixed clock, and short ways to fill it.
 */

#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/store/cursors.h"
#include "bot/store/jobs.h"
#include "bot/store/messages.h"
#include "bot/store/outbox.h"
#include "bot/store/results.h"
#include "bot/store/series.h"
#include "mailparse/mailparse.h"
#include "tests/unit/check_main.h"

#include <string.h>

#define NOW_US (INT64_C(1767225600) * CLOCK_US_PER_S) /* 2026-01-01T00:00:00Z */
#define HOUR_US (INT64_C(3600) * CLOCK_US_PER_S)
#define DAY_US (24 * HOUR_US)

#define OK(call)                                                                                   \
	do {                                                                                       \
		g_autoptr(GError) ok_error = NULL;                                                 \
		GError **error = &ok_error;                                                        \
		bool ok_result = (call);                                                           \
		ck_assert_msg(ok_result, "%s: %s", #call,                                          \
			      ok_error == NULL ? "no error set" : ok_error->message);              \
	} while (0)

typedef struct {
	char *dir;
	Clock *clock;
	Db *db;
} Fixture;

static inline void fixture_open(Fixture *fixture)
{
	fixture->dir = g_dir_make_tmp("lorebot-store-XXXXXX", NULL);
	fixture->clock = clock_new_fixed(NOW_US);
	OK((fixture->db = db_open(fixture->dir, true, fixture->clock, error)) != NULL);
}

static inline void fixture_close(Fixture *fixture)
{
	db_close(fixture->db);
	clock_free(fixture->clock);
	OK(fs_remove_tree(fixture->dir, error));
	g_free(fixture->dir);
}

#define FIXTURE(name)                                                                              \
	__attribute__((cleanup(fixture_close))) Fixture name = {0};                                \
	fixture_open(&name)

/* The events of a subject by name, "a b c". */
static inline char *event_names(Db *db, const char *kind, int64_t row)
{
	g_autoptr(GPtrArray) events = event_list(db, kind, row, NULL);
	g_autoptr(GString) names = g_string_new(NULL);

	ck_assert_ptr_nonnull(events);
	for (guint i = 0; i < events->len; i++) {
		const StoredEvent *event = g_ptr_array_index(events, i);
		g_string_append_printf(names, "%s%s", i == 0 ? "" : " ", event->name);
	}
	return g_string_free(g_steal_pointer(&names), FALSE);
}

static inline IncomingOutcome record_bytes(Db *db, const char *source, const char *locator,
					   const char *message_id, const char *text)
{
	g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
	IncomingOutcome outcome = INCOMING_REFUSED;
	Incoming incoming = {.source = source,
			     .locator = locator,
			     .bytes = bytes,
			     .message_id = message_id,
			     .date_us = NOW_US - HOUR_US,
			     .arrived_us = clock_now_us(db_clock(db))};

	OK(db_begin(db, error));
	OK(messages_record(db, &incoming, &outcome, error));
	OK(db_commit(db, error));
	return outcome;
}

static inline void attach(Db *db, const char *source)
{
	SourceState *state = NULL;

	OK((state = cursor_attach(db, source, "maildir:/lab", 0, error)) != NULL);
	source_state_free(state);
}

/* A new message; returns its row. */
static inline int64_t add_message(Db *db, const char *message_id)
{
	g_autofree char *text =
		g_strdup_printf("Message-ID: <%s>\n\nhello %s\n", message_id, message_id);

	ck_assert_int_eq(record_bytes(db, "lab", message_id, message_id, text), INCOMING_NEW);
	g_autoptr(StoredMessage) message = messages_find(db, message_id, NULL);
	ck_assert_ptr_nonnull(message);
	return message->row;
}

/* The same, understood as a mail of the list. */
static inline int64_t add_list_mail(Db *db, const char *message_id)
{
	int64_t row = add_message(db, message_id);
	MessageFacts facts = {.kind = "reply", .list = "lab", .subject = message_id};

	OK(db_begin(db, error));
	OK(messages_understood(db, row, &facts, error));
	OK(db_commit(db, error));
	return row;
}

typedef struct {
	const char *id;
	const char *subject;
	const char *parent; /* NULL: none */
	const char *from;   /* NULL: Ann */
	int64_t date_us;    /* 0: NOW_US */
} PatchSpec;

static inline PatchMail *make_patch(const PatchSpec *spec)
{
	PatchMail *mail = g_new0(PatchMail, 1);

	mail->message_id = g_strdup(spec->id);
	mail->references = g_ptr_array_new_with_free_func(g_free);
	if (spec->parent != NULL)
		g_ptr_array_add(mail->references, g_strdup(spec->parent));
	mail->from = mailbox_new("Ann Author", spec->from == NULL ? "ann@example.org" : spec->from,
				 NULL);
	mail->date_us = spec->date_us == 0 ? NOW_US : spec->date_us;
	mail->arrived_us = mail->date_us;
	mail->prefix = subject_parse(spec->subject);
	mail->answers = spec->parent != NULL;
	mail->has_diff = mail->prefix->number > 0;
	return mail;
}

/* Stores and understands a patch mail, which gets its row. */
static inline void store_patch(Db *db, const char *subject, PatchMail *mail)
{
	mail->message_row = add_message(db, mail->message_id);
	MessageFacts facts = {.kind = "patch",
			      .list = "lab",
			      .subject = subject,
			      .from = mail->from,
			      .references = mail->references,
			      .patch_mail = mail};
	OK(db_begin(db, error));
	OK(messages_understood(db, mail->message_row, &facts, error));
	OK(db_commit(db, error));
}

static inline PatchMail *add_patch(Db *db, const PatchSpec *spec)
{
	PatchMail *mail = make_patch(spec);

	store_patch(db, spec->subject, mail);
	return mail;
}

/* What belongs with the one mail @row. */
static inline GPtrArray *related_to(Db *db, int64_t row, GError **error)
{
	g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(int64_t));
	g_autoptr(GArray) reached = g_array_new(FALSE, FALSE, sizeof(int64_t));

	g_array_append_val(rows, row);
	return messages_related(db, rows, reached, error);
}

/* A job with two commits, stored; caller frees. */
static inline Job *add_job(Db *db, const char *key)
{
	Job *job = g_new0(Job, 1);
	bool is_new = false;

	job->key = g_strdup(key);
	job->kind = JOB_SERIES;
	job->state = JOB_PLANNED;
	job->list = g_strdup("lab");
	job->tree = g_strdup("main");
	job->testcase = g_strdup("wordcount");
	job->spec_yaml = g_strdup("testcase: wordcount\n");
	job->runs = 5;
	job->family = 1;
	job->n_families = 2;
	job->commits = g_ptr_array_new_with_free_func((GDestroyNotify)job_commit_free);
	for (unsigned i = 0; i < 2; i++) {
		JobCommit *commit = g_new0(JobCommit, 1);
		commit->position = i;
		commit->role = i == 0 ? COMMIT_BASE : COMMIT_PATCHED;
		commit->sha = g_strnfill(40, i == 0 ? 'a' : 'b');
		commit->tree = g_strnfill(40, 'c');
		commit->subject = g_strdup("lib: foo");
		g_ptr_array_add(job->commits, commit);
	}
	OK(db_begin(db, error));
	OK(jobs_insert(db, job, &job->row, &is_new, error));
	OK(db_commit(db, error));
	return job;
}
