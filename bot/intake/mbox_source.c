/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * mbox_source - an mbox file as a Source: what is new in it, and what happened to it meanwhile.
 *
 * The file is opened anew for each batch, since a mail reader may replace it.  A file that does not
 * hold what the cursor remembers is read again from its start.
 */

#include "bot/intake/source_private.h"

#include "bot/base/autofd.h"
#include "bot/base/clock.h"
#include "bot/base/error.h"
#include "bot/intake/mbox_file.h"
#include "bot/intake/mbox_mail.h"
#include "bot/intake/watch.h"
#include "mailparse/limits.h"

#include <string.h>
#include <sys/inotify.h>

/* So long nobody wrote: the last mail is taken, whoever has the file open and however it ends. */
#define QUIET_US (60 * CLOCK_US_PER_S)
#define LOCKED_MS 1000                       /* between looks at a locked file     */
#define LOCKED_LONG_US (60 * CLOCK_US_PER_S) /* for which nobody delivers one mail */
#define MAILS_PER_LOOK                                                                             \
	256u /* at the stop descriptor, while mails are passed over; at first contact           */

typedef struct {
	Source base;
	char *name;
	char *path;
	bool unescape;
	int64_t start_us;
	bool (*is_known)(const char *locator, void *payload);
	void *payload;
	int stop_fd;

	int watch_fd;
	bool has_cursor; /* false only at first contact */
	MboxCursor acked;
	MboxCursor cursor; /* behind the batch handed out last */
	bool handed;       /* there is such a batch since the last acknowledgement */
	bool more;         /* mails stand behind it, or none was asked for yet */
	int retry_ms;      /* 0, or how soon to look again though nothing is told */
	/* The file as it was seen last, and since when (monotonic) it was so. */
	int64_t seen_size;
	int64_t seen_modified_us;
	int64_t seen_since_us;
	int64_t locked_since_us; /* monotonic; 0: it was not locked at the last look */
} MboxSource;

/* What one batch is made of. */
typedef struct {
	MboxSource *mbox;
	MboxFile *file;
	bool quiet;
	size_t max_mails;
	int64_t bytes; /* held by the batch */
	SourceBatch *out;
} Reading;

static void close_source(Source *source)
{
	MboxSource *mbox = (MboxSource *)source;

	autofd_close(&mbox->watch_fd);
	g_free(mbox->name);
	g_free(mbox->path);
	g_free(mbox);
}

/* The inode is watched: a file put in its place is found because the old one goes. */
static bool watch_file(const MboxSource *mbox, BotError code, GError **error)
{
	if (mbox->watch_fd >= 0 &&
	    watch_add(mbox->watch_fd, mbox->path,
		      IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_MOVE_SELF | IN_DELETE_SELF))
		return true;
	int errnum = errno;
	g_set_error(error, BOT_ERROR, (int)code, "source %s: %s: %s", mbox->name, mbox->path,
		    g_strerror(errnum));
	return false;
}

static bool fail_locked(const MboxSource *mbox, const char *busy, GError **error)
{
	g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT,
		    "source %s: %s is locked by another program; %s", mbox->name, mbox->path, busy);
	return false;
}

/* A source that opens counts as connected; what else is wrong with the file is told by next. */
static bool check_unlocked(const MboxSource *mbox, GError **error)
{
	const char *busy;

	mbox_file_close(mbox_file_open(mbox->path, &busy, NULL));
	return busy == NULL || fail_locked(mbox, busy, error);
}

static Source *open_source(const SourceOptions *options, GError **error)
{
	MboxSource *mbox = g_new0(MboxSource, 1);

	mbox->unescape = g_ascii_strncasecmp(options->url, "mboxrd:", strlen("mboxrd:")) == 0;
	mbox->base.ops = mbox->unescape ? &mboxrd_source_ops : &mbox_source_ops;
	mbox->name = g_strdup(options->name);
	mbox->path = g_strdup(strchr(options->url, ':') + 1);
	mbox->start_us = MAX(options->start_us, 0);
	mbox->is_known = options->is_known;
	mbox->payload = options->payload;
	/* Descriptor 0 is a field left out, not a wish to stop at the end of standard input. */
	mbox->stop_fd = options->stop_fd > 0 ? options->stop_fd : -1;
	mbox->has_cursor = options->cursor != NULL;
	mbox->more = true;
	mbox->watch_fd = watch_open();
	if (!watch_file(mbox, BOT_ERROR_CONFIG, error) || !check_unlocked(mbox, error)) {
		close_source(&mbox->base);
		return NULL;
	}
	if (options->cursor && !mbox_cursor_parse(options->cursor, &mbox->acked, error)) {
		g_prefix_error(error, "source %s: ", mbox->name);
		close_source(&mbox->base);
		return NULL;
	}
	return &mbox->base;
}

/* ---- what happened to the file ---- */

