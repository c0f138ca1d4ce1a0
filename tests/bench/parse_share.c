/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * parse_share GIT_DIR [ROUNDS [MAX_MAILS]] - reading a mail beside what GMime alone takes for it.
 *
 * The mails of an epoch (at most MAX_MAILS, 10000, and 256 MB) are held in memory.  ROUNDS (5)
 * times, taking turns, on one thread:
 *
 * gmime	g_mime_parser_construct_message() of a stream over the bytes, and free
 * nobody	mail_read(): all that `parse` prints, but for patch.sha256, as nobody's robot
 * own		the same as the robot that `understand` is, whom no mail addresses
 * any		the same in the place of whomever a mail addresses (`parse --as any`)
 *
 * Prints a line each: name, mails a second of processor time (median), share of gmime's rate
 * (median of the rounds').
 */

#include "mailparse/mail.h"
#include "mailparse/mailparse.h"
#include "tests/bench/epoch.h"

#include <gmime/gmime.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MAX_BYTES (256u * 1024 * 1024)

typedef struct {
	GPtrArray *mails; /* (element-type GBytes) */
	guint max_mails;
	gsize n_bytes;
} Load;

static bool keep_mail(const void *bytes, gsize len, gpointer data)
{
	Load *load = data;

	g_ptr_array_add(load->mails, g_bytes_new(bytes, len));
	load->n_bytes += len;
	return load->mails->len < load->max_mails && load->n_bytes < MAX_BYTES;
}

static void read_by_gmime(const guint8 *bytes, gsize len, const void *unused)
{
	GMimeStream *stream = g_mime_stream_mem_new_with_buffer((const char *)bytes, len);
	GMimeParser *parser = g_mime_parser_new_with_stream(stream);
	GMimeMessage *message = g_mime_parser_construct_message(parser, NULL);

	(void)unused;
	g_clear_object(&message);
	g_object_unref(parser);
	g_object_unref(stream);
}

static void read_by_us(const guint8 *bytes, gsize len, const void *context)
{
	g_autoptr(Mail) mail = mail_read(bytes, len, context, NULL);

	(void)mail;
}

static const char *const own[] = {"lorebot@example.org", NULL};
static const RequestContext as_own = {.own = own};
static const RequestContext as_any = {.any = true};

static const struct {
	const char *name;
	void (*read)(const guint8 *bytes, gsize len, const void *context);
	const RequestContext *context;
} ways[] = {
	{"gmime", read_by_gmime, NULL},
	{"nobody", read_by_us, NULL},
	{"own", read_by_us, &as_own},
	{"any", read_by_us, &as_any},
};

/* Of this process: a busy neighbour then counts little. */
static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double time_way(gsize way, const GPtrArray *mails)
{
	double start = cpu_seconds();

	for (guint i = 0; i < mails->len; i++) {
		gsize len;
		const guint8 *bytes = g_bytes_get_data(mails->pdata[i], &len);
		ways[way].read(bytes, len, ways[way].context);
	}
	return cpu_seconds() - start;
}

static int compare_doubles(gconstpointer a, gconstpointer b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *values, guint n)
{
	g_autofree double *sorted = g_memdup2(values, n * sizeof(double));

	qsort(sorted, n, sizeof(double), compare_doubles);
	return sorted[n / 2];
}

static void print_way(gsize way, double *const *seconds, guint n_rounds, guint n_mails)
{
	g_autofree double *shares = g_new(double, n_rounds);

	for (guint i = 0; i < n_rounds; i++)
		shares[i] = seconds[0][i] / seconds[way][i];
	printf("%-8s %8.0f mails/s   %5.2f of gmime\n", ways[way].name,
	       n_mails / median(seconds[way], n_rounds), median(shares, n_rounds));
}

static void measure(const GPtrArray *mails, guint n_rounds)
{
	double *seconds[G_N_ELEMENTS(ways)];

	for (gsize way = 0; way < G_N_ELEMENTS(ways); way++)
		seconds[way] = g_new(double, n_rounds);
	for (guint i = 0; i < n_rounds; i++) {
		for (gsize way = 0; way < G_N_ELEMENTS(ways); way++)
			seconds[way][i] = time_way(way, mails);
	}
	for (gsize way = 0; way < G_N_ELEMENTS(ways); way++)
		print_way(way, seconds, n_rounds, mails->len);
	for (gsize way = 0; way < G_N_ELEMENTS(ways); way++)
		g_free(seconds[way]);
}

int main(int argc, char **argv)
{
	g_autoptr(GPtrArray) mails = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
	Load load = {.mails = mails, .max_mails = argc > 3 ? (guint)atoi(argv[3]) : 10000};
	int n_rounds = argc > 2 ? atoi(argv[2]) : 5;

	if (argc < 2 || argc > 4 || n_rounds < 1) {
		fprintf(stderr, "usage: %s GIT_DIR [ROUNDS [MAX_MAILS]]\n", argv[0]);
		return 2;
	}
	mailparse_start();
	if (!epoch_walk(argv[1], keep_mail, &load))
		return 1;
	measure(mails, (guint)n_rounds);
	return 0;
}
