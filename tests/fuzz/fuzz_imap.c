/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * fuzz_imap - what an IMAP server may send: cut into responses, and each read as all it may be.
 *
 * The first byte is how the input is cut into reads, the rest is the stream.
 */

#include "bot/intake/imap_reader.h"
#include "bot/intake/imap_response.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_KEPT ((size_t)512)

static void check_fetch(const ImapResponse *response, const ImapHead *head)
{
	g_auto(ImapFetch) fetch = {0};

	if (!imap_fetch_parse(response, head, &fetch, NULL))
		return;
	g_assert_true(fetch.body == NULL || fetch.has_body);
	if (fetch.body != NULL)
		g_assert_cmpuint(g_bytes_get_size(fetch.body), ==, fetch.body_size);
	g_assert_cmpint(fetch.size, >=, 0);
}

static void check_response(const ImapResponse *response)
{
	ImapHead head;
	uint32_t number = 0;
	size_t kept = 0;

	g_assert_null(memchr(response->text->str, '\n', response->text->len));
	g_assert_null(memchr(response->text->str, '\0', response->text->len));
	for (guint i = 0; i < response->literals->len; i++) {
		const ImapLiteral *literal = &g_array_index(response->literals, ImapLiteral, i);
		g_assert_cmpuint(literal->at, <=, response->text->len);
		if (literal->bytes)
			kept += g_bytes_get_size(literal->bytes);
	}
	g_assert_cmpuint(kept, <=, MAX_KEPT);
	if (!imap_head_parse(response, &head, NULL))
		return;
	g_assert_cmpuint(head.rest, <=, response->text->len);
	g_autofree char *words = imap_response_words(response, &head);
	g_assert_true(g_utf8_validate(words, -1, NULL));
	imap_head_code_number(&head, "UIDNEXT", &number);
	imap_response_has_word(response, &head, "IDLE");
	if (!imap_search_parse(response, &head, 5, &number, NULL))
		number = 0;
	check_fetch(response, &head);
}

/* The texts of all responses of @stream, read @cut bytes at a time. */
static char *read_stream(const char *stream, size_t len, size_t cut)
{
	g_autoptr(ImapReader) reader = imap_reader_new(MAX_KEPT);
	g_autoptr(GString) texts = g_string_new(NULL);
	size_t at = 0;

	while (at < len) {
		g_autoptr(ImapResponse) response = NULL;
		size_t n = MIN(cut, len - at);
		size_t used = 0;
		if (!imap_reader_feed(reader, stream + at, n, &used, &response, NULL)) {
			g_string_append(texts, "error");
			break;
		}
		g_assert_true(used > 0 && used <= n);
		g_assert_true(response != NULL || used == n);
		at += used;
		if (response) {
			check_response(response);
			g_string_append_printf(texts, "%s\n", response->text->str);
		}
	}
	return g_string_free(g_steal_pointer(&texts), FALSE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	const char *stream = (const char *)data + 1;
	g_autofree char *pieces = read_stream(stream, size - 1, (size_t)data[0] + 1);
	g_autofree char *whole = read_stream(stream, size - 1, size);

	/* How the bytes come in must not matter. */
	g_assert_cmpstr(pieces, ==, whole);
	return 0;
}
