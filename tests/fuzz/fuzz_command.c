/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first line is the subject, the rest the body. */
#include "mailparse/command.h"
#include "mailparse/text.h"

#include "tests/fuzz/mail_checks.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_command(const FormalCommand *command)
{
	g_assert_true(g_utf8_validate(command->text, -1, NULL));
	g_assert_true(command->branch == NULL || !command->usable ||
		      target_is_ref(command->branch));
	g_assert_true(command->repo == NULL || !command->usable || url_is(command->repo) ||
		      target_is_ref(command->repo));
	for (gsize i = 0; command->options[i] != NULL; i++) {
		check_line(command->options[i]);
		g_assert_nonnull(strchr(command->options[i], '='));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = text_to_utf8((const char *)data, size, NULL);
	gsize n_subject = strcspn(text, "\n");
	const char *body = text[n_subject] == '\n' ? text + n_subject + 1 : "";
	g_autofree char *subject = g_strndup(text, n_subject);
	g_autoptr(FormalCommand) ours = formal_command_find(subject, body, NULL, false);
	g_autoptr(FormalCommand) any = formal_command_find(NULL, body, NULL, true);

	if (ours != NULL)
		check_command(ours);
	if (any != NULL)
		check_command(any);
	return 0;
}
