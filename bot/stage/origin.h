/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * origin - what makes a job this job: two postings or requests with one origin are one piece of
 * work.
 */

#include "bot/stage/stage.h"
#include "bot/store/series.h"
#include "mailparse/mail.h"

/**
 * origin_of_series: a posting is what it holds: the same patches sent once more, or asked for as
 * they stand, make no second job and no second mail.
 * @tree: what they are tested in
 *
 * Returns: (transfer full): NULL with @error when a mail of it cannot be read
 */
char *origin_of_series(StageContext *context, const StoredSeries *series, const char *tree,
		       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * origin_of_request: who asks for the same in the same thread, however often and in whatever words,
 * asks once.
 * @mail: with a request
 * @parent_job_row: job of the report that it answers; 0
 */
char *origin_of_request(const Mail *mail, int64_t parent_job_row);

/** origin_is_posted: a patch of its own or one of several, not one in an answer. */
bool origin_is_posted(const Mail *mail);

/**
 * origin_is_part: posted as one of several patches: its own diff is not the whole of what is to be
 * tested, and a command in it asks for the series.
 */
bool origin_is_part(const Mail *mail);
