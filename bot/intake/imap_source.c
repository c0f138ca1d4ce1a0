/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * imap_source - a mailbox as a Source: which UIDs come next, and how far the cursor may move.
 *
 * Reading goes up by UID in windows: list a window, leave out what is known, too old or too large,
 * fetch the rest, move the cursor.  Where mails are small a window is listed and fetched at once,
 * and the next one is asked for before a batch is handed out (imap_window.h).  An error drops the
 * connection and the batch; the next call connects again and goes on from the last acknowledged
 * cursor.
 *
 * CONDSTORE and QRESYNC (RFC 7162) are not used, though many servers offer them: they tell of
 * changed flags and of mails that went, and neither matters to who only reads what is added.  What
 * a new connection must know, UIDVALIDITY and UIDNEXT, any EXAMINE tells: with Dovecot and 10 000
 * mails it took 5.3 ms and 341 bytes, EXAMINE with QRESYNC 4.4 ms and as many bytes, STATUS with
 * HIGHESTMODSEQ 5.1 ms (medians of 40, on a machine whose noise is larger than that).
 *
 * A public-inbox server cuts a list into mailboxes NEWSGROUP.0, .1, ... of 50 000 UIDs each; UIDs,
 * UIDVALIDITY and UIDNEXT are those of the list, so one cursor fits all.  A mailbox "NEWSGROUP.*"
 * is the whole list: its slices are read in order, and the newest is the one that is waited at.
 */

#include "bot/intake/source_private.h"

#include "bot/base/clock.h"
#include "bot/base/error.h"
#include "bot/intake/imap_cursor.h"
#include "bot/intake/imap_fetch.h"
#include "bot/intake/imap_session.h"
#include "bot/intake/imap_window.h"
#include "bot/intake/imap_withheld.h"
#include "config/keys.h"
#include "mailparse/limits.h"

#include <string.h>

/* Of public-inbox since it serves IMAP; clients that keep UIDs rely on it. */
#define SLICE_UIDS 50000u

/* Between tries of what the server withholds. */
#define RETRY_US (INT64_C(60) * CLOCK_US_PER_S)

/* Of the largest mail of a window, for the next one to be listed and fetched at once. */
#define SMALL_MAX_BYTES (64 * 1024)
/* UIDs for each mail; in a sparser mailbox a window is listed first. */
#define DENSE_MOST 4u
/* Of what is read ahead while a batch is stored. */
#define AHEAD_MAX_BYTES ((size_t)8 * 1024 * 1024)

#define WINDOW_LEAST 100u
#define WINDOW_MOST (64u * 1024)

typedef struct {
	Source base;
	char *name;
	char *server;  /* the url without the mailbox */
	char *mailbox; /* as on the wire, quoted */
	char *sliced;  /* "NEWSGROUP." when all slices of it are read; NULL */
	char *user;
	char *password;
	char *mechanism;
	char *ca_file;
	bool clear_text;
	int64_t start_us;
	bool (*is_known)(const char *locator, void *payload);
	void *payload;
	int stop_fd;

	ImapSession *session; /* NULL: not connected */
	ImapMailbox box;      /* as EXAMINE said last; zero before */
	uint32_t slice;       /* the one `box` tells of */
	bool has_cursor;      /* false only at first contact */
	ImapCursor acked;
	ImapCursor cursor;    /* behind the batch handed out last */
	uint32_t last_seq;    /* place in the mailbox of the last mail before `cursor` */
	int64_t retry_due_us; /* monotonic: when what is withheld is asked for again */
	bool in_wanted;       /* the mails read last were wanted, so the next ones may be, too */
	bool has_small;       /* the mails read last are small: what follows is asked for at once */
	bool lists_first;     /* nothing is asked for at once: the server refused it            */
	ImapWindow *ahead;    /* asked for, not read: what follows the batch handed out; NULL   */
} ImapSource;

static void close_source(Source *source)
{
	ImapSource *imap = (ImapSource *)source;

	imap_window_free(imap->ahead);
	imap_session_free(imap->session);
	g_free(imap->name);
	g_free(imap->server);
	g_free(imap->mailbox);
	g_free(imap->sliced);
	g_free(imap->user);
	g_free(imap->password);
	g_free(imap->mechanism);
	g_free(imap->ca_file);
	g_free(imap);
}

