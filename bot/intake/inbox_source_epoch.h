/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * inbox_source_epoch - one epoch of a public-inbox v2 folder: its tip, its commits, their mails.
 *
 * An epoch is a bare repository in which each commit's tree holds one file: `m`, a mail, or `d`,
 * the deletion of one (public-inbox-v2-format(5)).  Nothing of it is trusted: a tree may hold
 * anything, a history may fork, a time may be any.  Private to inbox_source.
 */

#include "bot/base/git.h"
#include "bot/intake/inbox_cursor.h"
#include "bot/intake/source.h"

/** inbox_epoch_open: @error: PERMANENT etc., naming @path */
git_repository *inbox_epoch_open(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * inbox_epoch_tip:
 * @out_tip: "" when nothing is committed yet
 * @error: CONFIG for a repository of public-inbox's first format
 */
bool inbox_epoch_tip(const char *path, char out_tip[INBOX_ID_LEN + 1],
		     GError **error) G_GNUC_WARN_UNUSED_RESULT;

typedef struct {
	GArray *commits;   /* (element-type git_oid) oldest first; owned by the caller            */
	guint n_limited;   /* so many of them stand at or below the mark's limit                  */
	bool is_rewritten; /* mark and tip do not belong to one history: nothing is listed        */
} InboxRange;

/**
 * inbox_epoch_list:
 * @mark: where to begin, and the limit below which a commit must be of @start_us or later
 * @stop_fd: readable: TRANSIENT
 *
 * The times of commits jump, since they are those of Received headers, and old mail is imported
 * late: so a first look goes back to the root.
 * Memory: 20 bytes a commit; more where a history forks.
 */
bool inbox_epoch_list(const char *path, const char *tip, const InboxMark *mark, int64_t start_us,
		      int stop_fd, InboxRange *out_range, GError **error) G_GNUC_WARN_UNUSED_RESULT;

typedef struct {
	git_oid blob;
	size_t size_bytes;
	int64_t arrived_us;
	char *broken; /* owned: why commit, tree or blob cannot be had; NULL */
} InboxMail;

/**
 * inbox_commit_look:
 * @out_mail: to be cleared with inbox_mail_clear()
 * @out_has_mail: false when there is none, as with a deletion, or none is known of yet
 * @out_odd: (transfer full): why there is none where one should be; NULL
 * @error: what is wrong with this machine for now; not what is wrong with the objects
 *
 * Reads no mail, only how large it is.
 */
bool inbox_commit_look(git_repository *repo, const git_oid *commit, InboxMail *out_mail,
		       bool *out_has_mail, char **out_odd,
		       GError **error) G_GNUC_WARN_UNUSED_RESULT;

void inbox_mail_clear(InboxMail *mail);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(InboxMail, inbox_mail_clear)

/**
 * inbox_mail_take:
 * @out_mail: (transfer full): refused when it is too large or empty; NULL when @mail is `broken`
 * @error: as inbox_commit_look()
 */
bool inbox_mail_take(git_repository *repo, InboxMail *mail, SourceMail **out_mail,
		     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** inbox_mail_refuse: (transfer full): a mail that is given up, for the reason that it is broken */
SourceMail *inbox_mail_refuse(const InboxMail *mail);
