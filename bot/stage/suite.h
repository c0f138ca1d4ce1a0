/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * suite - job files and workloads by name, from the operator's folders first, then the installed
 * ones.
 */

#include "bot/run/jobspec.h"
#include "bot/run/workload.h"
#include "config/config.h"

/**
 * suite_load:
 * @name: "wordcount": file NAME.yaml
 * @error: CONFIG: not found (the folders are named), or as jobspec_load()
 *
 * Returns: (transfer full) (element-type JobSpec)
 */
GPtrArray *suite_load(const Config *config, const char *name,
		      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** suite_workload: the workload of @testcase; CONFIG when there is none. */
Workload *suite_workload(const Config *config, const char *testcase,
			 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** suite_is_shipped: it is one of those that come with lorebot, not one of the operator's own. */
bool suite_is_shipped(const Workload *workload);

/**
 * suite_check_all: every suite that a list names can be loaded, and so can its workloads.
 * @error: CONFIG naming list, suite and reason
 */
bool suite_check_all(const Config *config, GError **error) G_GNUC_WARN_UNUSED_RESULT;
