/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * resultfile - what a run measured: "key: value" lines from the sandbox, stats.json on disk.
 *
 * Both are hostile input: at most 1 MiB, 20,000 keys, keys of [A-Za-z0-9_.:%/()+#-] up to 256 bytes,
 * finite numbers only.  Keys get the testcase in front: "ops_per_sec" is "wordcount.ops_per_sec".
 */

#include <glib.h>
#include <stdbool.h>

typedef struct {
	char *key;
	double value;
} ResultValue;

/**
 * resultfile_parse_lines:
 * @error: PEER naming line and reason; several values of one key are averaged, as lkp does
 *
 * Returns: (transfer full) (element-type ResultValue): in first-seen order
 */
GPtrArray *resultfile_parse_lines(const char *text, gsize len, const char *testcase, GError **error)
	G_GNUC_WARN_UNUSED_RESULT;

/** resultfile_write: as lkp's stats.json, one number a line, durable. */
bool resultfile_write(const char *path, const GPtrArray *values, GError **error)
	G_GNUC_WARN_UNUSED_RESULT;

/** resultfile_read: stats.json back; @error as above, NOT_FOUND when absent. */
GPtrArray *resultfile_read(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

void result_value_free(ResultValue *value);
