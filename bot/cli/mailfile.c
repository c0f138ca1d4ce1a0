/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/cli/cli.h"

#include "bot/base/autofd.h"
#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "mailparse/limits.h"

#include <string.h>

static bool feed_all(int fd, MboxSplitter *splitter, const char *argument, GError **error)
{
	guint8 chunk[65536];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			bot_error_set_errno(error, errno, "cannot read %s", argument);
			return false;
		}
		mbox_splitter_feed(splitter, chunk, (gsize)n);
	}
	return true;
}

bool cli_each_message(const char *argument, MboxTakeFunc take, gpointer data, GError **error)
{
	bool standard = strcmp(argument, "-") == 0;
	autofd int file = standard ? -1 : fs_open_regular(argument, error);
	MboxSplitter splitter;

	if (!standard && file < 0)
		return false;
	mbox_splitter_init(&splitter, MAIL_MAX_BYTES, take, data);
	bool ok = feed_all(standard ? STDIN_FILENO : file, &splitter,
			   standard ? "standard input" : argument, error);
	mbox_splitter_end(&splitter);
	return ok;
}

static void keep_copy(GBytes *mail, gpointer all)
{
	gsize len;
	const guint8 *bytes = g_bytes_get_data(mail, &len);

	g_ptr_array_add(all, g_bytes_new(bytes, len));
}

GPtrArray *cli_read_messages(const char *argument, GError **error)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);

	return cli_each_message(argument, keep_copy, all, error) ? g_steal_pointer(&all) : NULL;
}
