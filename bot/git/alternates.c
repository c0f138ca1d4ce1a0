/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/git/alternates.h"

#include "bot/base/error.h"
#include "bot/base/fs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHAIN_MAX 32u

/* Resolves links, so that two names of one folder are seen to be one. */
static char *real_path(const char *path, GError **error)
{
	char *real = realpath(path, NULL);
	char *copy;

	if (!real) {
		bot_error_set_errno(error, errno, "cannot find the object folder %s", path);
		return NULL;
	}
	copy = g_strdup(real);
	free(real);
	return copy;
}

static char *objects_path(git_repository *repo, GError **error)
{
	g_autofree char *path = g_build_filename(git_repository_commondir(repo), "objects", NULL);

	return real_path(path, error);
}

static bool add_to_chain(GPtrArray *chain, const char *path, GError **error)
{
	for (guint i = 0; i < chain->len; i++) {
		if (strcmp(chain->pdata[i], path) == 0) {
			g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT,
				    "the alternates of %s lead back to %s; remove the loop",
				    (char *)chain->pdata[0], path);
			return false;
		}
	}
	if (chain->len == CHAIN_MAX) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_PERMANENT,
			    "%s borrows objects from over %u folders", (char *)chain->pdata[0],
			    CHAIN_MAX);
		return false;
	}
	g_ptr_array_add(chain, g_strdup(path));
	return true;
}

/* @chain: object folders; grows by what @objects borrows from */
static bool follow(GPtrArray *chain, const char *objects, GError **error)
{
	g_auto(GStrv) lines = git_alternates(objects, error);

	if (!lines)
		return false;
	for (char **line = lines; *line; line++) {
		g_autofree char *path = git_alternate_path(objects, *line);
		g_autofree char *real = NULL;

		if (!path)
			continue;
		real = real_path(path, error);
		if (!real || !add_to_chain(chain, real, error))
			return false;
	}
	return true;
}

/* The objects folder of @mirror and of all it borrows from, in the order they are found. */
static GPtrArray *resolve_chain(const char *own, git_repository *mirror, GError **error)
{
	g_autoptr(GPtrArray) chain = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *first = objects_path(mirror, error);

	/* Our own folder stands first, so that a way back to it is a loop like any other. */
	g_ptr_array_add(chain, g_strdup(own));
	if (!first || !add_to_chain(chain, first, error))
		return NULL;
	for (guint i = 1; i < chain->len; i++) {
		if (!follow(chain, chain->pdata[i], error))
			return NULL;
	}
	g_ptr_array_remove_index(chain, 0);
	return g_steal_pointer(&chain);
}

static bool has_line(char **lines, const char *wanted)
{
	return g_strv_contains((const char *const *)lines, wanted);
}

static bool write_lines(const char *own, char **lines, const GPtrArray *chain, GError **error)
{
	g_autofree char *path = g_build_filename(own, "info", "alternates", NULL);
	g_autofree char *dir = g_path_get_dirname(path);
	g_autoptr(GString) text = g_string_new(NULL);
	bool grown = false;

	for (char **line = lines; *line; line++) {
		if ((*line)[0] != '\0')
			g_string_append_printf(text, "%s\n", *line);
	}
	for (guint i = 0; i < chain->len; i++) {
		if (has_line(lines, chain->pdata[i]))
			continue;
		g_string_append_printf(text, "%s\n", (char *)chain->pdata[i]);
		grown = true;
	}
	return !grown || (fs_make_dir(dir, 0755, error) &&
			  fs_write_durable(path, text->str, text->len, 0644, error));
}

/* What is open already reads the file only once, so the new folders are added by hand. */
static bool add_now(git_repository *repo, char **lines, const GPtrArray *chain, GError **error)
{
	int rc = 0;

	for (guint i = 0; rc == 0 && i < chain->len; i++) {
		if (!has_line(lines, chain->pdata[i]))
			rc = git_borrow(repo, chain->pdata[i]);
	}
	return rc == 0 || git_fail(error, rc, "cannot read the mirror's objects");
}

bool alternates_add(git_repository *repo, git_repository *mirror, GError **error)
{
	g_autofree char *own = objects_path(repo, error);
	g_autoptr(GPtrArray) chain = own ? resolve_chain(own, mirror, error) : NULL;
	g_auto(GStrv) lines = chain ? git_alternates(own, error) : NULL;

	return lines && write_lines(own, lines, chain, error) && add_now(repo, lines, chain, error);
}
