/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/stage.h"

#include "bot/base/autofd.h"
#include "bot/base/backoff.h"
#include "bot/base/error.h"
#include "bot/base/failpoint.h"
#include "bot/base/log.h"
#include "bot/intake/source.h"
#include "bot/series/policy.h"
#include "bot/stage/slots.h"
#include "bot/store/backlog.h"
#include "bot/store/cursors.h"
#include "bot/store/messages.h"
#include "bot/store/outbox.h"
#include "mailparse/message.h"

#include <poll.h>
#include <string.h>

#define BATCH_MAX 500u
#define WAIT_MS 60000

/* How often a resting (stop-all) reader looks whether it may go on. */
#define RESTING_MS 3000

/*
 * Where sources take turns: how often one looks for a free slot, how long a turn is, and how long
 * one that did not come to its end in a turn leaves the slot to others (longer than these look for
 * it).
 */
#define SLOT_POLL_MS 500
#define TURN_US (60 * G_USEC_PER_SEC)
#define YIELD_MS 1500

/* One source while it is being read. */
typedef struct {
	StageContext *context;
	const SourceSection *section;
	Source *source;
	unsigned places;    /* that the source was at before this one */
	unsigned n_slots;   /* 0: connected for good; else the sources take turns, see slots.h */
	int slot;           /* held while connected; -1 */
	unsigned batch_max; /* 1..BATCH_MAX; smaller where connections break before a batch is whole
			     */
	unsigned done;
	int64_t last_mail_us; /* when the newest mail came, for the alarm                       */
} Reader;

/* What one place calls "3/17" has nothing to do with what another one calls so. */
static char *stored_locator(const Reader *reader, const char *locator)
{
	return reader->places == 0 ? g_strdup(locator)
				   : g_strdup_printf("place %u: %s", reader->places + 1, locator);
}

static bool locator_is_known(const char *locator, void *payload)
{
	const Reader *reader = payload;
	g_autofree char *stored = stored_locator(reader, locator);
	return messages_locator_known(reader->context->db, reader->section->name, stored);
}

/* The list that this source is said to bring, when the mail says so, too. */
static const char *vouched_list(const Reader *reader, const guint8 *bytes, gsize len)
{
	if (reader->section->lists[0] == NULL)
		return NULL;
	g_autofree char *list_id = message_peek_list_id(bytes, len);
	const ListSection *list =
		policy_list_vouched(reader->context->config, reader->section, list_id);
	return list == NULL ? NULL : list->name;
}

static bool record_mail(Reader *reader, const SourceMail *mail, int64_t *last_mail_us,
			GError **error)
{
	g_autofree char *message_id = NULL;
	g_autofree char *locator = stored_locator(reader, mail->locator);
	IncomingOutcome outcome;
	Incoming incoming = {
		.source = reader->section->name,
		.locator = locator,
		.bytes = mail->bytes,
		.refused = mail->refused,
		.arrived_us = mail->arrived_us,
		.observe = reader->section->observe,
	};

	if (mail->refused != NULL) {
		log_warning("intake.refused", "source %s: mail %s is passed over: %s",
			    reader->section->name, mail->locator, mail->refused);
	} else {
		gsize len = 0;
		const guint8 *bytes = g_bytes_get_data(mail->bytes, &len);
		message_id = message_peek_id(bytes, len, &incoming.date_us);
		incoming.message_id = message_id;
		incoming.list = vouched_list(reader, bytes, len);
		*last_mail_us = MAX(*last_mail_us, incoming.arrived_us);
	}
	if (!messages_record(reader->context->db, &incoming, &outcome, error))
		return false;
	reader->done += outcome != INCOMING_KNOWN;
	if (message_id == NULL || !reader->section->confirms)
		return true;
	bool ours = false;
	return outbox_confirm(reader->context->db, message_id, &ours, error);
}

static bool record_batch(Reader *reader, const SourceBatch *batch, GError **error)
{
	Db *db = reader->context->db;
	const char *name = reader->section->name;
	int64_t last_mail_us = 0;

	for (guint i = 0; i < batch->mails->len; i++) {
		if (!record_mail(reader, batch->mails->pdata[i], &last_mail_us, error))
			return false;
	}
	if (batch->anomaly != NULL &&
	    !event_add(db, "intake.noticed", "source", 0, error, "%s: %s", name, batch->anomaly))
		return false;
	reader->last_mail_us = MAX(reader->last_mail_us, last_mail_us);
	return cursor_advance(db, name, batch->cursor, batch->behind, last_mail_us, error);
}

/* The source is acknowledged after the commit: a mail is in our store before it may be forgotten.
 */
static bool store_batch(Reader *reader, const SourceBatch *batch, GError **error)
{
	Db *db = reader->context->db;

	if (!db_begin(db, error))
		return false;
	if (!record_batch(reader, batch, error)) {
		db_rollback(db);
		return false;
	}
	failpoint("intake.before_commit");
	if (!db_commit(db, error))
		return false;
	failpoint("intake.after_commit");
	return source_ack(reader->source, error);
}

