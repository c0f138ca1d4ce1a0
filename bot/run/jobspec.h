/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * jobspec - what to run: an lkp-style YAML job file, testcase and parameters.
 *
 *	suite: wordcount
 *	testcase: wordcount
 *	category: benchmark
 *	nr_words: 400000
 *	mode: [hash, tree]        # a list multiplies into one atomic job a value
 *
 * Keys suite (default: the testcase), testcase (required), category (default: "benchmark") are the
 * job's own; every other scalar is a parameter, handed to the workload as an environment variable
 *in the order of the file.  "." and "-" of a key become "_" there: no shell could read it
 *otherwise. Names that the sandbox sets itself (PATH, OUT, LD_*, ...) are refused.
 */

#include <glib.h>
#include <stdbool.h>

typedef struct {
	char *key;
	char *value;
} JobParam;

typedef struct {
	char *suite;
	char *testcase;
	char *category;
	GPtrArray *params; /* (element-type JobParam) file order */
} JobSpec;

/**
 * jobspec_parse:
 * @what: named in errors
 * @error: CONFIG with line and reason; names outside [A-Za-z_][A-Za-z0-9_.-]*, values with control
 *   bytes, more than 64 parameters, 256 combinations, anchors or nesting are refused
 *
 * Returns: (transfer full) (element-type JobSpec): the atomic jobs
 */
GPtrArray *jobspec_parse(const char *yaml, gsize len, const char *what,
			 GError **error) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *jobspec_load(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void jobspec_free(JobSpec *spec);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(JobSpec, jobspec_free)

/** jobspec_env_name: the environment variable of parameter @key. */
char *jobspec_env_name(const char *key);

/** jobspec_to_yaml: one atomic job as it can be mailed and run again; jobspec_parse reads it back.
 */
char *jobspec_to_yaml(const JobSpec *spec);

/** jobspec_path_params: lkp's result-path form, values sorted by key, joined by "-"; "defaults". */
char *jobspec_path_params(const JobSpec *spec);
