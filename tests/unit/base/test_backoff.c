/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/backoff.h"
#include "tests/unit/check_main.h"

static void assert_within(unsigned n_failures, int64_t low_ms, int64_t high_ms)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(1);
	int64_t least = G_MAXINT64;
	int64_t most = 0;

	for (int i = 0; i < 2000; i++) {
		int64_t delay_ms = backoff_delay_ms(n_failures, random);
		least = MIN(least, delay_ms);
		most = MAX(most, delay_ms);
	}

	ck_assert_int_ge(least, low_ms);
	ck_assert_int_le(most, high_ms);
	/* The whole width is used. */
	ck_assert_int_le(least - low_ms, (high_ms - low_ms) / 20);
	ck_assert_int_le(high_ms - most, (high_ms - low_ms) / 20);
}

START_TEST(backoff_waits_one_to_two_seconds_after_the_first_failure)
{
	assert_within(1, 1000, 2000);
	assert_within(0, 1000, 2000);
}
END_TEST

START_TEST(backoff_doubles_with_each_failure)
{
	assert_within(2, 2000, 4000);
	assert_within(3, 4000, 8000);
	assert_within(9, 256000, 512000);
}
END_TEST

START_TEST(backoff_never_waits_longer_than_a_quarter_of_an_hour)
{
	assert_within(10, 450000, 900000);
	assert_within(1000, 450000, 900000);
	assert_within(G_MAXUINT, 450000, 900000);
}
END_TEST

START_TEST(backoff_repeats_with_the_same_random_source)
{
	g_autoptr(GRand) one = g_rand_new_with_seed(7);
	g_autoptr(GRand) two = g_rand_new_with_seed(7);

	for (unsigned i = 1; i < 20; i++)
		ck_assert_int_eq(backoff_delay_ms(i, one), backoff_delay_ms(i, two));
}
END_TEST

CHECK_MAIN("backoff", backoff_waits_one_to_two_seconds_after_the_first_failure,
	   backoff_doubles_with_each_failure, backoff_never_waits_longer_than_a_quarter_of_an_hour,
	   backoff_repeats_with_the_same_random_source)
