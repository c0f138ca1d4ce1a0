/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/limits.h"
#include "mailparse/msgid.h"

#include "tests/fuzz/mail_checks.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The canonical form is its own, in brackets too, and a URL path holds it on one segment. */
static void check_id(const char *id)
{
	g_autofree char *bracketed = g_strdup_printf("<%s>", id);
	g_autofree char *bare = msgid_bare(id);
	g_autofree char *again = msgid_bare(bracketed);
	g_autofree char *url = msgid_url_escape(id);
	g_autofree char *back = g_uri_unescape_string(url, NULL);

	g_assert_true(msgid_is_canonical(id));
	g_assert_cmpuint(strlen(id), <=, MSGID_MAX_BYTES);
	g_assert_cmpstr(bare, ==, id);
	g_assert_cmpstr(again, ==, id);
	g_assert_null(strpbrk(url, "/?#<>\" "));
	g_assert_cmpstr(back, ==, id);
}

static void check_optional(char *id)
{
	if (id != NULL)
		check_id(id);
	g_free(id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	const ByteSlice pieces[] = {{.ptr = (const char *)data, .len = size / 2},
				    {.ptr = (const char *)data + size / 2, .len = size - size / 2}};
	g_autofree char *synthetic = msgid_synthetic(pieces, G_N_ELEMENTS(pieces));
	g_autoptr(GPtrArray) ids = msgid_list(text);
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	check_id(synthetic);
	g_assert_true(msgid_is_synthetic(synthetic));
	check_optional(msgid_canonical(text));
	check_optional(msgid_bare(text));
	g_assert_cmpuint(ids->len, <=, MAIL_MAX_REFERENCES);
	for (guint i = 0; i < ids->len; i++) {
		check_id(g_ptr_array_index(ids, i));
		g_assert_true(g_hash_table_add(seen, g_ptr_array_index(ids, i)));
	}
	return 0;
}
