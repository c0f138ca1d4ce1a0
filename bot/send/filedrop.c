/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/send/filedrop.h"

#include "bot/base/error.h"
#include "bot/base/fs.h"

#include <string.h>

#define NAME_MAX_BYTES 200u
#define SAFE_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._@-"

/* Ids are ours, but a name that comes out of a database is cut and cleaned all the same. */
static char *file_name(const char *message_id)
{
	g_autofree char *name = g_strndup(message_id, NAME_MAX_BYTES);

	g_strcanon(name, SAFE_CHARS, '_');
	if (*name == '.')
		*name = '_';
	return g_strconcat(name, ".eml", NULL);
}

bool filedrop_write(const char *directory, const OutgoingMail *mail, GError **error)
{
	gsize len = 0;
	const void *bytes = g_bytes_get_data(mail->bytes, &len);

	if (mail->message_id == NULL || *mail->message_id == '\0') {
		g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT,
			    "a mail without a Message-ID cannot be written to %s", directory);
		return false;
	}
	if (!fs_make_dir(directory, 0755, error))
		return false;
	g_autofree char *name = file_name(mail->message_id);
	g_autofree char *path = g_build_filename(directory, name, NULL);
	return fs_write_durable(path, bytes, len, 0600, error);
}
