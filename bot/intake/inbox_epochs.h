/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * inbox_epochs - which epochs a public-inbox v2 folder has, and what of each is still to be read.
 *
 * A look compares the tip of each epoch with its mark and lists the commits in between.  Private to
 * inbox_source.
 */

#include "bot/base/git.h"
#include "bot/intake/inbox_cursor.h"

/* What is still to be read of one epoch. */
typedef struct {
	InboxMark mark; /* as acknowledged                                              */
	char target[INBOX_ID_LEN + 1]; /* the mark's position when all are taken                */
	GArray *commits;               /* (element-type git_oid) oldest first                   */
	guint n_limited;               /* of them stand below the mark's limit                  */
	guint acked;                   /* so many are done for good                             */
	guint taken;                   /* so many are done with the batch handed out last       */
	int64_t held_us;               /* since when something of it cannot be read; 0          */
} InboxEpoch;

typedef struct {
	char *folder; /* DIR/git */
	int stop_fd;
	int64_t start_us;
	unsigned newest; /* epoch at first contact                              */
	bool has_cursor; /* false only at first contact                         */
	GPtrArray *all;  /* (element-type InboxEpoch), rising                   */
	char *anomaly;   /* (nullable) what was found odd since it was taken last; bounded */
	GError *fault;   /* of an epoch that could not be looked at last time; NULL */
} InboxEpochs;

/** inbox_epochs_init: @folder: DIR/git; inbox_epochs_clear() frees what it owns. */
void inbox_epochs_init(InboxEpochs *epochs, const char *folder, int64_t start_us, int stop_fd);
void inbox_epochs_clear(InboxEpochs *epochs);

/** inbox_epochs_take_cursor: @error: as inbox_cursor_parse() */
bool inbox_epochs_take_cursor(InboxEpochs *epochs, const char *text,
			      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** inbox_epochs_cursor: (transfer full): behind what is taken */
char *inbox_epochs_cursor(const InboxEpochs *epochs);

/** inbox_epochs_path: (transfer full) */
char *inbox_epochs_path(const InboxEpochs *epochs, unsigned number);

/** inbox_epochs_list: (transfer full) (element-type unsigned): those in the folder, rising */
GArray *inbox_epochs_list(const InboxEpochs *epochs, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * inbox_epochs_look: compares the folder with the marks; what is new stands in the lists then.
 *
 * One epoch's fault is no error but at first contact: it is left in `fault`.
 */
bool inbox_epochs_look(InboxEpochs *epochs, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** inbox_epochs_left: commits listed and not taken. */
int64_t inbox_epochs_left(const InboxEpochs *epochs);

/**
 * inbox_epoch_hold: the next commit, or its mail, cannot be read now.
 * @out_is_new: there was no trouble before
 *
 * Returns: true when there has been trouble for long enough to give up what has it: the first hour
 *   of a day
 */
bool inbox_epoch_hold(InboxEpoch *epoch, bool *out_is_new);

/** inbox_epoch_mended: the next commit can be read: a trouble that was short is over. */
void inbox_epoch_mended(InboxEpoch *epoch);

/** inbox_epochs_rewind: what was taken and not acknowledged is to be read again. */
void inbox_epochs_rewind(InboxEpochs *epochs);

/** inbox_epochs_acknowledge: what was taken is done for good. */
void inbox_epochs_acknowledge(InboxEpochs *epochs);
