/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * source_private - what the kinds of source share; private to this folder.
 */

#include "bot/intake/source.h"

#include <stddef.h>

/* Of the mails of a batch, as their source tells the sizes. */
#define SOURCE_BATCH_MAX_BYTES ((size_t)32 * 1024 * 1024)

/* Every kind has this as its first member. */
struct Source {
	const SourceOps *ops;
};

extern const SourceOps imap_source_ops;
extern const SourceOps imaps_source_ops;
extern const SourceOps inbox_source_ops;
extern const SourceOps maildir_source_ops;
extern const SourceOps mbox_source_ops;
extern const SourceOps mboxrd_source_ops;

/** source_batch_init: an empty batch; what was in it is not looked at. */
void source_batch_init(SourceBatch *batch);

/** source_refusal_of_size: (transfer full): for more than MAIL_MAX_BYTES, SourceMail.refused. */
char *source_refusal_of_size(int64_t size_bytes);

/** source_mail_refuse_size: by its size_bytes; its bytes must not be there. */
void source_mail_refuse_size(SourceMail *mail);

/** source_cursor_number: of a field "NAME=NUMBER" of a cursor; @field may be NULL. */
bool source_cursor_number(const char *field, const char *name, int64_t max, int64_t *out_number);

/** source_note: adds to what was found odd, until it is long. */
void source_note(char **io_anomaly, const char *format, ...) G_GNUC_PRINTF(2, 3);
