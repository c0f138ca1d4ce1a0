/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * meant - which posted series a request asks for.
 *
 * Its own, when it stands in a part of one; else those its links name; else the nearest above it in
 * the thread.  Where the series was seen does not matter, an observed source will do: what may be
 * done is a question of the request and its list.
 */

#include "bot/stage/stage.h"
#include "bot/store/series.h"
#include "mailparse/mail.h"

/** meant_series: (transfer full) (nullable): @mail: with a request. */
StoredSeries *meant_series(StageContext *context, const Mail *mail);

/** meant_is_whole: every patch of it is there. */
bool meant_is_whole(const StoredSeries *series);

/**
 * meant_ids:
 *
 * Returns: (transfer container) (element-type utf8): NULL-terminated: the mails that meant_series()
 *   looks at, which it could not find or whose series was not whole; they live as long as the array
 */
GPtrArray *meant_ids(const Mail *mail);
