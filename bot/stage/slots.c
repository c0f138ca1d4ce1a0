/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/slots.h"

#include "bot/base/autofd.h"
#include "bot/base/error.h"
#include "bot/base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

/* (transfer full): "USER HOST", what the server counts connections by; NULL for a local source. */
static char *account_of(const SourceSection *source)
{
	g_autofree char *scheme = NULL;
	g_autofree char *host = NULL;

	if (!g_uri_split_network(source->url, G_URI_FLAGS_ENCODED | G_URI_FLAGS_PARSE_RELAXED,
				 &scheme, &host, NULL, NULL) ||
	    !g_str_has_prefix(scheme, "imap") || host == NULL)
		return NULL;
	g_autofree char *name = g_ascii_strdown(host, -1);
	return g_strdup_printf("%s %s", source->user ? source->user : "", name);
}

unsigned slots_needed(const Config *config, const SourceSection *source)
{
	g_autofree char *account = account_of(source);
	unsigned least = source->max_connections;
	unsigned n_sharing = 0;

	for (guint i = 0; account != NULL && i < config->sources->len; i++) {
		const SourceSection *other = config->sources->pdata[i];
		g_autofree char *theirs = account_of(other);
		if (g_strcmp0(account, theirs) != 0)
			continue;
		n_sharing++;
		least = MIN(least, other->max_connections);
	}
	return n_sharing > least ? least : 0;
}

/* Host and user are anything; a file name is not. */
static char *path_of(const char *dir, const char *account, unsigned slot)
{
	g_autofree char *key = g_compute_checksum_for_string(G_CHECKSUM_SHA256, account, -1);
	g_autofree char *name = g_strdup_printf("imap-%.16s-%u.lock", key, slot);

	return g_build_filename(dir, name, NULL);
}

static bool try_slot(const char *path, int *out_fd, GError **error)
{
	autofd int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	*out_fd = -1;
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
		*out_fd = autofd_steal(&fd);
		return true;
	}
	if (fd >= 0 && errno == EWOULDBLOCK)
		return true;
	bot_error_set_errno(error, errno, "cannot lock %s", path);
	return false;
}

bool slots_take(const char *state_dir, const SourceSection *source, unsigned n_slots, int *out_fd,
		GError **error)
{
	g_autofree char *account = account_of(source);
	g_autofree char *dir = g_build_filename(state_dir, "run", NULL);

	g_return_val_if_fail(account != NULL && n_slots > 0, false);
	*out_fd = -1;
	if (!fs_make_dir(dir, 0700, error))
		return false;
	for (unsigned slot = 0; slot < n_slots && *out_fd < 0; slot++) {
		g_autofree char *path = path_of(dir, account, slot);
		if (!try_slot(path, out_fd, error))
			return false;
	}
	return true;
}
