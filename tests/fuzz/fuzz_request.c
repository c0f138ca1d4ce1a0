/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two mails: the one that is answered, a line PARENT_END, and its answer; without the line an
 * answer alone. */
#include "mailparse/mail.h"

#include "tests/fuzz/mail_checks.h"

#include <stdint.h>

#define PARENT_END "\n%% answer\n"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *find_answer(const uint8_t *data, size_t size)
{
	const uint8_t *mark = memmem(data, size, PARENT_END, strlen(PARENT_END));

	return mark != NULL ? mark + strlen(PARENT_END) : data;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *const own[] = {"bot@lab.example.org", NULL};
	const uint8_t *answer = find_answer(data, size);
	size_t len = size - (size_t)(answer - data);
	g_autoptr(Message) parent = answer != data ? message_parse(data, size - len, NULL) : NULL;
	const RequestContext contexts[] = {
		{.own = own, .parent = parent},
		{.own = own, .parent = parent, .parent_is_ours = true},
		{.any = true, .parent = parent},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(contexts); i++) {
		g_autoptr(Mail) mail = mail_read(answer, len, &contexts[i], NULL);

		if (mail != NULL)
			check_request(mail->request);
	}
	return 0;
}
