/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/backoff.h"

int64_t backoff_delay_ms(unsigned n_failures, GRand *random)
{
	int64_t most = BACKOFF_MIN_MS;

	for (unsigned i = 0; i < MAX(n_failures, 1) && most < BACKOFF_MAX_MS; i++)
		most *= 2;
	most = MIN(most, BACKOFF_MAX_MS);
	return most / 2 + g_rand_int_range(random, 0, (gint32)(most / 2 + 1));
}
