/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * reportfacts - the facts of a judged job's mail, gathered from store, repository and machine.
 */

#include "bot/report/facts.h"
#include "bot/stage/judge.h"
#include "bot/stage/stage.h"

/**
 * reportfacts_gather:
 * @families: (element-type Measured)
 * @purpose: OutgoingMail.purpose, from which the Message-ID is made
 */
ReportFacts *reportfacts_gather(StageContext *context, const Job *job, const Workload *workload,
				const GPtrArray *families, const Judgement *judgement,
				const char *purpose, GError **error) G_GNUC_WARN_UNUSED_RESULT;
