/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/limits.h"
#include "mailparse/subject.h"

#include "tests/fuzz/mail_checks.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *subject = g_strndup((const char *)data, size);
	g_autoptr(SubjectPrefix) prefix = subject_parse(subject);

	check_line(prefix->title);
	g_assert_cmpuint(strlen(prefix->title), <=, 3 * SUBJECT_MAX_BYTES);
	g_assert_cmpuint(prefix->total, >=, 1);
	g_assert_cmpuint(prefix->total, <=, SERIES_MAX_PATCHES);
	g_assert_cmpuint(prefix->number, <=, SERIES_MAX_PATCHES);
	g_assert_cmpuint(prefix->revision, <=, SERIES_MAX_PATCHES);
	g_assert_true(prefix->numbered || (prefix->number == 1 && prefix->total == 1));
	for (gsize i = 0; prefix->tags[i] != NULL; i++)
		check_line(prefix->tags[i]);
	return 0;
}
