/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * source - a place mail comes from, behind one contract: wait, next, ack, close.
 *
 * A source is read-only at the server: nothing is moved, flagged or deleted.  `next` hands out a
 * batch and the cursor that stands behind it; the caller stores both in one transaction and then
 * calls `ack`.  A source that dies in between hands out the same mails again, and the store's
 * unique keys make that harmless.
 */

#include "config/config.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
	char *locator; /* unique in its source for ever: "UIDVALIDITY/UID", Maildir base name, hash
			*/
	GBytes *bytes; /* the mail as the source holds it; NULL when refused is set */
	char *refused; /* why the bytes were not taken ("29 MB, more than 16 MB"); else NULL */
	int64_t arrived_us; /* INTERNALDATE, file time, separator line; never later than now */
	int64_t size_bytes; /* as the source says */
} SourceMail;

void source_mail_free(SourceMail *mail);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SourceMail, source_mail_free)

typedef struct {
	GPtrArray *mails; /* (element-type SourceMail) */
	char *cursor;     /* opaque text, to be stored with the batch; NULL: unchanged     */
	char *anomaly; /* (nullable) "UIDVALIDITY changed from 3 to 4: mailbox scanned again" etc.;
			*/
	/* becomes an event                                                           */
	int64_t behind; /* mails still waiting at the source after this batch; -1 unknown */
} SourceBatch;

void source_batch_clear(SourceBatch *batch);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SourceBatch, source_batch_clear)

typedef struct {
	const char *name; /* of the section, for messages */
	const char *url;  /* imap://HOST[:PORT]/MAILBOX, imaps://..., maildir:DIR, mbox:FILE,
			     mboxrd:FILE */
	const char *user;
	const char *password;
	const char *mechanism;
	const char *ca_file;
	bool clear_text;
	const char *fetch_url; /* (nullable): public-inbox: where its epochs are fetched from */
	int64_t fetch_every_us;
	int64_t fetch_timeout_ms; /* of each epoch */
	uint64_t fetch_max_bytes; /* of each epoch */
	const char *cursor;       /* NULL on first contact */
	int64_t start_us; /* on first contact: mails that arrived before it are not handed out   */
	bool (*is_known)(const char *locator, void *payload); /* (nullable) already stored: skip */
	void *payload;
	int stop_fd; /* readable: give up waiting                                             */
} SourceOptions;

/** source_options_of: what the configuration says; the rest is unset, stop_fd -1. */
SourceOptions source_options_of(const SourceSection *section, const FetchSection *fetch,
				const char *password);

/**
 * source_key_of: what cursor and locators are of: the url, and whose mailbox it is.
 *
 * The same by imap and by imaps, and with the port that is usual for either written or not.
 */
char *source_key_of(const SourceSection *section);

typedef struct Source Source;

typedef struct {
	const char *scheme; /* "imap", "maildir", ... */
	Source *(*open)(const SourceOptions *options, GError **error);
	bool (*wait)(Source *source, int timeout_ms, GError **error);
	bool (*next)(Source *source, size_t max_mails, SourceBatch *out_batch, GError **error);
	bool (*ack)(Source *source, GError **error);
	void (*close)(Source *source);
} SourceOps;

/**
 * source_open:
 * @options: strings are copied
 * @error: CONFIG (unknown scheme, no such folder), else as link_open()
 */
Source *source_open(const SourceOptions *options, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * source_wait:
 * @timeout_ms: at most so long
 *
 * Returns when there may be new mail, the time is up or stop_fd spoke: the caller then calls
 * source_next() in any case.
 */
bool source_wait(Source *source, int timeout_ms, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * source_next:
 * @max_mails: 1..500
 *
 * An empty batch means nothing is left.  At most 32 MiB of mail are held in a batch (a single
 * larger one is refused, see SourceMail.refused).
 */
bool source_next(Source *source, size_t max_mails, SourceBatch *out_batch,
		 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** source_ack: the last batch is stored for good. */
bool source_ack(Source *source, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void source_close(Source *source);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Source, source_close)