/* "lists/großes" as "\"lists/gro&AN8-es\"" (RFC 3501 section 5.1.3). */
static char *quote_mailbox(const char *name)
{
	g_autofree char *wire = g_convert(name, -1, "UTF-7-IMAP", "UTF-8", NULL, NULL, NULL);
	g_autoptr(GString) quoted = g_string_new("\"");

	if (!wire)
		return NULL;
	for (const char *at = wire; *at; at++) {
		if (*at == '"' || *at == '\\')
			g_string_append_c(quoted, '\\');
		g_string_append_c(quoted, *at);
	}
	g_string_append_c(quoted, '"');
	return g_string_free(g_steal_pointer(&quoted), FALSE);
}

static char *quote_slice(const ImapSource *imap, uint32_t slice)
{
	g_autofree char *name = g_strdup_printf("%s%u", imap->sliced, slice);
	return quote_mailbox(name);
}

static bool take_url(ImapSource *imap, const char *url, GError **error)
{
	const char *host = strstr(url, "://");
	const char *slash = host ? strchr(host + 3, '/') : NULL;
	g_autofree char *name = source_mailbox(url);

	imap->server = slash ? g_strndup(url, (gsize)(slash - url)) : g_strdup(url);
	if (name && g_str_has_suffix(name, ".*"))
		imap->sliced = g_strndup(name, strlen(name) - 1);
	if (name)
		imap->mailbox = imap->sliced ? quote_slice(imap, 0) : quote_mailbox(name);
	if (imap->mailbox)
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG,
		    "source %s: the url must be imaps://HOST[:PORT]/MAILBOX", imap->name);
	return false;
}

/* Connects when there is no connection. */
static bool connect_source(ImapSource *imap, GError **error)
{
	LinkOptions options = {
		.url = imap->server,
		.user = imap->user,
		.password = imap->password,
		.mechanism = imap->mechanism,
		.ca_file = imap->ca_file,
		.clear_text = imap->clear_text,
	};

	if (!imap->session) {
		/* There is always a slice 0, also after the list was made anew. */
		imap->slice = 0;
		imap->session = imap_session_open(&options, imap->mailbox, imap->stop_fd,
						  &imap_times_default, error);
	}
	return imap->session != NULL;
}

static bool fail(ImapSource *imap, GError **error)
{
	g_clear_pointer(&imap->ahead, imap_window_free);
	g_clear_pointer(&imap->session, imap_session_free);
	g_prefix_error(error, "source %s: ", imap->name);
	return false;
}

/* Connects, and learns how far the mailbox reaches now. */
static bool look(ImapSource *imap, GError **error)
{
	if (!connect_source(imap, error))
		return false;
	if (!imap_session_has_news(imap->session))
		return true;
	if (imap_session_take_exists(imap->session, &imap->box))
		return imap_fetch_find_next(imap->session, &imap->box.uid_next, error);
	return imap_session_examine(imap->session, &imap->box, error);
}

static Source *open_source(const SourceOptions *options, GError **error)
{
	ImapSource *imap = g_new0(ImapSource, 1);

	imap->base.ops = g_ascii_strncasecmp(options->url, "imaps:", 6) == 0 ? &imaps_source_ops
									     : &imap_source_ops;
	imap->name = g_strdup(options->name);
	imap->user = g_strdup(options->user);
	imap->password = g_strdup(options->password);
	imap->mechanism = g_strdup(options->mechanism);
	imap->ca_file = g_strdup(options->ca_file);
	imap->clear_text = options->clear_text;
	imap->start_us = MAX(options->start_us, 0);
	imap->is_known = options->is_known;
	imap->payload = options->payload;
	/* Descriptor 0 is a field left out, not a wish to stop at the end of standard input. */
	imap->stop_fd = options->stop_fd > 0 ? options->stop_fd : -1;
	imap->has_cursor = options->cursor != NULL;
	if ((options->cursor && !imap_cursor_parse(options->cursor, &imap->acked, error)) ||
	    !take_url(imap, options->url, error) || !look(imap, error)) {
		fail(imap, error);
		close_source(&imap->base);
		return NULL;
	}
	imap->cursor = imap->acked;
	return &imap->base;
}

