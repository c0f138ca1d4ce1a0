/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * outcome - how a task ended, as outcome.json in its result folder.
 *
 * Read back as hostile input: on a cluster another machine writes it.  Private to bot/run.
 */

#include "bot/run/engine.h"

#define OUTCOME_FILE "outcome.json"

/** outcome_write: @path durable. */
bool outcome_write(const char *path, const TaskResult *result,
		   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** outcome_parse: as outcome_read() of the bytes of such a file; @what is named in errors. */
bool outcome_parse(const char *json, gsize len, const char *what, TaskResult *out_result,
		   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * outcome_read:
 * @out_result: set only on success; to be cleared
 * @error: NOT_FOUND, TRANSIENT, PEER (no JSON, a field missing, odd or too long)
 */
bool outcome_read(const char *path, TaskResult *out_result,
		  GError **error) G_GNUC_WARN_UNUSED_RESULT;
