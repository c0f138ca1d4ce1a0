/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/run/outcome.h"
#include "bot/run/resultfile.h"

#include <glib.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_values(const GPtrArray *values, const GError *error)
{
	g_assert_true((values == NULL) == (error != NULL));
	for (guint i = 0; values != NULL && i < values->len; i++) {
		const ResultValue *value = g_ptr_array_index(values, i);

		g_assert_true(isfinite(value->value));
		g_assert_true(g_str_is_ascii(value->key));
		g_assert_null(strpbrk(value->key, " \"\\\r\n\t"));
	}
	g_assert_true(values == NULL || values->len <= 20000);
}

static void check_lines(const char *text, size_t size)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) values = resultfile_parse_lines(text, size, "wc", &error);

	check_values(values, error);
}

static void check_json(const char *text, size_t size)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) values = resultfile_parse_json(text, size, "stats.json", &error);

	check_values(values, error);
}

static void check_outcome(const char *text, size_t size)
{
	g_autoptr(GError) error = NULL;
	g_auto(TaskResult) result = {.outcome = TASK_INFRA};
	bool ok = outcome_parse(text, size, "outcome.json", &result, &error);

	g_assert_true(ok == (error == NULL));
	g_assert_true(ok == (result.step != NULL));
	g_assert_nonnull(task_outcome_name(result.outcome));
	g_assert_true(isfinite(result.elapsed_s));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_lines((const char *)data, size);
	check_json((const char *)data, size);
	check_outcome((const char *)data, size);
	return 0;
}
