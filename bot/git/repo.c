/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/git/repo.h"

#include "bot/base/error.h"
#include "mailparse/diff.h"

#include <string.h>

struct Repo {
	git_repository *handle;
};

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(git_buf, git_buf_dispose)

static Repo *repo_new(git_repository *handle)
{
	Repo *repo = g_new0(Repo, 1);

	repo->handle = handle;
	return repo;
}

/* What git itself would otherwise do behind our back when a person runs it in there. */
static int set_config(git_repository *handle)
{
	g_autoptr(git_config) config = NULL;
	int rc = git_repository_config(&config, handle);

	if (rc == 0)
		rc = git_config_set_int32(config, "gc.auto", 0);
	if (rc == 0)
		rc = git_config_set_string(config, "core.hooksPath", "/dev/null");
	if (rc == 0)
		rc = git_config_set_bool(config, "core.logAllRefUpdates", 0);
	return rc;
}

static int create(git_repository **out, const char *path)
{
	int rc = git_create_bare(out, path, "main");

	return rc == 0 ? set_config(*out) : rc;
}

Repo *repo_open(const char *path, GError **error)
{
	g_return_val_if_fail(path != NULL, NULL);

	g_autoptr(git_repository) handle = NULL;
	int rc;

	git_start();
	rc = git_open_bare(&handle, path);
	if (rc == GIT_ENOTFOUND)
		rc = create(&handle, path);
	if (rc < 0) {
		(void)git_fail(error, rc, "cannot open or create the repository %s", path);
		return NULL;
	}
	return repo_new(g_steal_pointer(&handle));
}

Repo *repo_open_existing(const char *path, GError **error)
{
	g_return_val_if_fail(path != NULL, NULL);

	git_repository *handle = NULL;
	int rc;

	git_start();
	rc = git_open(&handle, path);
	if (rc < 0) {
		(void)git_fail(error, rc, "cannot open the repository %s", path);
		return NULL;
	}
	return repo_new(handle);
}

void repo_close(Repo *repo)
{
	if (!repo)
		return;
	git_repository_free(repo->handle);
	g_free(repo);
}

git_repository *repo_handle(const Repo *repo)
{
	return repo->handle;
}

static bool is_hex(const char *text)
{
	return text[strspn(text, "0123456789abcdefABCDEF")] == '\0';
}

/* Peels a tag; what is no commit in the end is none. */
static bool peel(git_object *object, const char *spec, git_oid *out, GError **error)
{
	g_autoptr(git_object) commit = NULL;

	if (git_object_peel(&commit, object, GIT_OBJECT_COMMIT) == 0) {
		git_oid_cpy(out, git_object_id(commit));
		return true;
	}
	git_error_clear();
	g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND, "%s is no commit", spec);
	return false;
}

static bool find_by_ref(Repo *repo, const char *name, git_oid *out)
{
	g_autoptr(git_object) object = NULL;
	git_oid oid;

	if (!git_reference_is_valid_name(name) ||
	    git_reference_name_to_id(&oid, repo->handle, name) < 0 ||
	    git_object_lookup(&object, repo->handle, &oid, GIT_OBJECT_ANY) < 0) {
		git_error_clear();
		return false;
	}
	return peel(object, name, out, NULL);
}

/* Branches first: a person who names both means what moves. */
static bool find_below(Repo *repo, const char *spec, const char *prefix, git_oid *out)
{
	static const char *const below[] = {"heads/", "tags/", ""};

	for (size_t i = 0; i < G_N_ELEMENTS(below); i++) {
		g_autofree char *name = g_strconcat(prefix, below[i], spec, NULL);
		if (find_by_ref(repo, name, out))
			return true;
	}
	return false;
}

/* With a prefix nothing outside of it is found by name, so no request sees another one's refs. */
static bool find_by_name(Repo *repo, const char *spec, const char *prefix, git_oid *out)
{
	if (!prefix)
		return find_by_ref(repo, spec, out) || find_below(repo, spec, "refs/", out);
	if (g_str_has_prefix(spec, prefix))
		return find_by_ref(repo, spec, out);
	if (g_str_has_prefix(spec, "refs/"))
		spec += strlen("refs/");
	return find_below(repo, spec, prefix, out);
}

static bool find_by_id(Repo *repo, const char *spec, git_oid *out, GError **error)
{
	g_autoptr(git_object) object = NULL;
	git_oid oid;
	int rc = git_oid_fromstrn(&oid, spec, strlen(spec));

	if (rc == 0)
		rc = git_object_lookup_prefix(&object, repo->handle, &oid, strlen(spec),
					      GIT_OBJECT_ANY);
	if (rc == GIT_EAMBIGUOUS) {
		git_error_clear();
		g_set_error(error, BOT_ERROR, BOT_ERROR_CONFLICT,
			    "%s is short for more than one object; write more digits", spec);
		return false;
	}
	if (rc < 0) {
		git_error_clear();
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND, "no commit %s is known here",
			    spec);
		return false;
	}
	return peel(object, spec, out, error);
}

