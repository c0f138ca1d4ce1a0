/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input: a byte each for the number of metrics and the sizes of the sides, then raw doubles. */
#include "bot/stats/compare.h"
#include "bot/stats/retest.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define MAX_METRICS 6u
#define MAX_N 30u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
	const uint8_t *data;
	size_t len;
} Bytes;

static uint8_t take_byte(Bytes *bytes)
{
	if (bytes->len == 0)
		return 0;
	bytes->len--;
	return *bytes->data++;
}

static Sample *take_sample(Bytes *bytes)
{
	double values[MAX_N] = {0};
	size_t n = take_byte(bytes) % (MAX_N + 1);
	size_t taken = MIN(n * sizeof(double), bytes->len);

	if (taken > 0)
		memcpy(values, bytes->data, taken);
	bytes->data += taken;
	bytes->len -= taken;
	return sample_new(values, n);
}

static void check_result(const Comparison *c)
{
	g_assert_true(c->p > 0 && c->p <= 1);
	g_assert_true(isfinite(c->shift) && isfinite(c->low) && isfinite(c->high));
	g_assert_true(c->low <= c->high && c->equivalence_low <= c->equivalence_high);
	if (c->has_interval)
		g_assert_true(c->low <= c->shift && c->shift <= c->high);
	g_assert_true(isnan(c->smallest_effect) || c->smallest_effect >= 0);
	g_assert_cmpuint(c->n_min, >=, 5);
	if (c->n_base < 3 || c->n_head < 3 || c->runs_missing)
		g_assert_cmpint(c->verdict, ==, VERDICT_UNCLEAR);
	if (c->verdict == VERDICT_NO_CHANGE)
		g_assert_true(c->has_interval || c->identical);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Bytes bytes = {data, size};
	size_t n = 1 + take_byte(&bytes) % MAX_METRICS;
	Sample *samples[2 * MAX_METRICS];
	CompareInput inputs[MAX_METRICS];
	Comparison results[MAX_METRICS];

	for (size_t i = 0; i < n; i++) {
		samples[2 * i] = take_sample(&bytes);
		samples[2 * i + 1] = take_sample(&bytes);
		inputs[i] = (CompareInput){
			.key = "m",
			.base = samples[2 * i],
			.head = samples[2 * i + 1],
			.direction = DIRECTION_HIGHER_IS_BETTER,
			.delta = 0.02,
		};
	}
	compare_family(inputs, n, &(CompareOptions){0.01, 0.05, 20}, results);
	for (size_t i = 0; i < n; i++)
		check_result(&results[i]);
	(void)retest_judge(samples[0], samples[1], samples[2 * n - 1], DIRECTION_NONE, 0.02,
			   &COMPARE_OPTIONS_DEFAULT, n);
	for (size_t i = 0; i < 2 * n; i++)
		sample_free(samples[i]);
	return 0;
}
