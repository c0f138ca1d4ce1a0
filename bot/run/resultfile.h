/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * resultfile - what a run measured: "key: value" lines from the sandbox, stats.json on disk.
 *
 * Both are hostile input: at most 1 MiB, 20,000 keys, keys of [A-Za-z0-9_.:%/()+#-] up to 256 bytes
 * (the testcase's part not counted), finite numbers only.  Keys get the testcase in front:
 * "ops_per_sec" is "wordcount.ops_per_sec".  What GNU time and a kernel log give keeps its lkp
 * name: a key that begins with "time." or "dmesg." gets nothing in front.
 */

#include <glib.h>
#include <stdbool.h>

#define RESULTFILE_MAX_BYTES (1024 * 1024)

typedef struct {
	char *key;
	double value;
} ResultValue;

/**
 * resultfile_parse_lines:
 * @text: one "key: value" a line; empty lines and those that begin with "#" are skipped
 * @error: PEER naming line and reason; several values of one key are averaged, as lkp does
 *
 * Returns: (transfer full) (element-type ResultValue): in first-seen order
 */
GPtrArray *resultfile_parse_lines(const char *text, gsize len, const char *testcase,
				  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** resultfile_write: as lkp's stats.json, one number a line, durable. */
bool resultfile_write(const char *path, const GPtrArray *values,
		      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** resultfile_parse_json: the bytes of a stats.json; @what and @error as above. */
GPtrArray *resultfile_parse_json(const char *json, gsize len, const char *what,
				 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** resultfile_read: stats.json back; @error as above, NOT_FOUND when absent. */
GPtrArray *resultfile_read(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

void result_value_free(ResultValue *value);

/** resultfile_find: the value of @key (with the testcase's part), NULL when there is none. */
const ResultValue *resultfile_find(const GPtrArray *values, const char *key);
