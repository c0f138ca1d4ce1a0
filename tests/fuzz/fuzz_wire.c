/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The wire form: whatever is stored, no bare CR or LF, no lone dot, no NUL leaves. */
#include "bot/send/wire.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(const uint8_t *line, gsize len, bool ascii)
{
	g_assert_cmpuint(len, <=, 999); /* 998, and a doubled dot */
	g_assert_true(len == 0 || line[0] != '.' || (len > 1 && line[1] == '.'));
	for (gsize i = 0; i < len; i++) {
		g_assert_true(line[i] != '\r' && line[i] != '\n' && line[i] != '\0');
		g_assert_true(!ascii || line[i] < 0x80);
	}
}

static void check_wire(GBytes *wire, bool ascii)
{
	gsize len = 0;
	const uint8_t *bytes = g_bytes_get_data(wire, &len);
	gsize start = 0;

	for (gsize i = 0; i + 1 < len; i++) {
		if (bytes[i] != '\r' || bytes[i + 1] != '\n')
			continue;
		check_line(bytes + start, i - start, ascii);
		start = i + 2;
	}
	g_assert_cmpuint(start, ==, len);
}

static void check_mode(GBytes *mail, bool eight_bit)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) wire = wire_make(mail, eight_bit, &error);

	g_assert_true((wire == NULL) == (error != NULL));
	if (wire == NULL)
		return;
	check_wire(wire, !eight_bit);
	g_autoptr(GBytes) again = wire_make(mail, eight_bit, NULL);
	g_assert_true(g_bytes_equal(wire, again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GBytes) mail = g_bytes_new(data, size);

	check_mode(mail, true);
	check_mode(mail, false);
	return 0;
}
