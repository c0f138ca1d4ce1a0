/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stored facts, however damaged: a mail comes out that no other tool acts on, or an error.
 */
#include "bot/base/json.h"
#include "bot/report/compose.h"
#include "bot/report/guard.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_headers(char *const *lines, guint *out_n)
{
	guint i = 0;

	for (; *lines[i] != '\0'; i++) {
		g_assert_true(g_str_is_ascii(lines[i]));
		g_assert_cmpuint(strlen(lines[i]), <=, 998);
		g_assert_true(*lines[i] == ' ' || strchr(lines[i], ':') != NULL);
	}
	*out_n = i;
}

static void check_mail(const OutgoingMail *mail)
{
	gsize len = 0;
	const char *bytes = g_bytes_get_data(mail->bytes, &len);
	g_autofree char *text = g_strndup(bytes, len);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	guint n_headers = 0;
	guint n_tags = 0;

	g_assert_cmpuint(strlen(text), ==, len);
	g_assert_null(strchr(text, '\r'));
	g_assert_cmpuint(len, <=, COMPOSE_MAX_BYTES);
	g_assert_cmpuint(mail->recipients->len, >=, 1);
	check_headers(lines, &n_headers);
	for (guint i = n_headers; lines[i] != NULL; i++) {
		GuardKind kind = guard_line(lines[i]);
		n_tags += kind == GUARD_TRAILER;
		g_assert_true(kind == GUARD_PLAIN || kind == GUARD_TRAILER);
	}
	g_assert_cmpuint(n_tags, <=, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GError) error = NULL;
	autojson *facts = json_parse_bytes((const char *)data, size, "facts", NULL);

	if (facts == NULL)
		return 0;
	g_autoptr(OutgoingMail) mail = compose_from_json(facts, "fuzz", &error);
	g_assert_true((mail == NULL) == (error != NULL));
	if (mail != NULL)
		check_mail(mail);
	return 0;
}
