/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/limits.h"

#include "tests/fuzz/mail_checks.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Nothing that a line of SMTP or a header could be changed by. */
static void check_addr(const char *addr)
{
	g_assert_cmpuint(strlen(addr), <=, MAILBOX_MAX_BYTES);
	g_assert_true(g_str_is_ascii(addr));
	g_assert_null(strpbrk(addr, "<>\r\n\t"));
	g_assert_nonnull(strchr(addr, '@'));
	g_assert_true(mailbox_addr_matches(addr, addr) || strpbrk(addr, "\"\\") != NULL ||
		      g_str_has_suffix(addr, "."));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	g_autoptr(GError) error = NULL;
	g_autoptr(Mailbox) first = mailbox_parse(text, &error);
	g_autoptr(Mailbox) whole = mailbox_new(text, "ann@example.org", NULL);
	g_autoptr(Mailbox) bare = mailbox_new(NULL, text, NULL);
	g_autoptr(GPtrArray) list = mailbox_list_parse(text);

	g_assert_true((first == NULL) == (error != NULL));
	g_assert_nonnull(whole);
	check_mailbox(whole);
	if (bare != NULL)
		check_addr(bare->addr);
	g_assert_cmpuint(list->len, <=, MAIL_MAX_ADDRESSES);
	g_assert_true(list->len == 0 || first != NULL);
	for (guint i = 0; i < list->len; i++) {
		const Mailbox *mailbox = g_ptr_array_index(list, i);

		check_mailbox(mailbox);
		check_addr(mailbox->addr);
	}
	return 0;
}
