/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * mail_checks - what must hold of anything that was read from hostile bytes; shared by targets.
 */

#include "mailparse/mailbox.h"
#include "mailparse/request.h"
#include "mailparse/target.h"
#include "mailparse/url.h"

#include <glib.h>
#include <string.h>

/* Valid UTF-8 on one line: it may stand in a header, a log or a table. */
static inline void check_line(const char *text)
{
	g_assert_true(g_utf8_validate(text, -1, NULL));
	g_assert_null(strpbrk(text, "\r\n"));
}

/* What we write of a person is ASCII on one line and reads back as the same person. */
static inline void check_mailbox(const Mailbox *mailbox)
{
	g_autofree char *header = mailbox_to_header(mailbox);
	g_autoptr(Mailbox) again = mailbox_parse(header, NULL);

	check_line(mailbox->name);
	check_line(header);
	g_assert_true(g_str_is_ascii(header));
	g_assert_nonnull(again);
	g_assert_cmpstr(again->addr, ==, mailbox->addr);
	g_assert_cmpstr(again->name, ==, mailbox->name);
}

/* What leads to a fetch or an argv holds nothing that could be taken for something else. */
static inline void check_request(const Request *request)
{
	g_assert_nonnull(request->why);
	g_assert_true(!request->act || request->kind == REQUEST_TEST ||
		      request->kind == REQUEST_RETEST);
	g_assert_true(request->branch == NULL || target_is_ref(request->branch));
	g_assert_true(request->repo == NULL || url_is(request->repo) ||
		      target_is_ref(request->repo));
	for (guint i = 0; i < request->commits->len; i++) {
		const RequestCommit *commit = g_ptr_array_index(request->commits, i);

		g_assert_true(target_is_hash(commit->sha));
	}
	for (guint i = 0; i < request->sources->len; i++) {
		const RequestSource *source = g_ptr_array_index(request->sources, i);

		g_assert_true(url_is(source->url) || target_is_ref(source->url));
		g_assert_true(source->ref == NULL || target_is_ref(source->ref));
	}
	g_assert_true(request->job == NULL || target_is_hash(request->job->commit));
}