/* Reads until the source has nothing more, or its turn is over; @limit 0: no limit. */
static bool drain(Reader *reader, unsigned limit, bool *out_more, GError **error)
{
	const char *state_dir = db_state_dir(reader->context->db);
	int64_t end_us = g_get_monotonic_time() + TURN_US;

	for (;;) {
		g_auto(SourceBatch) batch = {0};
		unsigned before = reader->done;
		unsigned left = limit == 0 ? BATCH_MAX : limit - reader->done;
		if (!source_next(reader->source, MIN(left, reader->batch_max), &batch, error))
			return false;
		bool any = batch.mails != NULL && batch.mails->len > 0;
		if ((any || batch.cursor != NULL || batch.anomaly != NULL) &&
		    !store_batch(reader, &batch, error))
			return false;
		reader->batch_max = MIN(reader->batch_max * 2, BATCH_MAX);
		if (reader->done > before)
			stage_wake(state_dir, "understand");
		if (any && batch.behind > (int64_t)BATCH_MAX)
			log_info("intake.reading",
				 "%s: %u mails stored, %" G_GINT64_FORMAT " to go",
				 reader->section->name, reader->done, batch.behind);
		*out_more = any && reader->n_slots > 0 && g_get_monotonic_time() > end_us;
		if (!any || *out_more || (limit > 0 && reader->done >= limit) ||
		    stage_stop_asked(reader->context))
			return true;
	}
}

static double days(int64_t us)
{
	return (double)us / (24.0 * 60 * 60 * CLOCK_US_PER_S);
}

/* Mail that waited through an outage is old news: it waits on, for the operator. */
static bool note_outage(Reader *reader, int64_t last_ok_us, GError **error)
{
	const StageContext *context = reader->context;
	int64_t most_us = context->config->bot.outage_after_us;
	int64_t away_us = clock_now_us(context->clock) - last_ok_us;

	if (last_ok_us == 0 || most_us == 0 || away_us <= most_us)
		return true;
	g_autofree char *reason = g_strdup_printf("source %s was not read for %.1f days",
						  reader->section->name, days(away_us));
	log_warning("intake.outage", "%s: what came in meanwhile waits for `lorebot backlog`",
		    reason);
	return backlog_open(context->db, reason, error);
}

/* Where to begin was settled at the first contact. */
static void warn_of_late_since(const SourceSection *section, const SourceState *state)
{
	if (state->cursor == NULL || section->since_us == 0 || section->since_us == state->start_us)
		return;
	g_autofree char *start = clock_format_iso(state->start_us);
	log_warning("intake.since",
		    "source %s: since is not looked at after the first contact (mail from %s on is "
		    "read); to read other mail give the source another name",
		    section->name, start);
}

static void note_first_contact(const SourceSection *section, const SourceState *state)
{
	g_autofree char *start = clock_format_iso(state->start_us);

	if (state->places > 0)
		log_warning(
			"intake.moved",
			"source %s is at another place than before, %s: mail from %s on is read",
			section->name, state->place, start);
	else if (section->since_us == 0)
		log_warning("intake.first_contact",
			    "source %s: first contact: mail that is there already is not read "
			    "(source.since would)",
			    section->name);
}

static bool open_source(Reader *reader, GError **error)
{
	const SourceSection *section = reader->section;
	Db *db = reader->context->db;
	g_autofree char *place = source_key_of(section);
	g_autoptr(SourceState) state =
		cursor_attach(db, section->name, place, section->since_us, error);
	if (state == NULL)
		return false;
	reader->places = state->places;
	reader->last_mail_us = MAX(state->last_mail_us, state->start_us);

	g_autofree char *password = secret_read(
		section->password_file, (const char *const *)section->password_command, error);
	if (password == NULL && (section->password_file || section->password_command)) {
		g_prefix_error(error, "source %s: ", section->name);
		return false;
	}
	SourceOptions options =
		source_options_of(section, &reader->context->config->fetch, password);
	options.cursor = state->cursor;
	options.start_us = state->start_us;
	options.is_known = locator_is_known;
	options.payload = reader;
	options.stop_fd = reader->context->stop_fd;
	reader->source = source_open(&options, error);
	if (password != NULL)
		memset(password, 0, strlen(password));
	warn_of_late_since(section, state);
	if (reader->source != NULL && state->cursor == NULL)
		note_first_contact(section, state);
	return reader->source != NULL && note_outage(reader, state->last_ok_us, error) &&
	       cursor_connected(db, section->name, error);
}

static void sleep_until_stop(const StageContext *context, int64_t ms)
{
	struct pollfd fd = {context->stop_fd, POLLIN, 0};
	(void)poll(&fd, 1, (int)MIN(ms, G_MAXINT));
}

