/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * facts_reproduce - what a reader pastes into a shell to do it again.  Private to this folder.
 */

#include "bot/report/facts.h"

#include <jansson.h>

/**
 * facts_reproduce_to_json: {"fetches", "commits", "is_made", "testcase", "environment", "job"}
 *
 * "fetches" holds what git fetch takes, "commits" for each commit
 * {"sha", "role", "tree", "on", "patches" [{"mail", "is_series", "revision"}]}; "is_made" is true
 * when one of them is made of mails.
 *
 * Every word that a stranger could have written is quoted for a shell; "environment" holds
 * "name=value" lines of the parameters that can be variables, "job" the lines of the job file.
 */
json_t *facts_reproduce_to_json(const ReportFacts *facts);
