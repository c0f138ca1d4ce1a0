/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/mbox.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Where separators begin when the bytes come in pieces of @piece. */
static GArray *find_separators(const uint8_t *data, size_t size, size_t piece)
{
	GArray *starts = g_array_new(FALSE, FALSE, sizeof(guint64));
	MboxScanner scanner;
	guint64 start;

	mbox_scanner_init(&scanner, 0);
	scanner.is_whole = true;
	while (scanner.pos < size) {
		size_t len = MIN(piece, size - scanner.pos);
		guint64 before = scanner.pos;
		gsize used;

		if (mbox_scanner_feed(&scanner, data + before, len, &used, &start)) {
			g_assert_cmpuint(start, <, scanner.pos);
			g_assert_cmpint(mbox_separator_time((const char *)data + start,
							    scanner.pos - start),
					>=, -1);
			g_array_append_val(starts, start);
		}
		g_assert_cmpuint(scanner.pos, ==, before + used);
	}
	if (mbox_scanner_end(&scanner, &start))
		g_array_append_val(starts, start);
	return starts;
}

typedef struct {
	guint n_mails;
	gsize n_bytes;
} Sum;

static void add_mail(GBytes *mail, gpointer data)
{
	Sum *sum = data;

	sum->n_mails++;
	sum->n_bytes += g_bytes_get_size(mail);
}

static Sum split(const uint8_t *data, size_t size, size_t piece)
{
	Sum sum = {0};
	MboxSplitter splitter;

	mbox_splitter_init(&splitter, MBOX_SEPARATOR_MAX_BYTES, add_mail, &sum);
	for (size_t at = 0; at < size; at += piece)
		mbox_splitter_feed(&splitter, data + at, MIN(piece, size - at));
	mbox_splitter_end(&splitter);
	return sum;
}

/* A cut changes nothing, and the splitter of whole archives sees as many mails. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GArray) whole = find_separators(data, size, MAX(size, 1));
	g_autoptr(GArray) cut = find_separators(data, size, size > 0 ? data[0] % 64 + 1u : 1);
	Sum at_once = split(data, size, MAX(size, 1));
	Sum in_pieces = split(data, size, size > 0 ? data[0] % 64 + 1u : 1);
	bool archive = whole->len > 1 && g_array_index(whole, guint64, 0) == 0;

	g_assert_cmpuint(whole->len, ==, cut->len);
	for (guint i = 0; i < whole->len; i++)
		g_assert_cmpuint(g_array_index(whole, guint64, i), ==,
				 g_array_index(cut, guint64, i));
	g_assert_cmpuint(at_once.n_mails, ==, archive ? whole->len : 1);
	g_assert_cmpuint(in_pieces.n_mails, ==, at_once.n_mails);
	g_assert_cmpuint(in_pieces.n_bytes, ==, at_once.n_bytes);
	return 0;
}