static bool enter_slice_of(ImapSource *imap, uint32_t uid, GError **error)
{
	uint32_t slice = (uid - 1) / SLICE_UIDS;

	if (!imap->sliced || slice == imap->slice)
		return true;
	g_autofree char *mailbox = quote_slice(imap, slice);
	imap_session_set_mailbox(imap->session, mailbox);
	imap->slice = slice;
	imap->last_seq = 0;
	return imap_session_examine(imap->session, &imap->box, error);
}

/* Goes to the slice where reading goes on; the next one may not be there before it has mail. */
static bool enter_slice(ImapSource *imap, GError **error)
{
	uint32_t last = MAX(imap->box.uid_next - 1, 1);

	return enter_slice_of(imap, MIN(imap->cursor.uid + 1, last), error);
}

/* The last UID that this mailbox can have now. */
static uint32_t mailbox_end(const ImapSource *imap)
{
	uint64_t end = ((uint64_t)imap->slice + 1) * SLICE_UIDS;
	return imap->sliced ? (uint32_t)MIN(end, imap->box.uid_next - 1) : imap->box.uid_next - 1;
}

static bool has_more(const ImapSource *imap)
{
	return imap->cursor.uid < imap->box.uid_next - 1;
}

/* The batch handed out last is not acknowledged, or there was none yet. */
static bool is_unsettled(const ImapSource *imap)
{
	return !imap->has_cursor || !imap_cursor_equal(&imap->cursor, &imap->acked);
}

static bool wait_source(Source *source, int timeout_ms, GError **error)
{
	ImapSource *imap = (ImapSource *)source;

	if (!imap->session)
		return connect_source(imap, error) || fail(imap, error);
	if (has_more(imap) || is_unsettled(imap))
		return true;
	return imap_session_wait(imap->session, timeout_ms, error) || fail(imap, error);
}

/* Begins anew: mails that are there now count from start_us, all later ones count. */
static void restart_cursor(ImapSource *imap, int64_t start_us)
{
	imap->in_wanted = false;
	imap->cursor = (ImapCursor){
		.uid_validity = imap->box.uid_validity,
		.start_us = start_us,
		.horizon = imap->box.uid_next,
	};
}

/* First contact, or a mailbox that is not the one the cursor was made for. */
static void check_cursor(ImapSource *imap, char **out_anomaly)
{
	const ImapCursor *cursor = &imap->cursor;
	g_autofree char *since = clock_format_iso(cursor->start_us);

	if (!imap->has_cursor) {
		restart_cursor(imap, imap->start_us);
	} else if (cursor->uid_validity != imap->box.uid_validity) {
		*out_anomaly = g_strdup_printf("UIDVALIDITY changed from %u to %u: mailbox scanned "
					       "again for mail since %s",
					       cursor->uid_validity, imap->box.uid_validity, since);
		restart_cursor(imap, cursor->start_us);
	} else if (cursor->uid > imap->box.uid_next - 1) {
		*out_anomaly = g_strdup_printf("UIDNEXT went back to %u though UID %u was seen: "
					       "mailbox scanned again for mail since %s",
					       imap->box.uid_next, cursor->uid, since);
		restart_cursor(imap, cursor->start_us);
	}
}

static char *locator_of(const ImapSource *imap, uint32_t uid)
{
	return g_strdup_printf("%u/%u", imap->box.uid_validity, uid);
}

static bool is_wanted(const ImapSource *imap, const ImapMail *mail)
{
	g_autofree char *locator = locator_of(imap, mail->uid);

	if (mail->uid < imap->cursor.horizon && mail->arrived_us < imap->cursor.start_us)
		return false;
	return !imap->is_known || !imap->is_known(locator, imap->payload);
}

