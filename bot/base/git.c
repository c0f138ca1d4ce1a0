/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/base/git.h"

#include "bot/base/error.h"
#include "bot/base/fs.h"
#include "bot/base/gitloose.h"

#define ALTERNATES_MAX_BYTES (64u * 1024)
#define ALTERNATES_MAX_DEPTH 5u /* that of libgit2 */

void git_start(void)
{
	static gsize started = 0;

	if (g_once_init_enter(&started)) {
		git_libgit2_init();
		/* Our repositories may be owned by another uid than ours (root runs the demo of a
		 * user); we never run anything a repository's configuration names. */
		git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
		git_libgit2_opts(GIT_OPT_SET_ODB_PACKED_PRIORITY, GITLOOSE_PACKED_PRIORITY);
		g_once_init_leave(&started, 1);
	}
}

static BotError code_of(int rc, int klass)
{
	switch (rc) {
	case GIT_ENOTFOUND:
	case GIT_EINVALIDSPEC:
	case GIT_EUNBORNBRANCH:
		return BOT_ERROR_NOT_FOUND;
	case GIT_ELOCKED:
		return BOT_ERROR_TRANSIENT;
	case GIT_EAMBIGUOUS:
	case GIT_ECONFLICT:
	case GIT_EAPPLYFAIL:
	case GIT_EEXISTS:
	case GIT_EMERGECONFLICT:
		return BOT_ERROR_CONFLICT;
	default:
		break;
	}
	return klass == GIT_ERROR_NET || klass == GIT_ERROR_OS || klass == GIT_ERROR_NOMEMORY
		       ? BOT_ERROR_TRANSIENT
		       : BOT_ERROR_PERMANENT;
}

bool git_fail(GError **error, int rc, const char *format, ...)
{
	/* May be NULL or stale (docs/error-handling.md of libgit2): taken at once, used with care.
	 */
	const git_error *last = git_error_last();
	va_list args;

	va_start(args, format);
	g_autofree char *what = g_strdup_vprintf(format, args);
	va_end(args);

	g_set_error(error, BOT_ERROR, (int)code_of(rc, last == NULL ? 0 : last->klass),
		    "%s: %s (libgit2 %d)", what,
		    last == NULL || last->message == NULL ? "no reason given" : last->message, rc);
	git_error_clear();
	return false;
}

char **git_alternates(const char *objects, GError **error)
{
	g_autofree char *path = g_build_filename(objects, "info", "alternates", NULL);
	g_autoptr(GError) local = NULL;
	g_autoptr(GBytes) bytes = fs_read(path, ALTERNATES_MAX_BYTES, &local);
	g_autofree char *text = NULL;
	gsize len;

	if (!bytes && g_error_matches(local, BOT_ERROR, BOT_ERROR_NOT_FOUND))
		return g_new0(char *, 1);
	if (!bytes) {
		g_propagate_error(error, g_steal_pointer(&local));
		return NULL;
	}
	const char *data = g_bytes_get_data(bytes, &len);
	text = g_strndup(data, len);
	return g_strsplit(text, "\n", -1);
}

char *git_alternate_path(const char *objects, const char *line)
{
	if (line[0] == '\0' || line[0] == '#')
		return NULL;
	return g_path_is_absolute(line) ? g_strdup(line) : g_build_filename(objects, line, NULL);
}

static int guard_folder(git_odb *odb, const char *objects, unsigned depth)
{
	g_autoptr(GError) failed = NULL;
	g_auto(GStrv) lines = git_alternates(objects, &failed);
	int rc;

	if (!lines) {
		git_error_set_str(GIT_ERROR_ODB, failed->message);
		return GIT_ERROR;
	}
	rc = gitloose_add(odb, objects);
	for (char **line = lines; rc == 0 && *line && depth < ALTERNATES_MAX_DEPTH; line++) {
		g_autofree char *path = git_alternate_path(objects, *line);

		if (path)
			rc = guard_folder(odb, path, depth + 1);
	}
	return rc;
}

/* @rc: what opening @io_repo gave; it is closed again when it cannot be guarded */
static int guard(git_repository **io_repo, int rc)
{
	g_autoptr(git_odb) odb = NULL;

	if (rc < 0)
		return rc;
	g_autofree char *objects =
		g_build_filename(git_repository_commondir(*io_repo), "objects", NULL);
	rc = git_repository_odb(&odb, *io_repo);
	if (rc == 0)
		rc = guard_folder(odb, objects, 0);
	if (rc < 0)
		g_clear_pointer(io_repo, git_repository_free);
	return rc;
}

int git_open(git_repository **out, const char *path)
{
	return guard(out, git_repository_open_ext(out, path, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL));
}

int git_open_bare(git_repository **out, const char *path)
{
	return guard(out, git_repository_open_bare(out, path));
}

int git_create_bare(git_repository **out, const char *path, const char *head)
{
	git_repository_init_options options;

	git_repository_init_options_init(&options, GIT_REPOSITORY_INIT_OPTIONS_VERSION);
	options.flags = GIT_REPOSITORY_INIT_BARE | GIT_REPOSITORY_INIT_MKPATH;
	options.initial_head = head;
	return guard(out, git_repository_init_ext(out, path, &options));
}

int git_borrow(git_repository *repo, const char *objects)
{
	g_autoptr(git_odb) odb = NULL;
	int rc = git_repository_odb(&odb, repo);

	if (rc == 0)
		rc = git_odb_add_disk_alternate(odb, objects);
	return rc == 0 ? guard_folder(odb, objects, 1) : rc;
}
