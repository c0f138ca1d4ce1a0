/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * provenance - where a reader of a mail gets each commit that was measured.
 *
 * A branch that is published holds all that the robot made.  Without one a commit of the robot is
 * no use to a reader: the mails it was made of and the tree it must give are.  What an asker's own
 * repository holds is fetched from there, the base from its tree.
 */

#include "bot/report/facts.h"
#include "bot/stage/stage.h"
#include "bot/store/jobs.h"

/**
 * provenance_fill: sets facts->fetches, facts->branch_url, facts->target and the patches of
 * facts->commits, which are there already.
 */
bool provenance_fill(StageContext *context, const Job *job, ReportFacts *facts,
		     GError **error) G_GNUC_WARN_UNUSED_RESULT;
