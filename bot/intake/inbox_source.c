/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * inbox_source - a public-inbox v2 folder as a Source.
 *
 * Batches are cut from the lists of inbox_epochs, and when they are empty the next look is due.  A
 * locator is the id of the mail's blob, which stays when the history around it is rewritten.
 */

#include "bot/intake/source_private.h"

#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/intake/inbox_epochs.h"
#include "bot/intake/inbox_source_epoch.h"
#include "bot/intake/inbox_source_fetch.h"
#include "bot/intake/watch.h"
#include "mailparse/limits.h"

#include <string.h>

#define LOOK_MS 2000 /* between looks at refs that somebody else moves            */

typedef struct {
	Source base;
	char *name;
	bool (*is_known)(const char *locator, void *payload);
	void *payload;

	char *fetch_url; /* NULL: somebody else brings the epochs */
	char *ca_file;
	int64_t fetch_every_us;
	int64_t fetch_timeout_ms;
	uint64_t fetch_max_bytes;
	int64_t fetch_due_us; /* monotonic */
	unsigned n_fetches;
	GHashTable *unfetched; /* numbers of epochs whose fetch failed, and it was told */

	InboxEpochs epochs;
	GError *fault; /* of reading an epoch, in this batch; NULL */
	char *acked;   /* the cursor as acknowledged; NULL before */
	char *handed;  /* that behind the batch handed out last */
} InboxSource;

static void close_source(Source *source)
{
	InboxSource *inbox = (InboxSource *)source;

	inbox_epochs_clear(&inbox->epochs);
	g_clear_error(&inbox->fault);
	g_hash_table_unref(inbox->unfetched);
	g_free(inbox->acked);
	g_free(inbox->handed);
	g_free(inbox->fetch_url);
	g_free(inbox->ca_file);
	g_free(inbox->name);
	g_free(inbox);
}

/* With something to fetch the folder is made, else it must be there. */
static bool find_folder(const InboxSource *inbox, const char *dir, GError **error)
{
	g_autofree char *v1 = g_build_filename(dir, "objects", NULL);

	if (inbox->fetch_url)
		return fs_make_dir(inbox->epochs.folder, 0700, error);
	if (g_file_test(inbox->epochs.folder, G_FILE_TEST_IS_DIR))
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG, "%s is no public-inbox v2 folder: %s", dir,
		    g_file_test(v1, G_FILE_TEST_IS_DIR)
			    ? "it is a repository itself, as in public-inbox's first format; name "
			      "the folder that holds git/0.git"
			    : "there is no folder git in it");
	return false;
}

static Source *open_source(const SourceOptions *options, GError **error)
{
	InboxSource *inbox = g_new0(InboxSource, 1);
	const char *dir = strchr(options->url, ':') + 1;
	g_autofree char *folder = g_build_filename(dir, "git", NULL);

	inbox->base.ops = &inbox_source_ops;
	inbox->name = g_strdup(options->name);
	inbox->is_known = options->is_known;
	inbox->payload = options->payload;
	/* Descriptor 0 is a field left out, not a wish to stop at the end of standard input. */
	inbox_epochs_init(&inbox->epochs, folder, options->start_us,
			  options->stop_fd > 0 ? options->stop_fd : -1);
	inbox->unfetched = g_hash_table_new(NULL, NULL);
	inbox->fetch_url = g_strdup(options->fetch_url);
	inbox->ca_file = g_strdup(options->ca_file);
	inbox->fetch_every_us = options->fetch_every_us;
	inbox->fetch_timeout_ms = options->fetch_timeout_ms;
	inbox->fetch_max_bytes = options->fetch_max_bytes;
	inbox->acked = g_strdup(options->cursor);
	if (find_folder(inbox, dir, error) &&
	    (!options->cursor || inbox_epochs_take_cursor(&inbox->epochs, options->cursor, error)))
		return &inbox->base;
	g_prefix_error(error, "source %s: ", inbox->name);
	close_source(&inbox->base);
	return NULL;
}

/* ---- fetching ---- */

/* What goes wrong with one epoch holds up no other, and is told once. */
static void note_fetch(int number, const GError *failed, gpointer payload)
{
	InboxSource *inbox = payload;
	gpointer key = GINT_TO_POINTER(number);

	if (!failed)
		g_hash_table_remove(inbox->unfetched, key);
	else if (g_hash_table_add(inbox->unfetched, key))
		source_note(&inbox->epochs.anomaly, "epoch %d: %s", number, failed->message);
}