/* Nobody has written for a while, by the file's time or, should that be wrong, by our own. */
static bool is_quiet(MboxSource *mbox, const MboxFile *file)
{
	int64_t now_us = g_get_monotonic_time();
	int64_t age_us = g_get_real_time() - mbox_file_modified_us(file);

	if (mbox_file_size(file) != mbox->seen_size ||
	    mbox_file_modified_us(file) != mbox->seen_modified_us) {
		mbox->seen_size = mbox_file_size(file);
		mbox->seen_modified_us = mbox_file_modified_us(file);
		mbox->seen_since_us = now_us;
	}
	return age_us >= QUIET_US || now_us - mbox->seen_since_us >= QUIET_US;
}

/* Begins anew: mails that are there now count from start_us, all later ones count. */
static void restart_cursor(MboxSource *mbox, const MboxFile *file, int64_t start_us)
{
	mbox->cursor = (MboxCursor){.start_us = start_us, .horizon = mbox_file_size(file)};
}

/* @anomaly: (transfer full) */
static void begin_again(Reading *reading, char *anomaly)
{
	MboxSource *mbox = reading->mbox;

	g_free(reading->out->anomaly);
	reading->out->anomaly = anomaly;
	restart_cursor(mbox, reading->file, mbox->cursor.start_us);
}

static void tell_rewritten(Reading *reading)
{
	begin_again(reading, g_strdup_printf("%s was rewritten: read again from the start",
					     reading->mbox->path));
}

/* What was handed out was not the whole of it. */
static void tell_grown(Reading *reading)
{
	begin_again(reading,
		    g_strdup_printf("the last mail of %s went on after it was read: read again "
				    "from the start, that mail as another copy",
				    reading->mbox->path));
}

static void note_cut(Reading *reading, const MboxExtent *extent)
{
	SourceBatch *out = reading->out;

	if (out->anomaly == NULL && mbox_mail_is_cut(reading->file, extent))
		out->anomaly = g_strdup_printf(
			"%s looks like mboxcl: the mail at byte %" G_GINT64_FORMAT
			" is cut in two by a line \"From \" of its text, for Content-Length is not "
			"trusted; have it written as mboxrd or as a Maildir",
			reading->mbox->path, extent->start);
}

/* However few mails are asked for: that should be known before the file is relied on. */
static bool look_for_cuts(Reading *reading, GError **error)
{
	MboxExtent extent;
	MboxFound found = mbox_file_find(reading->file, 0, reading->quiet, &extent, error);

	for (unsigned n = 0; found == MBOX_FOUND && n < MAILS_PER_LOOK; n++) {
		note_cut(reading, &extent);
		found = mbox_file_next(reading->file, &extent, error);
	}
	return found != MBOX_FAILED;
}

/* First contact, or a file that is not the one the cursor was made for. */
static bool check_cursor(Reading *reading, GError **error)
{
	MboxSource *mbox = reading->mbox;
	char before[MBOX_HASH_LEN + 1];

	if (!mbox->has_cursor) {
		restart_cursor(mbox, reading->file, mbox->start_us);
		return look_for_cuts(reading, error);
	}
	if (mbox->cursor.offset > mbox_file_size(reading->file)) {
		tell_rewritten(reading);
		return true;
	}
	if (!mbox_file_hash_before(reading->file, mbox->cursor.offset, before, error))
		return false;
	if (strcmp(before, mbox->cursor.before) != 0)
		tell_rewritten(reading);
	return true;
}

/* ---- one mail ---- */

static bool is_wanted(const MboxSource *mbox, const MboxExtent *extent, const SourceMail *mail)
{
	if (extent->start < mbox->cursor.horizon && mail->arrived_us < mbox->cursor.start_us)
		return false;
	return !mbox->is_known || !mbox->is_known(mail->locator, mbox->payload);
}

/* ---- batches ---- */

static bool has_room(const Reading *reading, const MboxExtent *extent)
{
	int64_t len = extent->end - extent->start;

	if (reading->out->mails->len == 0)
		return true;
	return reading->out->mails->len < reading->max_mails &&
	       (len > (int64_t)MAIL_MAX_BYTES ||
		reading->bytes + len <= (int64_t)SOURCE_BATCH_MAX_BYTES);
}

/*
 * Takes one mail or passes it over.
 *
 * @out_go_on: false when the batch is full or the mail is not whole yet
 */
static bool read_one(Reading *reading, const MboxExtent *extent, bool *out_go_on, GError **error)
{
	MboxSource *mbox = reading->mbox;
	g_autoptr(SourceMail) mail = NULL;

	*out_go_on = false;
	mbox->more = !has_room(reading, extent);
	if (mbox->more)
		return true;
	if (!mbox_mail_take(reading->file, extent, reading->quiet, mbox->unescape, &mail, error))
		return false;
	if (!mail)
		return true;
	mbox->cursor.offset = extent->end;
	*out_go_on = true;
	note_cut(reading, extent);
	if (!is_wanted(mbox, extent, mail))
		return true;
	if (mail->bytes)
		reading->bytes += extent->end - extent->start;
	g_ptr_array_add(reading->out->mails, g_steal_pointer(&mail));
	return true;
}

