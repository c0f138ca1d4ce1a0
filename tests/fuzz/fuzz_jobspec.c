/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/run/jobspec.h"

#include <glib.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_same(const JobSpec *left, const JobSpec *right)
{
	g_assert_cmpstr(left->suite, ==, right->suite);
	g_assert_cmpstr(left->testcase, ==, right->testcase);
	g_assert_cmpstr(left->category, ==, right->category);
	g_assert_cmpuint(left->params->len, ==, right->params->len);
	for (guint i = 0; i < left->params->len; i++) {
		const JobParam *one = g_ptr_array_index(left->params, i);
		const JobParam *other = g_ptr_array_index(right->params, i);

		g_assert_cmpstr(one->key, ==, other->key);
		g_assert_cmpstr(one->value, ==, other->value);
	}
}

/* What is mailed can be run again, and its result path is one plain file name. */
static void check_job(const JobSpec *spec)
{
	g_autofree char *yaml = jobspec_to_yaml(spec);
	g_autofree char *path = jobspec_path_params(spec);
	g_autoptr(GPtrArray) again = jobspec_parse(yaml, strlen(yaml), "again", NULL);

	g_assert_null(strchr(spec->testcase, '/'));
	g_assert_true(*path != '\0' && g_str_is_ascii(path));
	g_assert_null(strchr(path, '/'));
	g_assert_nonnull(again);
	g_assert_cmpuint(again->len, ==, 1);
	check_same(spec, g_ptr_array_index(again, 0));
	for (guint i = 0; i < spec->params->len; i++) {
		const JobParam *param = g_ptr_array_index(spec->params, i);
		g_autofree char *name = jobspec_env_name(param->key);

		g_assert_null(strpbrk(name, "=.- "));
		g_assert_cmpstr(name, !=, "PATH");
		g_assert_false(g_str_has_prefix(name, "LD_"));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) jobs = jobspec_parse((const char *)data, size, "job", &error);

	g_assert_true((jobs == NULL) == (error != NULL));
	if (jobs == NULL)
		return 0;
	g_assert_cmpuint(jobs->len, <=, 256);
	for (guint i = 0; i < jobs->len; i++)
		check_job(g_ptr_array_index(jobs, i));
	return 0;
}