/* Epochs but the newest are closed: one of them in turn is enough to notice a rewrite. */
static bool fetch(InboxSource *inbox, GError **error)
{
	InboxFetch fetch = {
		.url = inbox->fetch_url,
		.ca_file = inbox->ca_file,
		.folder = inbox->epochs.folder,
		.timeout_ms = inbox->fetch_timeout_ms,
		.max_bytes = inbox->fetch_max_bytes,
		.stop_fd = inbox->epochs.stop_fd,
		/* At first contact all must be there before it is decided what is new. */
		.tell = inbox->epochs.has_cursor ? note_fetch : NULL,
		.payload = inbox,
	};
	g_autoptr(GArray) numbers = inbox_epochs_list(&inbox->epochs, error);

	if (!numbers)
		return false;
	int newest = -1, older = -1;
	if (numbers->len > 0)
		newest = (int)g_array_index(numbers, unsigned, numbers->len - 1);
	if (numbers->len > 1)
		older = (int)g_array_index(numbers, unsigned,
					   inbox->n_fetches % (numbers->len - 1));
	if (!inbox_fetch(&fetch, newest, older, error))
		return false;
	inbox->n_fetches++;
	inbox->fetch_due_us = g_get_monotonic_time() + inbox->fetch_every_us;
	return true;
}

static bool fetch_is_due(const InboxSource *inbox)
{
	return inbox->fetch_url && g_get_monotonic_time() >= inbox->fetch_due_us;
}

/* ---- batches ---- */

/* What one batch is made of. */
typedef struct {
	InboxSource *inbox;
	InboxEpoch *epoch;
	git_repository *repo; /* the epoch's */
	size_t max_mails;
	size_t bytes; /* held by the batch */
	SourceBatch *out;
} Reading;

static bool has_room(const Reading *reading, const InboxMail *mail)
{
	if (reading->out->mails->len == 0)
		return true;
	return reading->out->mails->len < reading->max_mails &&
	       (mail->size_bytes > MAIL_MAX_BYTES ||
		reading->bytes + mail->size_bytes <= SOURCE_BATCH_MAX_BYTES);
}

typedef enum {
	READ_ON,   /* the commit is done                                   */
	READ_FULL, /* it was left for the next batch                       */
	READ_HELD, /* it cannot be read now: its epoch is left for a while */
} ReadOutcome;

/* The mail comes next, or is broken, which it tells. */
static bool take_mail(Reading *reading, InboxMail *mail, ReadOutcome *out_outcome, GError **error)
{
	const InboxSource *inbox = reading->inbox;
	SourceMail *out = NULL;

	if (inbox->is_known && inbox->is_known(git_oid_tostr_s(&mail->blob), inbox->payload)) {
		inbox_mail_clear(mail);
		return true;
	}
	if (!has_room(reading, mail)) {
		*out_outcome = READ_FULL;
		return true;
	}
	if (!inbox_mail_take(reading->repo, mail, &out, error))
		return false;
	if (!out)
		return true;
	if (out->bytes)
		reading->bytes += mail->size_bytes;
	g_ptr_array_add(reading->out->mails, out);
	return true;
}

/* Waits for what is broken to be mended, but not for ever. */
static bool bear(const Reading *reading, const git_oid *commit, const InboxMail *mail,
		 bool has_mail, ReadOutcome *out_outcome, GError **error)
{
	InboxEpoch *epoch = reading->epoch;
	InboxEpochs *epochs = &reading->inbox->epochs;
	bool is_new = false;

	if (inbox_epoch_hold(epoch, &is_new)) {
		if (has_mail)
			g_ptr_array_add(reading->out->mails, inbox_mail_refuse(mail));
		else
			source_note(&epochs->anomaly, "epoch %u, commit %s was given up: %s",
				    epoch->mark.number, git_oid_tostr_s(commit), mail->broken);
		return true;
	}
	*out_outcome = READ_HELD;
	if (is_new) {
		source_note(&epochs->anomaly,
			    "epoch %u, commit %s: %s; the epoch waits an hour for it",
			    epoch->mark.number, git_oid_tostr_s(commit), mail->broken);
		return true;
	}
	g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT, "epoch %u, commit %s: %s",
		    epoch->mark.number, git_oid_tostr_s(commit), mail->broken);
	return false;
}

static bool read_commit(Reading *reading, ReadOutcome *out_outcome, GError **error)
{
	InboxEpoch *epoch = reading->epoch;
	const git_oid *id = &g_array_index(epoch->commits, git_oid, epoch->taken);
	g_auto(InboxMail) mail = {0};
	bool has_mail;
	g_autofree char *odd = NULL;

	*out_outcome = READ_ON;
	if (!inbox_commit_look(reading->repo, id, &mail, &has_mail, &odd, error) ||
	    (has_mail && !take_mail(reading, &mail, out_outcome, error)))
		return false;
	if (odd)
		source_note(&reading->inbox->epochs.anomaly,
			    "epoch %u, commit %s was passed over: %s", epoch->mark.number,
			    git_oid_tostr_s(id), odd);
	if (mail.broken && *out_outcome == READ_ON &&
	    !bear(reading, id, &mail, has_mail, out_outcome, error))
		return false;
	if (!mail.broken)
		inbox_epoch_mended(epoch);
	epoch->taken += *out_outcome == READ_ON;
	return true;
}

