/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/mail.h"

#include "tests/fuzz/mail_checks.h"

#include <glib.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_patch(const Patch *patch)
{
	g_assert_cmpuint(patch->diff->files->len, >, 0);
	g_autofree char *sha256 = patch_sha256(patch);
	g_assert_cmpuint(strlen(sha256), ==, 64);
	g_assert_true(g_utf8_validate(patch->message, -1, NULL));
	g_assert_true(patch->message[0] == '\0' || g_str_has_suffix(patch->message, "\n"));
	g_assert_null(strpbrk(patch->title, "\r\n"));
}

static void check_mail(const uint8_t *data, size_t size, const RequestContext *context)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Mail) mail = mail_read(data, size, context, &error);

	g_assert_true((mail == NULL) == (error != NULL));
	if (mail == NULL)
		return;
	if (mail->patch != NULL)
		check_patch(mail->patch);
	const Damage *damage = mail_damage(mail);
	if (damage != NULL) {
		g_autofree char *says = damage_sentence(damage);
		g_assert_true(g_utf8_validate(says, -1, NULL));
	}
	check_request(mail->request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *const own[] = {"bot@lab.example.org", NULL};
	const RequestContext ours = {.own = own};
	const RequestContext any = {.any = true};

	check_mail(data, size, &ours);
	check_mail(data, size, &any);
	return 0;
}
