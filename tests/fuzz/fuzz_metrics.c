/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config/metrics.h"

#include <glib.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(MetricIndex) index = metrics_parse((const char *)data, size, "input", &error);

	g_assert_true((index == NULL) == (error != NULL));
	if (index == NULL)
		return 0;
	for (guint i = 0; i < index->entries->len; i++) {
		const MetricEntry *entry = g_ptr_array_index(index->entries, i);

		g_assert_true(entry->delta > 0 && entry->delta_absolute >= 0);
		g_assert_true(entry->unit == NULL || g_utf8_validate(entry->unit, -1, NULL));
	}
	(void)metrics_find(index, "stress-ng.touch.ops_per_sec");
	return 0;
}