/* Decides about each listed mail; the list is cut where the batch is full. */
static void plan_window(ImapSource *imap, GArray *mails, size_t max_mails)
{
	size_t n_wanted = 0;
	int64_t bytes = 0;

	for (guint i = 0; i < mails->len; i++) {
		ImapMail *mail = &g_array_index(mails, ImapMail, i);
		if (!is_wanted(imap, mail)) {
			mail->state = IMAP_MAIL_SKIPPED;
			continue;
		}
		bool too_large = mail->size_bytes > MAIL_MAX_BYTES;
		if (!too_large)
			bytes += mail->size_bytes;
		if (n_wanted == max_mails || bytes > (int64_t)SOURCE_BATCH_MAX_BYTES) {
			imap->cursor.uid = mail->uid - 1;
			g_array_set_size(mails, i);
			return;
		}
		if (too_large)
			imap_mail_refuse_size(mail, mail->size_bytes);
		n_wanted++;
	}
}

static void add_mail(ImapSource *imap, ImapMail *mail, SourceBatch *batch)
{
	SourceMail *out = g_new0(SourceMail, 1);

	out->locator = locator_of(imap, mail->uid);
	out->bytes = g_steal_pointer(&mail->bytes);
	out->refused = g_steal_pointer(&mail->refused);
	out->arrived_us = mail->arrived_us;
	out->size_bytes = mail->size_bytes;
	g_ptr_array_add(batch->mails, out);
}

static bool keep_withheld(ImapSource *imap, const ImapMail *mail, SourceBatch *batch)
{
	if (!imap_withheld_keep(&imap->cursor, mail->uid))
		return false;
	imap->retry_due_us = g_get_monotonic_time() + RETRY_US;
	source_note(&batch->anomaly, "UID %u: %s; it is asked for again for an hour", mail->uid,
		    mail->refused);
	return true;
}

/*
 * Moves what was fetched into the batch; what was deferred holds the cursor back, and so does what
 * is withheld beyond measure.
 */
static bool collect_window(ImapSource *imap, GArray *mails, SourceBatch *batch, GError **error)
{
	for (guint i = 0; i < mails->len; i++) {
		ImapMail *mail = &g_array_index(mails, ImapMail, i);
		bool stays = mail->state == IMAP_MAIL_WITHHELD && !keep_withheld(imap, mail, batch);

		if (stays || mail->state == IMAP_MAIL_DEFERRED)
			imap->cursor.uid = mail->uid - 1;
		if (stays && batch->mails->len == 0) {
			g_set_error(error, BOT_ERROR, BOT_ERROR_TRANSIENT,
				    "the server withholds UID %u and %u mails before it: %s",
				    mail->uid, IMAP_WITHHELD_MOST, mail->refused);
			return false;
		}
		if (stays || mail->state == IMAP_MAIL_DEFERRED)
			return true;
		if (mail->state == IMAP_MAIL_TAKEN || mail->state == IMAP_MAIL_REFUSED)
			add_mail(imap, mail, batch);
		imap->last_seq = mail->seq;
	}
	return true;
}

/* What came meanwhile of what the server withheld, or is given up. */
static bool retry_withheld(ImapSource *imap, size_t max_mails, SourceBatch *batch, GError **error)
{
	g_autoptr(GArray) mails = NULL;

	if (imap->cursor.n_withheld == 0 || g_get_monotonic_time() < imap->retry_due_us)
		return true;
	if (!enter_slice_of(imap, imap->cursor.withheld[0].uid, error) ||
	    !imap_withheld_retry(&imap->cursor, imap->session, imap->slice * SLICE_UIDS + 1,
				 mailbox_end(imap), max_mails, SOURCE_BATCH_MAX_BYTES, &mails,
				 error))
		return false;
	for (guint i = 0; i < mails->len; i++) {
		ImapMail *mail = &g_array_index(mails, ImapMail, i);
		if (mail->state == IMAP_MAIL_TAKEN || mail->state == IMAP_MAIL_REFUSED)
			add_mail(imap, mail, batch);
	}
	imap->retry_due_us = g_get_monotonic_time() + RETRY_US;
	return true;
}

/* How many UIDs there are for each mail of the mailbox, at least 1. */
static uint64_t sparseness(const ImapSource *imap)
{
	uint64_t uids = (uint64_t)mailbox_end(imap) - (uint64_t)imap->slice * SLICE_UIDS;

	return MAX(uids / MAX(imap->box.exists, 1), 1);
}

static bool reads_at_once(const ImapSource *imap)
{
	return imap->has_small && imap->last_seq > 0 && sparseness(imap) <= DENSE_MOST;
}