/* @out_full: the batch holds as much as it may, or a stop is wished for */
static bool read_epoch(Reading *reading, bool *out_full, GError **error)
{
	const InboxEpoch *epoch = reading->epoch;
	g_autofree char *path = inbox_epochs_path(&reading->inbox->epochs, epoch->mark.number);
	g_autoptr(git_repository) repo = NULL;
	ReadOutcome outcome = READ_ON;

	if (epoch->taken == epoch->commits->len)
		return true;
	repo = inbox_epoch_open(path, error);
	reading->repo = repo;
	bool fine = repo != NULL;
	for (unsigned n = 1;
	     fine && !*out_full && outcome == READ_ON && epoch->taken < epoch->commits->len; n++) {
		fine = read_commit(reading, &outcome, error);
		*out_full = outcome == READ_FULL ||
			    (n % 256 == 0 && watch_stop_asked(reading->inbox->epochs.stop_fd));
	}
	return fine;
}

/* One epoch's fault holds up no other. */
static void fill_batch(InboxSource *inbox, size_t max_mails, SourceBatch *out)
{
	Reading reading = {.inbox = inbox, .max_mails = max_mails, .out = out};
	bool full = false;

	for (guint i = 0; i < inbox->epochs.all->len && !full; i++) {
		g_autoptr(GError) failed = NULL;

		reading.epoch = inbox->epochs.all->pdata[i];
		if (!read_epoch(&reading, &full, &failed) && !inbox->fault)
			inbox->fault = g_steal_pointer(&failed);
	}
}

static bool look_and_fill(InboxSource *inbox, size_t max_mails, SourceBatch *out, GError **error)
{
	if (!inbox_epochs_look(&inbox->epochs, error))
		return false;
	fill_batch(inbox, max_mails, out);
	return true;
}

/* At first contact all must be there before it is decided what is new. */
static bool read_news(InboxSource *inbox, size_t max_mails, SourceBatch *out, GError **error)
{
	if (inbox_epochs_left(&inbox->epochs) > 0)
		fill_batch(inbox, max_mails, out);
	if (out->mails->len > 0)
		return true;
	if (!inbox->epochs.has_cursor && fetch_is_due(inbox) && !fetch(inbox, error))
		return false;
	if (!look_and_fill(inbox, max_mails, out, error))
		return false;
	return out->mails->len > 0 || !fetch_is_due(inbox) ||
	       (fetch(inbox, error) && look_and_fill(inbox, max_mails, out, error));
}

/* A fault, of looking or of reading, is told when there is nothing else to tell. */
static bool is_at_fault(InboxSource *inbox, const SourceBatch *out, GError **error)
{
	const GError *fault = inbox->fault ? inbox->fault : inbox->epochs.fault;

	if (!fault || out->mails->len > 0 || inbox->epochs.anomaly)
		return false;
	g_propagate_error(error, g_error_copy(fault));
	return true;
}

static void hand_out(InboxSource *inbox, SourceBatch *out)
{
	g_free(inbox->handed);
	inbox->handed = inbox_epochs_cursor(&inbox->epochs);
	if (g_strcmp0(inbox->handed, inbox->acked) != 0)
		out->cursor = g_strdup(inbox->handed);
	if (inbox->epochs.anomaly)
		out->anomaly = g_strdup(inbox->epochs.anomaly);
	out->behind = inbox_epochs_left(&inbox->epochs);
}

static bool next_batch(Source *source, size_t max_mails, SourceBatch *out_batch, GError **error)
{
	InboxSource *inbox = (InboxSource *)source;

	/* The last batch may not have been acknowledged. */
	inbox_epochs_rewind(&inbox->epochs);
	g_clear_pointer(&inbox->handed, g_free);
	g_clear_error(&inbox->fault);
	if (!read_news(inbox, max_mails, out_batch, error) ||
	    is_at_fault(inbox, out_batch, error)) {
		g_prefix_error(error, "source %s: ", inbox->name);
		return false;
	}
	hand_out(inbox, out_batch);
	return true;
}

static bool ack_batch(Source *source, GError **error)
{
	InboxSource *inbox = (InboxSource *)source;

	(void)error;
	if (!inbox->handed)
		return true;
	inbox_epochs_acknowledge(&inbox->epochs);
	g_clear_pointer(&inbox->epochs.anomaly, g_free);
	g_free(inbox->acked);
	inbox->acked = g_steal_pointer(&inbox->handed);
	return true;
}

static bool wait_source(Source *source, int timeout_ms, GError **error)
{
	const InboxSource *inbox = (const InboxSource *)source;
	int64_t left_ms = LOOK_MS;

	(void)error;
	if (!inbox->epochs.has_cursor || inbox_epochs_left(&inbox->epochs) > 0)
		return true;
	if (inbox->fetch_url)
		left_ms = MAX((inbox->fetch_due_us - g_get_monotonic_time()) / 1000 + 1, 0);
	watch_wait(-1, inbox->epochs.stop_fd, (int)MIN(left_ms, (int64_t)timeout_ms));
	return true;
}

const SourceOps inbox_source_ops = {
	.scheme = "public-inbox",
	.open = open_source,
	.wait = wait_source,
	.next = next_batch,
	.ack = ack_batch,
	.close = close_source,
};