bool repo_find_commit(Repo *repo, const char *spec, const char *ref_prefix, git_oid *out_commit,
		      GError **error)
{
	g_return_val_if_fail(repo != NULL && spec != NULL, false);

	size_t len = strlen(spec);
	bool hex = len >= 7 && len <= GIT_OID_HEXSZ && is_hex(spec);

	/* As git does: a full id is an id, whatever branch may bear its name. */
	if (hex && len == GIT_OID_HEXSZ)
		return find_by_id(repo, spec, out_commit, error);
	if (find_by_name(repo, spec, ref_prefix, out_commit))
		return true;
	if (hex)
		return find_by_id(repo, spec, out_commit, error);
	g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND,
		    "no branch, tag or commit %s is known%s%s", spec,
		    ref_prefix ? " below " : " here", ref_prefix ? ref_prefix : "");
	return false;
}

bool repo_parse_rev(Repo *repo, const char *rev, git_oid *out_commit, GError **error)
{
	g_return_val_if_fail(repo != NULL && rev != NULL, false);

	g_autoptr(git_object) object = NULL;
	int rc = git_revparse_single(&object, repo->handle, rev);

	if (rc < 0)
		return git_fail(error, rc, "cannot find %s", rev);
	return peel(object, rev, out_commit, error);
}

static git_commit *lookup(Repo *repo, const git_oid *oid, GError **error)
{
	git_commit *commit = NULL;
	int rc = git_commit_lookup(&commit, repo->handle, oid);

	if (rc < 0)
		(void)git_fail(error, rc, "cannot read commit %s", git_oid_tostr_s(oid));
	return commit;
}

char *repo_commit_subject(Repo *repo, const git_oid *commit, GError **error)
{
	g_autoptr(git_commit) found = lookup(repo, commit, error);
	const char *message = found ? git_commit_message(found) : NULL;

	if (!found)
		return NULL;
	g_autofree char *line = g_strndup(message, strcspn(message, "\n"));
	return g_strchomp(g_utf8_make_valid(line, -1));
}

bool repo_commit_parent(Repo *repo, const git_oid *commit, git_oid *out_parent, GError **error)
{
	g_autoptr(git_commit) found = lookup(repo, commit, error);

	if (!found)
		return false;
	if (git_commit_parentcount(found) == 0) {
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND, "commit %s has no parent",
			    git_oid_tostr_s(commit));
		return false;
	}
	git_oid_cpy(out_parent, git_commit_parent_id(found, 0));
	return true;
}

bool repo_commit_tree(Repo *repo, const git_oid *commit, git_oid *out_tree, GError **error)
{
	g_autoptr(git_commit) found = lookup(repo, commit, error);

	if (!found)
		return false;
	git_oid_cpy(out_tree, git_commit_tree_id(found));
	return true;
}

/* As git-show(1) prints it by default: renames found, hunks slid to indentation. */
static int print_diff(Repo *repo, git_commit *commit, git_buf *out)
{
	git_diff_options options;
	g_autoptr(git_tree) tree = NULL;
	g_autoptr(git_tree) old = NULL;
	g_autoptr(git_commit) parent = NULL;
	g_autoptr(git_diff) diff = NULL;
	int rc = git_commit_tree(&tree, commit);

	git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
	options.flags = GIT_DIFF_INDENT_HEURISTIC;
	if (rc == 0 && git_commit_parentcount(commit) > 0) {
		rc = git_commit_parent(&parent, commit, 0);
		if (rc == 0)
			rc = git_commit_tree(&old, parent);
	}
	if (rc == 0)
		rc = git_diff_tree_to_tree(&diff, repo->handle, old, tree, &options);
	if (rc == 0)
		rc = git_diff_find_similar(diff, NULL);
	return rc == 0 ? git_diff_to_buf(out, diff, GIT_DIFF_FORMAT_PATCH) : rc;
}

char *repo_commit_patch_id(Repo *repo, const git_oid *commit, GError **error)
{
	g_autoptr(git_commit) found = lookup(repo, commit, error);
	g_auto(git_buf) text = GIT_BUF_INIT_CONST(NULL, 0);
	g_autoptr(GBytes) bytes = NULL;
	g_autoptr(Diff) diff = NULL;
	int rc = found ? print_diff(repo, found, &text) : -1;

	if (!found)
		return NULL;
	if (rc < 0) {
		(void)git_fail(error, rc, "cannot diff commit %s", git_oid_tostr_s(commit));
		return NULL;
	}
	bytes = g_bytes_new(text.ptr, text.size);
	diff = diff_parse(bytes, error);
	if (!diff)
		return NULL;
	char *id = diff_patch_id(diff);
	if (!id)
		g_set_error(error, BOT_ERROR, BOT_ERROR_NOT_FOUND, "commit %s changes nothing",
			    git_oid_tostr_s(commit));
	return id;
}

bool repo_set_ref(Repo *repo, const char *name, const git_oid *commit, GError **error)
{
	g_autoptr(git_reference) ref = NULL;
	int rc = git_reference_create(&ref, repo->handle, name, commit, true, NULL);

	return rc == 0 || git_fail(error, rc, "cannot set %s", name);
}