/*
 * How many UIDs to list for @max_mails mails, by how sparse the mailbox is.  To list one too many
 * costs little, to fetch it as well does not.
 */
static uint32_t window_span(const ImapSource *imap, size_t max_mails)
{
	uint64_t per_mail = sparseness(imap);

	if (reads_at_once(imap))
		return (uint32_t)(per_mail * max_mails);
	return (uint32_t)CLAMP((per_mail + 1) * max_mails, WINDOW_LEAST, WINDOW_MOST);
}

/* Sets the cursor before the first UID that may be wanted, or at the end of the mailbox. */
static bool skip_unwanted(ImapSource *imap, GError **error)
{
	ImapCursor *cursor = &imap->cursor;
	uint32_t end = MIN(cursor->horizon, mailbox_end(imap) + 1);
	uint32_t first = 0;

	if (cursor->uid + 1 < end && !imap->in_wanted) {
		if (!imap_fetch_find_first(imap->session, cursor->uid + 1, end - 1,
					   cursor->start_us, &first, error))
			return false;
		cursor->uid = first ? first - 1 : end - 1;
	}
	return true;
}

/* Places in a mailbox have no gaps: a mail that the server left out without a word shows by them.
 */
static bool are_all(const ImapSource *imap, const GArray *mails)
{
	uint32_t seq = imap->last_seq;

	for (guint i = 0; i < mails->len; i++) {
		if (g_array_index(mails, ImapMail, i).seq != ++seq)
			return false;
	}
	return mails->len > 0;
}

/*
 * @io_last: becomes the UID of the last mail that came: one left out behind it is then missed at
 *   the beginning of the next window
 * @out_mails: NULL when they are to be listed first
 */
static bool read_at_once(ImapSource *imap, uint32_t first, uint32_t *io_last, GArray **out_mails,
			 GError **error)
{
	g_autoptr(ImapWindow) window = g_steal_pointer(&imap->ahead);
	g_autoptr(GArray) mails = NULL;
	bool is_whole = true;

	*out_mails = NULL;
	if (!window)
		window = imap_window_ask(imap->session, first, *io_last, SOURCE_BATCH_MAX_BYTES);
	mails = imap_window_read(window, &is_whole, error);
	if (!mails)
		return false;
	imap->lists_first |= !is_whole;
	if (!is_whole || !are_all(imap, mails))
		return true;
	*io_last = g_array_index(mails, ImapMail, mails->len - 1).uid;
	*out_mails = g_steal_pointer(&mails);
	return true;
}

static GArray *list_window(ImapSource *imap, uint32_t first, uint32_t *io_last, GError **error)
{
	GArray *mails = NULL;

	if ((imap->ahead || reads_at_once(imap)) &&
	    !read_at_once(imap, first, io_last, &mails, error))
		return NULL;
	return mails ? mails : imap_fetch_list(imap->session, first, *io_last, error);
}

static bool are_small(const GArray *mails)
{
	for (guint i = 0; i < mails->len; i++) {
		if (g_array_index(mails, ImapMail, i).size_bytes > SMALL_MAX_BYTES)
			return false;
	}
	return mails->len > 0;
}

static bool read_window(ImapSource *imap, size_t max_mails, SourceBatch *batch, GError **error)
{
	uint32_t first = imap->cursor.uid + 1;
	uint32_t end = mailbox_end(imap);
	uint32_t last = imap->ahead ? imap_window_last(imap->ahead)
				    : MIN(end - first, window_span(imap, max_mails) - 1) + first;
	g_autoptr(GArray) mails = list_window(imap, first, &last, error);

	if (!mails)
		return false;
	imap->cursor.uid = last;
	if (mails->len == 0 && last < end) {
		uint32_t next = 0;
		if (!imap_fetch_find_first(imap->session, last + 1, end, 0, &next, error))
			return false;
		imap->cursor.uid = next ? next - 1 : end;
		return true;
	}
	imap->has_small = !imap->lists_first && are_small(mails);
	plan_window(imap, mails, max_mails);
	if (!imap_fetch_bodies(imap->session, mails, SOURCE_BATCH_MAX_BYTES, error) ||
	    !collect_window(imap, mails, batch, error))
		return false;
	imap->in_wanted = batch->mails->len > 0;
	return true;
}