/* Waits for a slot where there are fewer than sources. */
static bool await_slot(Reader *reader, GError **error)
{
	const StageContext *context = reader->context;

	while (reader->n_slots > 0) {
		if (!slots_take(db_state_dir(context->db), reader->section, reader->n_slots,
				&reader->slot, error))
			return false;
		if (reader->slot >= 0)
			return true;
		if (stage_stop_asked(context)) {
			g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT,
				    "stopped while waiting for a connection to be free");
			return false;
		}
		sleep_until_stop(context, SLOT_POLL_MS);
	}
	return true;
}

static bool connect_source(Reader *reader, GError **error)
{
	return await_slot(reader, error) && open_source(reader, error);
}

static void disconnect(Reader *reader)
{
	g_clear_pointer(&reader->source, source_close);
	autofd_close(&reader->slot);
}

static Reader reader_of(StageContext *context, const SourceSection *section)
{
	return (Reader){
		.context = context,
		.section = section,
		.n_slots = slots_needed(context->config, section),
		.slot = -1,
		.batch_max = BATCH_MAX,
	};
}

/* A fault of the store is ours and ends the stage; a fault of the source is noted and tried again.
 */
static bool note_failure(Reader *reader, const GError *why, int64_t next_try_us, GError **error)
{
	db_rollback(reader->context->db);
	log_warning("intake.failed", "%s", why->message);
	return cursor_failed(reader->context->db, reader->section->name, why->message, next_try_us,
			     error);
}

bool intake_round(StageContext *context, unsigned limit, StageProgress *progress, GError **error)
{
	for (guint i = 0; i < context->config->sources->len; i++) {
		Reader reader = reader_of(context, context->config->sources->pdata[i]);
		g_autoptr(GError) why = NULL;
		if (context->source != NULL && context->source != reader.section)
			continue;
		unsigned left = limit == 0 ? 0 : limit - progress->done;
		bool more = false;
		bool ok = connect_source(&reader, &why) && drain(&reader, left, &more, &why);

		disconnect(&reader);
		progress->done += reader.done;
		if (!ok) {
			progress->failed++;
			if (!note_failure(&reader, why, clock_now_us(context->clock), error))
				return false;
		}
		if (limit > 0 && progress->done >= limit)
			break;
	}
	return true;
}

static bool may_read(const StageContext *context)
{
	return !stage_stop_asked(context) &&
	       stage_may_work(stage_find("intake"), context->db, NULL);
}

/* A list that died looks like one that has nothing to say. */
static bool watch_silence(Reader *reader, GError **error)
{
	const StageContext *context = reader->context;
	int64_t most_us = reader->section->silent_after_us;
	int64_t silent_us = clock_now_us(context->clock) - reader->last_mail_us;

	bool is_new = false;
	if (most_us == 0 || silent_us <= most_us)
		return true;
	if (!cursor_silent(context->db, reader->section->name, reader->last_mail_us, &is_new,
			   error))
		return false;
	if (is_new)
		log_warning("intake.silent", "source %s: no mail for %.1f days",
			    reader->section->name, days(silent_us));
	return true;
}

static bool look_after(Reader *reader, GError **error)
{
	return cursor_alive(reader->context->db, reader->section->name, error) &&
	       watch_silence(reader, error);
}

/*
 * Connects and reads, then stays and reads what comes, unless sources take turns: then it leaves.
 * @out_rest_ms: until it should connect again.
 */
static bool read_source(Reader *reader, unsigned *failures, int64_t *out_rest_ms, GError **error)
{
	bool more = false;

	*out_rest_ms = 0;
	if (!connect_source(reader, error) || !drain(reader, 0, &more, error) ||
	    !look_after(reader, error))
		return false;
	*failures = 0;
	if (reader->n_slots > 0) {
		*out_rest_ms = more ? YIELD_MS : WAIT_MS;
		return true;
	}
	while (may_read(reader->context)) {
		if (!source_wait(reader->source, WAIT_MS, error) ||
		    !drain(reader, 0, &more, error) || !look_after(reader, error))
			return false;
	}
	return true;
}

bool intake_follow(StageContext *context, const SourceSection *section, GError **error)
{
	unsigned failures = 0;
	unsigned batch_max = BATCH_MAX;
	g_autoptr(GRand) random = g_rand_new();

	db_set_owner(context->db, "intake");
	while (!stage_stop_asked(context)) {
		Reader reader = reader_of(context, section);
		g_autoptr(GError) why = NULL;
		int64_t rest_ms = 0;

		if (!may_read(context)) {
			sleep_until_stop(context, RESTING_MS);
			continue;
		}
		reader.batch_max = batch_max;
		bool fine = read_source(&reader, &failures, &rest_ms, &why);
		disconnect(&reader);
		/* A connection that broke after some way was made is no reason to wait longer. */
		if (reader.done > 0)
			failures = 0;
		batch_max = fine ? BATCH_MAX : MAX(reader.batch_max / 4, 1);
		if (!fine && !stage_stop_asked(context)) {
			rest_ms = backoff_delay_ms(++failures, random);
			int64_t next = clock_now_us(context->clock) + rest_ms * 1000;
			if (!note_failure(&reader, why, next, error))
				return false;
		}
		sleep_until_stop(context, rest_ms);
	}
	return true;
}
