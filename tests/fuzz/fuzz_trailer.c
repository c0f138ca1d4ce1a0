/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/limits.h"
#include "mailparse/text.h"
#include "mailparse/trailer.h"

#include "tests/fuzz/mail_checks.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A line that is written from what was read is a trailer again, and the same one. */
static void check_again(const Trailer *trailer)
{
	g_autofree char *text = g_strdup_printf("title\n\nSigned-off-by: x\n%s: %s\n", trailer->key,
						trailer->value);
	g_autoptr(GPtrArray) again = trailer_list(text);

	g_assert_cmpuint(again->len, ==, 2);
	const Trailer *second = g_ptr_array_index(again, 1);
	g_assert_cmpstr(second->key, ==, trailer->key);
	g_assert_cmpstr(second->value, ==, trailer->value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *message = text_to_utf8((const char *)data, size, NULL);
	g_autoptr(GPtrArray) trailers = trailer_list(message);

	g_assert_cmpuint(trailers->len, <=, MAIL_MAX_TRAILERS);
	for (guint i = 0; i < trailers->len; i++) {
		const Trailer *trailer = g_ptr_array_index(trailers, i);

		check_line(trailer->key);
		check_line(trailer->value);
		g_assert_true(trailer->key[0] != '\0' && strchr(trailer->key, ':') == NULL);
		check_again(trailer);
	}
	return 0;
}
