/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * epoch_walk GIT_DIR - what reading an epoch costs at least: each commit from the first on, its
 * tree, its blob `m`; nothing is done with the bytes.  Prints one line: "MAILS BYTES SECONDS".
 */

#include "tests/bench/epoch.h"

#include <stdint.h>
#include <stdio.h>

typedef struct {
	guint n_mails;
	gsize n_bytes;
} Sum;

static bool add_mail(const void *bytes, gsize len, gpointer data)
{
	Sum *sum = data;

	(void)bytes;
	sum->n_mails++;
	sum->n_bytes += len;
	return true;
}

int main(int argc, char **argv)
{
	Sum sum = {0};

	if (argc != 2) {
		fprintf(stderr, "usage: %s GIT_DIR\n", argv[0]);
		return 2;
	}
	int64_t start_us = g_get_monotonic_time();
	if (!epoch_walk(argv[1], add_mail, &sum))
		return 1;
	printf("%u %zu %.3f\n", sum.n_mails, sum.n_bytes,
	       (double)(g_get_monotonic_time() - start_us) / 1e6);
	return 0;
}
