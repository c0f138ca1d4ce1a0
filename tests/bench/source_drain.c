/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * source_drain URL [CA_FILE] - read a source from its beginning to its end and throw the mails
 * away.
 *
 * Logs in as tester/secret, as the servers of tests/servers do.  Prints one line:
 * "MAILS BYTES REFUSED SECONDS".
 */

#include "bot/intake/source.h"

#include <stdio.h>

typedef struct {
	guint n_mails;
	guint n_refused;
	gsize bytes;
} Sum;

static bool drain(Source *source, Sum *sum, GError **error)
{
	for (;;) {
		g_auto(SourceBatch) batch = {0};
		if (!source_next(source, 500, &batch, error))
			return false;
		for (guint i = 0; i < batch.mails->len; i++) {
			const SourceMail *mail = g_ptr_array_index(batch.mails, i);
			sum->n_mails++;
			sum->n_refused += mail->refused != NULL;
			sum->bytes += mail->bytes ? g_bytes_get_size(mail->bytes) : 0;
		}
		bool last = batch.mails->len == 0;
		if (!source_ack(source, error))
			return false;
		if (last)
			return true;
	}
}

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	Sum sum = {0};

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: %s URL [CA_FILE]\n", argv[0]);
		return 2;
	}
	SourceOptions options = {.name = "bench",
				 .url = argv[1],
				 .user = "tester",
				 .password = "secret",
				 .ca_file = argc > 2 ? argv[2] : NULL,
				 .stop_fd = -1};
	int64_t start_us = g_get_monotonic_time();
	g_autoptr(Source) source = source_open(&options, &error);
	if (!source || !drain(source, &sum, &error)) {
		fprintf(stderr, "%s\n", error->message);
		return 1;
	}
	printf("%u %zu %u %.3f\n", sum.n_mails, sum.bytes, sum.n_refused,
	       (double)(g_get_monotonic_time() - start_us) / 1e6);
	return 0;
}
