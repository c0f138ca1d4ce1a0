/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * assemble - patch mails become series.
 *
 * Pure, and the same result for any order of arrival: the rules look at content and threading,
 * never at which mail came first.  A series is one poster, one revision, one total (which may grow:
 * "6/5"), in one thread or, unthreaded, close in time with numbers that do not clash.  A version in
 * reply to an older one is another series.  Resends replace only what was missing.
 */

#include "bot/model/series.h"

/**
 * series_assemble:
 * @mails: (element-type PatchMail): covers and patches; all others only tie a thread together
 *
 * Returns: (transfer full) (element-type Series): by first date; they point into @mails
 */
GPtrArray *series_assemble(const GPtrArray *mails);

/** series_is_complete: 1..total all there. */
bool series_is_complete(const Series *series);