/* While the batch is stored the server works at what follows it. */
static void ask_ahead(ImapSource *imap, size_t max_mails, const SourceBatch *batch)
{
	uint32_t first = imap->cursor.uid + 1;
	uint32_t end = mailbox_end(imap);

	if (!reads_at_once(imap) || batch->mails->len < max_mails / 2 || first > end ||
	    !imap->in_wanted || imap->cursor.n_withheld > 0)
		return;
	uint32_t last = MIN(end - first, window_span(imap, max_mails) - 1) + first;
	imap->ahead = imap_window_ask(imap->session, first, last, AHEAD_MAX_BYTES);
}

/* The last batch was not acknowledged: what follows it is of no use. */
static bool drop_ahead(ImapSource *imap, GError **error)
{
	g_autoptr(ImapWindow) window = g_steal_pointer(&imap->ahead);
	bool is_whole;
	g_autoptr(GArray) mails = imap_window_read(window, &is_whole, error);

	return mails != NULL;
}

static bool fill_batch(ImapSource *imap, size_t max_mails, SourceBatch *batch, GError **error)
{
	while (has_more(imap) && batch->mails->len == 0) {
		uint32_t before = imap->cursor.uid;
		if (!enter_slice(imap, error) || !skip_unwanted(imap, error))
			return false;
		if (imap->cursor.uid < mailbox_end(imap) &&
		    !read_window(imap, max_mails, batch, error))
			return false;
		if (imap->cursor.uid != before)
			continue;
		/*
		 * No way made: the sizes listed were too low and later mails came first.  A mail
		 * alone has room, unless the server sends more beside it than was asked for.
		 */
		if (max_mails == 1) {
			g_set_error(error, BOT_ERROR, BOT_ERROR_PEER,
				    "the server hides UID %u among bytes that nobody asked for",
				    before + 1);
			return false;
		}
		max_mails = 1;
	}
	return true;
}

/* Learns what the mailbox is like now, unless it was asked for what follows before. */
static bool prepare(ImapSource *imap, size_t max_mails, SourceBatch *batch, GError **error)
{
	if (!imap_cursor_equal(&imap->cursor, &imap->acked))
		imap->last_seq = 0; /* that of what was not acknowledged */
	imap->cursor = imap->acked;
	if (imap->ahead && imap_window_first(imap->ahead) == imap->cursor.uid + 1)
		return true;
	if ((imap->ahead && !drop_ahead(imap, error)) || !look(imap, error))
		return false;
	check_cursor(imap, &batch->anomaly);
	return retry_withheld(imap, max_mails, batch, error);
}

static bool next_batch(Source *source, size_t max_mails, SourceBatch *out_batch, GError **error)
{
	ImapSource *imap = (ImapSource *)source;

	if (!prepare(imap, max_mails, out_batch, error) ||
	    !fill_batch(imap, max_mails, out_batch, error) || !enter_slice(imap, error))
		return fail(imap, error);
	ask_ahead(imap, max_mails, out_batch);

	if (is_unsettled(imap))
		out_batch->cursor = imap_cursor_format(&imap->cursor);
	out_batch->behind = 0;
	if (has_more(imap) && imap->sliced)
		out_batch->behind = (int64_t)imap->box.uid_next - 1 - imap->cursor.uid;
	else if (has_more(imap))
		out_batch->behind = MAX((int64_t)imap->box.exists - imap->last_seq, 0);
	return true;
}

static bool ack_batch(Source *source, GError **error)
{
	ImapSource *imap = (ImapSource *)source;

	(void)error;
	imap->acked = imap->cursor;
	imap->has_cursor = true;
	return true;
}

const SourceOps imap_source_ops = {
	.scheme = "imap",
	.open = open_source,
	.wait = wait_source,
	.next = next_batch,
	.ack = ack_batch,
	.close = close_source,
};

const SourceOps imaps_source_ops = {
	.scheme = "imaps",
	.open = open_source,
	.wait = wait_source,
	.next = next_batch,
	.ack = ack_batch,
	.close = close_source,
};
