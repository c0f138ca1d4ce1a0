/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/suite.h"

#include "bot/base/error.h"
#include "bot/base/fs.h"

#include <string.h>

/* A name is one path part: it comes from the configuration, and from job files. */
static bool check_name(const char *what, const char *name, GError **error)
{
	if (*name != '\0' && *name != '.' && strchr(name, '/') == NULL)
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG, "%s name \"%s\" is no plain name", what,
		    name);
	return false;
}

static char *find_in(const char *const *dirs, const char *kind, const char *name, GError **error)
{
	for (; dirs != NULL && *dirs != NULL; dirs++) {
		g_autofree char *path = g_build_filename(*dirs, name, NULL);
		if (g_file_test(path, G_FILE_TEST_EXISTS))
			return g_steal_pointer(&path);
	}
	g_autofree char *shared = fs_share_path(kind, name);
	if (g_file_test(shared, G_FILE_TEST_EXISTS))
		return g_steal_pointer(&shared);
	g_set_error(error, BOT_ERROR, BOT_ERROR_CONFIG,
		    "there is no %s in the configured folders, nor %s", name, shared);
	return NULL;
}

GPtrArray *suite_load(const Config *config, const char *name, GError **error)
{
	g_autofree char *file = g_strconcat(name, ".yaml", NULL);
	g_autofree char *path = NULL;

	if (!check_name("suite", name, error))
		return NULL;
	path = find_in((const char *const *)config->run.suite_dirs, "suites", file, error);
	return path == NULL ? NULL : jobspec_load(path, error);
}

Workload *suite_workload(const Config *config, const char *testcase, GError **error)
{
	g_autofree char *path = NULL;

	if (!check_name("testcase", testcase, error))
		return NULL;
	path = find_in((const char *const *)config->run.workload_dirs, "workloads", testcase,
		       error);
	return path == NULL ? NULL : workload_load(path, error);
}

bool suite_is_shipped(const Workload *workload)
{
	g_autofree char *shared = fs_share_path("workloads", workload->testcase);

	return strcmp(shared, workload->dir) == 0;
}

static bool check_suite(const Config *config, const char *name, GError **error)
{
	g_autoptr(GPtrArray) specs = suite_load(config, name, error);

	for (guint i = 0; specs != NULL && i < specs->len; i++) {
		const JobSpec *spec = specs->pdata[i];
		g_autoptr(Workload) workload = suite_workload(config, spec->testcase, error);
		if (workload == NULL)
			return false;
	}
	return specs != NULL;
}

bool suite_check_all(const Config *config, GError **error)
{
	for (guint i = 0; i < config->lists->len; i++) {
		const ListSection *list = config->lists->pdata[i];
		for (guint j = 0; list->suites[j] != NULL; j++) {
			if (!check_suite(config, list->suites[j], error)) {
				g_prefix_error(error,
					       "%s: [list \"%s\"] suite = %s: ", config->path,
					       list->name, list->suites[j]);
				return false;
			}
		}
	}
	return true;
}
