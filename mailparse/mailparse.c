/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/mailparse.h"

#include <gmime/gmime.h>

G_DEFINE_QUARK(mail_error, mail_error)

void mailparse_start(void)
{
	static gsize started;

	if (g_once_init_enter(&started)) {
		g_mime_init();
		g_once_init_leave(&started, 1);
	}
}