static bool read_mails(Reading *reading, GError **error)
{
	MboxSource *mbox = reading->mbox;
	MboxExtent extent;
	MboxFound found =
		mbox_file_find(reading->file, mbox->cursor.offset, reading->quiet, &extent, error);
	bool go_on = true;

	if (found == MBOX_GREW) {
		tell_grown(reading);
		found = mbox_file_find(reading->file, 0, reading->quiet, &extent, error);
	}
	for (unsigned n = 1; found == MBOX_FOUND && go_on; n++) {
		if (!read_one(reading, &extent, &go_on, error))
			return false;
		if (n % MAILS_PER_LOOK == 0 && watch_stop_asked(mbox->stop_fd)) {
			mbox->more = true;
			return true;
		}
		if (go_on)
			found = mbox_file_next(reading->file, &extent, error);
	}
	return found != MBOX_FAILED;
}

static bool is_unsettled(const MboxSource *mbox)
{
	return !mbox->has_cursor || mbox->cursor.offset != mbox->acked.offset ||
	       mbox->cursor.horizon != mbox->acked.horizon ||
	       strcmp(mbox->cursor.before, mbox->acked.before) != 0;
}

static bool read_file(Reading *reading, GError **error)
{
	MboxSource *mbox = reading->mbox;

	reading->quiet = is_quiet(mbox, reading->file);
	if (!check_cursor(reading, error) || !read_mails(reading, error))
		return false;
	if (!reading->quiet && !mbox->more && mbox->cursor.offset < mbox_file_size(reading->file))
		mbox->retry_ms = (int)(QUIET_US / 1000);
	return mbox_file_hash_before(reading->file, mbox->cursor.offset, mbox->cursor.before,
				     error);
}

/* A file that shrinks under our hands is looked at again; what it was is not handed out. */
static bool fill_batch(Reading *reading, GError **error)
{
	MboxSource *mbox = reading->mbox;
	g_autoptr(GError) failed = NULL;

	mbox->handed = read_file(reading, &failed);
	if (mbox->handed)
		return true;
	if (!g_error_matches(failed, BOT_ERROR, BOT_ERROR_CONFLICT)) {
		g_propagate_error(error, g_steal_pointer(&failed));
		return false;
	}
	source_batch_clear(reading->out);
	source_batch_init(reading->out);
	mbox->cursor = mbox->acked;
	mbox->more = false;
	mbox->retry_ms = LOCKED_MS;
	return true;
}

/* Somebody delivers, or has died in it or sleeps over it. */
static bool wait_for_lock(MboxSource *mbox, const char *busy, GError **error)
{
	int64_t now_us = g_get_monotonic_time();

	mbox->retry_ms = LOCKED_MS;
	if (mbox->locked_since_us == 0)
		mbox->locked_since_us = now_us;
	return now_us - mbox->locked_since_us < LOCKED_LONG_US || fail_locked(mbox, busy, error);
}

static bool next_batch(Source *source, size_t max_mails, SourceBatch *out_batch, GError **error)
{
	MboxSource *mbox = (MboxSource *)source;
	const char *busy;

	mbox->cursor = mbox->acked;
	mbox->handed = false;
	mbox->more = false;
	mbox->retry_ms = 0;
	/* Before the file is looked at: what happens later is then told again. */
	watch_drain(mbox->watch_fd);
	if (!watch_file(mbox, BOT_ERROR_TRANSIENT, error))
		return false;
	g_autoptr(MboxFile) file = mbox_file_open(mbox->path, &busy, error);
	if (busy)
		return wait_for_lock(mbox, busy, error);
	mbox->locked_since_us = 0;
	Reading reading = {.mbox = mbox, .file = file, .max_mails = max_mails, .out = out_batch};
	if (!file || !fill_batch(&reading, error)) {
		g_prefix_error(error, "source %s: ", mbox->name);
		return false;
	}
	mbox->handed = mbox->handed && is_unsettled(mbox);
	if (mbox->handed)
		out_batch->cursor = mbox_cursor_format(&mbox->cursor);
	out_batch->behind = mbox->more ? -1 : 0;
	return true;
}

static bool ack_batch(Source *source, GError **error)
{
	MboxSource *mbox = (MboxSource *)source;

	(void)error;
	if (mbox->handed) {
		mbox->acked = mbox->cursor;
		mbox->has_cursor = true;
		mbox->handed = false;
	}
	return true;
}

static bool wait_source(Source *source, int timeout_ms, GError **error)
{
	MboxSource *mbox = (MboxSource *)source;

	(void)error;
	if (mbox->more || mbox->handed)
		return true;
	if (mbox->retry_ms > 0)
		timeout_ms = MIN(timeout_ms, mbox->retry_ms);
	watch_wait(mbox->watch_fd, mbox->stop_fd, timeout_ms);
	return true;
}

const SourceOps mbox_source_ops = {
	.scheme = "mbox",
	.open = open_source,
	.wait = wait_source,
	.next = next_batch,
	.ack = ack_batch,
	.close = close_source,
};

const SourceOps mboxrd_source_ops = {
	.scheme = "mboxrd",
	.open = open_source,
	.wait = wait_source,
	.next = next_batch,
	.ack = ack_batch,
	.close = close_source,
};
